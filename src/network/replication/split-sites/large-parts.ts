// Finds what is too large for one place, and where to cut it; and parts that have become so small that they need none of their own.
//
// By the sums, so that it costs as much for a million captures as for a thousand.

import { type RingKey, ringKeyBytes } from '../../../model/ring-key.ts'
import { isBefore, type KeyRange } from '../sums/key-range.ts'
import type { RangeSums } from '../sums/range-sums.ts'
import { type SplitSites, siteOfKey } from './split-sites.ts'

type Sums = Pick<RangeSums, 'sumOf' | 'parts' | 'entries'>

const partsMax = 16
/** What is smaller by this than what is too large is no part of its own any more. */
const smallPart = 1 / 8
const lateShare = 7 / 8

/** Bounds to cut at, of all that lies in these ranges. `entriesMax`: more than that is too large. */
export function cutsIn(
  sums: Sums,
  splits: SplitSites,
  ranges: readonly KeyRange[],
  entriesMax: number,
): Uint8Array[] {
  const cuts: Uint8Array[] = []
  const seen = new Set<string>()
  for (const range of ranges) {
    for (const key of samples(sums, range, entriesMax / 4)) {
      const site = siteOfKey(key)
      for (const bucket of splits.bucketsOf(site)) {
        if (isBefore(key, bucket.range.from) || !isBefore(key, bucket.range.to) || seen.has(bucket.place))
          continue
        seen.add(bucket.place)
        const cut = sums.sumOf(bucket.range).count > entriesMax ? cutOf(sums, bucket.range) : undefined
        if (cut !== undefined) cuts.push(cut)
      }
    }
  }
  return cuts
}

/** Whether a cut that another holder proposes is one that we could have made: of a part that is too large here as well, between two
 * URLs that are here, and not near either end. `isHeld`: whether we are to hold what lies at a place. */
export function isPlausibleCut(
  sums: Sums,
  splits: SplitSites,
  cut: Uint8Array,
  { entriesMax, isHeld }: { entriesMax: number; isHeld: (place: RingKey) => boolean },
): boolean {
  const bucket = splits
    .bucketsOf(siteOfKey(cut))
    .find(({ range }) => isBefore(range.from, cut) && isBefore(cut, range.to))
  if (bucket === undefined || !isHeld(bucket.place)) return false
  const { from, to } = bucket.range
  const { count } = sums.sumOf(bucket.range)
  // Others may have a little more than has come to us.
  if (count <= lateShare * entriesMax) return false
  const before = sums.sumOf({ from, to: cut }).count
  if (before < smallPart * count || before > (1 - smallPart) * count) return false
  const [first] = sums.entries({ from: cut, to }, 1)
  const start = first && startOfUrl(first.key)
  return start !== undefined && Buffer.compare(start, cut) === 0
}

/** Bounds that are needed no more, of buckets that lie at these places. */
export function boundsToEnd(
  sums: Sums,
  splits: SplitSites,
  isOurs: (place: RingKey) => boolean,
  entriesMax: number,
): Uint8Array[] {
  return splits
    .sites()
    .flatMap((site) => splits.bucketsOf(site).slice(1))
    .filter(({ place, range }) => isOurs(place) && sums.sumOf(range).count < smallPart * entriesMax)
    .map(({ range }) => range.from)
}

/** A key of every stretch that has about so many entries: what has four times as many holds one of them at least. */
function* samples(sums: Sums, range: KeyRange, entries: number): Iterable<Uint8Array> {
  const tally = sums.sumOf(range)
  if (tally.count === 0) return
  if (tally.count <= Math.max(1, entries)) {
    for (const { key } of sums.entries(range, 1)) yield key
    return
  }
  for (const part of sums.parts(range, partsMax, tally)) yield* samples(sums, part.range, entries)
}

/** About in the middle, between two URLs; undefined when all is of one URL. */
function cutOf(sums: Sums, range: KeyRange): Uint8Array | undefined {
  const half = sums.sumOf(range).count / 2
  let best: { cut: Uint8Array; off: number } | undefined
  for (const { range: part } of sums.parts(range, partsMax)) {
    const [first] = sums.entries(part, 1)
    const cut = first && startOfUrl(first.key)
    if (cut === undefined || !isBefore(range.from, cut)) continue
    const before = sums.sumOf({ from: range.from, to: cut }).count
    const off = Math.abs(half - before)
    if (before > 0 && (best === undefined || off < best.off)) best = { cut, off }
  }
  return best?.cut
}

/** What the keys of a URL's versions begin with; its end mark left out, it comes before all of them. */
function startOfUrl(key: Uint8Array): Uint8Array | undefined {
  const end = key.indexOf(0, ringKeyBytes)
  return end <= ringKeyBytes ? undefined : key.slice(0, end)
}
