// Walks one volume and gives what its records are about: captures with their companions, contents that stand alone.
//
// Everything is read and digested; damage is told and walked past. Memory is bounded as the WARC reader's is.

import { crc32 } from 'node:zlib'
import type { FieldList } from '../../formats/http/field-list.ts'
import { httpHeadBytesMax, parseHttpHead } from '../../formats/http/http-message.ts'
import { queryOfRequest } from '../../formats/http/request-query.ts'
import { WarcDamage } from '../../formats/warc/damage.ts'
import { contentOf, PayloadDecoder } from '../../formats/warc/payload.ts'
import { type RecordItem, readWarc } from '../../formats/warc/reading/reader.ts'
import { recordIdOf, typeOf } from '../../formats/warc/record.ts'
import type { Digest } from '../../model/digest.ts'
import type { ContentDigest } from '../contents/content-digest.ts'
import { chunksFrom, type RandomAccess } from '../import/source.ts'
import { recordDictionary } from '../volumes/record-dictionary.ts'

export interface WalkedRecord {
  fields: FieldList
  /** The HTTP head, or nothing. */
  head: Uint8Array
  payloadDigest: Digest
  payloadBytes: number
  /** The whole block, of records that are small enough for it: those of deltas are. */
  block: Uint8Array | undefined
  offset: number
  length: number
}

export type WalkItem =
  /** A warcinfo record. At the start of the volume, the checksum is that of all up to its end. */
  | { kind: 'head'; record: WalkedRecord; isAtStart: boolean; checksum: number }
  /** A record with the requests and metadata that follow it. */
  | {
      kind: 'group'
      record: WalkedRecord
      companionBytes: number
      checksum: number
      /** What was sent, as request-query.ts writes it, where that was no GET. */
      requestQuery: string | undefined
    }
  | { kind: 'damage'; error: WarcDamage; offset: number }

export async function* walkVolume(file: RandomAccess, digest: ContentDigest): AsyncGenerator<WalkItem> {
  let open: Open | undefined
  let isAtStart = true
  // Should the volume's own dictionary be damaged, it was most likely ours.
  for await (const item of readWarc(chunksFrom(file), { dictionary: recordDictionary })) {
    const isFirst = isAtStart
    isAtStart = false
    if (item.kind === 'damage') {
      if (open) yield group(file, open)
      open = undefined
      yield { kind: 'damage', error: item.error, offset: item.error.offset }
      continue
    }
    const record = await walked(item, digest)
    // Damage within it comes as the next item.
    if (record === undefined) continue
    const end = record.offset + record.length
    if (open && open.end === record.offset && belongs(record, open.record)) {
      open.end = end
      open.requestQuery ??= queryIn(record)
    } else {
      if (open) yield group(file, open)
      open = { record, end, isFirst, requestQuery: undefined }
    }
  }
  if (open) yield group(file, open)
}

interface Open {
  record: WalkedRecord
  end: number
  /** Nothing lies before it, but for a dictionary. */
  isFirst: boolean
  requestQuery: string | undefined
}

async function group(file: RandomAccess, { record, end, isFirst, requestQuery }: Open): Promise<WalkItem> {
  const isHead = typeOf(record) === 'warcinfo'
  const start = isHead && isFirst ? 0 : record.offset
  let checksum = 0
  for await (const chunk of chunksFrom(file, start, end)) checksum = crc32(chunk, checksum)
  if (isHead) return { kind: 'head', record, isAtStart: isFirst, checksum }
  const companionBytes = end - record.offset - record.length
  return { kind: 'group', record, companionBytes, checksum, requestQuery }
}

function queryIn({ fields, block }: WalkedRecord): string | undefined {
  if (typeOf({ fields }) !== 'request' || block === undefined) return undefined
  return queryOfRequest(block, contentOf({ fields, block }).payload)
}

/** Requests and metadata are written right behind the record that they belong to, and name it. */
function belongs(record: WalkedRecord, main: WalkedRecord): boolean {
  const type = typeOf(record)
  if (type !== 'request' && type !== 'metadata') return false
  return record.fields.getAll('WARC-Concurrent-To').includes(recordIdOf(main) ?? '')
}

async function walked(item: RecordItem, digest: ContentDigest): Promise<WalkedRecord | undefined> {
  const { record } = item
  const decoder = new PayloadDecoder(record)
  const payloadDigest = digest.start()
  let payloadBytes = 0
  let start = Buffer.alloc(0)
  const take = (chunks: Uint8Array[]): void => {
    for (const chunk of chunks) {
      payloadDigest.update(chunk)
      payloadBytes += chunk.length
    }
  }
  try {
    for await (const chunk of record.block instanceof Uint8Array ? [record.block] : record.block) {
      if (start.length < httpHeadBytesMax) start = Buffer.concat([start, chunk.subarray(0, httpHeadBytesMax)])
      take(decoder.push(chunk).payload)
    }
    take(decoder.end().payload)
  } catch (error) {
    if (error instanceof WarcDamage) return undefined
    throw error
  }
  if (item.length === undefined) return undefined
  const head =
    decoder.head && parseHttpHead(start) ? start.subarray(0, decoder.head.length) : new Uint8Array(0)
  return {
    fields: record.fields,
    head,
    payloadDigest: payloadDigest.finish(),
    payloadBytes,
    block: record.block instanceof Uint8Array ? record.block : undefined,
    offset: item.offset,
    length: item.length,
  }
}
