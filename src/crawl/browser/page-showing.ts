// Shows pages in a browser, so that what their scripts ask for is kept too, and links are found that scripts make.
//
// The page itself has been fetched, like any other: the browser gets that very response. So it costs its server one request, and whether
// it needs a browser can be decided by what came. While it is shown its host is kept for it: no other visit takes its turns.

import { decodeContent } from '../../formats/content-coding/content-decoding.ts'
import { bufferView } from '../../formats/wire/buffer-view.ts'
import { tryParseLink, type Url } from '../../model/url.ts'
import type { PageBrowser, PageEnding, PageLimits } from '../../platform/browser.ts'
import type { Fetched } from '../fetch/outcome.ts'
import type { FetchTask } from '../frontier/fetch-task.ts'
import type { Link } from '../links/link.ts'
import type { VisitResponse } from '../visit/visit.ts'
import { browserNeed } from './browser-need.ts'
import { CrawledParts, type PageTerms, type PartsNeeds } from './crawled-parts.ts'
import { type PagePart, PageParts, type PartLimits } from './page-parts.ts'
import { PartTurns } from './part-turns.ts'

export interface PageShown {
  readonly ending: PageEnding
  /** Why it was shown. */
  readonly reason: string
  readonly parts: readonly PagePart[]
  /** What a reader can go to from there. */
  readonly links: readonly Url[]
  /** What the parts need themselves. */
  readonly requisites: readonly Link[]
}

export interface ShowingLimits extends PageLimits, PartLimits {
  /** Of the document. */
  readonly documentBytesMax: number
}

interface ShowingOptions {
  /** `auto`: only pages of which a browser would see more. */
  readonly mode: 'auto' | 'always'
  readonly limits?: Partial<ShowingLimits> | undefined
}

const limitsDefault: ShowingLimits = {
  // A host is asked about once a second: pages with many parts take minutes. Less keeps less of them.
  timeMsMax: 5 * 60_000,
  idleMs: 1_000,
  scrollsMax: 20,
  linksMax: 10_000,
  textCharsMax: 1_000_000,
  requestsMax: 1_000,
  bytesMax: 256 * 1024 * 1024,
  documentBytesMax: 32 * 1024 * 1024,
}

type Needs = PartsNeeds & { readonly browser: PageBrowser }

export class PageShowing {
  readonly #needs: Needs
  readonly #mode: ShowingOptions['mode']
  readonly #limits: ShowingLimits

  constructor(needs: Needs, { mode, limits }: ShowingOptions) {
    this.#needs = needs
    this.#mode = mode
    this.#limits = { ...limitsDefault, ...limits }
  }

  /** For one visit; undefined when what it visits is not shown by itself: what pages need is shown with them. */
  begin(terms: PageTerms, signal: AbortSignal): PageView | undefined {
    const { requisiteHops, kind } = terms.task
    if (requisiteHops > 0 || kind === 'sitemap') return undefined
    return new PageView(this.#needs.frontier, terms.task, (response) => this.#show(terms, response, signal))
  }

  async #show(
    terms: PageTerms,
    response: VisitResponse,
    signal: AbortSignal,
  ): Promise<PageShown | undefined> {
    const { url } = terms.task
    const { status, headers } = response
    if (!response.isKept || !isSuccess(status) || !isHtml(response)) return undefined
    const body = await wholeOf(response.body, this.#limits.documentBytesMax)
    const reason = body && (await this.#reasonFor(response, body))
    if (body === undefined || reason === undefined) return undefined
    const { browser, frontier, clock } = this.#needs
    const turns = new PartTurns(
      { pace: frontier, clock },
      { own: url, waitMsMax: this.#limits.timeMsMax, whenFree: terms.whenFree },
    )
    const page = { url, answer: { status, headers, body, bodyBytes: body.length } }
    const parts = new PageParts(new CrawledParts(this.#needs, turns, terms), page, this.#limits)
    const shown = await browser.show(
      {
        href: url.href,
        limits: this.#limits,
        answer: (request, send, ended) => parts.answer(request, send, ended),
      },
      signal,
    )
    await parts.ended()
    if (parts.trouble !== undefined) throw parts.trouble
    const followed = shown.links.filter(({ isNoFollow }) => !(isNoFollow && terms.obeysRobots))
    return {
      ending: shown.ending,
      reason,
      parts: parts.parts,
      links: [...followed.flatMap(({ href }) => parsed(href)), ...parts.left],
      requisites: parts.requisites,
    }
  }

  async #reasonFor({ headers }: VisitResponse, body: Uint8Array): Promise<string | undefined> {
    if (this.#mode === 'always') return 'every page is'
    const { bytes } = await decodeContent(
      body,
      headers.get('Content-Encoding'),
      this.#limits.documentBytesMax,
    )
    return browserNeed(bufferView(bytes).toString('latin1'))
  }
}

/** A visit whose page may be shown. */
export class PageView {
  readonly #frontier: Pick<PartsNeeds['frontier'], 'keepTurn' | 'endTurn'>
  readonly #task: FetchTask
  readonly #show: (response: VisitResponse) => Promise<PageShown | undefined>
  #hasTurn = false
  shown: PageShown | undefined

  constructor(
    frontier: Pick<PartsNeeds['frontier'], 'keepTurn' | 'endTurn'>,
    task: FetchTask,
    show: (response: VisitResponse) => Promise<PageShown | undefined>,
  ) {
    this.#frontier = frontier
    this.#task = task
    this.#show = show
  }

  /** The response has come. True when it may be shown: then the host is kept for it. */
  answered(fetched: Fetched): boolean {
    // Of a page that has not changed the head does not say what it is.
    const isPage = fetched.kind === 'not-modified' || (isSuccess(fetched.status) && isHtml(fetched))
    if (isPage) this.#frontier.keepTurn(this.#task.url)
    this.#hasTurn = isPage
    return isPage
  }

  async show(response: VisitResponse): Promise<void> {
    if (this.#hasTurn) this.shown = await this.#show(response)
  }

  /** However the visit went. */
  end(): void {
    if (this.#hasTurn) this.#frontier.endTurn(this.#task.url, undefined)
    this.#hasTurn = false
  }
}

function parsed(href: string): Url[] {
  const url = tryParseLink(href)
  return url === null ? [] : [url]
}

function isSuccess(status: number): boolean {
  return status >= 200 && status < 300
}

function isHtml({ headers }: Pick<VisitResponse, 'headers'>): boolean {
  return /^\s*(?:text\/html|application\/xhtml\+xml)\b/i.test(headers.get('Content-Type') ?? '')
}

/** undefined when it is larger. */
async function wholeOf(body: VisitResponse['body'], bytesMax: number): Promise<Uint8Array | undefined> {
  if (body instanceof Uint8Array) return body
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of body) {
    bytes += chunk.length
    if (bytes > bytesMax) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/** For the crawl log. */
export function shownWords({ ending, reason, parts }: PageShown): string {
  const refused = parts.filter(({ outcome }) => outcome === 'refused').length
  const failed = parts.filter(({ outcome }) => outcome === 'failed').length
  const end = ending === 'settled' ? '' : ending === 'time' ? '; its time ran out' : '; it crashed'
  return `shown in a browser (${reason}): ${parts.length - refused - failed} parts kept, ${refused} refused, ${failed} failed${end}`
}
