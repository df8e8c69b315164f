// HTTP as the pages see it: a request, an answer, and the routes that lead from one to the other.
//
// The server (src/api) takes routes of this shape; `app/` hands them to it. Answers made here carry a policy
// under which nothing but our own scripts and styles runs, and nothing but the replay host can be framed.

import type { HttpAnswer } from '../platform/network/http-server.ts'
import type { Locale } from './language/locale.ts'
import { languageVaries, localeFor } from './language/reader-language.ts'
import type { Html } from './markup/html.ts'

export type Header = readonly [name: string, value: string]

export interface PageRequest {
  readonly method: string
  /** Path and query as they were sent: archived URLs in it must not be normalised. */
  readonly target: string
  header(name: string): string | undefined
  readonly remoteAddress?: string
  /** The body of a form, refused by the server when it is too long. */
  text(): Promise<string>
  /** A form with a file. */
  body(bytesMax: number): Promise<Uint8Array>
}

export interface PageRoute {
  readonly methods: readonly string[]
  /** Matched against the whole path, without the query. */
  readonly path: RegExp
  readonly host: 'archive'
  /** The server lets only those through who may write: by token or by the owner's cookie, with Origin checked. */
  readonly writes?: boolean
  /** Shown to the owner alone. */
  readonly isForOwner?: boolean
  /** Answered to everybody, also by an archive that only its owner may read. */
  readonly isOpen?: boolean
  /** Its errors are pages too. */
  readonly isPage: boolean
  handle(request: PageRequest): Promise<HttpAnswer>
}

const policyParts = [
  "default-src 'none'",
  "img-src 'self'",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
]

interface PageHeaders {
  /** The origin that may be framed; nothing may when not given. */
  readonly framed?: string | undefined
  readonly more?: readonly Header[] | undefined
}

/** What a page is an answer to; its Host is one of ours, as the server has seen to. */
export type AskedBy = Pick<PageRequest, 'header'>

export function pageAnswer(
  request: AskedBy,
  status: number,
  page: Html,
  { framed, more = [] }: PageHeaders = {},
): HttpAnswer {
  const locale = localeFor(request)
  const policy = framed === undefined ? [] : [`frame-src ${framed}`]
  return {
    status,
    headers: [...pageHeaders(request, '/assets/', policy), ...localizedHeaders(locale, more)],
    body: page.in(locale),
  }
}

/** A page depends on its reader's language as well as on what else it says it depends on. */
function localizedHeaders({ language }: Locale, more: readonly Header[]): Header[] {
  const varies = more.filter(([name]) => name === 'Vary').map(([, value]) => value)
  return [
    ['Content-Language', language],
    ['Vary', [...varies, languageVaries].join(', ')],
    ...more.filter(([name]) => name !== 'Vary'),
  ]
}

/** Of a page whose scripts and styles lie in this folder of the host, and nowhere else. */
export function pageHeaders(
  request: AskedBy,
  assetFolder: '/assets/' | '/docs/assets/',
  policy: readonly string[] = [],
): Header[] {
  const assets = assetSource(request.header('host'), assetFolder)
  const whole = [...policyParts, `script-src ${assets}`, `style-src ${assets}`, ...policy]
  return [
    ['Content-Type', 'text/html; charset=utf-8'],
    ['Content-Security-Policy', whole.join('; ')],
    ['X-Content-Type-Options', 'nosniff'],
    ['Cross-Origin-Opener-Policy', 'same-origin'],
    ['Cross-Origin-Resource-Policy', 'same-origin'],
    // Forms must tell their Origin, which `no-referrer` would keep from the server.
    ['Referrer-Policy', 'same-origin'],
    ['Cache-Control', 'no-cache'],
  ]
}

/** To another place on this host. The target is a path of ours, made by links.ts. */
export function redirectAnswer(
  target: string,
  status: 302 | 303 = 302,
  more: readonly Header[] = [],
): HttpAnswer {
  return { status, headers: [['Location', target], ['Cache-Control', 'no-cache'], ...more], body: undefined }
}

/**
 * Where our own scripts and styles lie, and nothing else: original bytes of archived scripts are on this host too. A policy
 * has no way to name an IPv6 address; there replay refuses to give original bytes as scripts.
 */
function assetSource(host: string | undefined, folder: string): string {
  return host !== undefined && /^[a-z0-9.-]+(:\d+)?$/i.test(host) ? `${host}${folder}` : "'self'"
}

/** Of a path, decoded where that is possible. */
export function lastWord(target: string): string {
  const path = target.split('?', 1)[0]!
  const word = path.slice(path.lastIndexOf('/') + 1)
  try {
    return decodeURIComponent(word)
  } catch {
    return word
  }
}

export function queryOf(target: string): string {
  const question = target.indexOf('?')
  return question === -1 ? '' : target.slice(question + 1)
}
