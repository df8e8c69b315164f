// Captures in batches: everybody else gets a turn between two, and the index is held open for none, however slowly
// somebody reads, and however few of the captures are wanted.
//
// The first batches are small, for most who ask read only the beginning.

import { viewOf } from '../formats/warc/page-views.ts'
import type { ArchivedCapture, ArchiveSelection, CaptureIndex } from '../model/archive.ts'
import { momentOf } from '../model/capture-choice.ts'
import { allOf } from '../model/listed.ts'
import type { TimeRange } from '../model/time-range.ts'
import type { TimeSpan } from '../model/timestamp.ts'
import type { Url } from '../model/url/url.ts'
import type { Clock } from '../platform/clock.ts'

export type Batches = AsyncIterable<readonly ArchivedCapture[]>

interface Needs {
  readonly archive: CaptureIndex
  readonly clock: Clock
}

interface BatchRequest extends TimeRange {
  readonly selection: ArchiveSelection
  /** Where to go on behind. */
  readonly after?: string | undefined
  /** How many to look at first. */
  readonly firstSize?: number | undefined
}

interface UrlRequest extends TimeRange {
  readonly firstSize?: number | undefined
  /** What `firstBatchOf` gave for the same request. */
  readonly first?: readonly ArchivedCapture[] | undefined
}

const batchFirst = 100
const batchMax = 2_000

/** In the order of the index. */
export async function* forward(
  needs: Needs,
  request: BatchRequest,
): AsyncGenerator<readonly ArchivedCapture[]> {
  const { selection, fromMs = Number.NEGATIVE_INFINITY, toMs = Number.POSITIVE_INFINITY } = request
  let place = request.after
  for (let size = sizeOf(request); ; size = Math.min(batchMax, size * 4)) {
    // Not told of the time: a scan would look for it through all there is, at once.
    const captures = await allOf(needs.archive.scan(selection, { after: place, limit: size }))
    // What a browser saw of a page is no answer of its server.
    yield captures.filter(
      ({ capturedAtMs, url }) => capturedAtMs >= fromMs && capturedAtMs < toMs && viewOf(url) === undefined,
    )
    const last = captures.at(-1)
    if (last === undefined || captures.length < size) return
    place = last.cursor
    await needs.clock.sleep(0)
  }
}

/** The beginning of `forwardOf`, and whether it is all of it. */
export async function firstBatchOf(
  { archive }: Needs,
  url: Url,
  request: UrlRequest,
): Promise<{ readonly captures: readonly ArchivedCapture[]; readonly isWhole: boolean }> {
  const { fromMs, toMs } = request
  const limit = sizeOf(request)
  const listed = allOf(archive.versions(url, { fromMs, toMs, limit }))
  const captures = listed instanceof Promise ? await listed : listed
  return { captures, isWhole: captures.length < limit }
}

/** Of one URL, oldest first. The index finds a time by itself. */
export async function* forwardOf(
  needs: Needs,
  url: Url,
  request: UrlRequest,
): AsyncGenerator<readonly ArchivedCapture[]> {
  const { toMs } = request
  let { first } = request
  let { fromMs } = request
  for (let size = sizeOf(request); ; size = Math.min(batchMax, size * 4)) {
    const captures = first ?? (await allOf(needs.archive.versions(url, { fromMs, toMs, limit: size })))
    first = undefined
    if (captures.length < size) {
      yield captures
      return
    }
    const { capturedAtMs } = captures.at(-1)!
    yield await withWholeMoment(needs, url, captures, false)
    fromMs = capturedAtMs + 1
    await needs.clock.sleep(0)
  }
}

/** Of one URL, newest first. */
export async function* backwardOf(
  needs: Needs,
  url: Url,
  { fromMs, toMs }: TimeRange,
): AsyncGenerator<readonly ArchivedCapture[]> {
  let before = toMs
  for (let size = batchFirst; ; size = Math.min(batchMax, size * 4)) {
    const captures = await allOf(
      needs.archive.versions(url, { fromMs, toMs: before, reverse: true, limit: size }),
    )
    if (captures.length < size) {
      yield captures
      return
    }
    const { capturedAtMs } = captures.at(-1)!
    yield await withWholeMoment(needs, url, captures, true)
    before = capturedAtMs
    await needs.clock.sleep(0)
  }
}

/** Of one URL, the nearest to a time first, as chooseCapture would take them; the earlier of two that are equally near. */
export async function* byNearness(
  needs: Needs,
  url: Url,
  { fromMs, toMs }: TimeRange,
  closest: TimeSpan,
): AsyncGenerator<readonly ArchivedCapture[]> {
  const first = fromMs ?? Number.NEGATIVE_INFINITY
  const { atMs, behindMs } = momentOf(closest)
  const middle = Math.min(Math.max(atMs + 1, first), toMs ?? Number.POSITIVE_INFINITY)
  const earlier = flat(backwardOf(needs, url, { fromMs, toMs: middle }))
  const later = flat(forwardOf(needs, url, { fromMs: middle, toMs }))
  let left = await earlier.next()
  let right = await later.next()
  let batch: ArchivedCapture[] = []
  while (!left.done || !right.done) {
    const takesLeft =
      right.done ||
      (!left.done && atMs - left.value.capturedAtMs <= right.value.capturedAtMs - atMs + behindMs)
    const side = takesLeft ? left : right
    batch.push(side.value as ArchivedCapture)
    if (takesLeft) left = await earlier.next()
    else right = await later.next()
    if (batch.length < batchFirst) continue
    yield batch
    batch = []
  }
  yield batch
}

/** All captures of the last moment in the same batch: the next one starts with another moment. */
async function withWholeMoment(
  { archive }: Needs,
  url: Url,
  captures: readonly ArchivedCapture[],
  reverse: boolean,
): Promise<ArchivedCapture[]> {
  const atMs = captures.at(-1)!.capturedAtMs
  const moment = await allOf(archive.versions(url, { fromMs: atMs, toMs: atMs + 1, reverse }))
  return [...captures.filter(({ capturedAtMs }) => capturedAtMs !== atMs), ...moment]
}

function sizeOf({ firstSize = batchFirst }: { firstSize?: number | undefined }): number {
  return Math.min(batchMax, firstSize)
}

async function* flat(batches: Batches): AsyncGenerator<ArchivedCapture> {
  for await (const batch of batches) yield* batch
}
