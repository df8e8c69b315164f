// Link parting: of the links that were found, those of sites that are crawled here go into the frontier, all others to the peers
// that crawl theirs. Where there are no other peers, all are ours.
//
// Invariant: a page is completed only when it is sure that others get the links that are theirs. Which those are is looked at
// again when they have been sent: a site may have gone to another peer meanwhile.

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

/** More than this the frontier does not take at once: meanwhile a site might go. */
const linksAtOnce = 200

export class LinkParting {
  readonly #frontier: Frontier
  network: CrawlNetwork | undefined

  constructor(needs: { frontier: Frontier }) {
    this.#frontier = needs.frontier
  }

  /** As Frontier.complete. Of a page that is `isRepeated`, visited again and unchanged, others have had the links. */
  async complete(
    lease: Lease,
    result: FetchResult,
    links: readonly Link[],
    options: { isRepeated: boolean },
  ): Promise<Completed> {
    const { network } = this
    if (network === undefined) return this.#frontier.complete(lease, result, links)
    for (const link of links)
      if (this.#frontier.leadsOutside(lease, link)) await network.adopt(lease.jobId, link.url)
    const told = new Map<Link, AddOutcome>()
    const isHere = this.#whatIsHere(network, lease, links)
    for (;;) {
      const leaving = links.filter((link) => !told.has(link) && !isHere(link))
      if (leaving.length === 0) break
      if (options.isRepeated) for (const link of leaving) told.set(link, seen)
      else await this.#send(network, lease, leaving, told)
    }
    const own = links.filter((link) => !told.has(link))
    const { completion, outcomes } = await this.#frontier.complete(lease, result, own)
    for (const [index, link] of own.entries()) told.set(link, outcomes[index]!)
    return { completion, outcomes: links.map((link) => told.get(link)!) }
  }

  /** As Frontier.add. */
  async add(discoveries: readonly Discovery[]): Promise<void> {
    const { network } = this
    if (network !== undefined) {
      const leaving = discoveries.filter(({ url }) => !network.isHere(url.ringKey))
      await network.forward(leaving.filter((discovery) => this.#frontier.screen(discovery) === undefined))
      await this.#frontier.add(discoveries.filter((discovery) => !leaving.includes(discovery)))
    } else await this.#frontier.add(discoveries)
  }

  #whatIsHere(network: CrawlNetwork, lease: Lease, links: readonly Link[]): (link: Link) => boolean {
    const { site } = lease.url
    const isFew = links.length <= linksAtOnce
    return ({ url }) => url.site === site || (isFew && network.isHere(url.ringKey))
  }

  async #send(
    network: CrawlNetwork,
    lease: Lease,
    links: readonly Link[],
    told: Map<Link, AddOutcome>,
  ): Promise<void> {
    const wanted: Discovery[] = []
    for (const link of links) {
      const discovery = discoveryOf(lease, link)
      const refusal = this.#frontier.screen(discovery)
      told.set(link, refusal ?? forwarded)
      if (refusal === undefined) wanted.push(discovery)
    }
    await network.forward(wanted)
  }
}
