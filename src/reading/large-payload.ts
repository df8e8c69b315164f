// A payload that comes in many pieces, from one peer or, when that fails half-way, from another that goes on.
//
// Invariant: the last piece is held back until all bytes are known to be those of the capture.

import { PolyhistorError } from '../errors.ts'
import { type Digest, Digester, equalDigests } from '../record/digest.ts'
import type { PeerId } from '../world/network.ts'
import type { Opened } from './wire/questions.ts'

export interface Source {
  readonly peer: PeerId
  readonly opened: Opened
}

export interface PieceAsking {
  pieces(source: Source): AsyncIterable<Uint8Array>
  /** Opens the same capture at one of the peers that were not tried; rejects when there is none. */
  openElsewhere(tried: ReadonlySet<PeerId>): Promise<Source>
  /** What to throw when the bytes of this peer are wrong. */
  wrong(peer: PeerId): PolyhistorError
}

export async function* largePayload(
  asking: PieceAsking,
  first: Source,
  digest: Digest | undefined,
): AsyncGenerator<Uint8Array> {
  const digester = new Digester('sha256')
  const tried = new Set<PeerId>()
  let seen = 0
  let held: Uint8Array | undefined
  for (let source = first; ; source = await asking.openElsewhere(tried)) {
    tried.add(source.peer)
    let at = 0
    try {
      for await (const bytes of asking.pieces(source)) {
        const fresh = bytes.subarray(Math.max(0, seen - at))
        at += bytes.length
        if (fresh.length === 0) continue
        seen = at
        digester.update(fresh)
        if (held !== undefined) yield held
        held = fresh
      }
      if (digest && !equalDigests(digester.finish(), digest)) throw asking.wrong(source.peer)
      if (held !== undefined) yield held
      return
    } catch (error) {
      // What was given cannot be taken back: wrong bytes end the reading, silence does not.
      if (!isOfPeers(error) || error.code === 'reading-damaged') throw error
    }
  }
}

/** What one peer did; another may do better. */
export function isOfPeers(error: unknown): error is PolyhistorError {
  return error instanceof PolyhistorError
}
