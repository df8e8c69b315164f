// A payload of our own store that may turn out to be damaged while it is read: then another peer's goes on.
//
// Invariant: what was given before and what comes then are of one payload, or the reading ends with the store's error.

import type { PolyhistorError } from '../../../errors.ts'
import { WarcDamage } from '../../../formats/warc/damage.ts'
import type { CaptureRecord } from '../../../model/archive.ts'
import { Digester, equalDigests } from '../../../model/digest.ts'
import { StoreError } from '../../../store/store-error.ts'

const damages = new Set([
  'store-content-damaged',
  'store-content-missing',
  'store-not-found',
  'store-volume-missing',
  'store-bucket-unavailable',
])

/** Whether the capture is well, and only our copy of it is not. */
export function canBeReadElsewhere(error: unknown): error is PolyhistorError {
  return error instanceof WarcDamage || (error instanceof StoreError && damages.has(error.code))
}

export async function* payloadWithFallback(
  ours: AsyncIterable<Uint8Array>,
  elsewhere: () => Promise<CaptureRecord>,
): AsyncGenerator<Uint8Array> {
  const given = new Digester('sha256')
  let givenBytes = 0
  // Most payloads come in one piece, which the store has verified: that need not be digested again.
  let last: Uint8Array | undefined
  try {
    for await (const chunk of ours) {
      if (last !== undefined) given.update(last)
      last = chunk
      givenBytes += chunk.length
      yield chunk
    }
  } catch (error) {
    if (!canBeReadElsewhere(error)) throw error
    if (last !== undefined) given.update(last)
    yield* rest(await elsewhere(), givenBytes, given, error)
  }
}

async function* rest(
  { payload }: CaptureRecord,
  givenBytes: number,
  given: Digester,
  damage: PolyhistorError,
): AsyncGenerator<Uint8Array> {
  const theirs = new Digester('sha256')
  let at = 0
  for await (const chunk of payload()) {
    const known = chunk.subarray(0, Math.max(0, givenBytes - at))
    at += chunk.length
    theirs.update(known)
    if (at < givenBytes) continue
    if (known.length > 0 && !equalDigests(theirs.finish(), given.finish())) throw damage
    if (known.length < chunk.length) yield chunk.subarray(known.length)
  }
}
