// Undoes the deltas of a volume of ours that is being imported: a delta is made whole with its base from this store, and
// the store then keeps it as it sees fit.

import { decodeZstdFrame } from '../../formats/warc/compression/zstd-frame.ts'
import { WarcDamage } from '../../formats/warc/damage.ts'
import { contentOf } from '../../formats/warc/payload.ts'
import { revisitTargetOf, type WarcRecord } from '../../formats/warc/record.ts'
import { equalDigests } from '../../model/digest.ts'
import type { Capture } from '../capture.ts'
import type { ContentDigest } from '../contents/content-digest.ts'
import { type ContentLoader, deltaBytesMax } from '../contents/content-loader.ts'
import type { CaptureFinder } from '../reading/capture-finder.ts'
import { earlierIn, namedCapture, payloadDigestIn } from '../records/revisited.ts'
import type { ReadRecord } from './read-record.ts'

export function isDelta(record: ReadRecord): boolean {
  return revisitTargetOf(record)?.kind === 'delta-zstd'
}

export class DeltaResolver {
  readonly #finder: CaptureFinder
  readonly #loader: ContentLoader
  readonly #digest: ContentDigest

  constructor(needs: { finder: CaptureFinder; loader: ContentLoader; digest: ContentDigest }) {
    this.#finder = needs.finder
    this.#loader = needs.loader
    this.#digest = needs.digest
  }

  /** The answer as it was, and the capture that the delta rests on; undefined while that is not here. Throws WarcDamage. */
  async undo(delta: ReadRecord): Promise<{ record: ReadRecord; base: Capture } | undefined> {
    const earlier = earlierIn(delta)
    const named = earlier && namedCapture(this.#finder, earlier)
    const base = named?.content
    if (base === undefined || !this.#loader.has(base)) return undefined
    if (!(delta.block instanceof Uint8Array) || this.#loader.entry(base).sizeBytes > deltaBytesMax) {
      throw new WarcDamage('warc-too-large', delta.offset, 'a delta larger than any that we write')
    }
    const record: WarcRecord = { version: '1.1', fields: delta.fields, block: delta.block }
    const { head, payload: frame } = contentOf(record)
    const baseBytes = await this.#loader.bytes(base)
    const payload = this.#decoded(frame, baseBytes, delta.offset)
    const wanted = payloadDigestIn(delta)
    if (wanted === undefined || !equalDigests(this.#digest.of(payload), wanted)) {
      throw new WarcDamage('warc-digest-mismatch', delta.offset, 'the delta does not give what it should')
    }
    const block = Buffer.concat([delta.block.subarray(0, head?.length ?? 0), payload])
    const fields = delta.fields.without('WARC-Type').with('WARC-Type', 'response')
    return { record: { ...delta, fields, block }, base: named! }
  }

  #decoded(frame: Uint8Array, base: Uint8Array, offset: number): Uint8Array {
    try {
      const bytes = Buffer.from(frame.buffer, frame.byteOffset, frame.byteLength)
      return decodeZstdFrame(bytes, deltaBytesMax, base)
    } catch (error) {
      throw error instanceof WarcDamage ? error.at(offset) : error
    }
  }
}
