// Marks a revisit whose payload other peers keep, with the payload's size: so a peer that gets a copy of it, or rebuilds the
// index, neither waits for the payload nor asks for it.

import type { FieldList } from '../../formats/http/field-list.ts'
import type { WarcBlock, WarcRecord } from '../../formats/warc/record.ts'
import type { Digest } from '../../model/digest.ts'
import { payloadDigestIn } from '../records/revisited.ts'

const name = 'Polyhistor-Payload-Elsewhere'

interface PayloadElsewhere {
  readonly digest: Digest
  readonly sizeBytes: number
}

export function markedElsewhere<Block extends WarcBlock>(
  record: WarcRecord<Block>,
  sizeBytes: number,
): WarcRecord<Block> {
  return { ...record, fields: record.fields.with(name, String(sizeBytes)) }
}

/** undefined for all others, also for a mark that cannot be ours. */
export function payloadElsewhere(record: { fields: FieldList }): PayloadElsewhere | undefined {
  const text = record.fields.get(name)
  if (text === undefined || !/^\d{1,15}$/.test(text)) return undefined
  const digest = payloadDigestIn(record)
  return digest?.algorithm === 'sha256' ? { digest, sizeBytes: Number(text) } : undefined
}
