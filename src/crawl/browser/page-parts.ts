// The parts of a page that a browser shows: each of its requests becomes a visit of the crawler, or is refused by a rule.
//
// Invariants: every request is answered once and noted once, as kept, refused or failed; nothing is asked of a server beyond the page's
// limits. Only GET is asked for: an archive sends nothing to servers that could change them.
// A page that goes elsewhere stays where it is: where it wanted to go is a link, and visited on its own.

import { parseByteRange, sliceOf } from '../../formats/http/byte-range.ts'
import { FieldList } from '../../formats/http/field-list.ts'
import { tryParseLink, type Url } from '../../model/url.ts'
import type { PageAnswer, PageRequest } from '../../platform/browser.ts'
import type { FetchFailure } from '../fetch/outcome.ts'
import type { MissedReason } from '../jobs/job-outcome.ts'
import type { Link } from '../links/link.ts'
import { isRequisite } from '../links/link-source.ts'
import type { KeptAs } from '../visit/archive.ts'
import type { Visited, VisitResponse } from '../visit/visit.ts'
import {
  emptyAnswer,
  isPreflight,
  isStream,
  type PartKind,
  partKind,
  preflightAnswer,
} from './part-request.ts'

/** `known`: this crawl has it already, and no server was asked. */
export interface PagePart {
  readonly href: string
  readonly outcome: Exclude<KeptAs, 'hidden'> | 'known' | 'not-kept' | 'refused' | 'failed'
  readonly status?: number | undefined
  readonly bytes?: number | undefined
  readonly missed?: MissedReason | undefined
}

export interface PartLimits {
  readonly requestsMax: number
  readonly bytesMax: number
}

/** Gets parts: from the archive, or from their servers in turn. */
export interface PartSource {
  /** Why it must not be asked for. */
  refusal(url: Url, kind: PartKind, signal: AbortSignal): Promise<MissedReason | undefined>
  /** What this crawl has of it already. */
  known(url: Url): Promise<Omit<VisitResponse, 'isKept'> | undefined>
  /** undefined when its host cannot be asked in time, or it is not wanted any more by then. */
  visit(
    url: Url,
    headers: FieldList,
    reader: PartReader,
    signal: AbortSignal,
  ): Promise<Visited | FetchFailure | undefined>
}

export interface PartReader {
  /** Asked when it is its turn. */
  isWanted(): boolean
  deliver(response: VisitResponse): Promise<void>
}

type Send = (answer: PageAnswer) => Promise<void>

export class PageParts {
  readonly #source: PartSource
  readonly #page: { readonly url: Url; readonly answer: PageAnswer }
  readonly #limits: PartLimits
  readonly #parts: PagePart[] = []
  readonly #requisites: Link[] = []
  readonly #left = new Map<string, Url>()
  readonly #underWay = new Set<Promise<void>>()
  #requests = 0
  #bytes = 0
  /** Our own trouble, not that of a server: it ends the crawl. */
  trouble: unknown

  /** `page`: the document itself, which has been fetched. */
  constructor(
    source: PartSource,
    page: { readonly url: Url; readonly answer: PageAnswer },
    limits: PartLimits,
  ) {
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
      this.#note({ href: request.href, outcome: 'failed', missed: tooLate })
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
      this.#ruleAgainst(request) ?? (url === null ? badUrl : await this.#source.refusal(url, kind, signal))
    if (refused === undefined) return this.#get(url!, kind, request, send, signal)
    this.#note({ href: request.href, outcome: 'refused', missed: refused })
    // To a window that goes elsewhere "no content" says that it stays.
    return send(kind === 'page' || kind === 'frame' ? stay : forbidden)
  }

  #ruleAgainst({ method, headers }: PageRequest): MissedReason | undefined {
    const { requestsMax } = this.#limits
    if (method !== 'GET')
      return { code: 'method', reason: `only GET is asked for, not ${method.slice(0, 20)}` }
    if (isStream(headers)) return { code: 'stream', reason: 'it is a stream of events, without an end' }
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
    const range = request.headers.get('Range')
    const { href } = url
    const known = kind === 'asset' ? await this.#source.known(url) : undefined
    if (known !== undefined) {
      this.#note({ href, outcome: 'known', status: known.status })
      return send(answerOf(known, range))
    }
    const reader: PartReader = {
      isWanted: () => this.#tooLarge() === undefined,
      deliver: (response) => send(answerOf(response, range)),
    }
    const visited = await this.#source.visit(url, request.headers, reader, signal)
    if (visited?.kind === 'visited') return this.#noteVisited(href, visited)
    const missed = visited
      ? { code: visited.code, reason: visited.reason }
      : (this.#tooLarge() ?? outOfTurn(url))
    const outcome = ruleCodes.has(missed.code) ? 'refused' : 'failed'
    this.#note({ href, outcome, missed })
    await send(outcome === 'refused' ? forbidden : unreachable)
  }

  #noteVisited(href: string, { fetched, kept, missed, links }: Visited): void {
    const { status, bodyBytes: bytes } = fetched
    this.#bytes += bytes
    this.#requisites.push(...links.filter(({ kind }) => isRequisite(kind)))
    if (kept !== 'hidden') this.#note({ href, outcome: kept, status, bytes, missed })
    else this.#note({ href, outcome: 'not-kept', status, bytes, missed: takenDown })
  }

  #note(part: PagePart): void {
    // What is refused beyond the limit is told once.
    if (this.#parts.length <= this.#limits.requestsMax) this.#parts.push(part)
  }
}

const ruleCodes = new Set(['address-forbidden', 'page-limit'])
const stay = emptyAnswer(204)
const forbidden = emptyAnswer(403)
const unreachable = emptyAnswer(502)
const badUrl: MissedReason = { code: 'bad-url', reason: 'it is no URL that can be kept' }
const tooLate: MissedReason = { code: 'page-time', reason: 'it did not come within the time of its page' }
const takenDown: MissedReason = { code: 'taken-down', reason: 'it was taken down' }

function outOfTurn({ authority }: Url): MissedReason {
  return { code: 'out-of-turn', reason: `${authority} is not to be asked for now` }
}

/** The whole was fetched and kept, whatever part of it the browser asked for. */
export function answerOf(
  { status, headers, body, bodyBytes }: Omit<VisitResponse, 'isKept'>,
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

export function isPartKept({ outcome }: PagePart): boolean {
  return outcome !== 'refused' && outcome !== 'failed'
}
