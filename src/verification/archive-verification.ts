// Verifies a WARC or WACZ file, or what another peer exports: every capture in it, and of a WACZ the package around them.
//
// Nothing of a home is needed. What is too large for memory is spooled while it is read.

import { readWarc } from '../formats/warc/reading/reader.ts'
import { targetUriOf } from '../formats/warc/record.ts'
import { LruCache } from '../model/lru-cache.ts'
import { sha256Digest } from '../store/contents/content-digest.ts'
import { partOf } from '../store/import/archive-part.ts'
import { fateOf } from '../store/import/capture-making.ts'
import { formatOf } from '../store/import/format.ts'
import { Problems } from '../store/import/import-result.ts'
import { readRecord } from '../store/import/read-record.ts'
import type { RandomAccess } from '../store/import/source.ts'
import { openWacz } from '../store/import/wacz-opening.ts'
import type { Spool } from '../store/spool.ts'
import { recordDictionary } from '../store/volumes/record-dictionary.ts'
import { type PayloadOf, proofOfRecord, type RecordProof } from './record-proof.ts'

/** A capture that was looked at, or something that is wrong with the file itself. */
export type Verified =
  | { readonly kind: 'capture'; readonly proof: RecordProof }
  | { readonly kind: 'problem'; readonly what: string }

/** Payloads of captures, for the accounts of what others saw of them: these lie close behind. */
const payloadsMax = 20_000

function newPayloads(): LruCache<string, string> {
  return new LruCache({ max: payloadsMax })
}

export async function* verifyArchive(
  needs: { spool: Spool },
  source: RandomAccess,
): AsyncGenerator<Verified> {
  const format = await formatOf(source)
  const problems = new Problems()
  const parts = format === 'wacz' ? await openWacz(source, problems) : [await partOf(source, format)]
  for (const { part, message } of problems.listed)
    yield { kind: 'problem', what: `${part === undefined ? '' : `${part}: `}${message}` }
  const payloads = newPayloads()
  for (const part of parts) {
    yield* verifyRecords(needs, part.open(0), payloads)
    const wrong = part.check?.()
    if (wrong !== undefined) yield { kind: 'problem', what: `${part.name}: ${wrong}` }
  }
}

export async function* verifyRecords(
  { spool }: { spool: Spool },
  chunks: AsyncIterable<Uint8Array>,
  payloads = newPayloads(),
): AsyncGenerator<Verified> {
  const payloadOf: PayloadOf = (url, capturedAtMs) => payloads.get(`${capturedAtMs} ${url}`)
  for await (const item of readWarc(chunks, { dictionary: recordDictionary })) {
    if (item.kind === 'damage') {
      yield { kind: 'problem', what: item.error.message }
      continue
    }
    if (fateOf(item.record) !== 'capture') continue
    const record = await readRecord({ spool, digest: sha256Digest }, item.record, item.offset)
    try {
      const proof = proofOfRecord(record, payloadOf)
      if (proof !== undefined) {
        const { url, capturedAtMs, facts } = proof
        if (facts.payloadDigest !== undefined) payloads.set(`${capturedAtMs} ${url}`, facts.payloadDigest)
        yield { kind: 'capture', proof }
      } else yield { kind: 'problem', what: `${targetUriOf(record)} is no capture that could be kept` }
    } finally {
      await record.discard()
    }
  }
}
