// The names in a Content-Encoding header, and whether bytes are what their header claims them to be.

import { looksLikeGzip } from '../warc/compression/gzip-member.ts'

/** More than two never happen; ten thousand are an attack. */
const codingsMax = 4

/** Whether bytes start as this coding does; where nothing tells, they may. */
const starts: Readonly<Record<string, (bytes: Uint8Array) => boolean>> = {
  gzip: (bytes) => looksLikeGzip(bytes),
  deflate: () => true,
  br: () => true,
  zstd: (bytes) => zstdMagic.every((byte, at) => bytes[at] === byte),
}
const zstdMagic = [0x28, 0xb5, 0x2f, 0xfd]

/** The codings of a Content-Encoding header, in the order they were applied. */
export function codingsOf(contentEncoding: string | undefined): string[] {
  if (contentEncoding === undefined) return []
  return contentEncoding
    .toLowerCase()
    .split(',')
    .map((name) => name.trim().replace(/^x-(?=gzip$)/, ''))
    .filter((name) => /^[\w.+-]+$/.test(name) && name !== 'identity')
}

export function areKnown(codings: readonly string[]): boolean {
  return codings.length <= codingsMax && codings.every((coding) => Object.hasOwn(starts, coding))
}

/** Whether the bytes are what their header claims them to be: archives made by tools that decoded the body and kept the
 * header claim a gzip that was undone long ago. */
export function isCodedAs(codings: readonly string[], start: Uint8Array): boolean {
  const last = codings.at(-1)
  return last === undefined || (starts[last]?.(start) ?? true)
}
