// What kind of archive a source is, told by its first bytes: names lie.

import { looksLikeGzip, peekGzipMember } from '../../record/warc/gzip-member.ts'
import { zstdMagicAt } from '../../record/warc/zstd-frame.ts'
import { StoreError } from '../store-error.ts'
import type { RandomAccess } from './source.ts'

export type ArchiveFormat = 'warc' | 'arc' | 'wacz'

const peekBytes = 64 * 1024

export async function formatOf(source: RandomAccess): Promise<ArchiveFormat> {
  const start = asBuffer(await source.read(0, peekBytes))
  if (start.toString('latin1', 0, 2) === 'PK') return 'wacz'
  if (zstdMagicAt(start) !== undefined) return 'warc'
  const isGzip = looksLikeGzip(start)
  const text = isGzip ? peekGzipMember(start) : start
  const format = formatOfText(text)
  if (format !== undefined) return format
  const what =
    start.length === 0
      ? 'It is empty.'
      : `${isGzip ? 'Unpacked, it' : 'It'} starts with ${JSON.stringify(text.toString('latin1', 0, 16))}.`
  throw new StoreError('store-unknown-archive', `This is neither WARC, ARC nor WACZ. ${what}`)
}

/** Damage at the very start must not hide what the rest is: any line that starts a record will do. */
function formatOfText(bytes: Buffer): ArchiveFormat | undefined {
  const text = bytes.toString('latin1')
  if (/^WARC\/\d/m.test(text)) return 'warc'
  return /^filedesc:|^\S+ \S+ \d{12,17} \S+ (?:\S+ )*\d+\r?$/m.test(text) ? 'arc' : undefined
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}
