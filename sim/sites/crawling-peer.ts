// One peer of the campaign: a real frontier, real lease holders and sites, and a crawl loop as short as can be.

import { type LeasePlaces, openSiteLeases, type SiteLeases } from '../../src/app/network/site-leases.ts'
import type { FetchTask } from '../../src/crawl/frontier/fetch-task.ts'
import { Frontier } from '../../src/crawl/frontier/frontier.ts'
import type { JobOptions } from '../../src/crawl/frontier/jobs/crawl-job.ts'
import { politenessDefault } from '../../src/crawl/politeness/politeness-rules.ts'
import { PolyhistorError } from '../../src/errors.ts'
import type { Url } from '../../src/model/url/url.ts'
import type { LeaderChoice } from '../../src/network/site-placement/given-sites.ts'
import type { LoadTerms } from '../../src/network/site-placement/load-terms.ts'
import { Calls } from '../../src/platform/calls/calls.ts'
import type { Clock } from '../../src/platform/clock.ts'
import { silentLog } from '../../src/platform/log.ts'
import type { SimulatedMachine } from '../../src/platform/simulated/machine.ts'
import type { SimulatedRandom } from '../../src/platform/simulated/random.ts'
import { Pause } from './pause.ts'
import type { Web } from './web.ts'

export interface PeerNeeds {
  readonly machine: SimulatedMachine
  readonly random: SimulatedRandom
  readonly web: Web
  readonly places: LeasePlaces
  readonly choice: LeaderChoice
  readonly load: Partial<LoadTerms>
  readonly others: readonly string[]
  nowMs(): number
  later(delayMs: number, task: () => void): void
  /** Links of other sites, durable at once. */
  forward(urls: readonly Url[]): void
  /** It will never be asked for again: its completion is safe. */
  done(href: string): void
  leased(href: string): void
  fail(error: unknown): void
}

const responseMsMax = 1_500
const idleMs = 200

export class CrawlingPeer {
  readonly name: string
  readonly frontier: Frontier
  readonly sites: SiteLeases
  readonly pause: Pause
  readonly #needs: PeerNeeds
  readonly #clock: Clock
  readonly #jobId: string

  static async open(needs: PeerNeeds, job: JobOptions): Promise<CrawlingPeer> {
    const { keyValues } = needs.machine
    const [frontier, leases, replicas] = await Promise.all([
      keyValues.open('/frontier'),
      keyValues.open('/stewards', { hasJournal: true }),
      keyValues.open('/shadows', { hasJournal: true }),
    ])
    return new CrawlingPeer(needs, job, { frontier, leases, replicas })
  }

  private constructor(
    needs: PeerNeeds,
    job: JobOptions,
    maps: Record<
      'frontier' | 'leases' | 'replicas',
      Awaited<ReturnType<SimulatedMachine['keyValues']['open']>>
    >,
  ) {
    this.#needs = needs
    const { machine, places, others, web } = needs
    this.name = machine.name
    this.pause = new Pause()
    const clock = this.pause.clock(machine.clock)
    this.#clock = clock
    const { random } = machine
    const network = this.pause.network(machine.network)
    for (const other of others) network.learn(other, [`/simulated/${other}`])
    this.frontier = new Frontier(
      { keyValue: maps.frontier, clock, random },
      { politeness: { ...politenessDefault, delayMs: web.delayMs, addressDelayMs: 0, perAddressMax: 100 } },
    )
    this.#jobId = this.frontier.jobs.join(job).id
    this.sites = openSiteLeases(
      {
        frontier: this.frontier,
        calls: new Calls({ network, clock, random }),
        places,
        choice: needs.choice,
        leases: maps.leases,
        replicas: maps.replicas,
        clock,
        random,
        log: { ...silentLog, error: (facts) => needs.fail((facts as { err: unknown }).err) },
      },
      { load: needs.load },
    )
    void this.#crawl().catch((error) => needs.fail(error))
  }

  /** What a link exchange does with links that come for a site of ours. */
  async take(urls: readonly Url[]): Promise<void> {
    const site = urls[0]!.ringKey
    await this.sites.waitUntilReady(site)
    await this.frontier.add(
      urls.map((url) => ({ url, kind: 'navigation', jobId: this.#jobId, depth: 1, via: '' })),
    )
    await this.sites.waitUntilSafe([site])
  }

  async #crawl(): Promise<void> {
    for (;;) {
      const answer = await this.frontier.nextTask()
      if (answer.kind === 'task') void this.#visit(answer.task).catch((error) => this.#needs.fail(error))
      else if (answer.kind === 'wait')
        await this.#clock.sleep(Math.min(idleMs, Math.max(1, answer.untilMs - this.frontier.nowMs())))
      else await this.#clock.sleep(idleMs)
    }
  }

  async #visit(task: FetchTask): Promise<void> {
    const { web, random, name } = { ...this.#needs, name: this.name }
    const { url } = task
    this.#needs.leased(url.href)
    // As DNS would take.
    await this.#clock.sleep(random.between(0, 100))
    if (!this.frontier.enter(task, '192.0.2.1')) return this.frontier.returnTask(task)
    const request = web.ask(name, url, this.#needs.nowMs())
    const responseMs = random.between(10, responseMsMax)
    // The request goes on while the process is stopped.
    this.#needs.later(responseMs, () => web.end(request, this.#needs.nowMs()))
    await this.#clock.sleep(responseMs)
    const result = { outcome: 'fetched', status: 200, responseMs, bytes: 100 } as const
    this.frontier.answered(task, result)
    await this.#clock.sleep(random.between(0, 50))
    const links = web.linksOf(url)
    this.#needs.forward(links.filter(({ site }) => site !== url.site))
    const own = links.filter(({ site }) => site === url.site)
    this.frontier.visits.visited(url, { atMs: this.frontier.nowMs(), outcome: 'new' })
    await this.frontier.complete(
      task,
      result,
      own.map((link) => ({ url: link, kind: 'navigation' })),
    )
    try {
      await this.sites.waitUntilSafe([url.ringKey])
      this.#needs.done(url.href)
    } catch (error) {
      if (!(error instanceof PolyhistorError)) throw error
    }
  }
}
