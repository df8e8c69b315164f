// What we hold, an owner's arc at a time, in the order of keys.

import { PolyhistorError } from '../../../errors.ts'
import { type RingKey, ringKeyToBytes } from '../../../model/ring-key.ts'
import type { HeldCaptures } from '../captures/held-captures.ts'
import { type CopyPlaces, type FoundOwner, placeOf } from '../captures/places.ts'
import { boundBehind, type KeyRange, lowestBound } from '../sums/key-range.ts'

/** What we hold of one owner's arc. */
export interface Stretch {
  readonly first: RingKey
  readonly range: KeyRange
  /** undefined: nobody is found now. */
  readonly found: FoundOwner | undefined
}

export async function* stretchesOf(
  { held, places }: { held: HeldCaptures; places: CopyPlaces },
  signal: AbortSignal,
): AsyncGenerator<Stretch> {
  for (let from: Uint8Array | undefined = lowestBound; from !== undefined; ) {
    signal.throwIfAborted()
    const [entry] = held.sums.entries({ from, to: undefined }, 1)
    if (entry === undefined) return
    const first = placeOf(places, entry.key)
    // Of a split site a bucket at a time; up to the next of them everything lies in the order of the ring.
    const bucket = places.splits?.bucketAround(entry.key)
    const found = await places.lookup(first).catch((error: unknown) => {
      if (error instanceof PolyhistorError) return undefined
      throw error
    })
    // Where nobody is found now the next site may do better.
    const last: RingKey = found === undefined ? first : found.owner.position
    const arcEnd = last < first ? undefined : boundBehind(last)
    const to = bucket === undefined ? earlier(arcEnd, places.splits?.nextBucketAfter(entry.key)) : bucket.to
    const start = bucket?.from ?? ringKeyToBytes(first)
    yield { first, range: { from: start, to }, found }
    from = to
  }
}

/** Of two ends, of which the ring's end is none. */
function earlier(one: Uint8Array | undefined, other: Uint8Array | undefined): Uint8Array | undefined {
  if (one === undefined || other === undefined) return one ?? other
  return Buffer.compare(one, other) <= 0 ? one : other
}
