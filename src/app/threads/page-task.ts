// What is done with a fetched page beside the main thread: it is read for links, and the records are made under which the store
// keeps it. Here without a thread, for any clock and any random numbers.

import { findLinks } from '../../crawl/links/link-work.ts'
import type { PageRead, PageWork, ReadyRecords } from '../../crawl/visit/page-work.ts'
import type { Compression } from '../../formats/warc/compression/compression.ts'
import { parseUrl } from '../../model/url.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Compressor } from '../../platform/compressor.ts'
import type { Random } from '../../platform/random.ts'
import { sha256Digest } from '../../store/contents/content-digest.ts'
import { factsOf } from '../../store/reading/answer-facts.ts'
import { RecordBuilder } from '../../store/records/record-builder.ts'
import { newRecordId } from '../../store/records/record-id.ts'
import { volumeCompression } from '../../store/volumes/volume-compression.ts'

export interface PageTask extends PageWork {
  /** Of the store's volumes, without their dictionary, which is the usual one; undefined when it is another. */
  readonly compression: Compression | undefined
}

interface PageTaskNeeds {
  readonly clock: Clock
  readonly random: Random
  readonly compressor: Compressor
}

export async function doPageTask(needs: PageTaskNeeds, task: PageTask): Promise<PageRead> {
  return { links: await findLinks(task), records: await recordsOf(needs, task), bytes: task.bytes }
}

async function recordsOf(
  { clock, random, compressor }: PageTaskNeeds,
  { href, bytes, capture, compression }: PageTask,
): Promise<ReadyRecords | undefined> {
  if (capture === undefined || compression === undefined) return undefined
  const whole = {
    ...capture,
    url: parseUrl(href),
    block: bytes,
    request: Buffer.from(capture.request, 'latin1'),
  }
  const facts = factsOf(whole, sha256Digest)
  const recordId = newRecordId({ clock, random })
  const builder = new RecordBuilder({ compressor, random }, volumeCompression(compression))
  const made = await builder.make(whole, recordId, { kind: 'full' }, facts)
  return {
    recordId,
    payloadDigest: new Uint8Array(facts.payloadDigest.bytes),
    // Memory of its own, for it is given away.
    bytes: new Uint8Array(made.bytes as Uint8Array),
    mainBytes: made.mainBytes(),
  }
}
