// Document text: what results show of a document, compressed.

import { zstdCompressSync, zstdDecompressSync } from 'node:zlib'

export interface DocumentText {
  readonly href: string
  readonly title: string
  readonly description: string
  readonly body: string
  readonly language: string
  readonly type: string
}

/** Most take less. */
const chunkSize = 16 * 1024
/** More than any has. */
const bytesMax = 2 ** 20

export function encodeText(text: DocumentText): Uint8Array {
  const { href, title, description, language, type, body } = text
  const json = JSON.stringify([href, title, description, language, type, body])
  // Copied, for it is a view of a whole chunk, and all of that would go from thread to thread with it.
  return new Uint8Array(zstdCompressSync(json, { chunkSize }))
}

/** undefined where it is none. */
export function decodeText(bytes: Uint8Array): DocumentText | undefined {
  const json = zstdDecompressSync(bytes, { maxOutputLength: bytesMax, chunkSize }).toString()
  const parsed = JSON.parse(json) as unknown
  if (!Array.isArray(parsed) || !parsed.every((part) => typeof part === 'string')) return undefined
  const [href, title, description, language, type, body] = parsed as [
    string,
    string,
    string,
    string,
    string,
    string,
  ]
  return { href, title, description, language, type, body }
}
