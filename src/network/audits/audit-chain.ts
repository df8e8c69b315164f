// The chain of an audit: a digest that takes a number of reads, one after the other, of captures that only the read before names.
//
// Step by step, the digest so far chooses one of the captures and a stretch of its bytes, and is hashed together with them. Whoever has
// the captures reads a few kilobytes for each step. Whoever has not must fetch all of them first, many times as much as is read, or wait
// for somebody else at every step: both take longer than the deadline leaves (audit-deadline.ts). The digest begins with the nonce and the
// prover's id, so that it is good for one audit of one peer.

import { createHash } from 'node:crypto'
import type { PeerId } from '../../platform/network/network.ts'

/** What a peer holds, as audits read it. */
export interface AuditedCaptures {
  /** Some bytes of what the capture with this key reads as, from a place that `at` chooses; undefined when it cannot be read. */
  stretch(key: Uint8Array, at: number, bytesMax: number): Promise<Uint8Array | undefined>
  /** About so many bytes are read from the disk for it; undefined when it is not here. */
  sizeOf(key: Uint8Array): number | undefined
}

export interface Chain {
  readonly prover: PeerId
  readonly nonce: Uint8Array
  readonly steps: number
  readonly keys: readonly Uint8Array[]
}

export interface ChainResult {
  readonly digest: Uint8Array
  /** Which of the keys it went without. */
  readonly lacking: ReadonlySet<number>
  /** About so much was read. */
  readonly readBytes: number
}

const stretchBytes = 4_096
/** Captures that turn out to be unreadable: the chain begins anew without them, and beyond so many says nothing more. */
const restartsMax = 8

/** `lacking`: these are not counted on. */
export async function runChain(
  captures: AuditedCaptures,
  chain: Chain,
  lacking: ReadonlySet<number> = new Set(),
): Promise<ChainResult> {
  const without = new Set(lacking)
  for (const [index, key] of chain.keys.entries()) if (captures.sizeOf(key) === undefined) without.add(index)
  let readBytes = 0
  for (let restarts = 0; ; restarts++) {
    const present = [...chain.keys.keys()].filter((index) => restarts <= restartsMax && !without.has(index))
    let digest = start(chain)
    let unreadable: number | undefined
    for (let step = 0; step < chain.steps && present.length > 0 && unreadable === undefined; step++) {
      const view = Buffer.from(digest)
      const index = present[view.readUIntBE(0, 6) % present.length]!
      const key = chain.keys[index]!
      readBytes += captures.sizeOf(key) ?? 0
      const bytes = await captures.stretch(key, view.readUIntBE(6, 6), stretchBytes)
      if (bytes === undefined) unreadable = index
      else digest = createHash('sha256').update(digest).update(key).update(bytes).digest()
    }
    if (unreadable === undefined) {
      const isGivenUp = restarts > restartsMax
      return { digest, lacking: isGivenUp ? new Set(chain.keys.keys()) : without, readBytes }
    }
    without.add(unreadable)
  }
}

function start({ prover, nonce, keys }: Chain): Uint8Array {
  return createHash('sha256')
    .update('polyhistor audit 1\n')
    .update(nonce)
    .update(`${prover} ${keys.length} `)
    .digest()
}
