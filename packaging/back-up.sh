#!/bin/sh
# Copies the home of a peer, running or not, to a folder from which a peer can be started: back-up.sh HOME TARGET
#
# Volumes, which are nearly all of it, are copied while the peer works: they only grow. Then it stands still for the rest (SIGSTOP), which
# is then on disk as after a power cut, and a peer survives that. Run again with the same target, only what is new is copied.
# Volume folders outside the home are not copied: `polyhistor store volumes` lists them.
set -eu
home=${1:?back-up.sh HOME TARGET} target=${2:?back-up.sh HOME TARGET}
[ -d "$home/store" ] || { echo "There is no archive in $home." >&2; exit 66; }
mkdir -p "$target/store/volumes"
chmod 700 "$target"

copy_volumes() {
  for volume in "$home"/store/volumes/* "$home"/store/volumes/.[!.]*; do
    [ -f "$volume" ] || continue
    copy="$target/store/volumes/${volume##*/}"
    # Compared by size: a volume grows within the clock tick in which it was copied, too.
    if [ ! -f "$copy" ] || [ "$(wc -c <"$volume")" -ne "$(wc -c <"$copy")" ]; then
      # Compaction may have taken it away this moment.
      cp -p "$volume" "$copy" 2>/dev/null || [ ! -f "$volume" ]
    fi
  done
}

copy_volumes

pid=$(sed -n 's/.*"pid": *\([0-9]*\).*/\1/p' "$home/store/holder.json" 2>/dev/null || true)
# A killed peer leaves its number behind, which another process may have by now.
case $([ -z "$pid" ] || ps -o args= -p "$pid" 2>/dev/null || true) in *cli/main.*) ;; *) pid= ;; esac
if [ -n "$pid" ] && kill -STOP "$pid"; then
  trap 'kill -CONT "$pid"' EXIT
  trap 'exit 130' INT TERM HUP
  # What its threads were writing is written before they stand still.
  sleep 1
fi
copy_volumes
for copy in "$target"/store/volumes/*; do
  [ ! -f "$copy" ] || [ -f "$home/store/volumes/${copy##*/}" ] || rm "$copy"
done
# All else anew: it is small, and old parts of it must not mix with new ones.
find "$target" -mindepth 1 -maxdepth 1 ! -name store -exec rm -r {} +
find "$target/store" -mindepth 1 -maxdepth 1 ! -name volumes -exec rm -r {} +
find "$home" -mindepth 1 -maxdepth 1 ! -name store -exec cp -a {} "$target/" \;
find "$home/store" -mindepth 1 -maxdepth 1 ! -name volumes -exec cp -a {} "$target/store/" \;
# These tell of the process that runs on the other home.
rm -f "$target/peer.json" "$target/store/holder.json"
