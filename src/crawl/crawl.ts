// The crawl loop: takes tasks from the frontier, visits their URLs, and reports the outcomes to the frontier.
//
// One dispatcher, so that waiting costs nothing: it takes tasks while there are free slots (fetch-slots.ts), sleeps until a host
// may be asked again, and wakes when a visit ends or waits only for other peers. A capture is durable before its URL is
// completed, and a visit is under way until that completion is committed: a killed process has to fetch again only what was under
// way.

import type { Field } from '../formats/http/field-list.ts'
import { tryParseLink, type Url } from '../model/url.ts'
import type { Clock } from '../platform/clock.ts'
import { GroupCommit } from '../platform/group-commit.ts'
import type { AddressRule } from '../platform/web.ts'
import type { AddressGuard } from './address/address-guard.ts'
import { isPartKept, type PagePart } from './browser/page-parts.ts'
import { type PageShowing, type PageShown, type PageView, shownWords } from './browser/page-showing.ts'
import type { CrawlNetwork } from './crawl-network.ts'
import { type CrawlCounts, type CrawlEvent, type CrawlWatch, noCrawlCounts } from './crawl-report.ts'
import { fetchResultOf } from './fetch/fetch-result.ts'
import type { Fetched, FetchFailure, FetchOutcome } from './fetch/outcome.ts'
import { type FetchSlot, FetchSlots } from './fetch-slots.ts'
import type { AddOutcome, Link as FrontierLink } from './frontier/discovery.ts'
import type { Completion, Dropped, FetchResult, FetchTask } from './frontier/fetch-task.ts'
import type { Frontier } from './frontier/frontier.ts'
import { JobWants } from './job-wants.ts'
import type { MissedReason } from './jobs/job-outcome.ts'
import { LinkRouting } from './link-routing.ts'
import type { Link } from './links/link.ts'
import type { Visit } from './recrawl/page-visits.ts'
import type { RobotsCache } from './robots/robots-cache.ts'
import { RobotsGate } from './robots-gate.ts'
import type { UntilOthers } from './visit/archive.ts'
import type { PageVisitor, Visited, VisitResponse } from './visit/visit.ts'
import { WakeSignal } from './wake-signal.ts'

export interface CrawlOptions {
  /** Visits under way at once; on a network, hosts asked at once. */
  readonly concurrency: number
  readonly obeysRobots: boolean
  readonly flushMs: number
}

interface Needs {
  frontier: Frontier
  visiting: PageVisitor
  robots: RobotsCache
  guard: AddressGuard
  clock: Clock
  watch: CrawlWatch
  /** Where pages are shown in a browser. */
  showing?: PageShowing | undefined
}

/** Visits started before everything else has its turn. */
const startsPerTurn = 8
/** What one page has shown is not asked for again for another, for so long. */
const partAgeMsMax = 60 * 60_000
const takenDown: MissedReason = { code: 'taken-down', reason: 'it was taken down' }

export class Crawl {
  readonly #needs: Needs
  readonly #options: CrawlOptions
  readonly #wake: WakeSignal
  readonly #commits: GroupCommit
  readonly #wants: JobWants
  readonly #fetchSlots: FetchSlots
  readonly #underWay = new Set<Promise<void>>()
  readonly #door: RobotsGate
  readonly #parting: LinkRouting
  readonly counts: CrawlCounts = noCrawlCounts()
  #trouble: unknown
  #startedInTurn = 0

