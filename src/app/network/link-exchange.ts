// The link exchange of a peer: joins the exchange with crawl, frontier, jobs and sites.
//
// A link's way: found here on a page → of a site that is crawled elsewhere → forward: on disk in the outbox → its owner: is its job
// one that goes on, is its site ready → in the frontier there, and safe with those who would take the site over → acknowledged:
// only then is the page done.

import type { Crawl } from '../../crawl/crawl.ts'
import type { SentMention } from '../../crawl/crawl-network.ts'
import type { Discovery } from '../../crawl/frontier/discovery.ts'
import type { Frontier } from '../../crawl/frontier/frontier.ts'
import { PolyhistorError } from '../../errors.ts'
import type { RingKey } from '../../model/ring-key.ts'
import type { Url } from '../../model/url/url.ts'
import type { Acceptance } from '../../network/jobs/shared-jobs.ts'
import { Exchange, type ExchangeOptions, type ExchangeStatus } from '../../network/link-delivery/exchange.ts'
import { type ForwardedLink, mentionFacts } from '../../network/link-delivery/forwarded-link.ts'
import type { AcceptResult } from '../../network/link-delivery/link-sink.ts'
import type { Owners } from '../../network/link-delivery/owners.ts'
import type { CallService } from '../../platform/calls/call-services.ts'
import { type Clock, within } from '../../platform/clock.ts'
import type { Compressor } from '../../platform/compressor.ts'
import type { Log } from '../../platform/log.ts'
import type { PeerId } from '../../platform/network/network.ts'
import type { Random } from '../../platform/random.ts'
import type { KeyValue } from '../../platform/storage/key-value.ts'
import type { MentionSink } from './mention-sink.ts'

/** Which sites are crawled here. */
export interface LinkSites {
  /** Crawled by this peer, now. */
  canCrawl(site: RingKey): boolean
  /** Resolves when this peer crawls the URL's site; rejects with a PolyhistorError when that takes too long. */
  waitUntilReady(site: RingKey, url: Url): Promise<void>
  /** Resolves when all that was queued so far for these sites survives the loss of this peer; rejects with a PolyhistorError
   * when that takes too long. */
  waitUntilSafe(sites: readonly RingKey[]): Promise<void>
  /** Ours to crawl, whether or not the ring gives it to us. */
  leads?(site: RingKey): boolean
  /** Of a site that the ring gives to us: who crawls it instead. */
  placedAt?(site: RingKey): PeerId | undefined
}

/** The jobs of the network. */
interface LinkJobs {
  accept(jobId: string, from: PeerId): Promise<Acceptance>
  adopt(jobId: string, url: Url): Promise<void>
  noteActivity(jobId: string): void
}

interface LinkExchangeNeeds {
  /** The outbox: a map of its own, closed by whoever opened it. */
  readonly keyValue: KeyValue
  readonly clock: Clock
  readonly random: Random
  readonly compressor: Compressor
  readonly log: Log
  /** Of the service `crawl`. */
  readonly calls: CallService
  readonly owners: Owners
  readonly frontier: Frontier
  readonly crawl: Pick<Crawl, 'joinNetwork'>
  readonly sites: LinkSites
  /** Where mentions of our sites' pages are kept. */
  readonly mentions: MentionSink
  /** Something was queued. */
  wake(): void
}

/** How long a page waits until its links have arrived. Then it counts as done all the same: whoever they are for is away, and a
 * site that only waits for that could not go to another peer. */
const arriveMsMax = 60_000
/** A site that takes longer holds up those that came with it: its links are to come again. */
const readyMsMax = 2_000

export class LinkExchange {
  readonly #needs: LinkExchangeNeeds
  readonly #exchange: Exchange
  #jobs: LinkJobs | undefined

  constructor(needs: LinkExchangeNeeds, options: Partial<ExchangeOptions> = {}) {
    this.#needs = needs
    const owners: Owners = {
      ...needs.owners,
      isOwner: (key) => needs.owners.isOwner(key) || (needs.sites.leads?.(key) ?? false),
    }
    const take = (links: readonly ForwardedLink[], from: PeerId) => this.#takeOrRelay(links, from)
    this.#exchange = new Exchange({ ...needs, owners, take }, options)
  }

