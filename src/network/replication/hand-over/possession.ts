// Proofs of possession: a copy is not dropped because other peers claim to have one. For every capture that is to be dropped they
// send a digest of a nonce of ours and the bytes, and we compare it with our own copy.
//
// A digest includes the id of the proving peer, so that it cannot pass on another's. Colluding peers may still share one copy;
// they cannot choose their places on the ring, and new peers do not count. Both sides have to read the bytes; the asker limits
// the rate, and the other side works on few at a time.

import { createHash } from 'node:crypto'
import { PolyhistorError } from '../../../errors.ts'
import { CallFailed } from '../../../platform/calls/call-errors.ts'
import type { PeerId } from '../../../platform/network/network.ts'
import type { Random } from '../../../platform/random.ts'
import type { CopiesCalls } from '../captures/copies-calls.ts'
import { CopiesError } from '../captures/copies-error.ts'
import type { HeldCaptures } from '../captures/held-captures.ts'
import { nonceBytes, proofBytes } from '../captures/wire/questions.ts'

interface Needs {
  held: HeldCaptures
  calls: CopiesCalls
  random: Random
  pace(bytes: number): Promise<void>
}

/** Of one question: so many captures, and so many bytes of them as stored, if it is more than one. */
const batchMax = 256
const batchBytesMax = 4 * 1024 * 1024
const answersAtOnce = 4
const peersMax = 1_024

export class Possession {
  readonly #needs: Needs
  /** By peer: captures that it said it has, and did not show. */
  readonly #unproven = new Map<PeerId, number>()
  #answering = 0

  constructor(needs: Needs) {
    this.#needs = needs
  }

  /** Peers that could not show what they said they have. */
  get badHolders(): ReadonlyMap<PeerId, number> {
    return this.#unproven
  }

  /** What we show to another. */
  async answer(self: PeerId, nonce: Uint8Array, keys: readonly Uint8Array[]): Promise<Uint8Array> {
    if (this.#answering >= answersAtOnce || keys.length > batchMax)
      throw new CopiesError('copies-busy', 'Too much is asked for at once')
    this.#answering++
    try {
      return Buffer.concat(
        (await this.#digests(nonce, keys)).map((digest, at) => proofOf(self, keys[at]!, digest)),
      )
    } finally {
      this.#answering--
    }
  }

  /** Of each capture whether all of these peers have shown that they have it; undefined where it cannot be read here. */
  async areProven(
    peers: readonly PeerId[],
    keys: readonly Uint8Array[],
    signal: AbortSignal,
  ): Promise<(boolean | undefined)[]> {
    const proven: (boolean | undefined)[] = []
    for (const batch of this.#batches(keys)) {
      signal.throwIfAborted()
      await this.#needs.pace(batch.bytes)
      proven.push(...(await this.#prove(peers, batch.keys, signal)))
    }
    return proven
  }

  async #prove(
    peers: readonly PeerId[],
    keys: readonly Uint8Array[],
    signal: AbortSignal,
  ): Promise<(boolean | undefined)[]> {
    const { calls, random } = this.#needs
    const nonce = random.bytes(nonceBytes)
    const own = this.#digests(nonce, keys)
    const shown = await Promise.all(
      peers.map((peer) =>
        calls.prove(peer, nonce, keys, signal).catch((error: unknown) => {
          if (!(error instanceof PolyhistorError)) throw error
          // A silent peer may answer another time; one that refuses has nothing.
          const isRefused = error instanceof CallFailed && error.retry === 'never'
          if (isRefused) this.#blame(peer, keys.length)
          return undefined
        }),
      ),
    )
    const digests = await own
    const right = peers.map((peer, index) => {
      const proofs = shown[index]
      const matches = digests.map((digest, at) => {
        const proof = proofs?.subarray(at * proofBytes, (at + 1) * proofBytes)
        return (
          digest !== undefined &&
          proof !== undefined &&
          Buffer.compare(proof, proofOf(peer, keys[at]!, digest)) === 0
        )
      })
      const wrong = matches.filter((match, at) => !match && digests[at] !== undefined).length
      if (proofs !== undefined && wrong > 0) this.#blame(peer, wrong)
      return matches
    })
    return digests.map((digest, at) => digest && right.every((matches) => matches[at]))
  }

  #digests(nonce: Uint8Array, keys: readonly Uint8Array[]): Promise<(Uint8Array | undefined)[]> {
    const { held } = this.#needs
    return held.possession(
      keys.map((key) => held.roster.cursorOf(key)),
      nonce,
    )
  }

  #blame(peer: PeerId, captures: number): void {
    if (this.#unproven.size >= peersMax && !this.#unproven.has(peer)) return
    this.#unproven.set(peer, (this.#unproven.get(peer) ?? 0) + captures)
  }

  *#batches(keys: readonly Uint8Array[]): Iterable<{ keys: Uint8Array[]; bytes: number }> {
    const { held } = this.#needs
    let batch: Uint8Array[] = []
    let bytes = 0
    for (const key of keys) {
      const cursor = held.roster.cursorOf(key)
      const size = cursor === undefined ? 0 : (held.offer(cursor)?.sizeBytes ?? 0)
      if (batch.length > 0 && (batch.length >= batchMax || bytes + size > batchBytesMax)) {
        yield { keys: batch, bytes }
        batch = []
        bytes = 0
      }
      batch.push(key)
      bytes += size
    }
    if (batch.length > 0) yield { keys: batch, bytes }
  }
}

/** Zeros where there is nothing to show. */
export function proofOf(peer: PeerId, key: Uint8Array, digest: Uint8Array | undefined): Uint8Array {
  if (digest === undefined) return new Uint8Array(proofBytes)
  return createHash('sha256').update(`${peer} `).update(key).update(digest).digest().subarray(0, proofBytes)
}
