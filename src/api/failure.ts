// A failure as an answer: a page for people, JSON for programs that use the API, a line of text for tools.

import { PolyhistorError } from '../errors.ts'
import type { HttpAnswer, HttpRequest } from '../platform/network/http-server.ts'
import type { Route } from './route.ts'
import { statusOf } from './statuses.ts'

interface Failure {
  readonly status: number
  readonly code: string
  readonly message: string
}

/** Makes a page of a failure; what it gives is sent as it is, with its own headers. */
export type FailurePage = (failure: Failure, request: HttpRequest) => HttpAnswer | Promise<HttpAnswer>

const faultMessage = 'A fault of this program. Its log says more.'

/** Strangers are not told where things lie on this machine. */
export function failureOf(error: unknown, isOwner: boolean): Failure {
  const status = statusOf(error)
  if (!(error instanceof PolyhistorError)) return { status, code: 'fault', message: faultMessage }
  const { code, message } = error
  const namesFiles = /^(?:disk|index|store|home|crawl)-/.test(code)
  return { status, code, message: isOwner || !namesFiles ? message : withoutPaths(message) }
}

/** Absolute paths stand behind a space, a quote or a bracket; those in URLs do not. */
export function withoutPaths(message: string): string {
  return message.replace(/(^|[\s"'(])\/[^\s"'),;]+/g, '$1…')
}

export function failureAnswer(
  failure: Failure,
  request: HttpRequest,
  route: Route | undefined,
  page: FailurePage | undefined,
): HttpAnswer | Promise<HttpAnswer> {
  const { status, code, message } = failure
  const accept = request.header('accept') ?? ''
  if (page !== undefined && isForPeople(accept, route, request.target)) return page(failure, request)
  const headers: [string, string][] = [
    ['X-Content-Type-Options', 'nosniff'],
    ['Cache-Control', 'no-store'],
  ]
  if (status === 401) headers.push(['WWW-Authenticate', 'Bearer realm="polyhistor"'])
  if (request.target.startsWith('/api/') || accept.includes('application/json')) {
    headers.push(['Content-Type', 'application/json; charset=utf-8'])
    return { status, headers, body: `${JSON.stringify({ error: { code, message } })}\n` }
  }
  headers.push(['Content-Type', 'text/plain; charset=utf-8'])
  return { status, headers, body: `${message}\n` }
}

function isForPeople(accept: string, route: Route | undefined, target: string): boolean {
  if (!accept.includes('text/html')) return false
  return route?.isPage === true || (route === undefined && !target.startsWith('/api/'))
}
