// The crawl loop: takes what the frontier lets go, visits it, and tells the frontier what came of it.
//
// One dispatcher, so that waiting costs nothing: it leases while there are hands free (hands.ts), sleeps until a host may be
// asked again, and wakes when a visit ends or has only others to wait for. A capture is durable before its URL is completed, and a visit
// is under way until that completion is committed: a process that is killed has no more to fetch again than was under way.

import type { Field } from '../formats/http/field-list.ts'
import { tryParseLink, type Url } from '../model/url.ts'
import type { Clock } from '../platform/clock.ts'
import { GroupCommit } from '../platform/group-commit.ts'
import type { AddressRule } from '../platform/web.ts'
import type { AddressGuard } from './address/address-guard.ts'
import type { CrawlNetwork } from './crawl-network.ts'
import { type CrawlCounts, type CrawlEvent, type CrawlWatch, noCrawlCounts } from './crawl-report.ts'
import { fetchResultOf } from './fetch/fetch-result.ts'
import type { Fetched, FetchFailure, FetchOutcome } from './fetch/outcome.ts'
import type { AddOutcome, Link as FrontierLink } from './frontier/discovery.ts'
import type { Frontier } from './frontier/frontier.ts'
import type { Completion, Dropped, FetchResult, Lease } from './frontier/lease.ts'
import { type Hand, Hands } from './hands.ts'
import { JobWants } from './job-wants.ts'
import type { MissedReason } from './jobs/job-outcome.ts'
import { LinkParting } from './link-parting.ts'
import type { Link } from './links/link.ts'
import type { Visit } from './recrawl/page-visits.ts'
import type { RobotsKeeping } from './robots/robots-keeping.ts'
import { RobotsDoor } from './robots-door.ts'
import type { UntilOthers } from './visit/archive.ts'
import type { Visited, Visiting } from './visit/visit.ts'
import { Wake } from './wake.ts'

export interface CrawlOptions {
  /** Visits under way at once; on a network, hosts asked at once. */
  readonly concurrency: number
  readonly obeysRobots: boolean
  readonly flushMs: number
}

interface Needs {
  frontier: Frontier
  visiting: Visiting
  robots: RobotsKeeping
  guard: AddressGuard
  clock: Clock
  watch: CrawlWatch
}

/** Visits started before everything else has its turn. */
const startsPerTurn = 8
const takenDown: MissedReason = { code: 'taken-down', reason: 'it was taken down' }

export class Crawl {
  readonly #needs: Needs
  readonly #options: CrawlOptions
  readonly #wake: Wake
  readonly #commits: GroupCommit
  readonly #wants: JobWants
  readonly #hands: Hands
  readonly #underWay = new Set<Promise<void>>()
  readonly #door: RobotsDoor
  readonly #parting: LinkParting
  readonly counts: CrawlCounts = noCrawlCounts()
  #trouble: unknown
  #startedInTurn = 0

