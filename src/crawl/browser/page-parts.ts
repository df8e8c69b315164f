// The parts of a page that a browser shows: each of its requests becomes a visit of the crawler, or is refused by a rule.
//
// Invariants: every request is answered once and noted once, as kept, refused or failed; nothing is asked of a server beyond the page's
// limits, and nothing that the page needs twice: media are fetched whole, whatever part of them is asked for.
// A page that goes elsewhere stays where it is: where it wanted to go is a link, and visited on its own.

import { offeredProtocols } from '../../formats/http/alternative-services.ts'
import { parseByteRange, sliceOf } from '../../formats/http/byte-range.ts'
import { FieldList } from '../../formats/http/field-list.ts'
import { tryParseLink, type Url } from '../../model/url/url.ts'
import type { PageAnswer, PageRequest } from '../../platform/network/browser.ts'
import type { SentRequest } from '../fetch/fetcher.ts'
import type { FetchFailure } from '../fetch/outcome.ts'
import type { MissedReason } from '../jobs/job-outcome.ts'
import type { Link } from '../links/link.ts'
import { isRequisite } from '../links/link-source.ts'
import type { KeptAs } from '../visit/archive.ts'
import type { StoredResponse, Visited, VisitResponse } from '../visit/visit.ts'
import {
  emptyAnswer,
  isPreflight,
  isStream,
  type PartKind,
  partKind,
  preflightAnswer,
} from './part-request.ts'
import { ruleAgainst, sentOf } from './part-rules.ts'

/** `known`: this crawl has it already, and no server was asked. */
export interface PagePart {
  readonly kind: PartKind
  readonly method: string
  readonly href: string
  readonly outcome: Exclude<KeptAs, 'hidden'> | 'known' | 'not-kept' | 'refused' | 'failed'
  readonly status?: number | undefined
  readonly bytes?: number | undefined
  readonly missed?: MissedReason | undefined
  /** In the words of WARC-Protocol. */
  readonly protocol?: string | undefined
  /** What its server would also have spoken. */
  readonly offers?: readonly string[] | undefined
}

/** The document itself, which has been fetched. */
export interface PageDocument {
  readonly url: Url
  readonly capturedAtMs: number
  readonly answer: PageAnswer
}

export interface PartLimits {
  readonly requestsMax: number
  readonly bytesMax: number
  /** Pages are shown as somebody with an account: nothing is done in that name. */
  readonly isReadOnly?: boolean | undefined
}

/** Gets parts: from the archive, or from their servers in turn. */
export interface PartSource {
  /** Why it must not be asked for. */
  refusal(url: Url, kind: PartKind, signal: AbortSignal): Promise<MissedReason | undefined>
  /** From the peer that crawls its site; undefined when that cannot be asked. */
  fetchElsewhere(
    request: PartRequest,
    /** `isShared`: what this crawl has of it will do. */
    about: { readonly kind: Exclude<PartKind, 'page'>; readonly isShared: boolean },
    signal: AbortSignal,
  ): Promise<StoredResponse | MissedReason | undefined>
  /** What this crawl has of it already. */
  known(url: Url): Promise<StoredResponse | undefined>
  /** undefined when its host cannot be asked in time, or it is not wanted any more by then. */
  visit(
    request: PartRequest,
    reader: PartReader,
    signal: AbortSignal,
  ): Promise<Visited | FetchFailure | undefined>
}

export interface PartRequest {
  readonly url: Url
  readonly sent: SentRequest | undefined
  readonly headers: FieldList
  /** Without an end: what comes at first is all that is kept. */
  readonly isStream: boolean
}

export interface PartReader {
  /** Asked when it is its turn. */
  isWanted(): boolean
  deliver(response: VisitResponse): Promise<void>
}

type Send = (answer: PageAnswer) => Promise<void>

export class PageParts {
  readonly #source: PartSource
  readonly #page: PageDocument
  readonly #limits: PartLimits
  readonly #parts: PagePart[] = []
  readonly #requisites: Link[] = []
  readonly #left = new Map<string, Url>()
  readonly #elsewhere = new Map<string, Url>()
  /** Assets that are being fetched: whoever wants them too waits. */
  readonly #coming = new Map<string, Promise<void>>()
  readonly #streams = new Set<string>()
  readonly #underWay = new Set<Promise<void>>()
  #requests = 0
  #bytes = 0
  /** Our own trouble, not that of a server: it ends the crawl. */
  trouble: unknown

  constructor(source: PartSource, page: PageDocument, limits: PartLimits) {
    this.#source = source
    this.#page = page
    this.#limits = limits
  }

  get parts(): readonly PagePart[] {
    return this.#parts
  }