  /** From now on links go out and come in. */
  start(jobs: LinkJobs): void {
    const { calls, crawl, sites } = this.#needs
    this.#jobs = jobs
    calls.answer(this.#exchange.answer)
    crawl.joinNetwork({
      isHere: (site) => sites.canCrawl(site),
      waitUntilSafe: (asked) => sites.waitUntilSafe(asked),
      forward: async (discoveries, stop) => void (await this.forward(discoveries.map(asForwarded), stop)),
      mention: (mentions) => this.#exchange.offer(mentions.map(asMentioned)),
      adopt: (jobId, url) => jobs.adopt(jobId, url),
    })
    this.#exchange.start()
  }

  /** Resolves when they have arrived; or, with false, when that was waited for long enough: then it is sure that they will, as
   * long as this peer's disk lives. */
  async forward(links: readonly ForwardedLink[], stop: AbortSignal): Promise<boolean> {
    this.#note(links)
    await this.#exchange.offer(links)
    if (stop.aborted) return false
    const enough = new AbortController()
    const end = (): void => enough.abort()
    const timer = this.#needs.clock.after(arriveMsMax, end)
    stop.addEventListener('abort', end)
    const sites = links.map(({ url }) => url.ringKey)
    await this.#exchange.waitUntilDelivered(sites, enough.signal)
    stop.removeEventListener('abort', end)
    timer.cancel()
    return !enough.signal.aborted
  }

  waitingOf(jobId: string): number {
    return this.#exchange.waitingOf(jobId)
  }

  status(): ExchangeStatus {
    return this.#exchange.status()
  }

  /** Waits for a while until nothing waits to be sent: what is left is sent when this peer is back. True when nothing is. */
  async empty(msMax: number): Promise<boolean> {
    const { clock } = this.#needs
    const endMs = clock.monotonicMs() + msMax
    while (this.status().waiting.links > 0 && clock.monotonicMs() < endMs) await clock.sleep(50)
    return this.status().waiting.links === 0
  }

  close(): Promise<void> {
    return this.#exchange.close()
  }

  /** Sites of ours that another member crawls: whoever knows only the ring sends their links here. */
  async #takeOrRelay(sent: readonly ForwardedLink[], from: PeerId): Promise<AcceptResult> {
    const byPeer = Map.groupBy(sent, ({ url }) => this.#needs.sites.placedAt?.(url.ringKey))
    if (byPeer.size === 1 && byPeer.has(undefined)) return this.#take(sent, from)
    const results = await Promise.all(
      [...byPeer].map(async ([peer, links]) => {
        if (peer === undefined) return (await this.#take(links, from)).later
        // Both of us take the other for the one to send it to: one of us will have heard more soon.
        if (peer === from) return new Set(links.map(({ url }) => url.ringKey))
        this.#note(links)
        return this.#exchange.relay(peer, links)
      }),
    )
    return { later: new Set(results.flatMap((later) => [...later])) }
  }

  /** Links first: a site that they make this peer's is one that mentions can be kept with. */
  async #take(sent: readonly ForwardedLink[], from: PeerId): Promise<AcceptResult> {
    const mentions = sent.filter(({ kind }) => kind === 'mention')
    const links = mentions.length === 0 ? sent : sent.filter(({ kind }) => kind !== 'mention')
    const { later } = await this.#takeLinks(links, from)
    const notYet = await this.#needs.mentions.take(mentions.filter(({ url }) => !later.has(url.ringKey)))
    return { later: new Set([...later, ...notYet]) }
  }

  async #takeLinks(links: readonly ForwardedLink[], from: PeerId): Promise<{ later: Set<RingKey> }> {
    if (links.length === 0) return { later: new Set() }
    const acceptance = await this.#acceptance(links, from)
    const later = new Set<RingKey>()
    const bySite = new Map<RingKey, ForwardedLink[]>()
    for (const link of links) {
      const { ringKey } = link.url
      const accepted = acceptance.get(link.jobId)
      if (accepted === 'later') later.add(ringKey)
      if (accepted !== 'yes') continue
      const group = bySite.get(ringKey)
      if (group === undefined) bySite.set(ringKey, [link])
      else group.push(link)
    }
    await Promise.all(
      [...bySite].map(async ([site, group]) => {
        if (!(await this.#takeSite(site, group))) later.add(site)
      }),
    )
    this.#note(links)
    this.#needs.wake()
    return { later }
  }

  async #acceptance(links: readonly ForwardedLink[], from: PeerId): Promise<Map<string, Acceptance>> {
    const jobIds = [...new Set(links.map(({ jobId }) => jobId))]
    const accepted = await Promise.all(jobIds.map((jobId) => this.#jobs!.accept(jobId, from)))
    return new Map(jobIds.map((jobId, index) => [jobId, accepted[index]!]))
  }

  /** False when it cannot be done now. */
  async #takeSite(site: RingKey, links: readonly ForwardedLink[]): Promise<boolean> {
    const { frontier, sites } = this.#needs
    try {
      if (!(await this.#isReady(site, links[0]!.url))) return false
      await frontier.add(links.map(asDiscovery))
      await sites.waitUntilSafe([site])
      return true
    } catch (error) {
      // Those who would take the site over did not answer, or it was given to another peer meanwhile.
      if (!(error instanceof PolyhistorError)) throw error
      return false
    }
  }

  async #isReady(site: RingKey, url: Url): Promise<boolean> {
    const { sites, clock } = this.#needs
    if (sites.canCrawl(site)) return true
    await within(clock, readyMsMax, sites.waitUntilReady(site, url))
    return sites.canCrawl(site)
  }

  #note(links: readonly ForwardedLink[]): void {
    for (const jobId of new Set(links.map((link) => link.jobId))) this.#jobs?.noteActivity(jobId)
  }
}

/** Where it was found stays here (docs/decisions/0041). */
function asForwarded({ via: _, ...link }: Discovery): ForwardedLink {
  return link
}

function asDiscovery({ mention: _, kind, ...link }: ForwardedLink): Discovery {
  return { ...link, kind: kind as Discovery['kind'], via: '' }
}

function asMentioned({ url, ...mention }: SentMention): ForwardedLink {
  return { ...mentionFacts, url, mention }
}
