// Shows pages in a browser, so that what their scripts ask for is kept too, and links are found that scripts make.
//
// The page itself has been fetched, like any other: the browser gets that very response. So it costs its server one request, and whether
// it needs a browser can be decided by what came.

import { tryParseLink, type Url } from '../../model/url.ts'
import type { PageBrowser, PageEnding, PageLimits } from '../../platform/browser.ts'
import type { Fetched } from '../fetch/outcome.ts'
import type { FetchTask } from '../frontier/fetch-task.ts'
import type { Link } from '../links/link.ts'
import type { VisitResponse } from '../visit/visit.ts'
import { CrawledParts, type PageTerms, type PartsNeeds } from './crawled-parts.ts'
import { type PagePart, PageParts, type PartLimits } from './page-parts.ts'
import { PartTurns } from './part-turns.ts'

export interface PageShown {
  readonly ending: PageEnding
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

export class PageShowing {
  readonly #needs: PartsNeeds & { readonly browser: PageBrowser }
  readonly #limits: ShowingLimits

  constructor(needs: PartsNeeds & { readonly browser: PageBrowser }, limits: Partial<ShowingLimits> = {}) {
    this.#needs = needs
    this.#limits = { ...limitsDefault, ...limits }
  }

  /** Whether it may be a page to show. What pages need is shown with them. */
  isCandidate(task: FetchTask, fetched: Fetched): boolean {
    if (task.requisiteHops > 0 || task.kind === 'sitemap') return false
    // Of a page that has not changed the head does not say what it is.
    return fetched.kind === 'not-modified' || (isSuccess(fetched) && isHtml(fetched))
  }

  /** undefined when it is no page. The caller has the turn of its host. */
  async show(terms: PageTerms, response: VisitResponse, signal: AbortSignal): Promise<PageShown | undefined> {
    const { browser, frontier, clock } = this.#needs
    const { url } = terms.task
    const { status, headers } = response
    if (!response.isKept || !isSuccess(response) || !isHtml(response)) return undefined
    const body = await wholeOf(response.body, this.#limits.documentBytesMax)
    if (body === undefined) return undefined
    const page = { url, answer: { status, headers, body, bodyBytes: body.length } }
    const turns = new PartTurns({ pace: frontier, clock }, { own: url, waitMsMax: this.#limits.timeMsMax })
    const parts = new PageParts(new CrawledParts(this.#needs, turns, terms), page, this.#limits)
    const shown = await browser.show(
      {
        href: url.href,
        limits: this.#limits,
        answer: (request, send, ended) => parts.answer(request, send, ended),
      },
      signal,
    )
    if (parts.trouble !== undefined) throw parts.trouble
    const found = shown.links.flatMap(({ href, isNoFollow }) => (isNoFollow ? [] : parsed(href)))
    return {
      ending: shown.ending,
      parts: parts.parts,
      links: [...found, ...parts.left],
      requisites: parts.requisites,
    }
  }
}

function parsed(href: string): Url[] {
  const url = tryParseLink(href)
  return url === null ? [] : [url]
}

function isSuccess({ status }: { readonly status: number }): boolean {
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
