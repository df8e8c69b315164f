// A payload in many pieces, from one peer or, when that fails half-way, continued from another.
//
// Invariants: the last piece is held back until all bytes are known to be those of the capture; and of a payload that is not too
// large for memory (`heldBytesMax`) all of it is, so that wrong bytes of one peer are made up for by another's.

import { PolyhistorError } from '../../errors.ts'
import { type Digest, Digester, equalDigests } from '../../model/digest.ts'
import type { PeerId } from '../../platform/network/network.ts'
import type { Opened } from './wire/questions.ts'

export interface Source {
  readonly peer: PeerId
  readonly opened: Opened
}

interface PieceAsking {
  readonly heldBytesMax: number
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
  const tried = new Set<PeerId>()
  let coming = new ComingBytes()
  let damage: PolyhistorError | undefined
  const elsewhere = (): Promise<Source> =>
    asking.openElsewhere(tried).catch((error) => {
      throw damage ?? error
    })
  for (let source = first; ; source = await elsewhere()) {
    tried.add(source.peer)
    coming.begin()
    try {
      for await (const piece of asking.pieces(source)) {
        coming.take(piece)
        if (coming.heldBytes > asking.heldBytesMax || coming.hasGiven) yield* coming.give()
      }
    } catch (error) {
      if (!isOfPeers(error)) throw error
      continue
    }
    if (digest === undefined || equalDigests(coming.digest(), digest)) {
      yield* coming.giveAll()
      return
    }
    damage = asking.wrong(source.peer)
    // What was given cannot be taken back.
    if (coming.hasGiven) throw damage
    coming = new ComingBytes()
  }
}

/** A failure of one peer; another may succeed. */
export function isOfPeers(error: unknown): error is PolyhistorError {
  return error instanceof PolyhistorError
}

/** Bytes that come again from their beginning, from each source anew. */
class ComingBytes {
  readonly #digester = new Digester('sha256')
  #held: Uint8Array[] = []
  #heldBytes = 0
  #hasGiven = false
  /** In the source that is read now. */
  #at = 0
  #seen = 0

  get heldBytes(): number {
    return this.#heldBytes
  }

  get hasGiven(): boolean {
    return this.#hasGiven
  }

  begin(): void {
    this.#at = 0
  }

  take(piece: Uint8Array): void {
    const fresh = piece.subarray(Math.max(0, this.#seen - this.#at))
    this.#at += piece.length
    if (fresh.length === 0) return
    this.#seen = this.#at
    this.#digester.update(fresh)
    this.#held.push(fresh)
    this.#heldBytes += fresh.length
  }

  /** All but the last. */
  *give(): Generator<Uint8Array> {
    const last = this.#held.pop()
    yield* this.giveAll()
    if (last === undefined) return
    this.#held.push(last)
    this.#heldBytes = last.length
  }

  *giveAll(): Generator<Uint8Array> {
    const held = this.#held
    this.#held = []
    this.#heldBytes = 0
    this.#hasGiven ||= held.length > 0
    yield* held
  }

  digest(): Digest {
    return this.#digester.finish()
  }
}
