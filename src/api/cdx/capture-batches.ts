// The captures of a query in batches: everybody else gets a turn between two, and the index is held open for none.
//
// The first batches are small, for most who ask read only the beginning.

import type { Clock } from '../../world/clock.ts'
import type { ArchivedCapture, CaptureIndex } from '../archive.ts'
import type { CdxQuery } from './cdx-query.ts'

const batchFirst = 100
const batchMax = 2_000

export type Batches = AsyncIterable<readonly ArchivedCapture[]>

/** In the order of the index, behind the resume key if there is one. */
export async function* forward(
  needs: { archive: CaptureIndex; clock: Clock },
  query: CdxQuery,
  after: string | undefined = query.resume?.after,
): AsyncGenerator<readonly ArchivedCapture[]> {
  const { selection, fromMs, toMs, url, isMeant } = query
  let place = after
  for (let size = firstSize(query); ; size = Math.min(batchMax, size * 4)) {
    // Of one URL the index finds a time by itself; a scan looks at every capture.
    const captures: ArchivedCapture[] =
      url !== undefined && place === undefined
        ? [...needs.archive.versions(url, { fromMs, toMs, limit: size })]
        : [...needs.archive.scan(selection, { fromMs, toMs, after: place, limit: size })]
    const last = captures.at(-1)
    yield captures.filter((capture) => isMeant(capture.url))
    if (last === undefined || captures.length < size) return
    place = last.cursor
    await needs.clock.sleep(0)
  }
}

/** Where every capture is a line, as many as are asked for, and one that tells whether there are more. */
function firstSize({ limit, offset, filters, collapses }: CdxQuery): number {
  if (limit === undefined || limit < 0 || filters.length > 0 || collapses.length > 0) return batchFirst
  return Math.min(batchMax, limit + offset + 1)
}

/** Of one URL, newest first. */
export async function* backward(
  needs: { archive: CaptureIndex; clock: Clock },
  url: NonNullable<CdxQuery['url']>,
  { fromMs, toMs }: Pick<CdxQuery, 'fromMs' | 'toMs'>,
): AsyncGenerator<readonly ArchivedCapture[]> {
  let before = toMs
  for (let size = batchFirst; ; size = Math.min(batchMax, size * 4)) {
    const captures = [...needs.archive.versions(url, { fromMs, toMs: before, reverse: true, limit: size })]
    const last = captures.at(-1)
    if (last === undefined || captures.length < size) {
      yield captures
      return
    }
    // All captures of one moment in the same batch: the next one starts before that moment.
    const moment = [
      ...needs.archive.versions(url, {
        fromMs: last.capturedAtMs,
        toMs: last.capturedAtMs + 1,
        reverse: true,
      }),
    ]
    yield [...captures.filter(({ capturedAtMs }) => capturedAtMs !== last.capturedAtMs), ...moment]
    before = last.capturedAtMs
    await needs.clock.sleep(0)
  }
}

/** Of one URL, the nearest to a moment first; the earlier of two that are equally near. */
export async function* byNearness(
  needs: { archive: CaptureIndex; clock: Clock },
  url: NonNullable<CdxQuery['url']>,
  query: CdxQuery,
  closestMs: number,
): AsyncGenerator<readonly ArchivedCapture[]> {
  const { fromMs = Number.NEGATIVE_INFINITY, toMs = Number.POSITIVE_INFINITY } = query
  const middle = Math.min(Math.max(closestMs + 1, fromMs), toMs)
  const earlier = flat(backward(needs, url, { fromMs: query.fromMs, toMs: middle }))
  const later = flat(forward(needs, { ...query, fromMs: middle, toMs: query.toMs }, undefined))
  let left = await earlier.next()
  let right = await later.next()
  let batch: ArchivedCapture[] = []
  while (!left.done || !right.done) {
    const takesLeft =
      right.done ||
      (!left.done && closestMs - left.value.capturedAtMs <= right.value.capturedAtMs - closestMs)
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

async function* flat(batches: Batches): AsyncGenerator<ArchivedCapture> {
  for await (const batch of batches) yield* batch
}
