// What went wrong on the way to a response, in the words of web.ts.
//
// Node, OpenSSL and c-ares each have error codes of their own; here is the one place that knows them.

import type { Retry } from '../../../errors.ts'
import type { WebFailure, WebFailureCode, WebTruncation } from '../../network/web.ts'
import { Http1Fault } from './http1-fault.ts'

const retries: Readonly<Record<WebFailureCode, Retry>> = {
  'dns-not-found': 'never',
  'dns-failed': 'later',
  'address-forbidden': 'never',
  'connect-refused': 'later',
  'connect-failed': 'later',
  'connect-timeout': 'later',
  'tls-failed': 'never',
  'head-too-large': 'never',
  'malformed-http': 'never',
  stalled: 'later',
  timeout: 'later',
  reset: 'later',
}

export function webFailure(code: WebFailureCode, reason: string, address?: string): WebFailure {
  return { outcome: 'failure', code, reason, retry: retries[code], address }
}

/** Of an attempt to connect: before or during TLS. */
export function connectFailure(error: NodeJS.ErrnoException, address: string, inTls: boolean): WebFailure {
  const { code = '', message } = error
  if (inTls) {
    // A handshake that breaks off may be an overloaded server; a certificate stays as it is.
    const brokenOff = code === 'ECONNRESET' || code === 'EPIPE' || code === 'ETIMEDOUT'
    const failure = webFailure('tls-failed', tlsProblemOf(error), address)
    return brokenOff ? { ...failure, retry: 'later' } : failure
  }
  if (code === 'ECONNREFUSED') return webFailure('connect-refused', message, address)
  if (code === 'ETIMEDOUT') return webFailure('connect-timeout', message, address)
  return webFailure('connect-failed', message, address)
}

/** In one line, starting with OpenSSL's or Node's name for it, such as CERT_HAS_EXPIRED. */
export function tlsProblemOf(error: unknown): string {
  if (typeof error === 'string') return error
  const { code, message } = error as NodeJS.ErrnoException
  const sentence = message.split('\n')[0]!.trim().slice(0, 300)
  return code === undefined || sentence.includes(code) ? sentence : `${code}: ${sentence}`
}

/** Of an exchange whose head had not come. */
export function exchangeFailure(error: Error, address: string): WebFailure {
  if (error instanceof Http1Fault && error.kind === 'overflow')
    return webFailure('head-too-large', error.message, address)
  return webFailure(isMalformed(error) ? 'malformed-http' : 'reset', error.message, address)
}

/** Of an exchange that broke in the middle of the body. */
export function breakageOf(error: Error): WebTruncation {
  return isMalformed(error) ? 'unspecified' : 'disconnect'
}

function isMalformed(error: Error): boolean {
  if (error instanceof Http1Fault) return error.kind === 'malformed'
  return (error as NodeJS.ErrnoException).code === 'ERR_HTTP2_ERROR'
}
