// HTTP/2 on one socket, by Node: it tells headers in the order and number they came, where undici joins them, and
// bounds them. (undici 7 also ended the process, by failed assertions in event listeners, when a connection was
// destroyed in the middle of a response, which hostile servers make us do.)
//
// One stream at a time. The listener hears the end of a stream when it has closed, for only then is it certain whether
// all came.

import type { ClientHttp2Session, ClientHttp2Stream } from 'node:http2'
import type { Socket } from 'node:net'
import type { Field } from '../../../formats/http/field-list.ts'
import { httpHeadBytesMax } from '../../../formats/http/http-message.ts'
import { printHead, printRequest, type Wire, type WireListener, type WireRequest } from './wire.ts'

const windowBytes = 256 * 1024
const headerPairsMax = 2_000
/** In megabytes: what Node may hold for one connection. */
const sessionMemoryMax = 4

export class Http2Wire implements Wire {
  readonly #socket: Socket
  readonly #session: ClientHttp2Session
  #isLeaving = false

  constructor(origin: string, socket: Socket, keepAliveMsMax: number) {
    this.#socket = socket
    this.#session = http2().connect(origin, {
      createConnection: () => socket,
      maxHeaderListPairs: headerPairsMax,
      maxSessionMemory: sessionMemoryMax,
      maxReservedRemoteStreams: 0,
      settings: { enablePush: false, initialWindowSize: windowBytes, maxHeaderListSize: httpHeadBytesMax },
    })
    // The stream is told as well.
    this.#session.on('error', () => {})
    this.#session.on('goaway', () => {
      this.#isLeaving = true
    })
    this.#session.setTimeout(keepAliveMsMax, () => {
      this.#isLeaving = true
      this.#session.close()
    })
  }

  print(request: WireRequest): Buffer {
    return printRequest(request)
  }

  send(request: WireRequest, listener: WireListener): void {
    try {
      const { body } = request
      const stream = this.#session.request(headersOf(request), { endStream: body === undefined })
      if (body !== undefined) stream.end(body)
      // An idle session keeps no process alive; one with a stream does.
      this.#session.ref()
      stream.once('close', () => this.#session.unref())
      listen(stream, listener)
    } catch (error) {
      listener.onError(error as Error)
    }
  }

  get isAlive(): boolean {
    return !this.#isLeaving && !this.#session.closed && !this.#session.destroyed && !this.#socket.destroyed
  }

  destroy(): void {
    this.#session.destroy()
    this.#socket.destroy()
  }
}

function headersOf({ method, authority, target, headers, body }: WireRequest): Record<string, string> {
  const all: Record<string, string> = {
    ':method': method,
    ':authority': authority,
    ':scheme': 'https',
    ':path': target,
  }
  for (const [name, value] of headers) all[name.toLowerCase()] = value
  if (body !== undefined) all['content-length'] = String(body.length)
  return all
}

function listen(stream: ClientHttp2Stream, listener: WireListener): void {
  let failure: Error | undefined
  let hasHead = false
  stream.on('headers', () => listener.onInterim())
  stream.once('response', (headers, _flags, raw) => {
    hasHead = true
    const fields = fieldsOf(raw)
    const status = Number(headers[':status'])
    listener.onHead(status, printHead(status, '', fields), fields.length)
  })
  stream.on('data', (chunk: Buffer) => listener.onBody(chunk, stream))
  stream.once('error', (error) => {
    failure = error
  })
  stream.once('close', () => {
    const isWhole =
      hasHead &&
      stream.readableEnded &&
      !stream.aborted &&
      stream.rstCode === http2().constants.NGHTTP2_NO_ERROR
    if (isWhole && failure === undefined) listener.onEnd()
    else listener.onError(failure ?? new Error(`the stream was closed with code ${stream.rstCode}`))
  })
}

/** Loaded with the first connection that speaks it. */
function http2(): typeof import('node:http2') {
  return process.getBuiltinModule('node:http2')
}

function fieldsOf(raw: readonly string[]): Field[] {
  const fields: Field[] = []
  for (let index = 0; index + 1 < raw.length; index += 2) {
    if (!raw[index]!.startsWith(':')) fields.push([raw[index]!, raw[index + 1]!])
  }
  return fields
}
