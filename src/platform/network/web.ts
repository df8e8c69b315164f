// The web, as the rest of the program may see it: one request, one answer, nothing followed.
//
// A fetch ends once, within its limits: with a response, whole or cut; or with a failure that has a code. It rejects
// only when the caller aborts (with the signal's reason) or our own disk fails (DiskError).
// Every address is put to the request's rule at the moment of connecting, and connections go to the address that was
// checked: literals and DNS answers alike. An answer counts only the addresses that the rule lets through; when it
// lets none through, the failure is `address-forbidden`.
// Leaves to callers: redirects, politeness, retries, content-decoding.

import type { Retry } from '../../errors.ts'
import type { Field } from '../../formats/http/field-list.ts'
import type { Digest } from '../../model/digest.ts'
import type { Url } from '../../model/url/url.ts'

/** Says why an address must not be connected to, or undefined when it may be. */
export interface AddressRule {
  refusal(address: string): string | undefined
}

export interface WebLimits {
  /** Of the response's head, interim (1xx) ones included. More is the failure `head-too-large`. */
  readonly headBytesMax: number
  readonly headerCountMax: number
  /** Of the body after transfer-decoding. More is cut off: truncated `length`. */
  readonly bodyBytesMax: number
  /** For one address to take the connection, and for TLS. */
  readonly connectMsMax: number
  /** Without a byte from the server: the failure `stalled` before the head has come, truncated `time` after it. */
  readonly stallMsMax: number
  /** From call to end: the failure `timeout` before the head has come, truncated `time` after it. */
  readonly totalMsMax: number
}

export interface WebRequest {
  readonly url: Url
  /** GET unless told. Others are sent once, on a connection of their own: what they do at the server must not be done twice. */
  readonly method?: string | undefined
  /** Its length is added to the headers. */
  readonly body?: Uint8Array | undefined
  /** In this order, after Host and Connection, which are added. */
  readonly headers: readonly Field[]
  readonly limits: WebLimits
  readonly allow: AddressRule
  /** Take certificates that cannot be verified; the response then says what was wrong. */
  readonly insecure?: boolean | undefined
}

export type WebFailureCode =
  | 'dns-not-found'
  | 'dns-failed'
  | 'address-forbidden'
  | 'connect-refused'
  | 'connect-failed'
  | 'connect-timeout'
  | 'tls-failed'
  | 'head-too-large'
  | 'malformed-http'
  | 'stalled'
  | 'timeout'
  | 'reset'

export interface WebFailure {
  readonly outcome: 'failure'
  readonly code: WebFailureCode
  readonly reason: string
  readonly retry: Retry
  /** Of the server that failed us, when it came to a connection. */
  readonly address: string | undefined
}

/** Why a body is not whole, in the words of WARC-Truncated; `unspecified`: what came after it was no HTTP. */
export type WebTruncation = 'length' | 'time' | 'disconnect' | 'unspecified'

/** Small enough for memory: in the parts that came. */
interface MemoryBody {
  readonly kind: 'memory'
  readonly length: number
  readonly parts: readonly Uint8Array[]
}

/** On disk, until it is removed. */
export interface SpooledBody {
  readonly kind: 'spooled'
  readonly length: number
  /** SHA-256, made on the way. */
  readonly digest: Digest
  /** Can be asked for again, until it is removed. */
  chunks(): AsyncIterable<Uint8Array>
  /** Whoever asked for the fetch must call it. Calling it again does nothing. */
  remove(): Promise<void>
}

export type WebBody = MemoryBody | SpooledBody

export interface WebResponse {
  readonly outcome: 'response'
  readonly status: number
  /** Start line, headers and empty line: over HTTP/1 the very bytes that came; over HTTP/2 the same as HTTP/1.1 text. */
  readonly head: Uint8Array
  /** After transfer-decoding, before content-decoding. */
  readonly body: WebBody
  readonly truncated: WebTruncation | undefined
  /** As it was sent; over HTTP/2 the same as HTTP/1.1 text. */
  readonly request: Uint8Array
  readonly address: string
  /** In the words of WARC-Protocol: `http/1.1` or `h2`, then the TLS version, such as `tls/1.3`. */
  readonly protocols: readonly string[]
  /** Hex digits of the SHA-256 of the certificate that the server showed. */
  readonly certificate?: string | undefined
  /** What is wrong with the certificate. Only of insecure requests. */
  readonly tlsProblem: string | undefined
  readonly timing: WebTiming
}

/** By the monotonic clock. */
interface WebTiming {
  readonly startMs: number
  /** When the request was handed to a connection: waiting, resolving and connecting lie before it. */
  readonly sentMs: number
  /** What opening the connection took, by TCP alone; undefined on one that was open. */
  readonly connectMs?: number | undefined
  readonly headMs: number
  readonly endMs: number
}

export type WebAnswer = WebResponse | WebFailure

export interface Web {
  fetch(request: WebRequest, signal?: AbortSignal): Promise<WebAnswer>
  /** Ends what is under way as if aborted, and closes every connection. Closing again does nothing. */
  close(): Promise<void>
}
