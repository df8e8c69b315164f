// Link routing: sends links of sites that are crawled here to our frontier, and all others to the peers that crawl theirs.
// Without a network all are ours.
//
// Invariant: a page is completed only when its links are on disk at the peers that crawl their sites. Otherwise, after a
// take-over of the page's site, the page would count as done and its links would be lost. Links of the page's own site are part
// of its completion.

import { PolyhistorError } from '../errors.ts'
import type { RingKey } from '../model/ring-key.ts'
import type { CrawlNetwork } from './crawl-network.ts'
import {
  type AddOutcome,
  type Discovery,
  discoveryOf,
  forwarded,
  type Link,
  seen,
} from './frontier/discovery.ts'
import type { FetchResult, FetchTask } from './frontier/fetch-task.ts'
import type { Completed, Frontier } from './frontier/frontier.ts'
import type { UntilOthers } from './visit/archive.ts'

interface RoutedLink {
  readonly discovery: Discovery
  outcome: AddOutcome
}

export class LinkRouting {
  readonly #frontier: Frontier
  network: CrawlNetwork | undefined
  /** Ends waiting for links that are being delivered. */
  stop: AbortSignal = new AbortController().signal

  constructor(needs: { frontier: Frontier }) {
    this.#frontier = needs.frontier
  }

  /** As Frontier.complete. Of a page that is `isRepeated`, visited again and unchanged, others have had the links. What other peers
   * do is waited for by way of `untilOthers`. */
  async complete(
    task: FetchTask,
    result: FetchResult,
    links: readonly Link[],
    { isRepeated, untilOthers }: { isRepeated: boolean; untilOthers: UntilOthers },
  ): Promise<Completed> {
    if (this.network === undefined) return this.#frontier.complete(task, result, links)
    const { site } = task.url
    const routed = new Map<Link, RoutedLink>()
    for (const link of links) {
      if (link.url.site === site) continue
      routed.set(link, { discovery: discoveryOf(task, link), outcome: seen })
    }
    await this.#adopt(this.network, task, links)
    if (!isRepeated && routed.size > 0) await untilOthers(this.#part(this.network, [...routed.values()]))
    const own = links.filter((link) => !routed.has(link))
    const { completion, outcomes } = await this.#frontier.complete(task, result, own)
    let next = 0
    return { completion, outcomes: links.map((link) => routed.get(link)?.outcome ?? outcomes[next++]!) }
  }

  /** As Frontier.add. */
  async add(discoveries: readonly Discovery[], untilOthers: UntilOthers): Promise<void> {
    if (this.network === undefined) await this.#frontier.add(discoveries)
    else {
      const all = discoveries.map((discovery) => ({ discovery, outcome: seen }))
      await untilOthers(this.#part(this.network, all))
    }
  }

  async #adopt(network: CrawlNetwork, task: FetchTask, links: readonly Link[]): Promise<void> {
    for (const link of links)
      if (this.#frontier.jobs.leadsOutside(task, link)) await network.adopt(task.jobId, link.url)
  }

  async #part(network: CrawlNetwork, all: readonly RoutedLink[]): Promise<void> {
    const here = all.filter(({ discovery }) => network.isHere(discovery.url.ringKey))
    const away = all.filter((routed) => !here.includes(routed))
    await Promise.all([this.#keep(network, here), this.#send(network, away)])
  }

  async #keep(network: CrawlNetwork, here: readonly RoutedLink[]): Promise<void> {
    if (here.length === 0) return
    try {
      const outcomes = await this.#frontier.add(here.map(({ discovery }) => discovery))
      for (const [index, routed] of here.entries()) routed.outcome = outcomes[index]!
      const queued = here.filter(({ outcome }) => outcome.kind === 'queued')
      if (queued.length > 0) await network.waitUntilSafe(sitesOf(queued))
    } catch (error) {
      // A site went to another peer meanwhile, or is about to.
      if (!(error instanceof PolyhistorError)) throw error
      await this.#send(network, here)
    }
  }

  async #send(network: CrawlNetwork, away: readonly RoutedLink[]): Promise<void> {
    const wanted: Discovery[] = []
    for (const routed of away) {
      const refusal = this.#frontier.screen(routed.discovery)
      routed.outcome = refusal ?? forwarded
      if (refusal === undefined) wanted.push(routed.discovery)
    }
    if (wanted.length > 0) await network.forward(wanted, this.stop)
  }
}

function sitesOf(routed: readonly RoutedLink[]): RingKey[] {
  return [...new Set(routed.map(({ discovery }) => discovery.url.ringKey))]
}
