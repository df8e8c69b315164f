// A word when the system ends this process over a file that it has mapped: a page of a large index that has rotted (SIGBUS). Small ones
// are looked at before they are mapped, and large ones when the last process did not close them (platform/real/key-value/index-opening.ts); a
// large one that rots between two runs is noticed only when the page is read, and then nobody is left to say so. So a small shell
// waits for the end of this process, and says it if the index was not closed. It knows of no other way to end: a SIGKILL looks
// the same, and is told in the same words.

import { spawn } from 'node:child_process'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { smallBytes, unclosedMark } from '../platform/real/key-value/index-opening.ts'

// Its input ends with our process, however that ends.
const script = 'cat >/dev/null; if [ -e "$0" ]; then printf "%s\\n" "$1" >&2; fi'

/** Gives what ends it, to be called when the store is closed. */
export async function guardIndex(storeFolder: string): Promise<() => void> {
  const index = join(storeFolder, 'index')
  const info = await stat(join(index, 'data.mdb')).catch(() => undefined)
  if (info === undefined || info.size <= smallBytes || process.platform === 'win32') return () => {}
  const words = `polyhistor: process ${process.pid} was ended while it used ${index}. It was killed, or the system ended it because that file has rotted. The next start looks at it first, and makes it anew from the volumes if it must.`
  const guard = spawn('/bin/sh', ['-c', script, unclosedMark(index), words], {
    stdio: ['pipe', 'ignore', 'inherit'],
    // Ctrl-C is for us.
    detached: true,
  })
  // Where there is no shell there is no word.
  guard.on('error', () => {})
  guard.stdin.on('error', () => {})
  guard.unref()
  return () => guard.stdin.end()
}
