// One peer of the campaign: a real frontier, real stewards and sites, and a crawl loop as short as can be.

import {
  openSiteStewards,
  type SiteStewards,
  type StewardPlaces,
} from '../../src/app/network/site-stewards.ts'
import { Frontier } from '../../src/crawl/frontier/frontier.ts'
import type { JobOptions } from '../../src/crawl/frontier/jobs/crawl-job.ts'
import type { Lease } from '../../src/crawl/frontier/lease.ts'
import { politenessDefault } from '../../src/crawl/politeness/politeness-rules.ts'
import { PolyhistorError } from '../../src/errors.ts'
import type { Url } from '../../src/model/url.ts'
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
  readonly places: StewardPlaces
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
  readonly sites: SiteStewards
  readonly pause: Pause
  readonly #needs: PeerNeeds
  readonly #clock: Clock
  readonly #jobId: string

  static async open(needs: PeerNeeds, job: JobOptions): Promise<CrawlingPeer> {
    const { keyValues } = needs.machine
    const [frontier, stewards, shadows] = await Promise.all([
      keyValues.open('/frontier'),
      keyValues.open('/stewards', { hasJournal: true }),
      keyValues.open('/shadows', { hasJournal: true }),
    ])
    return new CrawlingPeer(needs, job, { frontier, stewards, shadows })
  }

  private constructor(
    needs: PeerNeeds,
    job: JobOptions,
    maps: Record<
      'frontier' | 'stewards' | 'shadows',
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
    this.#jobId = this.frontier.joinJob(job).id
    this.sites = openSiteStewards({
      frontier: this.frontier,
      calls: new Calls({ network, clock, random }),
      places,
      stewards: maps.stewards,
      shadows: maps.shadows,
      clock,
      random,
      log: { ...silentLog, error: (facts) => needs.fail((facts as { err: unknown }).err) },
    })
    void this.#crawl().catch((error) => needs.fail(error))
  }

  /** What a link exchange does with links that come for a site of ours. */
  async take(urls: readonly Url[]): Promise<void> {
    const site = urls[0]!.ringKey
    await this.sites.ready(site)
    await this.frontier.add(
      urls.map((url) => ({ url, kind: 'navigation', jobId: this.#jobId, depth: 1, via: '' })),
    )
    await this.sites.safe([site])
  }

  async #crawl(): Promise<void> {
    for (;;) {
      const answer = await this.frontier.lease()
      if (answer.kind === 'lease') void this.#visit(answer.lease).catch((error) => this.#needs.fail(error))
      else if (answer.kind === 'wait')
        await this.#clock.sleep(Math.min(idleMs, Math.max(1, answer.untilMs - this.frontier.nowMs())))
      else await this.#clock.sleep(idleMs)
    }
  }

  async #visit(lease: Lease): Promise<void> {
    const { web, random, name } = { ...this.#needs, name: this.name }
    const { url } = lease
    this.#needs.leased(url.href)
    // As DNS would take.
    await this.#clock.sleep(random.between(0, 100))
    if (!this.frontier.enter(lease, '192.0.2.1')) return this.frontier.giveBack(lease)
    const request = web.ask(name, url, this.#needs.nowMs())
    const responseMs = random.between(10, responseMsMax)
    // The request goes on while the process is stopped.
    this.#needs.later(responseMs, () => web.end(request, this.#needs.nowMs()))
    await this.#clock.sleep(responseMs)
    const result = { outcome: 'fetched', status: 200, responseMs, bytes: 100 } as const
    this.frontier.answered(lease, result)
    await this.#clock.sleep(random.between(0, 50))
    const links = web.linksOf(url)
    this.#needs.forward(links.filter(({ site }) => site !== url.site))
    const own = links.filter(({ site }) => site === url.site)
    this.frontier.visited(url, { atMs: this.frontier.nowMs(), outcome: 'new' })
    await this.frontier.complete(
      lease,
      result,
      own.map((link) => ({ url: link, kind: 'navigation' })),
    )
    try {
      await this.sites.safe([url.ringKey])
      this.#needs.done(url.href)
    } catch (error) {
      if (!(error instanceof PolyhistorError)) throw error
    }
  }
}
