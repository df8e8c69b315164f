// The title of an HTML page, for lists of pages. Found in its first bytes; content-coding and charset are undone as far
// as that is easy, and where it is not the page has no title.

import { decodeContent } from '../../formats/content-coding/content-decoding.ts'
import { parseHttpHead } from '../../formats/http/http-message.ts'
import { htmlParser } from '../../formats/markup/html-parser.ts'

/** Of the payload as stored. */
const titleBytesMax = 64 * 1024
const titleCharsMax = 500

/** Reads no more of it than that takes. */
export async function readTitle(answer: {
  readonly head: Uint8Array | undefined
  payload(): AsyncIterable<Uint8Array>
}): Promise<string | undefined> {
  const parts: Uint8Array[] = []
  let length = 0
  for await (const chunk of answer.payload()) {
    parts.push(chunk)
    length += chunk.length
    if (length >= titleBytesMax) break
  }
  return titleOf(answer.head, Buffer.concat(parts))
}

async function titleOf(head: Uint8Array | undefined, payload: Uint8Array): Promise<string | undefined> {
  const headers = head && parseHttpHead(head)?.headers
  const start = payload.subarray(0, titleBytesMax)
  const { bytes, end } = await decodeContent(start, headers?.get('Content-Encoding'), titleBytesMax)
  if (end === 'unknown') return undefined
  const html = textOf(bytes, headers?.get('Content-Type'))
  const title = titleIn(html).replace(/\s+/g, ' ').trim()
  return title ? [...title].slice(0, titleCharsMax).join('') : undefined
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
  const parser = new (htmlParser().Parser)({
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
