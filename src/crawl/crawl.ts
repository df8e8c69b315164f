// The crawl loop: takes tasks from the frontier, visits their URLs, and reports the outcomes to the frontier.
//
// One dispatcher, so that waiting costs nothing: it takes tasks while there are free slots (fetch-slots.ts), sleeps until a host
// may be asked again, and wakes when a visit ends or waits only for other peers. A capture is durable before its URL is
// completed, and a visit is under way until that completion is committed: a killed process has to fetch again only what was under
// way.

import { isSurelyCosmetic } from '../changes/page-change/cosmetic/judgement.ts'
import { PolyhistorError } from '../errors.ts'
import type { Field } from '../formats/http/field-list.ts'
import { tryParseLink, type Url } from '../model/url/url.ts'
import { Batcher } from '../platform/batcher.ts'
import type { Clock } from '../platform/clock.ts'
import type { AddressRule } from '../platform/network/web.ts'
import { WakeSignal } from '../platform/wake-signal.ts'
import type { AddressGuard } from './address/address-guard.ts'
import type { PageShowing } from './browser/page-showing.ts'
import type { PageView } from './browser/page-view.ts'
import type { CrawlNetwork } from './crawl-network.ts'
import type { CrawlCounts, CrawlWatch } from './crawl-report.ts'
import { fetchResultOf } from './fetch/fetch-result.ts'
import type { FetchOptions } from './fetch/fetcher.ts'
import type { Fetched, FetchOutcome } from './fetch/outcome.ts'
import { type FetchSlot, FetchSlots } from './fetch-slots.ts'
import type { FetchResult, FetchTask } from './frontier/fetch-task.ts'
import type { Frontier } from './frontier/frontier.ts'
import { JobWants } from './job-wants.ts'
import { type LentFetching, type LentHost, notAsked } from './lent-fetching.ts'
import type { LinkRecording } from './link-recording.ts'
import { LinkRouting } from './link-routing.ts'
import type { RobotsCache } from './robots/robots-cache.ts'
import { RobotsGate } from './robots-gate.ts'
import { type VisitTerms, visitTerms } from './rules/visit-terms.ts'
import { TaskEndings } from './task-endings.ts'
import type { UntilOthers } from './visit/archive.ts'
import type { PageVisitor, Visited, VisitResponse } from './visit/visit.ts'

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
  /** Where the links of pages are kept. */
  links?: LinkRecording | undefined
  /** Pages are fetched as somebody: nobody else fetches them. */
  isPersonal?: boolean | undefined
}

/** Visits started before everything else has its turn. */
const startsPerTurn = 8
/** Completions are committed as often, and as soon as half of the visits wait for it: what changes with every URL is then written once
 * for many. The first is not held up, and nobody else waits: links are queued before. Not more seldom: a visit has its slot until then. */
const commits = { everyMs: 40, itemsMax: Number.POSITIVE_INFINITY, batchesMax: 1 }
/** What one page has shown is not asked for again for another, for so long. */
const partAgeMsMax = 60 * 60_000

export class Crawl {
  readonly #needs: Needs
  readonly #options: CrawlOptions
  readonly #wake: WakeSignal
  readonly #commits: Batcher<void, void>
  readonly #wants: JobWants
  readonly #fetchSlots: FetchSlots
  readonly #underWay = new Set<Promise<void>>()
  /** Of visits that wait for others: each ends its wait. */
  readonly #waits = new Set<() => void>()
  readonly #door: RobotsGate
  readonly #routing: LinkRouting
  readonly #endings: TaskEndings
  #lending: LentFetching | undefined
  #trouble: unknown
  #startedInTurn = 0

