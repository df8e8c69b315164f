// One URL, fetched once: the request as this crawler makes it, and the response as it is kept.
//
// Does not decide whether and when to fetch, follows no redirect, keeps nothing. Rejects only when aborted or when our
// own disk fails.

import { type Field, FieldList } from '../../formats/http/field-list.ts'
import { parseHttpHead } from '../../formats/http/http-message.ts'
import type { Url } from '../../model/url/url.ts'
import type { Clock } from '../../platform/clock.ts'
import type { BrowserSession } from '../../platform/network/browser-session.ts'
import type { AddressRule, Web, WebFailure, WebLimits, WebResponse } from '../../platform/network/web.ts'
import { conditionalHeaders, hasValidators, type Validators, validatorsOf } from './conditional.ts'
import { fetchLimits } from './limits.ts'
import type { Fetched, FetchFailure, FetchOutcome } from './outcome.ts'
import { redirectOf } from './redirect.ts'
import { blockOf } from './response-block.ts'
import { cookieHeader } from './session-cookies.ts'

export interface FetcherSettings {
  /** Who we are, and where to complain: many sites refuse crawlers that do not say. */
  readonly userAgent: string
  readonly allow: AddressRule
  readonly insecure: boolean
  readonly limits: WebLimits
  /** Pages are fetched as whoever this is. What shows it goes to their servers only, and into no record. */
  readonly session?: BrowserSession | undefined
}

/** A request other than a plain GET. */
export interface SentRequest {
  readonly method: string
  readonly body: Uint8Array | undefined
}

export interface FetchOptions {
  readonly sent?: SentRequest | undefined
  /** Of the version we have: ask for a newer one only. */
  readonly validators?: Validators | undefined
  readonly limits?: WebLimits | undefined
  /** Of the body, where that is less than the limits have. */
  readonly bytesMax?: number | undefined
  /** Beside our own; an Accept takes the place of ours. */
  readonly headers?: readonly Field[] | undefined
  /** Instead of the fetcher's own rule. */
  readonly allow?: AddressRule | undefined
  readonly signal?: AbortSignal | undefined
}

const accept: Field = ['Accept', 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8']
const acceptEncoding: Field = ['Accept-Encoding', 'gzip, deflate, br, zstd']

export class Fetcher {
  readonly #web: Web
  readonly #clock: Clock
  readonly #settings: FetcherSettings
  readonly #userAgent: Field
  #noteConnect: ((url: Url, address: string, connectMs: number) => void) | undefined

  constructor(
    needs: { web: Web; clock: Clock },
    settings: Pick<FetcherSettings, 'userAgent' | 'allow'> & Partial<FetcherSettings>,
  ) {
    this.#web = needs.web
    this.#clock = needs.clock
    this.#settings = { insecure: false, limits: fetchLimits, ...settings }
    this.#userAgent = ['User-Agent', settings.userAgent]
  }

  /** From now on it is told how long each new connection took. */
  watchConnects(note: (url: Url, address: string, connectMs: number) => void): void {
    this.#noteConnect = note
  }

  async fetch(url: Url, options: FetchOptions = {}): Promise<FetchOutcome> {
    const { validators = {}, headers: given = [], signal } = options
    const { insecure, limits } = this.#settings
    const allow = options.allow ?? this.#settings.allow
    const ours = given.some(([name]) => name.toLowerCase() === 'accept')
      ? [this.#userAgent, acceptEncoding]
      : [this.#userAgent, accept, acceptEncoding]
    const headers = [...ours, ...given, ...conditionalHeaders(validators), ...this.#cookies(url, given)]
    const capturedAtMs = this.#clock.nowMs()
    const request = {
      url,
      ...options.sent,
      headers,
      limits: lowered(options.limits ?? limits, options.bytesMax),
      allow,
      insecure,
    }
    const answer = await this.#web.fetch(request, signal)
    if (answer.outcome === 'failure') return failureOf(answer, this.#clock.monotonicMs())
    const { connectMs } = answer.timing
    if (connectMs !== undefined) this.#noteConnect?.(url, answer.address, connectMs)
    const kept = this.#settings.session ? { ...answer, request: withoutSecrets(answer.request) } : answer
    return fetchedOf(url, capturedAtMs, kept, hasValidators(validators))
  }

  /** A page in a browser brings its own. */
  #cookies(url: Url, given: readonly Field[]): Field[] {
    const { session } = this.#settings
    if (session === undefined || given.some(([name]) => name.toLowerCase() === 'cookie')) return []
    const cookies = cookieHeader(session, url, this.#clock.nowMs())
    return cookies === undefined ? [] : [['Cookie', cookies]]
  }
}

/** Of a request's head, which is one line for each field: whoever reads the record must not become its owner. */
function withoutSecrets(request: Uint8Array): Uint8Array {
  const text = Buffer.from(request).toString('latin1')
  const end = text.indexOf('\r\n\r\n') + 2
  const head = text.slice(0, end).replace(/^(?:cookie|authorization):[^\r\n]*\r\n/gim, '')
  return Buffer.from(head + text.slice(end), 'latin1')
}

function lowered(limits: WebLimits, bytesMax: number | undefined): WebLimits {
  if (bytesMax === undefined || bytesMax >= limits.bodyBytesMax) return limits
  return { ...limits, bodyBytesMax: bytesMax }
}

function failureOf({ code, reason, retry, address }: WebFailure, endedAtMs: number): FetchFailure {
  return { kind: 'failed', code, reason, retry, address, endedAtMs }
}

function fetchedOf(url: Url, capturedAtMs: number, response: WebResponse, wasConditional: boolean): Fetched {
  const { status, body, request, address, protocols, certificate, truncated, timing } = response
  const { block, headBytes } = blockOf(response)
  const headers = parseHttpHead(response.head)?.headers ?? new FieldList()
  return {
    kind: status === 304 && wasConditional ? 'not-modified' : 'fetched',
    status,
    headers,
    capture: {
      url,
      capturedAtMs,
      block,
      request,
      metadata: metadataOf(response),
      ipAddress: address,
      protocols,
      certificate,
      truncated,
    },
    body: () => (block instanceof Uint8Array ? block.subarray(headBytes) : chunksOf(response)),
    bodyBytes: body.length,
    validators: validatorsOf(headers),
    redirect: redirectOf(status, headers, url),
    responseMs: timing.endMs - timing.sentMs,
    connectMs: timing.connectMs,
    endedAtMs: timing.endMs,
    discard: async () => {
      if (body.kind === 'spooled') await body.remove()
    },
  }
}

async function* chunksOf({ body }: WebResponse): AsyncGenerator<Uint8Array> {
  if (body.kind === 'memory') yield* body.parts
  else yield* body.chunks()
}

/** What a reader of the archive may want to know and no header says. */
function metadataOf({ timing, tlsProblem }: WebResponse): Field[] {
  const fields: Field[] = [['fetchTimeMs', String(Math.round(timing.endMs - timing.sentMs))]]
  if (tlsProblem !== undefined) fields.push(['tlsProblem', tlsProblem.replace(/[^\x20-\x7e]/g, ' ')])
  return fields
}
