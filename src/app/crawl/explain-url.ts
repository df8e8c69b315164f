// Whether and when a URL would be fetched, and why: asks the parts of the crawler without crawling.

import { AddressGuard } from '../../crawl/address/address-guard.ts'
import type { AddressRange } from '../../crawl/address/address-range.ts'
import type { FetchOutcome } from '../../crawl/fetch/outcome.ts'
import type { FetchResult } from '../../crawl/frontier/fetch-task.ts'
import type { JobsView } from '../../crawl/frontier/frontier.ts'
import { printRefusal, printRule, type RobotsVerdict } from '../../crawl/robots/robots-rules.ts'
import type { Url } from '../../model/url.ts'
import type { Store } from '../../store/store.ts'
import type { Crawler } from './crawler.ts'
import { openCrawlerToAsk } from './crawler-to-ask.ts'

export { printRule } from '../../crawl/robots/robots-rules.ts'

export interface UrlExplanation {
  isAllowed: boolean
  /** What the address guard says of the host. */
  address: string
  robots: string
  /** When the host may be asked next; undefined for at once. */
  allowedAtMs: number | undefined
  /** When the archive's newest version was captured. */
  lastVersion: number | undefined
  /** When a peer would visit it again, to keep it fresh; undefined when it has not been visited. */
  nextVisitAtMs: number | undefined
  /** What the crawls of this home make of it, the newest first. */
  crawls: readonly JobsView[]
}

/** Crawls that are told of. */
const crawlsMax = 10

/** Robots.txt is fetched when the copy at hand is too old, as a crawl would. */
export async function explainUrl(
  folder: string,
  store: Store,
  url: Url,
  options: { agent: string; allowed: readonly AddressRange[] },
): Promise<UrlExplanation> {
  const { agent: userAgent, allowed } = options
  const crawler = await openCrawlerToAsk(folder, store, { userAgent, allowed })
  try {
    return await explainWith({ crawler, store }, url, allowed)
  } finally {
    await crawler.close()
  }
}

/** By a crawler that is open already. */
export async function explainWith(
  { crawler, store }: { crawler: Pick<Crawler, 'frontier' | 'robots'>; store: Store },
  url: Url,
  allowed: readonly AddressRange[],
): Promise<UrlExplanation> {
  const { frontier, robots } = crawler
  const lastVersion = store.newestNotNewer(url, Date.UTC(9999, 0))?.capturedAtMs
  const forbidden = new AddressGuard(allowed).refusalOfHost(url.host)
  const nextVisitAtMs = frontier.visitsOf(url)?.dueAtMs
  const crawls = frontier.viewsOf(url, crawlsMax)
  const facts = { allowedAtMs: undefined, lastVersion, nextVisitAtMs, crawls }
  if (forbidden !== undefined) return { isAllowed: false, address: forbidden, robots: 'not asked', ...facts }
  if (robots.isDue(url, frontier.nowMs())) {
    const { answer, isOfOwnHost } = await robots.renew(url)
    if (answer.kind === 'failed' && answer.code === 'address-forbidden') {
      return { isAllowed: false, address: answer.reason, robots: 'not asked', ...facts }
    }
    if (isOfOwnHost) frontier.asked(url, requestOf(answer))
    frontier.setCrawlDelay(url, robots.crawlDelayMs(url))
  }
  const verdict = robots.verdict(url, frontier.nowMs())
  const allowedAtMs = frontier.hostAllowedAtMs(url)
  return {
    isAllowed: verdict.isAllowed,
    address: 'allowed',
    robots: robotsSentence(verdict, robots.crawlDelayMs(url)),
    ...facts,
    allowedAtMs: allowedAtMs > frontier.nowMs() ? allowedAtMs : undefined,
  }
}

function requestOf(answer: FetchOutcome): FetchResult {
  if (answer.kind === 'failed') {
    const { address, retry, code, reason } = answer
    return { outcome: 'failed', address, retry, missed: { code, reason } }
  }
  const { status, responseMs, headers } = answer
  return { outcome: 'fetched', status, responseMs, retryAfter: headers.get('Retry-After') }
}

function robotsSentence(verdict: RobotsVerdict, crawlDelayMs: number): string {
  const delay = crawlDelayMs > 0 ? `; crawl-delay ${crawlDelayMs / 1000} s` : ''
  if (verdict.rule !== undefined) return `${printRule(verdict.rule)}${delay}`
  return verdict.isAllowed ? `nothing in it forbids this${delay}` : printRefusal(verdict)
}
