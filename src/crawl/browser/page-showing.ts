// Shows pages in a browser, so that what their scripts ask for is kept too, and links are found that scripts make.
//
// The page itself has been fetched, like any other: the browser gets that very response. So it costs its server one request, and whether
// it needs a browser can be decided by what came. While it is shown its host is kept for it: no other visit takes its turns.

import { decodeContent } from '../../formats/content-coding/content-decoding.ts'
import { bufferView } from '../../formats/wire/buffer-view.ts'
import type { BrowserUse } from '../../model/jobs/site-rule.ts'
import { tryParseLink, type Url } from '../../model/url/url.ts'
import type { PageLimits, PageToShow } from '../../platform/network/browser.ts'
import type { Fetched } from '../fetch/outcome.ts'
import type { FetchTask } from '../frontier/fetch-task.ts'
import type { MissedReason } from '../jobs/job-outcome.ts'
import type { VisitResponse } from '../visit/visit.ts'
import { BrowserLack } from './browser-lack.ts'
import { browserNeed, type PageNeed } from './browser-need.ts'
import { CrawledParts, type PageTerms, type PartErrands, type PartsNeeds } from './crawled-parts.ts'
import { keepViews } from './kept-views.ts'
import type { PageBrowsers } from './page-browsers.ts'
import { type PageDocument, PageParts, type PartLimits } from './page-parts.ts'
import { hasGained, type PageShown } from './page-shown.ts'
import { isShowable, PageView } from './page-view.ts'
import { PartTurns } from './part-turns.ts'
import { type BrowserChoice, SiteLessons } from './site-lessons.ts'

export interface ShowingLimits extends PageLimits, PartLimits {
  /** Of the document. */
  readonly documentBytesMax: number
}

export interface ShowingOptions {
  /** `auto`: only pages of which a browser would see more. */
  readonly mode: 'auto' | 'always'
  /** The crawl ends where there is no browser. */
  readonly isRequired?: boolean | undefined
  readonly limits?: Partial<ShowingLimits> | undefined
}

const limitsDefault: ShowingLimits = {
  // A host is asked about once a second: pages with many parts take minutes. Less keeps less of them.
  timeMsMax: 5 * 60_000,
  idleMs: 1_000,
  behaviourMsMax: 60_000,
  scrollsMax: 20,
  linksMax: 10_000,
  textCharsMax: 1_000_000,
  requestsMax: 1_000,
  bytesMax: 256 * 1024 * 1024,
  documentBytesMax: 32 * 1024 * 1024,
}

type Needs = PartsNeeds & { readonly browsers: PageBrowsers }

export class PageShowing {
  readonly #needs: Needs
  readonly mode: ShowingOptions['mode']
  readonly #lack: BrowserLack
  readonly #lessons: SiteLessons
  #errands: PartErrands | undefined
  readonly #limits: ShowingLimits

  constructor(needs: Needs, { mode, limits, isRequired = false }: ShowingOptions) {
    this.#needs = needs
    this.#lack = new BrowserLack(isRequired)
    this.#lessons = new SiteLessons(needs.frontier.notes, needs.frontier)
    this.mode = mode
    this.#limits = { ...limitsDefault, ...limits }
  }

  /** Why no page can be shown, in a sentence. */
  get lack(): string | undefined {
    return this.#lack.reason
  }

  /** From now on parts of sites that other peers crawl are fetched by these. */
  joinNetwork(errands: PartErrands): void {
    this.#errands = errands
  }

  /** Whether this peer has a browser of its own; undefined where it is to have none. */
  get status(): 'ready' | 'missing' | undefined {
    const { own, ready } = this.#needs.browsers
    return own && (ready === undefined ? 'missing' : 'ready')
  }

  /** Whether pages are shown, as far as is known, where a rule or job says this. */
  isUsedFor(mode: BrowserUse | undefined): boolean {
    return this.#needs.browsers.mayBeThere(isAsked(mode))
  }

  /** Looks for a browser, so that its lack is known before a page needs it. Rejects where one is required. */
  async prepare(): Promise<void> {
    const { browsers } = this.#needs
    if (browsers.own !== undefined) await this.#lack.without(browsers.look())
  }

  /** For one visit; undefined when what it visits is not shown by itself: what pages need is shown with them. */
  begin(terms: PageTerms, signal: AbortSignal): PageView | undefined {
    if (this.isNever(terms.task, terms.mode)) return undefined
    return new PageView(this.#needs.frontier.hosts, terms.task, (response) =>
      this.#show(terms, response, signal),
    )
  }

  /** Whether a page like this is never shown, never mind what it says. */
  isNever({ requisiteHops, kind }: FetchTask, mode: BrowserUse | undefined): boolean {
    return requisiteHops > 0 || kind === 'sitemap' || mode === 'never' || !this.isUsedFor(mode)
  }