  constructor(needs: Needs, options: CrawlOptions) {
    this.#needs = needs
    this.#options = options
    this.#wake = new WakeSignal(needs)
    this.#wants = new JobWants(needs)
    this.#fetchSlots = new FetchSlots(options.concurrency, () => this.#wake.ring())
    this.#parting = new LinkRouting(needs)
    this.#door = new RobotsGate({
      ...needs,
      touchedBy: (outcome) => this.#touchedBy(outcome),
      read: (task, untilOthers) => this.#readRobots(task, untilOthers),
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
      if (!this.#fetchSlots.areFree) await this.#wake.wait()
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
    const answer = await frontier.nextTask()
    switch (answer.kind) {
      case 'task':
        this.#start(answer.task, abort)
        if (++this.#startedInTurn >= startsPerTurn) await this.#turn()
        return true
      case 'dropped':
        for (const dropped of answer.dropped) this.#dropped(dropped)
        return true
      case 'wait':
        await this.#wake.wait(answer.untilMs - frontier.nowMs())
        return true
      case 'busy':
        await this.#wake.wait()
        return true
      case 'idle':
        if (this.#underWay.size === 0) return false
        await this.#wake.wait()
        return true
    }
  }

  #start(task: FetchTask, abort: AbortSignal): void {
    const fetchSlot = this.#fetchSlots.take()
    const visit = this.#handle(task, fetchSlot, abort)
      .catch((error: unknown) => {
        // Our own disk or index: the crawl cannot go on, and the URL stays queued.
        if (!abort.aborted) this.#trouble ??= error
        this.#needs.frontier.returnTask(task)
      })
      .then(() => this.#commits.commit())
      .catch((error: unknown) => {
        this.#trouble ??= error
      })
      .finally(() => {
        this.#underWay.delete(visit)
        fetchSlot.end()
      })
    this.#underWay.add(visit)
  }

  async #handle(task: FetchTask, fetchSlot: FetchSlot, abort: AbortSignal): Promise<void> {
    const { frontier, visiting, guard } = this.#needs
    const { untilOthers } = fetchSlot
    const forbidden = guard.refusalOfHost(task.url.host)
    if (forbidden !== undefined) return this.#refuse(task, { code: 'address-forbidden', reason: forbidden })
    const gate = this.#gateFor(task)
    if (this.#options.obeysRobots) {
      const passage = await this.#door.pass(task, { gate, abort, untilOthers })
      if (passage.kind === 'refused') return this.#refuse(task, passage.missed)
      if (passage.kind === 'unreached') return this.#giveUp(task, passage.missed)
      if (passage.kind === 'later') return
    }
    const { types } = this.#wants.of(task.jobId)
    const view = this.#viewOf(task, untilOthers, abort)
    const whenAnswered = (fetched: Fetched) => {
      frontier.answered(task, this.#touchedBy(fetched))
      const isShown = view?.answered(fetched) ?? false
      if (this.#parting.network !== undefined && !isShown) fetchSlot.answered()
      this.#wake.ring()
    }
    const request = {
      url: task.url,
      about: aboutOf(task),
      documentHref: task.via || undefined,
      allow: gate,
      types,
      whenAnswered,
      untilOthers,
      deliver: view && ((response: VisitResponse) => view.show(response)),
    }
    const outcome = await visiting.visit(request, abort).finally(() => view?.end())
    if (outcome.kind === 'visited') return this.#completeVisit(task, outcome, untilOthers, view?.shown)
    if (gate.isBusy && outcome.code === 'address-forbidden') frontier.returnTask(task)
    else await this.#completeFailure(task, outcome)
  }

  #viewOf(task: FetchTask, untilOthers: UntilOthers, abort: AbortSignal): PageView | undefined {
    const { frontier, showing } = this.#needs
    if (showing === undefined) return undefined
    const begunAtMs = frontier.job(task.jobId)?.createdAtMs ?? 0
    const terms = {
      task,
      types: this.#wants.of(task.jobId).types,
      untilOthers,
      obeysRobots: this.#options.obeysRobots,
      sinceMs: Math.max(begunAtMs, frontier.nowMs() - partAgeMsMax),
      whenFree: () => this.#wake.ring(),
    }
    return showing.begin(terms, abort)
  }

  /** Whether an address may be asked at all, and now: other hosts may lead there too. */
  #gateFor(task: FetchTask): AddressRule & { isBusy: boolean } {
    const { frontier, guard } = this.#needs
    const gate = {
      isBusy: false,
      refusal: (address: string) => {
        const refusal = guard.refusal(address)
        if (refusal !== undefined) return refusal
        gate.isBusy = !frontier.enter(task, address)
        return gate.isBusy ? 'the address is being asked by another host' : undefined
      },
    }
    return gate
  }

  async #readRobots(task: FetchTask, untilOthers: UntilOthers): Promise<void> {
    const { frontier, robots } = this.#needs
    frontier.setCrawlDelay(task.url, robots.crawlDelayMs(task.url))
    if (this.#wants.of(task.jobId).sitemaps) await this.#addSitemaps(task, untilOthers)
  }

  async #addSitemaps(task: FetchTask, untilOthers: UntilOthers): Promise<void> {
    const { robots } = this.#needs
    const { jobId, depth, url } = task
    const found = robots.sitemaps(url).flatMap((href) => parsed(href, url))
    const via = `${url.origin}/robots.txt`
    const sitemaps = found.map((sitemap) => ({ url: sitemap, kind: 'sitemap', jobId, depth, via }) as const)
    await this.#parting.add(sitemaps, untilOthers)
  }

  async #completeVisit(
    task: FetchTask,
    visited: Visited,
    untilOthers: UntilOthers,
    shown: PageShown | undefined,
  ): Promise<void> {
    const { fetched, kept } = visited
    const missed = visited.missed ?? (kept === 'hidden' ? takenDown : undefined)
    const partBytes = shown?.parts.reduce((sum, { bytes = 0 }) => sum + bytes, 0) ?? 0
    const bytes = fetched.bodyBytes + partBytes
    const result = { ...this.#touchedBy(fetched), bytes, isRepeated: visited.isKnownPayload, missed }
    this.#plan(task, visitOutcome(visited), fetched.headers.get('Last-Modified'))
    const links = this.#wanted(task, visited, shown)
    const isRepeated = kept === 'same' && this.#wants.of(task.jobId).isRevisit
    const { completion, outcomes } = await this.#parting.complete(task, result, links, {
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
    this.#tellOf(task, {
      outcome: isAgain ? 'retry' : kept === 'hidden' ? 'not-kept' : kept,
      status: fetched.status,
      bytes: fetched.bodyBytes,
      code: missed?.code,
      reason: isAgain
        ? `status ${fetched.status}${this.#whenAgain(completion)}`
        : (missed?.reason ??
          fetched.capture.truncated ??
          redirectNowhere(fetched) ??
          redirectLeft(links, outcomes) ??
          (shown && shownWords(shown))),
    })
    if (shown !== undefined) for (const part of shown.parts) this.#tellPart(task, part)
    this.#tellRefused(task, links, outcomes)
  }

  #tellPart({ jobId, url, depth }: FetchTask, { href, outcome, status, bytes, missed }: PagePart): void {
    if (outcome === 'known') return
    if (outcome === 'refused' || outcome === 'failed') this.counts[outcome]++
    else {
      this.counts.fetched++
      this.counts.bytes += bytes ?? 0
      if (outcome !== 'not-kept') this.counts[outcome]++
    }
    const atMs = this.#needs.frontier.nowMs()
    this.#tell({ atMs, jobId, url: href, outcome, via: url.href, depth, status, bytes, ...missed })
  }

  /** Traps, and what is over a host's budget, are told once each. What is out of scope is not: that is most of the web. */
  #tellRefused(
    { jobId, url, depth }: FetchTask,
    links: FrontierLink[],
    outcomes: readonly AddOutcome[],
  ): void {
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

  async #completeFailure(task: FetchTask, failure: FetchFailure): Promise<void> {
    const { code, reason } = failure
    if (code === 'address-forbidden') return this.#refuse(task, { code, reason })
    this.#plan(task, 'failed')
    const { completion } = await this.#needs.frontier.complete(task, this.#touchedBy(failure))
    if (completion.kind !== 'again') this.counts.failed++
    this.#tellOf(task, {
      outcome: completion.kind === 'again' ? 'retry' : 'failed',
      code,
      reason: `${reason}${this.#whenAgain(completion)}`,
    })
  }

  /** It cannot be asked for, and is not waited for. Visited again by itself. */
  async #giveUp(task: FetchTask, missed: MissedReason): Promise<void> {
    this.#plan(task, 'failed')
    await this.#needs.frontier.complete(task, { outcome: 'unreached', missed })
    this.counts.failed++
    this.#tellOf(task, { outcome: 'failed', ...missed })
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
  #plan(task: FetchTask, outcome: Visit['outcome'], lastModified?: string): void {
    const { frontier } = this.#needs
    const lastModifiedMs = lastModified === undefined ? Number.NaN : Date.parse(lastModified)
    const visit = { atMs: frontier.nowMs(), outcome }
    frontier.visited(task.url, Number.isNaN(lastModifiedMs) ? visit : { ...visit, lastModifiedMs })
  }

  async #refuse(task: FetchTask, missed: MissedReason): Promise<void> {
    await this.#needs.frontier.complete(task, { outcome: 'refused', missed })
    this.counts.refused++
    this.#tellOf(task, { outcome: 'refused', ...missed })
  }

  #wanted({ jobId }: FetchTask, visited: Visited, shown: PageShown | undefined): FrontierLink[] {
    const { frontier } = this.#needs
    const { types, sitemaps } = this.#wants.of(jobId)
    const links: FrontierLink[] = []
    const target = visited.fetched.redirect?.target
    if (target !== undefined) links.push({ url: target, kind: 'redirect' })
    const had = new Set(shown?.parts.filter(isPartKept).map(({ href }) => href))
    for (const link of shown ? [...visited.links, ...shown.requisites] : visited.links) {
      if (had.has(link.href)) continue
      const kind = frontierKind(link)
      if (kind === 'sitemap' && !sitemaps) continue
      if (frontier.hasSeen(link.href, jobId)) continue
      if (types.refusal(link.url) === undefined) links.push({ url: link.url, kind })
    }
    for (const url of (visited.isFollowed && shown?.links) || [])
      if (!frontier.hasSeen(url.href, jobId) && types.refusal(url) === undefined)
        links.push({ url, kind: 'navigation' })
    return links
  }

  #tellOf(task: FetchTask, what: Pick<CrawlEvent, 'outcome'> & Partial<CrawlEvent>): void {
    const { jobId, via, depth } = task
    this.#tell({ atMs: this.#needs.frontier.nowMs(), jobId, url: task.url.href, via, depth, ...what })
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

function aboutOf(task: FetchTask): Field[] {
  const fields: Field[] = [['hopsFromSeed', String(task.depth)]]
  return task.via === '' ? fields : [['via', task.via], ...fields]
}

function parsed(href: string, base: Url): Url[] {
  const url = tryParseLink(href, base)
  return url === null ? [] : [url]
}
