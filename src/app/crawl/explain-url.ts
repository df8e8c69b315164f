// Whether and when a URL would be fetched, and why: asks the parts of the crawler without crawling.

import { AddressGuard } from '../../crawl/address/address-guard.ts'
import type { AddressRange } from '../../crawl/address/address-range.ts'
import type { FetchOutcome } from '../../crawl/fetch/outcome.ts'
import type { FetchResult } from '../../crawl/frontier/fetch-task.ts'
import type { JobsView } from '../../crawl/frontier/jobs/frontier-jobs.ts'
import { printRefusal, printRule, type RobotsVerdict } from '../../crawl/robots/robots-rules.ts'
import type { RuleVerdict } from '../../crawl/rules/site-rules.ts'
import { writeFields, writtenName } from '../../crawl/rules/written-rule.ts'
import { type RuleFields, type SiteRule, targetWords } from '../../model/jobs/site-rule.ts'
import type { Url } from '../../model/url/url.ts'
import type { Store } from '../../store/store.ts'
import type { Crawler, CrawlerOptions } from './crawler.ts'
import { openCrawlerToAsk } from './crawler-to-ask.ts'
import { type BrowserWish, explainBrowser } from './explain-browser.ts'

export { printRule } from '../../crawl/robots/robots-rules.ts'

export interface UrlExplanation {
  isAllowed: boolean
  /** What the address guard says of the host. */
  address: string
  robots: string
  /** What rules of the archive say: for each matter, in the words of rules, which rule and by whom. */
  rules: readonly ExplainedRule[]
  /** When the host may be asked next; undefined for at once. */
  allowedAtMs: number | undefined
  /** Whether it would be shown in a browser, and why. */
  browser: string
  /** When the archive's newest version was captured. */
  lastVersion: number | undefined
  /** When a peer would visit it again, to keep it fresh; undefined when it has not been visited. */
  nextVisitAtMs: number | undefined
  /** What the crawls of this home make of it, the newest first. */
  crawls: readonly JobsView[]
}

export interface ExplainedRule {
  /** access, delay, hours … */
  readonly matter: string
  readonly value: string
  /** The rule that decides it. */
  readonly rule: string
  readonly setAt: string | null
  readonly setBy: string | null
}

/** Crawls that are told of. */
const crawlsMax = 10

/** Robots.txt is fetched when the copy at hand is too old, as a crawl would. */
export async function explainUrl(
  folder: string,
  store: Store,
  url: Url,
  options: { agent: string; allowed: readonly AddressRange[]; browser: CrawlerOptions['browser'] },
): Promise<UrlExplanation> {
  const { agent: userAgent, allowed, browser } = options
  const crawler = await openCrawlerToAsk(folder, store, { userAgent, allowed, browser })
  try {
    return await explainWith({ crawler, store }, url, allowed)
  } finally {
    await crawler.close()
  }
}

/** By a crawler that is open already. */
export async function explainWith(
  { crawler, store }: { crawler: Pick<Crawler, 'frontier' | 'robots' | 'showing'>; store: Store },
  url: Url,
  allowed: readonly AddressRange[],
): Promise<UrlExplanation> {
  const { frontier, robots } = crawler
  const lastVersion = store.newestNotNewer(url, Date.UTC(9999, 0))?.capturedAtMs
  const forbidden = new AddressGuard(allowed).refusalOfHost(url.host)
  const nextVisitAtMs = frontier.visits.of(url)?.dueAtMs
  const crawls = frontier.jobs.viewsOf(url, crawlsMax)
  const ruled = frontier.rules.of(url)
  const rules = explainedRules(ruled)
  const browser = await explainBrowser(crawler.showing, store, url, browserWish(ruled, crawls))
  const facts = { allowedAtMs: undefined, lastVersion, nextVisitAtMs, crawls, rules, browser }
  // Nothing is asked of a site that must not be asked.
  if (frontier.rules.denialOf(url) !== undefined)
    return { isAllowed: false, address: forbidden ?? 'allowed', robots: 'not asked', ...facts }
  if (forbidden !== undefined) return { isAllowed: false, address: forbidden, robots: 'not asked', ...facts }
  if (robots.isDue(url, frontier.nowMs())) {
    const { answer, isOfOwnHost } = await robots.renew(url)
    if (answer.kind === 'failed' && answer.code === 'address-forbidden') {
      return { isAllowed: false, address: answer.reason, robots: 'not asked', ...facts }
    }
    if (isOfOwnHost) frontier.hosts.asked(url, requestOf(answer))
    frontier.hosts.setCrawlDelay(url, robots.crawlDelayMs(url))
  }
  const verdict = robots.verdict(url, frontier.nowMs())
  const allowedAtMs = frontier.hosts.allowedAtMs(url)
  return {
    isAllowed: verdict.isAllowed,
    address: 'allowed',
    robots: robotsSentence(verdict, robots.crawlDelayMs(url)),
    ...facts,
    allowedAtMs: allowedAtMs > frontier.nowMs() ? allowedAtMs : undefined,
  }
}

function explainedRules({ fields, sources }: RuleVerdict): ExplainedRule[] {
  const deciding = Object.entries(sources) as [keyof RuleFields, SiteRule][]
  const written = writeFields(fields)
  return deciding.map(([name, { target, setAtMs, setBy }]) => ({
    matter: writtenName(name),
    value: String(written[writtenName(name)]),
    rule: targetWords(target),
    setAt: setAtMs === 0 ? null : new Date(setAtMs).toISOString(),
    setBy: setBy || null,
  }))
}

/** A rule counts more than what a crawl says; of crawls the newest that has met it. */
function browserWish(
  { fields: { browser: use }, sources: { browser: rule } }: RuleVerdict,
  crawls: readonly JobsView[],
): BrowserWish | undefined {
  if (use !== undefined && rule !== undefined) return { use, by: `the rule for ${targetWords(rule.target)}` }
  const crawl = crawls.find(({ isKnown }) => isKnown)
  return crawl?.browser && { use: crawl.browser, by: `the crawl of ${crawl.seeds[0]}` }
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
