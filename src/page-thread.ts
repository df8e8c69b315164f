// What runs in the threads of a crawler: reads a response for links, and makes the records under which the store keeps it.

import { findLinks } from './crawl/links/link-work.ts'
import type { PageRead, PageWork, ReadyRecords } from './crawl/visit/page-work.ts'
import { parseUrl } from './record/url.ts'
import type { Compression } from './record/warc/compression.ts'
import { factsOf } from './store/answer-facts.ts'
import { sha256Digest } from './store/content-digest.ts'
import { newRecordId } from './store/record-id.ts'
import { RecordMaking } from './store/record-making.ts'
import { volumeCompression } from './store/volumes/volume-compression.ts'
import { RealClock } from './world/real/clock.ts'
import { compressorAtOnce } from './world/real/compressor-at-once.ts'
import { RealRandom } from './world/real/random.ts'

export interface PageTask extends PageWork {
  /** Of the store's volumes, without their dictionary, which is the usual one; undefined when it is another. */
  readonly compression: Compression | undefined
}

const clock = new RealClock()
const random = new RealRandom()

export async function work(task: PageTask): Promise<PageRead> {
  return { links: await findLinks(task), records: await recordsOf(task), bytes: task.bytes }
}

/** The buffers that the main thread gets without a copy. */
export function given({ records, bytes }: PageRead): ArrayBuffer[] {
  const memory = bytes.buffer as ArrayBuffer
  return records === undefined ? [memory] : [memory, records.bytes.buffer as ArrayBuffer]
}

async function recordsOf({ href, bytes, capture, compression }: PageTask): Promise<ReadyRecords | undefined> {
  if (capture === undefined || compression === undefined) return undefined
  const whole = {
    ...capture,
    url: parseUrl(href),
    block: bytes,
    request: Buffer.from(capture.request, 'latin1'),
  }
  const facts = factsOf(whole, sha256Digest)
  const recordId = newRecordId({ clock, random })
  const making = new RecordMaking({ compressor: compressorAtOnce, random }, volumeCompression(compression))
  const made = await making.make(whole, recordId, { kind: 'full' }, facts)
  return {
    recordId,
    payloadDigest: new Uint8Array(facts.payloadDigest.bytes),
    // Memory of its own, for it is given away.
    bytes: new Uint8Array(made.bytes as Uint8Array),
    mainBytes: made.mainBytes(),
  }
}
