// One request from a real socket. Made for every request, so it computes nothing before it is asked for.

import type { IncomingMessage, ServerResponse } from 'node:http'
import { type HttpRequest, HttpServerError } from '../../network/http-server.ts'
import { isOfOtherUser } from './socket-user.ts'

export class RealHttpRequest implements HttpRequest {
  readonly method: string
  readonly target: string
  readonly #message: IncomingMessage
  readonly #response: ServerResponse
  readonly #bodyMsMax: number
  #controller: AbortController | undefined

  constructor(message: IncomingMessage, response: ServerResponse, bodyMsMax: number) {
    this.method = message.method ?? ''
    this.target = message.url ?? ''
    this.#message = message
    this.#response = response
    this.#bodyMsMax = bodyMsMax
  }

  get remoteAddress(): string {
    return this.#message.socket.remoteAddress ?? ''
  }

  isOfOtherUser(): Promise<boolean> {
    return isOfOtherUser(this.#message.socket)
  }

  header(name: string): string | undefined {
    const value = this.#message.headers[name]
    return typeof value === 'object' ? value.join(', ') : value
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      const controller = new AbortController()
      this.#controller = controller
      const response = this.#response
      const look = () => {
        if (!response.writableFinished) controller.abort()
      }
      if (response.closed || response.destroyed) look()
      else response.once('close', look)
    }
    return this.#controller.signal
  }

  /** Whether this is no fault, but what the signal said to all who listened: that the client has gone. */
  hasGone(fault: unknown): boolean {
    const reason: unknown = this.#controller?.signal.reason
    return reason !== undefined && (fault === reason || (fault as Error | undefined)?.cause === reason)
  }

  /** A body that was sent and that nobody has read. */
  get hasUnreadBody(): boolean {
    const { headers, readableEnded } = this.#message
    if (readableEnded) return false
    return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
  }

  async body(bytesMax: number): Promise<Uint8Array> {
    const slow = setTimeout(() => this.#message.destroy(), this.#bodyMsMax)
    try {
      return Buffer.concat(await Array.fromAsync(this.stream(bytesMax)))
    } finally {
      clearTimeout(slow)
    }
  }

  async *stream(bytesMax: number): AsyncGenerator<Uint8Array> {
    if (Number(this.#message.headers['content-length'] ?? 0) > bytesMax) throw tooLarge(bytesMax)
    let length = 0
    try {
      // Not destroyed on leaving early: the refusal has to go out over the same socket.
      for await (const chunk of this.#message.iterator({ destroyOnReturn: false })) {
        length += (chunk as Uint8Array).length
        if (length > bytesMax) throw tooLarge(bytesMax)
        yield chunk as Uint8Array
      }
    } catch (error) {
      if (error instanceof HttpServerError) throw error
      throw new HttpServerError('http-body-cut', 'The request ended before all of its body had come.', error)
    }
  }
}

function tooLarge(bytesMax: number): HttpServerError {
  return new HttpServerError(
    'http-body-too-large',
    `The body of this request may have at most ${bytesMax} bytes.`,
  )
}