  constructor(needs: Needs, options: CrawlOptions) {
    this.#needs = needs
    this.#options = options
    this.#wake = new WakeSignal(needs)
    this.#wants = new JobWants(needs.frontier.jobs)
    this.#fetchSlots = new FetchSlots(options.concurrency, () => this.#wake.ring())
    this.#routing = new LinkRouting(needs)
    this.#endings = new TaskEndings({ ...needs, wants: this.#wants, routing: this.#routing })
    this.#door = new RobotsGate({
      ...needs,
      touchedBy: (outcome) => this.#touchedBy(outcome),
      read: (task, untilOthers) => this.#readRobots(task, untilOthers),
      tell: (event) => this.#endings.tell(event),
    })
    const enough = Math.max(1, Math.floor(options.concurrency / 2))
    this.#commits = new Batcher(needs, { ...commits, enough }, async () => {
      await needs.frontier.committed()
      return []
    })
  }

  get counts(): CrawlCounts {
    return this.#endings.counts
  }

  get underWay(): number {
    return this.#underWay.size
  }

  /** From now on links of sites that are not crawled here go to others. */
  joinNetwork(network: CrawlNetwork): void {
    this.#routing.network = network
    if (this.#needs.links !== undefined) this.#needs.links.network = network
  }

  /** From now on others fetch too, where they wait for work. */
  lendTo(lending: LentFetching): void {
    if (!this.#needs.isPersonal) this.#lending = lending
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
    this.#routing.stop = signals.stop
    signals.stop.addEventListener('abort', ring)
    const giveUp = () => {
      for (const wait of this.#waits) wait()
    }
    signals.abort.addEventListener('abort', giveUp)
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
    signals.abort.removeEventListener('abort', giveUp)
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
        for (const dropped of answer.dropped) this.#endings.dropped(dropped)
        return true
      case 'held':
        for (const held of answer.held) this.#endings.held(held)
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

  /** `lent`: to whom its host is lent with this URL. */
  #start(task: FetchTask, abort: AbortSignal, lent?: LentHost): void {
    const fetchSlot = this.#fetchSlots.take()
    const visit = this.#handle(task, fetchSlot, abort, lent)
      .catch((error: unknown) => {
        // Our own disk or index: the crawl cannot go on, and the URL stays queued.
        if (!abort.aborted) this.#trouble ??= error
        this.#needs.frontier.returnTask(task)
      })
      .then(() => this.#commits.add())
      .catch((error: unknown) => {
        this.#trouble ??= error
      })
      .finally(() => {
        this.#underWay.delete(visit)
        fetchSlot.end()
      })
    this.#underWay.add(visit)
  }

  async #handle(task: FetchTask, fetchSlot: FetchSlot, abort: AbortSignal, lent?: LentHost): Promise<void> {
    const taking = lent && new LentTask(lent, fetchSlot)
    try {
      await this.#visit(task, fetchSlot, abort, taking)
    } finally {
      taking?.end()
    }
  }

  async #visit(
    task: FetchTask,
    fetchSlot: FetchSlot,
    abort: AbortSignal,
    given: LentTask | undefined,
  ): Promise<void> {
    const { frontier, visiting, guard } = this.#needs
    const untilOthers: UntilOthers = (others) => fetchSlot.untilOthers(this.#unlessAborted(others, abort))
    const forbidden = guard.refusalOfHost(task.url.host)
    if (forbidden !== undefined)
      return this.#endings.refuse(task, { code: 'address-forbidden', reason: forbidden })
    // A rule that came since it was given out: it goes back, and is held there.
    if (frontier.rules.denialOf(task.url) !== undefined) return frontier.returnTask(task)
    const gate = this.#gateFor(task)
    if (this.#options.obeysRobots) {
      const passage = await this.#door.pass(task, { gate, abort, untilOthers })
      if (passage.kind === 'refused') return this.#endings.refuse(task, passage.missed)
      if (passage.kind === 'unreached') return this.#endings.giveUp(task, passage.missed)
      if (passage.kind === 'later') return
    }
    if (frontier.rules.denialOf(task.url) !== undefined) return frontier.returnTask(task)
    const terms = visitTerms(frontier.rules, task.url, this.#wants.of(task.jobId).types)
    const isDoubted = this.#lending?.isDoubted(task.url) ?? false
    const isLendable = !isDoubted && !(this.#needs.showing?.isAlways(terms.browser) ?? false)
    // Its host is another's now: it goes back, and comes by itself.
    if (given !== undefined && !isLendable) return frontier.returnTask(task)
    const lent = given ?? (isLendable ? this.#lend(task, fetchSlot, abort) : undefined)
    const view = lent === undefined ? this.#viewOf(task, terms, untilOthers, abort) : undefined
    const whenAnswered = (fetched: Fetched) => {
      frontier.answered(task, this.#touchedBy(fetched))
      if (lent === undefined) this.#lending?.noteOwn(fetched)
      const isShown = view?.answered(fetched) ?? false
      if (this.#routing.network !== undefined && !isShown) fetchSlot.answered()
      this.#wake.ring()
    }
    const request = {
      url: task.url,
      about: aboutOf(task),
      documentHref: task.via || undefined,
      allow: gate,
      types: terms.types,
      bytesMax: terms.bytesMax,
      isWhole: isDoubted,
      whenAnswered,
      untilOthers,
      fetch: lent && ((_url: Url, options: FetchOptions) => this.#fetchLent(lent, task, terms, options)),
      deliver: view && ((response: VisitResponse) => view.show(response)),
      rendered: view && (() => view.rendered),
    }
    const outcome = await visiting.visit(request, abort).finally(() => {
      view?.end()
      lent?.end()
    })
    if (outcome === notAsked) return frontier.returnTask(task)
    if (isDoubted && outcome.kind === 'visited') await this.#lending?.clear(task.url, isSameAsBefore(outcome))
    if (outcome.kind === 'visited') return this.#endings.complete(task, outcome, untilOthers, view)
    if (gate.isBusy && outcome.code === 'address-forbidden') frontier.returnTask(task)
    else await this.#endings.fail(task, outcome)
  }

  /** Other peers may never do it: what was aborted does not wait for them, and the URL stays queued. */
  #unlessAborted<T>(others: Promise<T>, abort: AbortSignal): Promise<T> {
    return new Promise((resolve, reject) => {
      const wait = () =>
        reject(new PolyhistorError('crawl-aborted', 'The crawl was stopped before others had the page'))
      this.#waits.add(wait)
      others.then(resolve, reject).finally(() => this.#waits.delete(wait))
      if (abort.aborted) wait()
    })
  }

  /** The task's host, and more URLs of it, to whoever waits for work. */
  #lend(task: FetchTask, fetchSlot: FetchSlot, abort: AbortSignal): LentTask | undefined {
    const lent = this.#lending?.begin(task.url)
    if (lent === undefined) return undefined
    const more = this.#needs.frontier.moreTasks(task, lent.room)
    lent.expect(more.length)
    for (const one of more) this.#start(one, abort, lent)
    return new LentTask(lent, fetchSlot)
  }

  async #fetchLent(
    lent: LentTask,
    task: FetchTask,
    { browser }: VisitTerms,
    options: FetchOptions,
  ): Promise<FetchOutcome> {
    const { showing } = this.#needs
    const outcome = await lent.fetch(task.url, options)
    if (outcome.kind !== 'fetched' || showing === undefined || showing.isNever(task, browser)) return outcome
    if (!(await showing.wantsToShow(outcome, browser))) return outcome
    // A page that needs a browser is shown where it was fetched.
    this.#lending?.keepBack(task.url)
    return notAsked
  }

  #viewOf(
    task: FetchTask,
    { types, browser }: VisitTerms,
    untilOthers: UntilOthers,
    abort: AbortSignal,
  ): PageView | undefined {
    const { frontier, showing } = this.#needs
    if (showing === undefined) return undefined
    const mode = browser ?? this.#wants.of(task.jobId).browser
    const begunAtMs = frontier.jobs.find(task.jobId)?.createdAtMs ?? 0
    const terms = {
      task,
      types,
      mode,
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
    frontier.hosts.setCrawlDelay(task.url, robots.crawlDelayMs(task.url))
    if (this.#wants.of(task.jobId).sitemaps) await this.#addSitemaps(task, untilOthers)
  }

  async #addSitemaps(task: FetchTask, untilOthers: UntilOthers): Promise<void> {
    const { robots } = this.#needs
    const { jobId, depth, url } = task
    const found = robots.sitemaps(url).flatMap((href) => parsed(href, url))
    const via = `${url.origin}/robots.txt`
    const sitemaps = found.map((sitemap) => ({ url: sitemap, kind: 'sitemap', jobId, depth, via }) as const)
    await this.#routing.add(sitemaps, untilOthers)
  }

  #touchedBy(outcome: FetchOutcome): FetchResult {
    return fetchResultOf(outcome, this.#needs)
  }
}

/** One URL of a host that is lent: it fetches once, or is left out. It waits for others, and takes no slot meanwhile. */
class LentTask {
  readonly #host: LentHost
  readonly #fetchSlot: FetchSlot
  #isSettled = false

  constructor(host: LentHost, fetchSlot: FetchSlot) {
    this.#host = host
    this.#fetchSlot = fetchSlot
  }

  fetch(url: Url, options: FetchOptions): Promise<FetchOutcome> {
    this.#isSettled = true
    return this.#fetchSlot.untilOthers(this.#host.fetch(url, options))
  }

  end(): void {
    if (!this.#isSettled) this.#host.leaveOut()
    this.#isSettled = true
  }
}

function aboutOf(task: FetchTask): Field[] {
  const fields: Field[] = [['hopsFromSeed', String(task.depth)]]
  return task.via === '' ? fields : [['via', task.via], ...fields]
}

/** As the version before, but for noise. */
function isSameAsBefore({ hasChanged, observed }: Visited): boolean {
  const difference = observed?.difference
  return !hasChanged || (difference !== undefined && isSurelyCosmetic(difference))
}

function parsed(href: string, base: Url): Url[] {
  const url = tryParseLink(href, base)
  return url === null ? [] : [url]
}
