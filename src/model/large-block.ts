import type { Digest } from './digest.ts'

/** An answer too large for memory: spooled somewhere, measured and digested on the way. */
export interface LargeBlock {
  /** The start of the block, with the whole HTTP head in it. */
  readonly head: Uint8Array
  readonly length: number
  readonly payloadBytes: number
  /** SHA-256 of the payload: after transfer-decoding, before content-decoding. */
  readonly payloadDigest: Digest
  /** The whole block, head included. Can be asked for again. */
  chunks(): AsyncIterable<Uint8Array>
}
