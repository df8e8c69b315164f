// An HTTP server, as the rest of the program may see it: requests in, answers out, no sockets.
//
// A request's target is what stood in the request line, byte for byte: nothing decodes, joins or sorts it on the way, for
// archived URLs in it (`//`, `%2F`, `?`) must come through as they were written.
// An answer's body is written as fast as its reader takes it; a body that comes in pieces is asked for the next one only
// then. When a body fails half-way, the connection is cut, so that nobody takes the part for the whole.

import { errorFamily } from '../../errors.ts'

export class HttpServerError extends errorFamily({
  /** The request's body is larger than its handler takes. */
  'http-body-too-large': 'never',
  /** The client went away, or sent less than it had announced. */
  'http-body-cut': 'never',
  /** The address cannot be listened on. */
  'http-address-in-use': 'later',
  'http-address-unusable': 'never',
}) {}

export interface HttpRequest {
  readonly method: string
  /** The request target as it came, path and query. */
  readonly target: string
  /** The other end of the socket: says nothing of who asks, for proxies and forwarders pass others' requests on. */
  readonly remoteAddress: string
  /** Whether the other end is known to be a process of another user of this machine, and of no administrator. */
  isOfOtherUser(): Promise<boolean>
  /** By lower-case name; several of the same name are joined with commas. */
  header(name: string): string | undefined
  /** The whole body. Rejects with HttpServerError when it is larger, or cut off. */
  body(bytesMax: number): Promise<Uint8Array>
  /** The same piece by piece, as fast as they are taken, and for as long as it comes: only for those who may write. */
  stream(bytesMax: number): AsyncIterable<Uint8Array>
  /** Aborted when the client has gone before the answer was complete. */
  readonly signal: AbortSignal
}

export type HttpBody = Uint8Array | string | AsyncIterable<Uint8Array> | undefined

/** Content-Length is added where it is known and not given. To HEAD the body is not written. */
export interface HttpAnswer {
  readonly status: number
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body: HttpBody
}

/** Must not throw nor reject: what goes wrong is an answer too. */
export type HttpHandler = (request: HttpRequest) => HttpAnswer | Promise<HttpAnswer>

export interface HttpLimits {
  /** Of request line and headers together. */
  readonly headBytesMax: number
  readonly headerCountMax: number
  readonly connectionsMax: number
  /** Of one address of another machine. */
  readonly connectionsPerAddress: number
  /** Kept free for this machine. */
  readonly connectionsForLoopback: number
  /** For a request's head to come, and for all of a body that is read at once. */
  readonly headMsMax: number
  readonly requestMsMax: number
  /** Without a byte either way; more than the pause between two beats of an event stream. */
  readonly silenceMsMax: number
  /** An idle connection is kept for the next request. */
  readonly idleMsMax: number
}

export const httpLimitsDefault: HttpLimits = {
  // The longest URL there is (64 kB), and as much again as browsers send beside it.
  headBytesMax: 96 * 1024,
  headerCountMax: 200,
  connectionsMax: 1_000,
  connectionsPerAddress: 100,
  connectionsForLoopback: 100,
  headMsMax: 10_000,
  requestMsMax: 60_000,
  silenceMsMax: 120_000,
  idleMsMax: 15_000,
}

export interface HttpServer {
  /** The port that was given out, where 0 was asked for. */
  readonly port: number
  /** Takes no more requests, lets those under way end, and cuts off what has not ended after `graceMs`. */
  close(graceMs: number): Promise<void>
}
