// Link parting: of the links that were found, those of sites that are crawled here go into the frontier, all others to the peers
// that crawl theirs. Where there are no other peers, all are ours.
//
// Invariant: a page is completed only when its links are safe with those who crawl their sites. Else whoever takes over the page's
// site would know that it is done, and nobody would know where it led. Links of the page's own site are part of its
// completion.

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
import type { Completed, Frontier } from './frontier/frontier.ts'
import type { FetchResult, Lease } from './frontier/lease.ts'
import type { UntilOthers } from './visit/archive.ts'

interface Told {
  readonly discovery: Discovery
  outcome: AddOutcome
}

export class LinkParting {
  readonly #frontier: Frontier
  network: CrawlNetwork | undefined
  /** Links that are on their way are not waited for any more. */
  stop: AbortSignal = new AbortController().signal

  constructor(needs: { frontier: Frontier }) {
    this.#frontier = needs.frontier
  }

  /** As Frontier.complete. Of a page that is `isRepeated`, visited again and unchanged, others have had the links. What other peers
   * do is waited for by way of `untilOthers`. */
  async complete(
    lease: Lease,
    result: FetchResult,
    links: readonly Link[],
    { isRepeated, untilOthers }: { isRepeated: boolean; untilOthers: UntilOthers },
  ): Promise<Completed> {
    if (this.network === undefined) return this.#frontier.complete(lease, result, links)
    const { site } = lease.url
    const told = new Map<Link, Told>()
    for (const link of links) {
      if (link.url.site === site) continue
      told.set(link, { discovery: discoveryOf(lease, link), outcome: seen })
    }
    await this.#adopt(this.network, lease, links)
    if (!isRepeated && told.size > 0) await untilOthers(this.#part(this.network, [...told.values()]))
    const own = links.filter((link) => !told.has(link))
    const { completion, outcomes } = await this.#frontier.complete(lease, result, own)
    let next = 0
    return { completion, outcomes: links.map((link) => told.get(link)?.outcome ?? outcomes[next++]!) }
  }

  /** As Frontier.add. */
  async add(discoveries: readonly Discovery[], untilOthers: UntilOthers): Promise<void> {
    if (this.network === undefined) await this.#frontier.add(discoveries)
    else {
      const all = discoveries.map((discovery) => ({ discovery, outcome: seen }))
      await untilOthers(this.#part(this.network, all))
    }
  }

  async #adopt(network: CrawlNetwork, lease: Lease, links: readonly Link[]): Promise<void> {
    for (const link of links)
      if (this.#frontier.leadsOutside(lease, link)) await network.adopt(lease.jobId, link.url)
  }

  async #part(network: CrawlNetwork, all: readonly Told[]): Promise<void> {
    const here = all.filter(({ discovery }) => network.isHere(discovery.url.ringKey))
    const away = all.filter((told) => !here.includes(told))
    await Promise.all([this.#keep(network, here), this.#send(network, away)])
  }

  async #keep(network: CrawlNetwork, here: readonly Told[]): Promise<void> {
    if (here.length === 0) return
    try {
      const outcomes = await this.#frontier.add(here.map(({ discovery }) => discovery))
      for (const [index, told] of here.entries()) told.outcome = outcomes[index]!
      const queued = here.filter(({ outcome }) => outcome.kind === 'queued')
      if (queued.length > 0) await network.safe(sitesOf(queued))
    } catch (error) {
      // A site went to another peer meanwhile, or is about to.
      if (!(error instanceof PolyhistorError)) throw error
      await this.#send(network, here)
    }
  }

  async #send(network: CrawlNetwork, away: readonly Told[]): Promise<void> {
    const wanted: Discovery[] = []
    for (const told of away) {
      const refusal = this.#frontier.screen(told.discovery)
      told.outcome = refusal ?? forwarded
      if (refusal === undefined) wanted.push(told.discovery)
    }
    if (wanted.length > 0) await network.forward(wanted, this.stop)
  }
}

function sitesOf(told: readonly Told[]): RingKey[] {
  return [...new Set(told.map(({ discovery }) => discovery.url.ringKey))]
}