  constructor(needs: Needs, options: CrawlOptions) {
    this.#needs = needs
    this.#options = options
    this.#wake = new Wake(needs)
    this.#wants = new JobWants(needs)
    this.#hands = new Hands(options.concurrency, () => this.#wake.ring())
    this.#parting = new LinkParting(needs)
    this.#door = new RobotsDoor({
      ...needs,
      touchedBy: (outcome) => this.#touchedBy(outcome),
      read: (lease, untilOthers) => this.#readRobots(lease, untilOthers),
      tell: (event) => this.#tell(event),
    })
    this.#commits = new GroupCommit(() => needs.frontier.committed())
  }

  get underWay(): number {
    return this.#underWay.size
  }

  /** From now on links of sites that are not crawled here go to others. */
  joinNetwork(network: CrawlNetwork): void {
    this.#parting.network = network
  }

  /** Something was queued from outside: it is looked at now, not when the next host is due. */
  wake(): void {
    this.#wake.ring()
  }

  /** Runs until no job has anything left, or until stopped. `stop` lets visits that are under way end; `abort` does not. */
  async run(signals: { stop: AbortSignal; abort: AbortSignal }): Promise<void> {
    const { frontier, clock } = this.#needs
    const ring = () => this.#wake.ring()
    this.#trouble = undefined
    this.#parting.stop = signals.stop
    signals.stop.addEventListener('abort', ring)
    let flushedAtMs = clock.monotonicMs()
    while (!signals.stop.aborted && this.#trouble === undefined) {
      if (!this.#hands.areFree) await this.#wake.next()
      else if (!(await this.#dispatch(signals.abort))) break
      if (clock.monotonicMs() - flushedAtMs < this.#options.flushMs) continue
      flushedAtMs = clock.monotonicMs()
      await frontier.flush()
    }
    await Promise.all(this.#underWay)
    signals.stop.removeEventListener('abort', ring)
    await frontier.flush()
    if (this.#trouble !== undefined) throw this.#trouble
  }

  /** Lets others have the thread: visits that start all at once would end all at once, and hold it up together. */
  async #turn(): Promise<void> {
    this.#startedInTurn = 0
    await new Promise<void>((resolve) => this.#needs.clock.after(0, resolve))
  }

  /** One step. False when all is done. */
  async #dispatch(abort: AbortSignal): Promise<boolean> {
    const { frontier } = this.#needs
    const answer = await frontier.lease()
    switch (answer.kind) {
      case 'lease':
        this.#start(answer.lease, abort)
        if (++this.#startedInTurn >= startsPerTurn) await this.#turn()
        return true
      case 'dropped':
        for (const dropped of answer.dropped) this.#dropped(dropped)
        return true
      case 'wait':
        await this.#wake.next(answer.untilMs - frontier.nowMs())
        return true
      case 'busy':
        await this.#wake.next()
        return true
      case 'idle':
        if (this.#underWay.size === 0) return false
        await this.#wake.next()
        return true
    }
  }

  #start(lease: Lease, abort: AbortSignal): void {
    const hand = this.#hands.take()
    const visit = this.#handle(lease, hand, abort)
      .catch((error: unknown) => {
        // Our own disk or index: the crawl cannot go on, and the URL stays queued.
        if (!abort.aborted) this.#trouble ??= error
        this.#needs.frontier.giveBack(lease)
      })
      .then(() => this.#commits.commit())
      .catch((error: unknown) => {
        this.#trouble ??= error
      })
      .finally(() => {
        this.#underWay.delete(visit)
        hand.end()
      })
    this.#underWay.add(visit)
  }

  async #handle(lease: Lease, hand: Hand, abort: AbortSignal): Promise<void> {
    const { frontier, visiting, guard } = this.#needs
    const { untilOthers } = hand
    const forbidden = guard.refusalOfHost(lease.url.host)
    if (forbidden !== undefined) return this.#refuse(lease, { code: 'address-forbidden', reason: forbidden })
    const gate = this.#gateFor(lease)
    if (this.#options.obeysRobots) {
      const passage = await this.#door.pass(lease, { gate, abort, untilOthers })
      if (passage.kind === 'refused') return this.#refuse(lease, passage.missed)
      if (passage.kind === 'unreached') return this.#giveUp(lease, passage.missed)
      if (passage.kind === 'later') return
    }
    const whenAnswered = (fetched: Fetched) => {
      frontier.answered(lease, this.#touchedBy(fetched))
      if (this.#parting.network !== undefined) hand.answered()
      this.#wake.ring()
    }
    const { types } = this.#wants.of(lease.jobId)
    const request = {
      url: lease.url,
      about: aboutOf(lease),
      documentHref: lease.via || undefined,
      allow: gate,
      types,
      whenAnswered,
      untilOthers,
    }
    const outcome = await visiting.visit(request, abort)
    if (outcome.kind === 'visited') return this.#completeVisit(lease, outcome, untilOthers)
    if (gate.isBusy && outcome.code === 'address-forbidden') frontier.giveBack(lease)
    else await this.#completeFailure(lease, outcome)
  }

  /** Whether an address may be asked at all, and now: other hosts may lead there too. */
  #gateFor(lease: Lease): AddressRule & { isBusy: boolean } {
    const { frontier, guard } = this.#needs
    const gate = {
      isBusy: false,
      refusal: (address: string) => {
        const refusal = guard.refusal(address)
        if (refusal !== undefined) return refusal
        gate.isBusy = !frontier.enter(lease, address)
        return gate.isBusy ? 'the address is being asked by another host' : undefined
      },
    }
    return gate
  }

  async #readRobots(lease: Lease, untilOthers: UntilOthers): Promise<void> {
    const { frontier, robots } = this.#needs
    frontier.setCrawlDelay(lease.url, robots.crawlDelayMs(lease.url))
    if (this.#wants.of(lease.jobId).sitemaps) await this.#addSitemaps(lease, untilOthers)
  }

  async #addSitemaps(lease: Lease, untilOthers: UntilOthers): Promise<void> {
    const { robots } = this.#needs
    const { jobId, depth, url } = lease
    const found = robots.sitemaps(url).flatMap((href) => parsed(href, url))
    const via = `${url.origin}/robots.txt`
    const sitemaps = found.map((sitemap) => ({ url: sitemap, kind: 'sitemap', jobId, depth, via }) as const)
    await this.#parting.add(sitemaps, untilOthers)
  }

  async #completeVisit(lease: Lease, visited: Visited, untilOthers: UntilOthers): Promise<void> {
    const { fetched, kept } = visited
    const missed = visited.missed ?? (kept === 'hidden' ? takenDown : undefined)
    const result = { ...this.#touchedBy(fetched), isRepeated: visited.isKnownPayload, missed }
    this.#plan(lease, visitOutcome(visited), fetched.headers.get('Last-Modified'))
    const links = this.#wanted(lease, visited)
    const isRepeated = kept === 'same' && this.#wants.of(lease.jobId).isRevisit
    const { completion, outcomes } = await this.#parting.complete(lease, result, links, {
      isRepeated,
      untilOthers,
    })
    const isAgain = completion.kind === 'again'
    this.counts.bytes += fetched.bodyBytes
    // Told to come later once too often: an answer, but not the page.
    if (completion.kind === 'gave-up') this.counts.failed++
    else if (!isAgain) {
      this.counts.fetched++
      if (kept === 'new' || kept === 'changed' || kept === 'same') this.counts[kept]++
    }
    this.#tellOf(lease, {
      outcome: isAgain ? 'retry' : kept === 'hidden' ? 'not-kept' : kept,
      status: fetched.status,
      bytes: fetched.bodyBytes,
      code: missed?.code,
      reason: isAgain
        ? `status ${fetched.status}${this.#whenAgain(completion)}`
        : (missed?.reason ??
          fetched.capture.truncated ??
          redirectNowhere(fetched) ??
          redirectLeft(links, outcomes)),
    })
    this.#tellRefused(lease, links, outcomes)
  }

  /** Traps, and what is over a host's budget, are told once each. What is out of scope is not: that is most of the web. */
  #tellRefused({ jobId, url, depth }: Lease, links: FrontierLink[], outcomes: readonly AddOutcome[]): void {
    for (const [index, outcome] of outcomes.entries()) {
      if (outcome.kind !== 'trap' && outcome.kind !== 'budget') continue
      this.counts.refused++
      this.#tell({
        atMs: this.#needs.frontier.nowMs(),
        jobId,
        url: links[index]!.url.href,
        outcome: 'refused',
        via: url.href,
        depth: depth + 1,
        code: outcome.kind,
        reason: outcome.reason,
      })
    }
  }

  #touchedBy(outcome: FetchOutcome): FetchResult {
    return fetchResultOf(outcome, this.#needs)
  }

  async #completeFailure(lease: Lease, failure: FetchFailure): Promise<void> {
    const { code, reason } = failure
    if (code === 'address-forbidden') return this.#refuse(lease, { code, reason })
    this.#plan(lease, 'failed')
    const { completion } = await this.#needs.frontier.complete(lease, this.#touchedBy(failure))
    if (completion.kind !== 'again') this.counts.failed++
    this.#tellOf(lease, {
      outcome: completion.kind === 'again' ? 'retry' : 'failed',
      code,
      reason: `${reason}${this.#whenAgain(completion)}`,
    })
  }

  /** It cannot be asked for, and is not waited for. Visited again by itself. */
  async #giveUp(lease: Lease, missed: MissedReason): Promise<void> {
    this.#plan(lease, 'failed')
    await this.#needs.frontier.complete(lease, { outcome: 'unreached', missed })
    this.counts.failed++
    this.#tellOf(lease, { outcome: 'failed', ...missed })
  }

  /** The same for what was queued. */
  #dropped({ href, via, jobId, code, reason }: Dropped): void {
    const { frontier } = this.#needs
    const atMs = frontier.nowMs()
    const url = tryParseLink(href)
    if (url !== null) frontier.visited(url, { atMs, outcome: 'failed' })
    this.counts.failed++
    this.#tell({ atMs, jobId, url: href, outcome: 'failed', via, code, reason })
  }

  #whenAgain(completion: Completion): string {
    if (completion.kind !== 'again') return ''
    const { afterMs, attemptsLeft } = completion
    const seconds = Math.max(0, Math.ceil((afterMs - this.#needs.frontier.nowMs()) / 1000))
    return `; asked for again in ${seconds} s, ${attemptsLeft} more ${attemptsLeft === 1 ? 'time' : 'times'} at most`
  }

  /** When to come again. */
  #plan(lease: Lease, outcome: Visit['outcome'], lastModified?: string): void {
    const { frontier } = this.#needs
    const lastModifiedMs = lastModified === undefined ? Number.NaN : Date.parse(lastModified)
    const visit = { atMs: frontier.nowMs(), outcome }
    frontier.visited(lease.url, Number.isNaN(lastModifiedMs) ? visit : { ...visit, lastModifiedMs })
  }

  async #refuse(lease: Lease, missed: MissedReason): Promise<void> {
    await this.#needs.frontier.complete(lease, { outcome: 'refused', missed })
    this.counts.refused++
    this.#tellOf(lease, { outcome: 'refused', ...missed })
  }

  #wanted({ jobId }: Lease, visited: Visited): FrontierLink[] {
    const { frontier } = this.#needs
    const { types, sitemaps } = this.#wants.of(jobId)
    const links: FrontierLink[] = []
    const target = visited.fetched.redirect?.target
    if (target !== undefined) links.push({ url: target, kind: 'redirect' })
    for (const link of visited.links) {
      const kind = frontierKind(link)
      if (kind === 'sitemap' && !sitemaps) continue
      if (frontier.hasSeen(link.href, jobId)) continue
      if (types.refusal(link.url) === undefined) links.push({ url: link.url, kind })
    }
    return links
  }

  #tellOf(lease: Lease, what: Pick<CrawlEvent, 'outcome'> & Partial<CrawlEvent>): void {
    const { jobId, via, depth } = lease
    this.#tell({ atMs: this.#needs.frontier.nowMs(), jobId, url: lease.url.href, via, depth, ...what })
  }

  #tell(event: CrawlEvent): void {
    this.#needs.watch.happened(event)
  }
}

