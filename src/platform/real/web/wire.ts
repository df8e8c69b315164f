// What an exchange needs of HTTP on a socket, whatever its version.

import type { Field } from '../../../formats/http/field-list.ts'

/** Of a response that is coming in. */
export interface WireControl {
  pause(): void
  resume(): void
}

/** Told of what comes, in this order; the last call is `onEnd` or `onError`. Nothing of it must throw. */
export interface WireListener {
  /** Bytes of the head so far, interim ones included. Not told over HTTP/2. */
  onHeadBytes(bytes: number): void
  onInterim(): void
  onHead(status: number, head: Buffer, headerCount: number): void
  onBody(chunk: Buffer, control: WireControl): void
  /** The response is whole. */
  onEnd(): void
  onError(error: Error): void
}

export interface WireRequest {
  readonly method: string
  readonly authority: string
  readonly target: string
  readonly headers: readonly Field[]
  readonly body: Uint8Array | undefined
}

/** Head and body of a request, as HTTP/1.1. */
export function printRequest(
  { method, authority, target, headers, body }: WireRequest,
  first: readonly Field[] = [],
): Buffer {
  let text = `${method} ${target} HTTP/1.1\r\nhost: ${authority}\r\n`
  for (const [name, value] of first) text += `${name}: ${value}\r\n`
  for (const [name, value] of headers) text += `${name}: ${value}\r\n`
  if (body !== undefined) text += `content-length: ${body.length}\r\n`
  const head = Buffer.from(`${text}\r\n`, 'latin1')
  return body === undefined ? head : Buffer.concat([head, body])
}

/** A header that would end where it should not: a broken invariant of whoever made it. */
export class UnsendableRequest extends Error {
  constructor() {
    super('a header of the request has characters that no header may have')
  }
}

export interface Wire {
  /** As HTTP/1.1 text. */
  print(request: WireRequest): Buffer
  /** One at a time. */
  send(request: WireRequest, listener: WireListener): void
  /** Whether another request can be sent. */
  readonly isAlive: boolean
  destroy(): void
}

/** HTTP/1.1 text of a head that did not come as text. */
export function printHead(status: number, reason: string, headers: readonly Field[]): Buffer {
  // No parser lets a line end through, and none must come of it here.
  const clean = (text: string): string => text.replace(/[\0\r\n]/g, ' ')
  let head = `HTTP/1.1 ${status} ${clean(reason)}\r\n`
  for (const [name, value] of headers) head += `${clean(name)}: ${clean(value)}\r\n`
  return Buffer.from(`${head}\r\n`, 'latin1')
}
