// MIME types in index entries: a number for those that most captures have, their text for the rest.
//
// The place in the list is what is on disk: never reorder it or take one away, only append.

import type { MessageWriter } from '../../formats/wire/message-bytes.ts'
import { type EntryReader, indexDamage } from './entry-coding.ts'

const asText = 0
const common = [
  '',
  'text/html',
  'text/css',
  'text/javascript',
  'application/javascript',
  'application/x-javascript',
  'application/json',
  'application/xhtml+xml',
  'application/xml',
  'text/xml',
  'text/plain',
  'image/jpeg',
  'image/png',
  'image/gif',
  'image/webp',
  'image/avif',
  'image/svg+xml',
  'image/x-icon',
  'image/vnd.microsoft.icon',
  'font/woff',
  'font/woff2',
  'application/font-woff',
  'application/font-woff2',
  'application/pdf',
  'application/zip',
  'application/octet-stream',
  'application/rss+xml',
  'application/atom+xml',
  'application/ld+json',
  'application/manifest+json',
  'application/wasm',
  'audio/mpeg',
  'video/mp4',
  'video/webm',
  'video/mp2t',
  'application/vnd.apple.mpegurl',
]
const codes = new Map(common.map((mime, place) => [mime, place + 1]))

export function writeMime(writer: MessageWriter, mime: string): void {
  const code = codes.get(mime)
  if (code === undefined) writer.number(asText).text(mime)
  else writer.number(code)
}

export function readMime(reader: EntryReader): string {
  const code = reader.number()
  if (code === asText) return reader.text()
  const mime = common[code - 1]
  if (mime === undefined) throw indexDamage(`${code} stands for no media type`)
  return mime
}