function redirectNowhere({ redirect }: Fetched): string | undefined {
  return redirect && redirect.target === undefined ? `redirects nowhere: ${redirect.reason}` : undefined
}

/** Why what a page redirects to is not fetched. */
function redirectLeft(links: FrontierLink[], outcomes: readonly AddOutcome[]): string | undefined {
  const [link] = links
  const [outcome] = outcomes
  if (link?.kind !== 'redirect' || outcome?.kind !== 'out-of-scope') return undefined
  return `redirects to ${link.url.href}: ${outcome.reason}`
}

function visitOutcome({ fetched, kept }: Visited): Visit['outcome'] {
  if (fetched.status >= 400) return 'failed'
  return kept === 'new' || kept === 'changed' ? kept : 'same'
}

function frontierKind(link: Link): FrontierLink['kind'] {
  switch (link.kind) {
    case 'requisite':
    case 'frame':
      return 'requisite'
    case 'feed':
      return 'navigation'
    default:
      return link.kind
  }
}

function aboutOf(lease: Lease): Field[] {
  const fields: Field[] = [['hopsFromSeed', String(lease.depth)]]
  return lease.via === '' ? fields : [['via', lease.via], ...fields]
}

function parsed(href: string, base: Url): Url[] {
  const url = tryParseLink(href, base)
  return url === null ? [] : [url]
}
