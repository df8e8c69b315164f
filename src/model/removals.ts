// What was taken out of an archive, or is missing from it: for whoever looks whether everything is safe.
//
// A takedown is a member's right, and one that empties the archive is an attack or a mistake: it is told with who asked for it and
// until when it can be undone. What nobody removed and is not there is told in any case.

import { printMinute } from './timestamp.ts'

/** What one author hid, when that is much of the archive. */
export interface MassRemoval {
  /** Who asked for it; empty for the owner of the peer that tells. */
  readonly by: string
  /** When, the last of them. */
  readonly atMs: number
  readonly takedowns: number
  /** The largest of them, as the command takes it: `--site example.com`. */
  readonly what: string
  readonly captures: number
  /** That were to be seen before. */
  readonly ofCaptures: number
  /** The first of them can be undone until then. */
  readonly untilMs: number
}

export interface RemovalStatus {
  /** Hidden by takedowns that can be taken back. */
  readonly hidden: number
  /** Given up because other peers keep them. */
  readonly droppedForOthers: number
  /** Destroyed after a takedown. */
  readonly destroyed: number
  /** Neither there nor removed by anybody. */
  readonly missing: number
  /** Stored takedowns that cannot be read, and hide nothing. */
  readonly quarantinedTakedowns: number
  readonly mass: readonly MassRemoval[]
}

interface ActiveTakedown {
  readonly target: { readonly kind: string; readonly url?: string; readonly site?: string }
  readonly by?: string | undefined
  readonly atMs: number
  readonly finalAtMs: number
  readonly captures: number
  readonly ofCaptures: number
}

const massShare = 0.1
const massCaptures = 1_000
const massesMax = 20
const whatCharsMax = 200

/** Of takedowns that can be taken back. Many small ones of one author count together. */
export function massRemovals(takedowns: Iterable<ActiveTakedown>): MassRemoval[] {
  const sums = new Map<string, MassRemoval & { largest: number }>()
  for (const { target, by = '', atMs, finalAtMs, captures, ofCaptures } of takedowns) {
    const before = sums.get(by)
    const isLargest = captures >= (before?.largest ?? 0)
    sums.set(by, {
      by,
      atMs: Math.max(atMs, before?.atMs ?? atMs),
      takedowns: 1 + (before?.takedowns ?? 0),
      what: isLargest ? described(target) : before!.what,
      largest: isLargest ? captures : before!.largest,
      captures: captures + (before?.captures ?? 0),
      ofCaptures: Math.max(ofCaptures, before?.ofCaptures ?? 0),
      untilMs: Math.min(finalAtMs, before?.untilMs ?? finalAtMs),
    })
  }
  return [...sums.values()]
    .filter(
      ({ captures, ofCaptures }) =>
        captures > massCaptures || (captures > 0 && captures > massShare * ofCaptures),
    )
    .sort((one, other) => other.captures - one.captures)
    .slice(0, massesMax)
    .map(({ largest: _, ...mass }) => mass)
}

/** What somebody should look at, a sentence each. `peer`: whose it is, in words. */
export function removalWarnings(removals: RemovalStatus, peer: string): string[] {
  const { missing, quarantinedTakedowns, mass } = removals
  const warnings = mass.map(
    ({ by, atMs, takedowns, what, captures, ofCaptures, untilMs }) =>
      `${captures} of ${ofCaptures} captures of ${peer} are hidden by ${takedowns === 1 ? 'a takedown' : `${takedowns} takedowns`} that ${by === '' ? 'its owner' : `peer …${by.slice(-8)}`} asked for at ${printMinute(atMs)} (${what}). This can be undone until ${printMinute(untilMs)}: polyhistor takedown --release ${what}`,
  )
  if (missing > 0)
    warnings.push(
      `${missing} captures of ${peer} are missing that nobody removed. Look for lost volumes or disks and run: polyhistor store rebuild`,
    )
  if (quarantinedTakedowns > 0)
    warnings.push(
      `${quarantinedTakedowns} stored takedowns of ${peer} cannot be read and hide nothing: see takedowns.quarantine.jsonl in its store`,
    )
  return warnings
}

function described({ kind, url, site }: ActiveTakedown['target']): string {
  return `--${kind} ${(site ?? url ?? '').slice(0, whatCharsMax)}`
}