  /** Whether every page is. */
  isAlways(mode: BrowserUse | undefined): boolean {
    return this.isUsedFor(mode) && (mode ?? this.mode) === 'always'
  }

  /** Whether a page that somebody else fetched is to be shown here. */
  async wantsToShow(fetched: Fetched, mode: BrowserUse | undefined): Promise<boolean> {
    const { status, headers, capture } = fetched
    if (!isShowable({ status, headers }) || !(await this.#needs.browsers.areThere(isAsked(mode))))
      return false
    const body = await wholeOf(fetched.body(), this.#limits.documentBytesMax)
    if (body === undefined) return false
    const need = await this.#needOf(fetched, body)
    return this.#choose(capture.url, need, mode).isShown
  }

  async #show(
    terms: PageTerms,
    response: VisitResponse,
    signal: AbortSignal,
  ): Promise<PageShown | MissedReason | undefined> {
    const { url } = terms.task
    const { status, headers } = response
    if (!response.isKept || !isShowable(response)) return undefined
    if (!(await this.#needs.browsers.areThere(isAsked(terms.mode)))) return undefined
    const body = await wholeOf(response.body, this.#limits.documentBytesMax)
    if (body === undefined) return undefined
    const need = await this.#needOf(response, body)
    const { isShown, reason } = this.#choose(url, need, terms.mode)
    if (!isShown) return undefined
    const { capturedAtMs } = response
    const page = { url, capturedAtMs, answer: { status, headers, body, bodyBytes: body.length } }
    const first = await this.#shownOnce(terms, page, reason, signal)
    // The browser may have died of another page, or been killed.
    const isAgain = 'ending' in first && first.ending === 'crashed'
    const shown = isAgain ? await this.#shownOnce(terms, page, reason, signal) : first
    // A page that was cut off may have gained nothing yet.
    if ('ending' in shown && shown.ending === 'settled')
      this.#lessons.learn(url, need, hasGained(shown, need.textChars))
    return shown
  }

  /** By the rule for this page, or else by the crawl's own setting. */
  #choose(url: Url, need: PageNeed, mode: BrowserUse | undefined): BrowserChoice {
    return (mode ?? this.mode) === 'always'
      ? { isShown: true, reason: 'every page is' }
      : this.#lessons.choose(url, need)
  }

  /** Whether a page of that content would be shown, and why. Nothing is learnt by it. */
  explain(url: Url, html: string, mode: 'auto' | 'always' | undefined): BrowserChoice {
    const choice = this.#choose(url, browserNeed(html), mode)
    return this.lack === undefined || !choice.isShown ? choice : { isShown: false, reason: this.lack }
  }

  async #shownOnce(
    terms: PageTerms,
    page: PageDocument,
    reason: string,
    signal: AbortSignal,
  ): Promise<PageShown | MissedReason> {
    const { browsers, frontier, clock } = this.#needs
    const { url } = page
    const turns = new PartTurns(
      { pace: frontier.hosts, clock },
      { own: url, waitMsMax: this.#limits.timeMsMax, whenFree: terms.whenFree },
    )
    const source = new CrawledParts(this.#needs, turns, terms, this.#errands)
    const parts = new PageParts(source, page, this.#limits)
    const answer: PageToShow['answer'] = (request, send, ended) => parts.answer(request, send, ended)
    const { given: shown, missed } = await this.#lack.without(
      browsers.show({ href: url.href, limits: this.#limits, answer }, isAsked(terms.mode), signal),
    )
    await parts.ended()
    if (parts.trouble !== undefined) throw parts.trouble
    if (shown === undefined) return missed
    const seen = { ...page, shown, parts: parts.parts }
    const isKnownText = await keepViews(this.#needs.archive, seen, terms.untilOthers)
    const { ending, title, text, links } = shown
    const followed = links.filter(({ isNoFollow }) => !(isNoFollow && terms.obeysRobots))
    return {
      ending,
      reason,
      rendered: { capturedAtMs: page.capturedAtMs, title, text, links },
      isKnownText,
      parts: parts.parts,
      links: [...followed.flatMap(({ href }) => parsed(href)), ...parts.left],
      requisites: parts.requisites,
      elsewhere: parts.elsewhere,
    }
  }

  async #needOf({ headers }: Pick<VisitResponse, 'headers'>, body: Uint8Array): Promise<PageNeed> {
    const { bytes } = await decodeContent(
      body,
      headers.get('Content-Encoding'),
      this.#limits.documentBytesMax,
    )
    return browserNeed(bufferView(bytes).toString('latin1'))
  }
}

/** In so many words, by a rule, a watch or a crawl. */
function isAsked(mode: BrowserUse | undefined): boolean {
  return mode === 'always' || mode === 'auto'
}

function parsed(href: string): Url[] {
  const url = tryParseLink(href)
  return url === null ? [] : [url]
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
