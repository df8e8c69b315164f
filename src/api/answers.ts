// Answers that several interfaces give.

import type { HttpAnswer, HttpBody } from '../platform/network/http-server.ts'

export type Header = readonly [name: string, value: string]

const jsonType = 'application/json; charset=utf-8'
export const textType = 'text/plain; charset=utf-8'
/** A JSON document a line. */
export const linesType = 'application/x-ndjson; charset=utf-8'

/** Data, never a page: no browser may take it for anything else, whatever a URL in it looks like. */
export function dataAnswer(type: string, body: HttpBody, more: readonly Header[] = []): HttpAnswer {
  return {
    status: 200,
    headers: [['Content-Type', type], ['X-Content-Type-Options', 'nosniff'], ...more],
    body,
  }
}

export function jsonAnswer(value: unknown, status = 200, more: readonly Header[] = []): HttpAnswer {
  return {
    ...dataAnswer(jsonType, `${JSON.stringify(value)}\n`, [['Cache-Control', 'no-store'], ...more]),
    status,
  }
}

export function redirectAnswer(location: string, more: readonly Header[] = []): HttpAnswer {
  return { status: 302, headers: [['Location', location], ...more], body: undefined }
}

/** Pieces of text, gathered so that each write is worth its cost. */
export async function* gathered(texts: AsyncIterable<string> | Iterable<string>): AsyncGenerator<Uint8Array> {
  let text = ''
  for await (const more of texts) {
    text += more
    if (text.length < gatheredCharsMax) continue
    yield Buffer.from(text)
    text = ''
  }
  if (text !== '') yield Buffer.from(text)
}

/** What `gathered` gives, whole where it is one piece: that goes out in one write and with its length, for less than half of what a
 * stream costs. For lists that begin soon: nothing is sent before the first piece is there. */
export async function wholeIfShort(pieces: AsyncGenerator<Uint8Array>): Promise<HttpBody> {
  const first = await pieces.next()
  if (first.done === true) return new Uint8Array()
  if (first.value.length < gatheredCharsMax) return first.value
  let hasBegun = false
  // No generator: one that is ended before it has begun would not end what it reads from.
  const rest = {
    next: async () => {
      if (hasBegun) return await pieces.next()
      hasBegun = true
      return first
    },
    return: () => pieces.return(undefined),
  }
  return { [Symbol.asyncIterator]: () => rest }
}

const gatheredCharsMax = 32 * 1024
