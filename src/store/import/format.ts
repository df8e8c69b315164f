// What kind of archive a source is, told by its first bytes: names lie.

import { looksLikeGzip, peekGzipMember } from '../../formats/warc/compression/gzip-member.ts'
import { zstdMagicAt } from '../../formats/warc/compression/zstd-frame.ts'
import { bufferView } from '../../formats/wire/buffer-view.ts'
import { StoreError } from '../store-error.ts'
import type { RandomAccess } from './source.ts'

export type ArchiveFormat = 'warc' | 'arc' | 'wacz'

const peekBytes = 64 * 1024
const searchedBytes = 1024 * 1024
const gzipStart = Buffer.from([0x1f, 0x8b, 0x08])
const triesMax = 16

export async function formatOf(source: RandomAccess): Promise<ArchiveFormat> {
  const start = bufferView(await source.read(0, peekBytes))
  if (start.toString('latin1', 0, 2) === 'PK') return 'wacz'
  if (zstdMagicAt(start) !== undefined) return 'warc'
  const isGzip = looksLikeGzip(start)
  const text = isGzip ? peekGzipMember(start) : start
  const format = formatOfText(text) ?? formatOfMembers(bufferView(await source.read(0, searchedBytes)))
  if (format !== undefined) return format
  if (start.includes('multi-wacz-package')) {
    const names = [...start.toString('utf8').matchAll(/"path"\s*:\s*"([^"]{1,200})"/g)].map(
      (match) => match[1],
    )
    const message = `This only lists other WACZ files: import those instead (${names.slice(0, 5).join(', ')}).`
    throw new StoreError('store-unknown-archive', message)
  }
  const what =
    start.length === 0
      ? 'It is empty.'
      : `${isGzip ? 'Unpacked, it' : 'It'} starts with ${JSON.stringify(text.toString('latin1', 0, 16))}.`
  throw new StoreError('store-unknown-archive', `This is neither WARC, ARC nor WACZ. ${what}`)
}

/** Damage at the very start must not hide what the rest is: any member with a record in it will do. */
function formatOfMembers(bytes: Buffer): ArchiveFormat | undefined {
  let at = bytes.indexOf(gzipStart, 1)
  for (let tries = 0; at > 0 && tries < triesMax; tries++) {
    const format = formatOfText(peekGzipMember(bytes.subarray(at, at + peekBytes)))
    if (format !== undefined) return format
    at = bytes.indexOf(gzipStart, at + 1)
  }
  return undefined
}

/** For the same reason any line that starts a record will do. */
function formatOfText(bytes: Buffer): ArchiveFormat | undefined {
  const text = bytes.toString('latin1')
  if (/^WARC\/\d/m.test(text)) return 'warc'
  return /^filedesc:|^\S+ \S+ \d{10,17} \S+ (?:\S+ )*\d+\r?$/m.test(text) ? 'arc' : undefined
}
