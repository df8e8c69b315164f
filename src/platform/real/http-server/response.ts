// Writes answers to real sockets: in one go where the body is at hand, else piece by piece as the reader takes them.

import type { ServerResponse } from 'node:http'
import type { HttpAnswer, HttpBody } from '../../network/http-server.ts'
import type { RealHttpRequest } from './request.ts'

/** Headers are sent with the first piece of a body, or after so long without one. */
const headersMs = 50

/** `keptMs`: how long the connection waits for its next request; 0 when it ends with this answer. A promise only where there is something to
 * wait for. */
export function sendAnswer(
  request: RealHttpRequest,
  response: ServerResponse,
  answer: HttpAnswer,
  keptMs: number,
): Promise<void> | undefined {
  const { status, body } = answer
  // Nobody reads what is left of an unwanted body; closing is what stops it from being sent.
  const endsConnection = keptMs === 0 || request.hasUnreadBody
  const hasBody = request.method !== 'HEAD' && status >= 200 && status !== 204 && status !== 304
  const headers = flatHeaders(answer)
  if (endsConnection) headers.push('Connection', 'close')
  // What Node says by itself where it is Node that ends idle connections.
  else if (response.shouldKeepAlive) headers.push('Keep-Alive', `timeout=${Math.floor(keptMs / 1_000)}`)
  response.writeHead(status, headers)
  if (isStream(body)) {
    if (hasBody) return pour(body, response)
    void body[Symbol.asyncIterator]().return?.()
    response.end()
  } else response.end(hasBody ? body : undefined)
  return undefined
}

/** For a handler that broke its promise, or a body that failed: the client must see that it has not got all. */
export function sendFault(response: ServerResponse): void {
  if (response.headersSent) response.destroy()
  else {
    response
      .writeHead(500, ['Content-Type', 'text/plain; charset=utf-8', 'Connection', 'close'])
      .end('A fault of this program. Its log says more.\n')
  }
}

function flatHeaders({ status, headers, body }: HttpAnswer): string[] {
  const flat: string[] = []
  let hasLength = status === 204 || status === 304 || status < 200
  for (const [name, value] of headers) {
    if (name.length === 14 && name.toLowerCase() === 'content-length') hasLength = true
    flat.push(name, value)
  }
  if (!hasLength && !isStream(body)) flat.push('Content-Length', String(lengthOf(body)))
  return flat
}

function lengthOf(body: Exclude<HttpBody, AsyncIterable<Uint8Array>>): number {
  if (body === undefined) return 0
  return typeof body === 'string' ? Buffer.byteLength(body) : body.length
}

function isStream(body: HttpBody): body is AsyncIterable<Uint8Array> {
  return typeof body === 'object' && !(body instanceof Uint8Array)
}

/** Leaving the loop, for whatever reason, ends the source too. */
async function pour(body: AsyncIterable<Uint8Array>, response: ServerResponse): Promise<void> {
  // A stream may have nothing to say for long: who asked is to see that it was let in.
  const waiting = setTimeout(() => response.flushHeaders(), headersMs)
  try {
    await pourAll(body, response, () => clearTimeout(waiting))
  } finally {
    clearTimeout(waiting)
  }
}

async function pourAll(
  body: AsyncIterable<Uint8Array>,
  response: ServerResponse,
  begun: () => void,
): Promise<void> {
  for await (const chunk of body) {
    begun()
    if (response.destroyed) return
    if (chunk.length > 0 && !response.write(chunk)) await drained(response)
  }
  response.end()
}

/** Resolves too when the reader has gone: then there is nothing to wait for. */
function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      response.off('drain', done)
      response.off('close', done)
      resolve()
    }
    response.once('drain', done)
    response.once('close', done)
    if (response.destroyed) done()
  })
}
