// The title of an HTML page, for lists of pages. Found in its first bytes; content-coding and charset are undone as far
// as that is easy, and where it is not the page has no title.

import { brotliDecompressSync, constants, gunzipSync, inflateSync, zstdDecompressSync } from 'node:zlib'
import { Parser } from 'htmlparser2'
import { parseHttpHead } from '../../record/http-message.ts'

/** Of the payload as stored. */
export const titleBytesMax = 64 * 1024
const decodedBytesMax = 4 * 1024 * 1024
const titleCharsMax = 500

export function titleOf(head: Uint8Array | undefined, payload: Uint8Array): string | undefined {
  const headers = head && parseHttpHead(head)?.headers
  const bytes = decoded(payload.subarray(0, titleBytesMax), headers?.get('Content-Encoding'))
  if (bytes === undefined) return undefined
  const html = textOf(bytes.subarray(0, titleBytesMax), headers?.get('Content-Type'))
  const title = titleIn(html).replace(/\s+/g, ' ').trim()
  return title ? [...title].slice(0, titleCharsMax).join('') : undefined
}

/** What the first bytes decode to: the rest is missing, which is no error here. */
function decoded(bytes: Uint8Array, coding: string | undefined): Uint8Array | undefined {
  const limit = { maxOutputLength: decodedBytesMax }
  const zlib = { ...limit, finishFlush: constants.Z_SYNC_FLUSH }
  try {
    switch (coding?.trim().toLowerCase() ?? '') {
      case '':
      case 'identity':
        return bytes
      case 'gzip':
      case 'x-gzip':
        return gunzipSync(bytes, zlib)
      case 'deflate':
        return inflateSync(bytes, zlib)
      case 'br':
        return brotliDecompressSync(bytes, { ...limit, finishFlush: constants.BROTLI_OPERATION_FLUSH })
      case 'zstd':
        return zstdDecompressSync(bytes, { ...limit, finishFlush: constants.ZSTD_e_flush })
      default:
        return undefined
    }
  } catch {
    return undefined
  }
}

function textOf(bytes: Uint8Array, contentType: string | undefined): string {
  const start = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const declared =
    /charset\s*=\s*["']?([\w-]+)/i.exec(contentType ?? '') ??
    /<meta[^>]{0,200}?charset\s*=\s*["']?([\w-]+)/i.exec(start.toString('latin1', 0, 4096))
  try {
    return new TextDecoder(declared?.[1] ?? 'utf-8').decode(bytes)
  } catch {
    return start.toString('latin1')
  }
}

/** Text of the first title element, entities undone. */
function titleIn(html: string): string {
  let title = ''
  let isInside = false
  const parser = new Parser({
    onopentagname(name) {
      isInside = name === 'title'
    },
    ontext(text) {
      if (isInside && title.length < titleCharsMax) title += text
    },
    onclosetag(name) {
      if (name !== 'title') return
      isInside = false
      if (title.trim() !== '') parser.pause()
    },
  })
  parser.write(html)
  return title
}
