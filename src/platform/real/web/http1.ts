// HTTP/1.1 on one socket: a request goes out, its response comes in, then the next.
//
// By ourselves, not by undici: a response costs two fifths less processor time, and the head's own bytes are at hand
// (docs/decisions/0039). http1.fuzz.ts holds the two against each other.
//
// Invariants: one exchange at a time; a listener hears nothing after its end; a socket on which anything came that nobody
// asked for, or that its server wants closed, is never used again.

import type { Socket } from 'node:net'
import type { Field } from '../../../formats/http/field-list.ts'
import { ChunkReader } from './http1-chunks.ts'
import { Http1Fault } from './http1-fault.ts'
import { HeadReader, type ResponseHead } from './http1-head.ts'
import { printRequest, UnsendableRequest, type Wire, type WireListener, type WireRequest } from './wire.ts'

/** Sooner than the server says: its end may be on its way already. */
const idleMarginMs = 2_000
const keepAlive: readonly Field[] = [['connection', 'keep-alive']]
/** Of header values; the same characters are all that a server may send. */
const unsendablePattern = /[^\t\x20-\x7e\x80-\xff]/

/** Takes what is there of a body. Where the body ends in it; undefined while more has to come. */
type BodyReader = (bytes: Buffer) => number | undefined

export class Http1Wire implements Wire {
  readonly #socket: Socket
  readonly #keepAliveMsMax: number
  #listener: WireListener | undefined
  #headReader = new HeadReader()
  #head: ResponseHead | undefined
  #body: BodyReader | undefined
  /** Whether a body follows the head, whatever that says. */
  #hasBody = true
  /** Since the request, as long as its head has not come. */
  #bytes = 0
  /** What was sent last, until it is asked for. */
  #sent: { readonly request: WireRequest; readonly bytes: Buffer } | undefined
  #isLeaving = false
  #idleMs = 0
  #idleTimer: NodeJS.Timeout | undefined

  constructor(socket: Socket, keepAliveMsMax: number) {
    this.#socket = socket
    this.#keepAliveMsMax = keepAliveMsMax
    socket.on('data', (chunk: Buffer) => this.#take(chunk))
    socket.once('end', () => this.#endOfSocket())
    socket.once('error', (error) => this.#fail(error))
    socket.once('close', () => {
      clearTimeout(this.#idleTimer)
      this.#fail(new Error('other side closed'))
    })
  }

  print(request: WireRequest): Buffer {
    const sent = this.#sent
    this.#sent = undefined
    return sent?.request === request ? sent.bytes : printRequest(request, keepAlive)
  }

  send(request: WireRequest, listener: WireListener): void {
    if (request.headers.some(([, value]) => unsendablePattern.test(value))) {
      listener.onError(new UnsendableRequest())
      return
    }
    this.#listener = listener
    this.#headReader = new HeadReader()
    this.#head = undefined
    this.#body = undefined
    this.#bytes = 0
    this.#hasBody = request.method !== 'HEAD'
    this.#socket.ref()
    const bytes = printRequest(request, keepAlive)
    this.#sent = { request, bytes }
    this.#socket.write(bytes)
  }

  get isAlive(): boolean {
    return !this.#isLeaving && !this.#socket.destroyed && !this.#socket.readableEnded
  }

  destroy(): void {
    this.#listener = undefined
    this.#socket.destroy()
  }

  #take(chunk: Buffer): void {
    const listener = this.#listener
    if (listener === undefined) {
      // An answer to nothing.
      this.destroy()
      return
    }
    try {
      this.#read(chunk, listener)
    } catch (error) {
      if (!(error instanceof Http1Fault)) throw error
      this.#isLeaving = true
      this.#fail(error)
    }
  }

  #read(chunk: Buffer, listener: WireListener): void {
    let bytes = chunk
    if (this.#body === undefined) {
      listener.onHeadBytes((this.#bytes += chunk.length))
      const head = this.#readHead(bytes, listener)
      if (head === undefined) return
      this.#head = head
      this.#body = this.#bodyReader(head, listener)
      bytes = head.rest
    }
    const end = this.#body(bytes)
    if (end !== undefined && this.#listener === listener) this.#finish(listener, end < bytes.length)
  }

  /** undefined while more has to come, and when the listener has had enough. */
  #readHead(chunk: Buffer, listener: WireListener): ResponseHead | undefined {
    let bytes = chunk
    while (this.#listener === listener) {
      const head = this.#headReader.push(bytes)
      if (head === undefined) return undefined
      if (head.status >= 200) {
        listener.onHead(head.status, head.bytes, head.fieldCount)
        return this.#listener === listener ? head : undefined
      }
      if (head.status === 101)
        throw new Http1Fault('malformed', 'it switches to a protocol that nobody asked for')
      listener.onInterim()
      this.#headReader = new HeadReader()
      bytes = head.rest
    }
    return undefined
  }

  #bodyReader({ framing }: ResponseHead, listener: WireListener): BodyReader {
    const tell = (data: Buffer): void => {
      if (this.#listener === listener) listener.onBody(data, this.#socket)
    }
    if (framing.kind === 'chunked' && this.#hasBody) {
      const chunks = new ChunkReader()
      return (bytes) => chunks.push(bytes, tell)
    }
    let left = !this.#hasBody ? 0 : framing.kind === 'length' ? framing.bytes : Number.POSITIVE_INFINITY
    return (bytes) => {
      const data = bytes.length > left ? bytes.subarray(0, left) : bytes
      left -= data.length
      if (data.length > 0) tell(data)
      return left === 0 ? data.length : undefined
    }
  }

  #finish(listener: WireListener, hasMore: boolean): void {
    const { keepsAlive, idleMs = Number.POSITIVE_INFINITY } = this.#head!
    const waitMs = Math.min(idleMs - idleMarginMs, this.#keepAliveMsMax)
    this.#listener = undefined
    if (keepsAlive && !hasMore && waitMs > 0) this.#rest(waitMs)
    else {
      this.#isLeaving = true
      this.#socket.destroy()
    }
    listener.onEnd()
  }

  /** An idle socket keeps no process alive, and not itself for ever. */
  #rest(waitMs: number): void {
    this.#socket.unref()
    // Whoever had it wait may have had enough since.
    if (this.#socket.isPaused()) this.#socket.resume()
    if (waitMs === this.#idleMs) this.#idleTimer!.refresh()
    else {
      clearTimeout(this.#idleTimer)
      this.#idleMs = waitMs
      this.#idleTimer = setTimeout(() => {
        if (this.#listener === undefined) this.#socket.destroy()
      }, waitMs).unref()
    }
  }

  #endOfSocket(): void {
    const listener = this.#listener
    if (listener === undefined) return
    if (this.#head?.framing.kind === 'close') this.#finish(listener, false)
    else this.#fail(new Error('other side closed'))
  }

  #fail(error: Error): void {
    const listener = this.#listener
    this.#listener = undefined
    listener?.onError(error)
  }
}
