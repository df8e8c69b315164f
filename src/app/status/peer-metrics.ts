// The figures of this peer for Prometheus. Those of others are theirs to tell.
//
// Every scrape asks the peer's own status, which is cheap; nothing is counted in between. The figures of the process
// (memory, event loop, garbage collection) begin with the first scrape: peers that nobody watches pay nothing for them.

import type { Registry } from 'prom-client'
import type { CrawlCounts } from '../../crawl/crawl-report.ts'
import type { PeerStatus } from '../../model/peer-status.ts'
import { delayBounds, EventLoopDelay } from './event-loop-delay.ts'

interface Needs {
  own(): Promise<PeerStatus>
  counts(): Readonly<CrawlCounts>
  readonly isOnNetwork: boolean
}

interface Figure {
  readonly name: string
  readonly help: string
  readonly kind: 'gauge' | 'counter'
  readonly read: (status: PeerStatus, counts: Readonly<CrawlCounts>) => number
}

const prefix = 'polyhistor_'

const figures: readonly Figure[] = [
  gauge('captures', 'Captures that are kept here', ({ captures }) => captures),
  gauge('disk_bytes', 'What the store takes on disk', ({ bytesOnDisk }) => bytesOnDisk),
  gauge('share_bytes', 'Disk that is given to the network', ({ share }) => share.shareBytes),
  gauge('share_used_bytes', 'Disk of that share that is taken', ({ share }) => share.usedBytes),
  gauge('share_full', '1 when no more captures are taken', ({ share }) => Number(share.state === 'full')),
  gauge('repair_queue', 'Entries that are to be copied, from here or to here', ({ copies }) => copies.queue),
  gauge('repair_bytes_per_second', 'How fast they are copied', ({ copies }) => copies.bytesPerSecond),
  counter('copied_in_bytes_total', 'Copies that came', ({ copies }) => copies.bytesIn),
  counter('copied_out_bytes_total', 'Copies that went out', ({ copies }) => copies.bytesOut),
  gauge('copies_wanted', 'How many there are to be of everything', ({ copies }) => copies.wanted),
  gauge('sites_crawled', 'Sites that this peer crawls', ({ sites }) => sites.crawled),
  gauge('sites_kept', 'Sites whose queues it keeps a replica of', ({ sites }) => sites.kept),
  gauge('sites_to_copy', 'Sites whose queue lacks replicas', ({ sites }) => sites.toCopy),
  counter('links_sent_total', 'Links told to the peers of their sites', ({ links }) => links.sent),
  counter('links_received_total', 'Links that others told', ({ links }) => links.received),
  gauge('links_waiting', 'Links in the outbox', ({ links }) => links.waiting),
  gauge('links_oldest_seconds', 'How long the oldest of them waits', ({ links }) => links.oldestMs / 1_000),
  counter('rot_found_total', 'Rotten things found, ever', ({ soundness }) => soundness.found),
  counter('rot_mended_total', 'Of these, mended', ({ soundness }) => soundness.mended),
  gauge('rot_left', 'Rotten still', ({ soundness }) => soundness.damaged),
  gauge('positions', 'Places on the ring', ({ machine }) => machine?.positions ?? 0),
  gauge('positions_share', 'Places that its share stands for', ({ machine }) => machine?.share ?? 0),
  counter(
    'positions_moved_total',
    'Places that it took and gave up so that all keep as much',
    ({ machine }) => machine?.placesMoved ?? 0,
  ),
  counter('crawl_fetched_total', 'URLs fetched since the start', (_, { fetched }) => fetched),
  counter('crawl_new_total', 'Of these, seen for the first time', (_, counts) => counts.new),
  counter('crawl_changed_total', 'Of these, changed', (_, { changed }) => changed),
  counter('crawl_same_total', 'Of these, as they were', (_, { same }) => same),
  counter('crawl_failed_total', 'URLs that could not be fetched', (_, { failed }) => failed),
  counter('crawl_refused_total', 'URLs not asked for, by rule', (_, { refused }) => refused),
  counter('crawl_bytes_total', 'Bytes fetched since the start', (_, { bytes }) => bytes),
]

export class PeerMetrics {
  readonly #needs: Needs
  #registry: { readonly told: Registry; set(status: PeerStatus): void } | undefined

  constructor(needs: Needs) {
    this.#needs = needs
  }

  async obstacles(): Promise<readonly string[]> {
    const { machine } = await this.#needs.own()
    if (this.#needs.isOnNetwork && machine?.positions === 0)
      return ['This peer has no place on the ring yet: it is joining its network, or was told to leave it.']
    return []
  }

  async metrics(): Promise<string> {
    this.#registry ??= await this.#newRegistry()
    this.#registry.set(await this.#needs.own())
    return await this.#registry.told.metrics()
  }

  async #newRegistry() {
    const { Counter, collectDefaultMetrics, Gauge, Registry } = await import('prom-client')
    const told = new Registry()
    collectDefaultMetrics({ register: told, prefix })
    const entries = new Gauge({
      name: `${prefix}entries`,
      help: 'Entries that this peer owns, by how many copies of them there are',
      labelNames: ['copies'],
      registers: [told],
    })
    const delay = new EventLoopDelay()
    const delays = new Counter({
      name: `${prefix}event_loop_delay_seconds_bucket`,
      help: 'How often the event loop was at most so late, of a hundred looks a second',
      labelNames: ['le'],
      registers: [told],
    })
    const metrics = figures.map(({ name, help, kind, read }) => {
      const Metric = kind === 'gauge' ? Gauge : Counter
      return { metric: new Metric({ name: `${prefix}${name}`, help, registers: [told] }), read }
    })
    return {
      told,
      set: (status: PeerStatus) => {
        entries.reset()
        for (const [copies, count] of status.copies.histogram.entries()) entries.set({ copies }, count)
        for (const [index, count] of delay.take().entries())
          delays.inc(
            { le: delayBounds[index] === Number.POSITIVE_INFINITY ? '+Inf' : delayBounds[index]! },
            count,
          )
        for (const { metric, read } of metrics) {
          metric.reset()
          metric.inc(read(status, this.#needs.counts()))
        }
      },
    }
  }
}

function gauge(name: string, help: string, read: Figure['read']): Figure {
  return { name, help, kind: 'gauge', read }
}

function counter(name: string, help: string, read: Figure['read']): Figure {
  return { name, help, kind: 'counter', read }
}