  /** What the parts need themselves: pictures of a style sheet for other windows, say. */
  get requisites(): readonly Link[] {
    return this.#requisites
  }

  /** Where the page wanted to go. */
  get left(): Url[] {
    return [...this.#left.values()]
  }

  /** What other peers are to fetch, who crawl those sites. */
  get elsewhere(): Url[] {
    return [...this.#elsewhere.values()]
  }

  /** Resolves when nothing is under way: what the page asked for last is still kept, or given up. */
  async ended(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.all(this.#underWay)
  }

  async answer(request: PageRequest, send: Send, signal: AbortSignal): Promise<void> {
    const answering = this.#settled(request, send, signal).finally(() => this.#underWay.delete(answering))
    this.#underWay.add(answering)
    await answering
  }

  async #settled(request: PageRequest, send: Send, signal: AbortSignal): Promise<void> {
    try {
      await this.#answer(request, send, signal)
    } catch (error) {
      // The page's time is over: this part did not come within it.
      if (!signal.aborted) this.trouble ??= error
      this.#note(request, { outcome: 'failed', missed: tooLate })
    }
  }

  async #answer(request: PageRequest, send: Send, signal: AbortSignal): Promise<void> {
    if (isPreflight(request)) return send(preflightAnswer(request))
    const url = tryParseLink(request.href)
    const kind = partKind(request.headers)
    const isPage = url?.href === this.#page.url.href && (kind === 'page' || kind === 'frame')
    if (isPage && request.method === 'GET' && ++this.#requests <= this.#limits.requestsMax)
      return send(this.#page.answer)
    if (url !== null && kind === 'page' && request.method === 'GET') {
      if (this.#left.size < this.#limits.requestsMax) this.#left.set(url.href, url)
      return send(stay)
    }
    const refused =
      ruleAgainst(request, kind, this.#limits.isReadOnly) ??
      this.#beyondLimits(request) ??
      (url === null ? badUrl : await this.#source.refusal(url, kind, signal))
    if (refused === undefined) return this.#get(url!, kind, request, send, signal)
    if (refused.code === elsewhereCode && kind !== 'page') {
      if (await this.#getElsewhere(url!, kind, request, send, signal)) return
      if (request.method === 'GET') this.#elsewhere.set(url!.href, url!)
    }
    this.#note(request, { outcome: 'refused', missed: refused })
    // To a window that goes elsewhere "no content" says that it stays, to a stream of events that it is over.
    return send(kind === 'page' || kind === 'frame' || refused.code === 'stream' ? stay : forbidden)
  }

  #beyondLimits({ headers, href }: PageRequest): MissedReason | undefined {
    const { requestsMax } = this.#limits
    if (isStream(headers) && this.#streams.has(href))
      return { code: 'stream', reason: 'it is a stream of events, whose beginning is kept' }
    if (isStream(headers)) this.#streams.add(href)
    if (++this.#requests > requestsMax)
      return { code: 'page-limit', reason: `the page asked for more than ${requestsMax} parts` }
    return this.#tooLarge()
  }

  #tooLarge(): MissedReason | undefined {
    const { bytesMax } = this.#limits
    if (this.#bytes <= bytesMax) return undefined
    return { code: 'page-limit', reason: `the page has more than ${bytesMax} bytes` }
  }

  async #get(url: Url, kind: PartKind, request: PageRequest, send: Send, signal: AbortSignal): Promise<void> {
    if (!isShared(kind, request)) return this.#visit(url, request, send, signal)
    await this.#inTurn(url, async () => {
      const known = await this.#source.known(url)
      if (known === undefined) return this.#visit(url, request, send, signal)
      this.#note(request, { outcome: 'known', status: known.status })
      return send(answerOf(known, request.headers.get('Range')))
    })
  }

  /** After whoever fetches the same: it may have it then. */
  async #inTurn<T>(url: Url, fetch: () => Promise<T>): Promise<T> {
    await this.#coming.get(url.href)
    const fetching = fetch()
    const over = fetching.then(
      () => {},
      () => {},
    )
    this.#coming.set(url.href, over)
    try {
      return await fetching
    } finally {
      if (this.#coming.get(url.href) === over) this.#coming.delete(url.href)
    }
  }

  /** True when it was answered, and noted. Whoever crawls the site decides: also whether it may be a frame. */
  async #getElsewhere(
    url: Url,
    kind: Exclude<PartKind, 'page'>,
    request: PageRequest,
    send: Send,
    signal: AbortSignal,
  ): Promise<boolean> {
    const { headers } = request
    const part = { url, sent: sentOf(request), headers, isStream: isStream(headers) }
    const about = { kind, isShared: isShared(kind, request) }
    const ask = () => this.#source.fetchElsewhere(part, about, signal)
    const fetched = await (about.isShared ? this.#inTurn(url, ask) : ask())
    if (fetched === undefined) return false
    if (!('code' in fetched)) {
      const { status, bodyBytes = 0 } = fetched
      this.#bytes += bodyBytes
      this.#note(request, { outcome: 'known', status })
      await send(answerOf(fetched, headers.get('Range')))
      return true
    }
    if (passingCodes.has(fetched.code)) return false
    const outcome = ruleCodes.has(fetched.code) ? 'refused' : 'failed'
    this.#note(request, { outcome, missed: fetched })
    await send(outcome === 'failed' ? unreachable : kind === 'frame' ? stay : forbidden)
    return true
  }

  async #visit(url: Url, request: PageRequest, send: Send, signal: AbortSignal): Promise<void> {
    const { headers } = request
    const range = headers.get('Range')
    const reader: PartReader = {
      isWanted: () => this.#tooLarge() === undefined,
      deliver: (response) => send(answerOf(response, range)),
    }
    const part = { url, sent: sentOf(request), headers, isStream: isStream(headers) }
    const visited = await this.#source.visit(part, reader, signal)
    if (visited?.kind === 'visited') return this.#noteVisited(request, visited)
    const missed = visited
      ? { code: visited.code, reason: visited.reason }
      : (this.#tooLarge() ?? outOfTurn(url))
    const outcome = ruleCodes.has(missed.code) ? 'refused' : 'failed'
    this.#note(request, { outcome, missed })
    await send(outcome === 'refused' ? forbidden : unreachable)
  }

  #noteVisited(request: PageRequest, { fetched, kept, missed, links }: Visited): void {
    const { status, bodyBytes: bytes, headers, capture } = fetched
    this.#bytes += bytes
    this.#requisites.push(...links.filter(({ kind }) => isRequisite(kind)))
    const [protocol] = capture.protocols
    const came = { status, bytes, protocol, offers: offeredProtocols(headers.get('Alt-Svc')) }
    if (kept !== 'hidden') this.#note(request, { ...came, outcome: kept, missed })
    else this.#note(request, { ...came, outcome: 'not-kept', missed: takenDown })
  }

  #note({ method, href, headers }: PageRequest, part: Omit<PagePart, 'kind' | 'method' | 'href'>): void {
    const kind = partKind(headers)
    // What is refused beyond the limit is told once.
    if (this.#parts.length <= this.#limits.requestsMax) this.#parts.push({ kind, method, href, ...part })
  }
}

/** Of what another peer is to fetch. */
export const elsewhereCode = 'other-peer'
const ruleCodes = new Set([
  ...['address-forbidden', 'page-limit', 'robots', 'out-of-scope', 'method', 'form', 'beacon', 'taken-down'],
  ...['noarchive', 'type-not-wanted'],
])
/** Of a peer that cannot fetch it now: it stays in that one's queue, as a link. */
const passingCodes = new Set(['busy', 'not-here', 'out-of-turn'])
const stay = emptyAnswer(204)
const forbidden = emptyAnswer(403)
const unreachable = emptyAnswer(502)
const badUrl: MissedReason = { code: 'bad-url', reason: 'it is no URL that can be kept' }
const tooLate: MissedReason = { code: 'page-time', reason: 'it did not come within the time of its page' }
const takenDown: MissedReason = { code: 'taken-down', reason: 'it was taken down' }

/** Players of media fetch them piece by piece; scripts that fetch data want it anew each time. */
function isShared(kind: PartKind, { method, headers }: PageRequest): boolean {
  return method === 'GET' && (kind === 'asset' || headers.has('Range'))
}

function outOfTurn({ authority }: Url): MissedReason {
  return { code: 'out-of-turn', reason: `${authority} is not to be asked for now` }
}

/** The whole was fetched and kept, whatever part of it the browser asked for. */
export function answerOf(
  { status, headers, body, bodyBytes }: StoredResponse,
  range: string | undefined,
): PageAnswer {
  const whole = { status, headers, body, bodyBytes }
  if (status !== 200 || bodyBytes === undefined) return whole
  const part = parseByteRange(range, bodyBytes)
  if (part === undefined || part === 'unsatisfiable') return whole
  const { start, end } = part
  return {
    status: 206,
    headers: new FieldList([...headers, ['Content-Range', `bytes ${start}-${end - 1}/${bodyBytes}`]]),
    body: body instanceof Uint8Array ? body.subarray(start, end) : sliceOf(body, part),
    bodyBytes: end - start,
  }
}

/** Also of what was sent: that a script names its address is no reason to ask for it in another way. */
export function isPartKept({ outcome }: PagePart): boolean {
  return outcome !== 'refused' && outcome !== 'failed'
}
