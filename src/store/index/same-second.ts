// Which of several captures of one URL and second is held to be the first, in the index: see model/same-second.ts.
//
// Invariant: of the crawled captures of one URL and second exactly one is not marked as later, as far as they are looked at. What is
// known at first hand takes the place of what came as a copy, and nothing else takes a place by coming.

import { firstKnown, secondMs, secondOf } from '../../model/same-second.ts'
import type { CaptureEntry } from './capture-entry.ts'
import { captureKey, parseCaptureKey, timeBytes } from './capture-key.ts'
import type { StoreIndex } from './store-index.ts'

/** Other spellings of the URL lie between, and what liars brought. */
const looksMax = 1_024

type KeyedCapture = readonly [key: Uint8Array, entry: CaptureEntry]

/** In all spellings of the URL. */
export interface SecondCaptures {
  readonly captures: readonly KeyedCapture[]
  /** Not cut off. */
  readonly isComplete: boolean
}

/** Captures of one URL, by what their keys begin with, of the second that this moment lies in. */
export function capturesOfSecond(index: StoreIndex, prefix: Buffer, capturedAtMs: number): SecondCaptures {
  const fromMs = secondOf(capturedAtMs)
  const range = { from: captureKey(prefix, fromMs, 0), to: captureKey(prefix, fromMs + secondMs, 0) }
  const captures = [...index.captures({ ...range, limit: looksMax })]
  return { captures, isComplete: captures.length < looksMax }
}

/** Inside the index change in which the capture is entered, with what is there of its second. Gives it with its mark, and whether
 * which was first is not known. */
export function markedInSecond(
  index: StoreIndex,
  { captures }: SecondCaptures,
  entry: CaptureEntry,
): { entry: CaptureEntry; isUnsure: boolean } {
  const sameSecond = captures.filter(([, { url }]) => url === entry.url)
  if (sameSecond.length === 0) return { entry, isUnsure: false }
  if (entry.importedBy !== undefined) return { entry: { ...entry, isLater: true }, isUnsure: false }
  const others = sameSecond.filter(([, other]) => other.importedBy === undefined)
  const first = others.find(([, other]) => !other.isLater)
  const isFirst =
    first === undefined
      ? others.length < looksMax
      : entry.heardAtMs === undefined && first[1].heardAtMs !== undefined
  if (isFirst && first !== undefined) index.putCapture(first[0], { ...first[1], isLater: true })
  const marked = { ...entry, isLater: !isFirst }
  if (isFirst) return { entry: marked, isUnsure: false }
  const known = firstKnown([...others.map(([, other]) => other), marked], Number.POSITIVE_INFINITY)
  return { entry: marked, isUnsure: known?.isSure === false }
}

/** The same for an index that is made anew from the volumes: the order of records tells which was written first here, and nothing of
 * what was settled since. */
export function remarkedInSecond(index: StoreIndex, key: Uint8Array, entry: CaptureEntry): CaptureEntry {
  const second = secondOfKey(index, key)
  const { entry: marked } = markedInSecond(index, second, entry)
  if (!marked.isLater || marked.importedBy !== undefined) return marked
  for (const [each, other] of second.captures)
    if (
      other.url === entry.url &&
      !other.isLater &&
      other.importedBy === undefined &&
      other.heardAtMs === undefined
    )
      index.putCapture(each, { ...other, heardAtMs: 0 })
  return { ...marked, heardAtMs: 0 }
}

/** Inside an index change: most holders say that this one was the first. False when it is not here. */
export function settleSecond(
  index: StoreIndex,
  key: Uint8Array,
  { href, recordId }: { href: string; recordId: Uint8Array },
): boolean {
  const crawled = secondOfKey(index, key).captures.filter(
    ([, { url, importedBy }]) => url === href && importedBy === undefined,
  )
  const isNamed = ({ recordId: id }: CaptureEntry): boolean => Buffer.compare(id, recordId) === 0
  if (!crawled.some(([, entry]) => isNamed(entry))) return false
  for (const [each, entry] of crawled)
    if (isNamed(entry)) index.putCapture(each, { ...entry, isLater: false, heardAtMs: undefined })
    else if (!entry.isLater) index.putCapture(each, { ...entry, isLater: true })
  return true
}

/** `key`: of any moment of that second. */
function secondOfKey(index: StoreIndex, key: Uint8Array): SecondCaptures {
  const prefix = Buffer.from(key.subarray(0, -timeBytes - 1))
  return capturesOfSecond(index, prefix, parseCaptureKey(key).capturedAtMs)
}
