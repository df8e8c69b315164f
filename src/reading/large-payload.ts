// A payload that comes in many pieces, from one peer or, when that fails half-way, from another that goes on.
//
// Invariant: the last piece is held back until all bytes are known to be those of the capture.

import { PolyhistorError } from '../errors.ts'
import { type Digest, Digester, equalDigests } from '../record/digest.ts'
import type { PeerId } from '../world/network.ts'
import type { Opened, Piece } from './wire/questions.ts'

export interface Source {
  readonly peer: PeerId
  readonly opened: Opened
}

export interface PieceAsking {
  piece(peer: PeerId, session: number, number: number): Promise<Piece>
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
  let given = 0
  for (let source = first; ; source = await asking.openElsewhere(tried)) {
    tried.add(source.peer)
    let at = 0
    try {
      for await (const { bytes, isLast } of piecesFrom(asking, source)) {
        const fresh = bytes.subarray(Math.max(0, given - at))
        at += bytes.length
        digester.update(fresh)
        given = Math.max(given, at)
        if (isLast && digest && !equalDigests(digester.finish(), digest)) throw asking.wrong(source.peer)
        if (fresh.length > 0) yield fresh
      }
      return
    } catch (error) {
      // What was given cannot be taken back: wrong bytes end the reading, silence does not.
      if (!(error instanceof PolyhistorError) || error.code === 'reading-damaged') throw error
    }
  }
}

async function* piecesFrom(asking: PieceAsking, { peer, opened }: Source): AsyncGenerator<Piece> {
  const { piece, session } = opened
  yield { bytes: piece, isLast: session === undefined }
  if (session === undefined) return
  for (let number = 1; ; number++) {
    const next = await asking.piece(peer, session, number)
    yield next
    if (next.isLast) return
  }
}
