// The last record of a file that was cut: what there is of it, as a record of its own that says so.
//
// Only answers whose HTTP head is whole are worth it. Digests of the whole are left out, and the id is another one, so that the whole
// record can be imported later. Read twice: first for its length, then for its bytes. Memory is bounded as the reader's is.

import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { constants, createGunzip, createZstdDecompress } from 'node:zlib'
import { findEmptyLine } from '../../formats/http/field-list.ts'
import { looksLikeGzip } from '../../formats/warc/compression/gzip-member.ts'
import { decodeDictionaryFrame, zstdMagicAt } from '../../formats/warc/compression/zstd-frame.ts'
import { WarcDamage, type WarcDamageCode } from '../../formats/warc/damage.ts'
import { holdsHttp } from '../../formats/warc/payload.ts'
import { arcHead } from '../../formats/warc/reading/arc-reader.ts'
import {
  blockBytesBufferedDefault,
  type DamageItem,
  type RecordItem,
} from '../../formats/warc/reading/reader.ts'
import { recordIdOf, typeOf, type WarcBlock } from '../../formats/warc/record.ts'
import { headBytesMax, parseHead, type WarcHead } from '../../formats/warc/record-head.ts'
import { bufferView } from '../../formats/wire/buffer-view.ts'
import { printUuid } from '../../model/uuid.ts'
import type { ArchivePart } from './archive-part.ts'

interface Cut {
  readonly head: WarcHead
  readonly headBytes: number
  /** Of the block: less than the head says. */
  readonly blockBytes: number
}

const cutCodes: readonly WarcDamageCode[] = ['warc-truncated-block', 'warc-truncated-member']

/** Whether this damage is the end of a file that was cut. */
export function isCutOff({ error, skippedTo }: DamageItem, part: ArchivePart): boolean {
  return cutCodes.includes(error.code) && skippedTo >= part.sizeBytes
}

/** undefined when there is not enough of it. `offset`: of the record, or of the member that holds it. `dictionaryFrame`: that of a file in zstd,
 * if it has one. */
export async function cutRecord(
  part: ArchivePart,
  offset: number,
  dictionaryFrame: Uint8Array | undefined,
): Promise<RecordItem | undefined> {
  const dictionary = dictionaryFrame && decodeDictionaryFrame(bufferView(dictionaryFrame))
  const unpacked = () => unpackedFrom(part, offset, dictionary)
  const cut = await measured(part, unpacked())
  if (cut === undefined) return undefined
  const { head, headBytes, blockBytes } = cut
  const chunks = () => behind(unpacked(), headBytes, blockBytes)
  const block: WarcBlock =
    blockBytes <= blockBytesBufferedDefault
      ? Buffer.concat(await Array.fromAsync(chunks()))
      : { length: blockBytes, [Symbol.asyncIterator]: () => chunks()[Symbol.asyncIterator]() }
  const record = { version: head.version, fields: fieldsOf(cut), block }
  return { kind: 'record', record, offset, length: undefined, offsetInMember: 0, warnings: head.warnings }
}

async function measured(part: ArchivePart, chunks: AsyncIterable<Uint8Array>): Promise<Cut | undefined> {
  let start = Buffer.alloc(0)
  let total = 0
  for await (const chunk of chunks) {
    if (start.length < 2 * headBytesMax) start = Buffer.concat([start, chunk])
    total += chunk.length
  }
  const found = part.format === 'arc' ? arcHead(start) : warcHead(start)
  if (found === undefined) return undefined
  const { head, headBytes } = found
  const type = typeOf(head)
  const isAnswer = type === 'response' || type === 'resource'
  const hasHttpHead = !holdsHttp(head) || findEmptyLine(start.subarray(headBytes)) >= 0
  const blockBytes = total - headBytes
  const isCut = blockBytes > 0 && blockBytes < head.blockLength
  return isAnswer && hasHttpHead && isCut ? { head, headBytes, blockBytes } : undefined
}

function warcHead(start: Buffer): { head: WarcHead; headBytes: number } | undefined {
  const headBytes = findEmptyLine(start)
  if (headBytes < 0) return undefined
  try {
    return { head: parseHead(start.subarray(0, headBytes), 0), headBytes }
  } catch (error) {
    if (error instanceof WarcDamage) return undefined
    throw error
  }
}

function fieldsOf({ head, blockBytes }: Cut): WarcHead['fields'] {
  const name = `${recordIdOf(head) ?? ''} cut to ${blockBytes}`
  const id = printUuid(createHash('sha256').update(name).digest().subarray(0, 16))
  return ['WARC-Block-Digest', 'WARC-Payload-Digest', 'Content-Length', 'WARC-Truncated', 'WARC-Record-ID']
    .reduce((fields, gone) => fields.without(gone), head.fields)
    .with('WARC-Record-ID', `<urn:uuid:${id}>`)
    .with('WARC-Truncated', 'unspecified')
    .with('Content-Length', String(blockBytes))
}

/** As far as it can be unpacked. */
async function* unpackedFrom(
  part: ArchivePart,
  offset: number,
  dictionary: Uint8Array | undefined,
): AsyncGenerator<Uint8Array> {
  const packed = part.open(offset)[Symbol.asyncIterator]()
  const { value: first, done } = await packed.next()
  if (done) return
  const all = async function* (): AsyncGenerator<Uint8Array> {
    yield first
    for (let next = await packed.next(); !next.done; next = await packed.next()) yield next.value
  }
  const start = bufferView(first)
  const engine = looksLikeGzip(start)
    ? createGunzip({ finishFlush: constants.Z_SYNC_FLUSH })
    : zstdMagicAt(start) === 'frame'
      ? createZstdDecompress({ finishFlush: constants.ZSTD_e_flush, ...(dictionary && { dictionary }) })
      : undefined
  if (engine === undefined) {
    yield* all()
    return
  }
  let failure: { error: unknown } | undefined
  const input = Readable.from(all())
  input.once('error', (error) => {
    failure = { error }
    engine.destroy()
  })
  try {
    yield* input.pipe(engine) as AsyncIterable<Uint8Array>
  } catch {
    // What cannot be unpacked ends here.
  }
  if (failure !== undefined) throw failure.error
}

/** Never more than was measured. */
async function* behind(
  chunks: AsyncIterable<Uint8Array>,
  skipped: number,
  length: number,
): AsyncGenerator<Uint8Array> {
  let at = 0
  for await (const chunk of chunks) {
    const [from, to] = [Math.max(0, skipped - at), Math.min(chunk.length, skipped + length - at)]
    at += chunk.length
    if (from < to) yield chunk.subarray(from, to)
  }
}
