// Delivery: a content → the part of it that this request asks for: all of it, a range, the head only, or nothing new.

import { parseByteRange, sliceOf } from '../formats/http/byte-range.ts'
import type { HttpAnswer } from '../platform/network/http-server.ts'
import type { Header } from './archived-head.ts'
import type { Content } from './content/content.ts'
import { isNamedIn } from './entity-tag.ts'

interface DeliveryRequest {
  readonly method: string
  header(name: string): string | undefined
}

export async function deliver(
  request: DeliveryRequest,
  content: Content,
  shared: readonly Header[],
): Promise<HttpAnswer> {
  const { status, entityTag } = content
  // A takedown counts from its moment: nobody shows a copy without asking.
  const always: Header[] = [['ETag', entityTag], ['Cache-Control', 'no-cache'], ...shared]
  if (status === 200 && isNamedIn(request.header('if-none-match'), entityTag)) {
    return { status: 304, headers: always, body: undefined }
  }
  const partial = status === 200 ? partialAnswer(request, content, always) : undefined
  if (partial !== undefined) return partial
  const headers: Header[] = [...content.headers, ...always]
  if (content.sizeBytes !== undefined) {
    headers.push(['Content-Length', String(content.sizeBytes)])
    if (status === 200) headers.push(['Accept-Ranges', 'bytes'])
  }
  return { status, headers, body: request.method === 'HEAD' ? undefined : await started(content.body) }
}

function partialAnswer(
  request: DeliveryRequest,
  { headers, body, sizeBytes, entityTag }: Content,
  always: readonly Header[],
): HttpAnswer | undefined {
  const wanted = request.header('range')
  if (wanted === undefined || sizeBytes === undefined || body === undefined) return undefined
  const condition = request.header('if-range')
  if (condition !== undefined && condition !== entityTag) return undefined
  const range = parseByteRange(wanted, sizeBytes)
  if (range === undefined) return undefined
  if (range === 'unsatisfiable') {
    return { status: 416, headers: [['Content-Range', `bytes */${sizeBytes}`], ...always], body: undefined }
  }
  return {
    status: 206,
    headers: [
      ...headers,
      ['Content-Range', `bytes ${range.start}-${range.end - 1}/${sizeBytes}`],
      ['Content-Length', String(range.end - range.start)],
      ['Accept-Ranges', 'bytes'],
      ...always,
    ],
    body: body instanceof Uint8Array ? body.subarray(range.start, range.end) : sliceOf(body(), range),
  }
}

/** With its first piece at hand: what cannot be read at all must be an error, not a page that breaks off. */
async function started(body: Content['body']): Promise<HttpAnswer['body']> {
  if (typeof body !== 'function') return body
  const iterator = body()[Symbol.asyncIterator]()
  let first: IteratorResult<Uint8Array> | undefined = await iterator.next()
  // No generator: one that is ended before it was begun would leave its source, and a file, open.
  return {
    [Symbol.asyncIterator]: () => ({
      next: () => {
        if (first === undefined) return iterator.next()
        const piece = first
        first = undefined
        return Promise.resolve(piece)
      },
      return: async () => {
        await iterator.return?.()
        return { done: true, value: undefined }
      },
    }),
  }
}
