// Sites: which sites this peer crawls, and the replication of their frontiers to other peers.
//
//   await sites.waitUntilReady(site)    we hold its lease, and have all its state: it can be added to and crawled
//   if (sites.canCrawl(site)) fetch      asked before every request
//   await sites.waitUntilSafe([site])    its members have what was added
//
// Invariants, checked by sim/sites: a site is crawled by one peer at a time, and the delay of a host is kept over changes of its
// peer. What was added and is safe is not lost while a majority of the site's members survives.
// Parts: site-lifecycle.ts (taking over and letting go), takeover.ts, replication-streams.ts (log shipping), replication-acks.ts,
// site-eviction.ts, site-handler.ts (requests of others), replica-check.ts (copies of others' sites).

import { PolyhistorError } from '../../errors.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Log } from '../../platform/log.ts'
import type { PeerId } from '../../platform/network/network.ts'
import { PeriodicTask } from '../../platform/periodic-task.ts'
import type { Random } from '../../platform/random.ts'
import type { LeasedSite } from './leased-site.ts'
import { LeasedSites } from './leased-sites.ts'
import type { LogPosition } from './log-position.ts'
import { ReplicaCheck } from './replica-check.ts'
import type { ReplicaStore } from './replica-store.ts'
import { ReplicationAcks, within } from './replication-acks.ts'
import { ReplicationStreams } from './replication-streams.ts'
import { SiteError } from './site-error.ts'
import { SiteEviction } from './site-eviction.ts'
import type { SiteFrontier, SiteId, SiteLeases, SitePlaces } from './site-frontier.ts'
import { SiteHandler } from './site-handler.ts'
import { SiteLifecycle } from './site-lifecycle.ts'
import { type SiteTerms, siteTermsDefault } from './site-terms.ts'
import { Takeover } from './takeover.ts'
import type { HoldingAnswer } from './wire/questions.ts'

export interface SitesNeeds {
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly frontier: SiteFrontier
  readonly replicas: ReplicaStore
  readonly leases: SiteLeases
  readonly places: SitePlaces
  /** Resolves when all changes of the frontier so far are on disk. Callers share flushes. */
  flush(): Promise<void>
  /** Sends a request to another peer's sites. Rejects with a PolyhistorError when it does not answer. */
  ask(peer: PeerId, question: Uint8Array, options: { deadlineMs: number }): Promise<Uint8Array>
}

export interface SitesStatus {
  readonly ready: number
  /** Not taken over yet. */
  readonly coming: number
  readonly closing: number
  /** Replicas of other peers' sites. */
  readonly replicas: number
  /** Our sites that are not yet replicated to all their members, and sites of others that nobody crawls yet. */
  readonly toCopy: number
  /** Bytes of changes that wait to be shipped. */
  readonly waiting: number
  readonly bytesSent: number
}

const busyMs = 50
/** After a start nothing is evicted for so long: the ring has to stabilise first. */
const settleMs = 15_000
/** Sites per turn of the event loop. */
const looksPerTurn = 200
/** All sites are checked this often, whatever happens. */
const roundMs = 30_000
/** Peers besides the members that may have a copy of a site. */
const hintsMax = 16
/** How long closing waits for the last shipments. */
const goodbyeMs = 3_000

export class Sites {
  readonly #needs: SitesNeeds
  readonly #terms: SiteTerms
  readonly #leased = new LeasedSites()
  readonly #streams: ReplicationStreams
  readonly #acks: ReplicationAcks
  readonly #siteEviction: SiteEviction
  readonly #siteLifecycle: SiteLifecycle
  readonly #handler: SiteHandler
  readonly #check: ReplicaCheck
  readonly #startedMs: number
  #tasks: readonly PeriodicTask[] = []
  #stopListening: (() => void) | undefined
  #isRoundDue = true
  #bytesSent = 0
  #isClosed = false

  constructor(needs: SitesNeeds, terms: Partial<SiteTerms> = {}) {
    this.#needs = needs
    this.#terms = { ...siteTermsDefault, ...terms }
    this.#startedMs = needs.clock.monotonicMs()
    const { places } = needs
    const { self } = places
    const leased = this.#leased
    const ask = (peer: PeerId, question: Uint8Array) =>
      needs.ask(peer, question, { deadlineMs: this.#terms.answerMs })
    const streams = new ReplicationStreams(
      {
        ...needs,
        ask,
        onAck: (site, peer, position) => this.#acked(site, peer, position),
        onSuperseded: (site, epoch, peer) => this.#confirmSuperseded(site, epoch, peer),
        onUnknownLease: (site) => needs.leases.announceAgain(site),
        onSilent: () => this.#acks.checkAll(),
        onSent: (bytes) => {
          this.#bytesSent += bytes
        },
      },
      this.#terms,
    )
    this.#streams = streams
    const acks = new ReplicationAcks({ ...needs, self, leased, streams }, this.#terms)
    this.#acks = acks
    const siteEviction = new SiteEviction(needs)
    this.#siteEviction = siteEviction
    const takeover = new Takeover({
      ...needs,
      self,
      ask,
      isGone: (peer) => places.isGone(peer),
      onSuperseded: (site, epoch, peer) => this.#confirmSuperseded(site, epoch, peer),
    })
    this.#check = new ReplicaCheck(
      { ...needs, ask, isLeased: (site) => leased.get(site) !== undefined },
      this.#terms,
    )
    this.#siteLifecycle = new SiteLifecycle({
      ...needs,
      leased,
      streams,
      acks,
      takeover,
      siteEviction,
      letGo: () => this.#check.runSoon(),
    })
    this.#handler = new SiteHandler({
      ...needs,
      supersede: (site, epoch) => this.#siteLifecycle.supersede(site, epoch),
      evict: (site) => this.#siteLifecycle.evict(site),
      answerHolding: (peer, site, position) => this.#answerHolding(peer, site, position),
    })
  }

  start(): void {
    const { frontier, places } = this.#needs
    frontier.share(
      {
        isOpen: (site) => this.#leased.get(site)?.isOpen ?? false,
        canCrawl: (site) => this.#canCrawl(this.#leased.get(site)),
      },
      (changes) => {
        for (const one of changes) {
          this.#streams.note(one)
          this.#acks.noteChanges(one)
        }
      },
    )
    this.#stopListening = places.onChange(() => {
      this.#isRoundDue = true
      this.#check.runSoon()
    })
    this.#tasks = [
      this.#every(this.#terms.lookMs, () => this.#lookAtUnready()),
      this.#every(this.#terms.lookMs, () => this.#roundIfDue()),
      this.#every(roundMs, () => {
        this.#isRoundDue = true
      }),
    ]
    this.#check.start()
  }

  /** Call when nothing is crawled any more. Ships the last changes to the members and releases the leases, so that the next
   * holders need not wait for them to expire. */
  async close(): Promise<void> {
    const { clock, leases } = this.#needs
    this.#isClosed = true
    this.#stopListening?.()
    for (const task of this.#tasks) void task.close()
    this.#check.close()
    const ready = this.#leased.all.filter(({ phase }) => phase === 'ready')
    const late = () => new SiteError('site-not-safe', 'This peer is stopping')
    const ignored = (): void => {}
    await within(clock, goodbyeMs, this.#acks.waitUntilSafe(ready), late).catch(ignored)
    await within(clock, goodbyeMs, this.#siteLifecycle.close(), late).catch(ignored)
    const layDowns = Promise.all(ready.map(({ site }) => leases.release(site))).then(ignored)
    await within(clock, goodbyeMs, layDowns, late).catch(ignored)
    this.#streams.close()
  }

  /** True: the site's state is here, and no other peer can crawl it now, nor for so much longer. */
  canCrawl(site: SiteId, forMs = 0): boolean {
    return this.#canCrawl(this.#leased.get(site), forMs)
  }

  /** Those that are crawled here. */
  *crawled(): Generator<SiteId> {
    for (const { site, phase, isSuperseded } of this.#leased.all)
      if (phase === 'ready' && !isSuperseded) yield site
  }

  /** It has become ours to crawl: takes it over, whether or not anything of it is here. */
  lead(site: SiteId): void {
    if (!this.#isClosed && this.#needs.places.leads(site)) this.#siteLifecycle.openSite(site)
  }

  /** Resolves when `canCrawl`. Rejects with a temporary error when that takes long, or when the site is another peer's. */
  async waitUntilReady(site: SiteId): Promise<void> {
    if (this.canCrawl(site)) return
    const { clock, places } = this.#needs
    const late = () => new SiteError('site-not-ready', `${site} is not ours to crawl yet`)
    if (this.#isClosed) throw late()
    if (!places.leads(site)) throw new SiteError('site-not-ours', `${site} is another peer's to crawl`)
    const untilMs = clock.monotonicMs() + this.#terms.patienceMs
    const leased = this.#siteLifecycle.openSite(site)
    if (leased.phase !== 'ready') await within(clock, this.#terms.patienceMs, leased.waitUntilReady(), late)
    while (!this.canCrawl(site)) {
      if (clock.monotonicMs() > untilMs || leased.phase !== 'ready') throw late()
      await clock.sleep(busyMs)
    }
  }

  /** Resolves when a majority of the members, and all that answer, have all changes so far (of these sites). Rejects with a
   * temporary error when that takes long, or when a site went to another peer meanwhile. */
  async waitUntilSafe(sites?: Iterable<SiteId>): Promise<void> {
    await this.#acks.waitUntilSafe(sites ? [...sites].map((site) => this.#openSite(site)) : this.#leased.all)
  }

  #openSite(site: SiteId): LeasedSite {
    const leased = this.#leased.get(site)
    if (!leased?.isOpen) throw new SiteError('site-not-safe', `${site} went to another peer`)
    return leased
  }

  /** Sites that are neither crawled here yet nor, as far as we know, elsewhere: what is queued for them is in no frontier. */
  get unsettled(): number {
    return this.#check.unsettled + this.#leased.all.filter(({ phase }) => phase !== 'ready').length
  }

  status(): SitesStatus {
    const phases = this.#leased.all.map(({ phase }) => phase)
    const ready = phases.filter((phase) => phase === 'ready').length
    const closing = phases.filter((phase) => phase === 'closing').length
    let replicas = 0
    for (const { head } of this.#needs.replicas.sites()) if (head.position !== undefined) replicas++
    return {
      ready,
      coming: phases.length - ready - closing,
      closing,
      replicas,
      toCopy: this.#check.unsettled + this.#leased.all.filter((leased) => !this.#isCopied(leased)).length,
      waiting: this.#streams.waiting,
      bytesSent: this.#bytesSent,
    }
  }

  /** All members that the ring names have it, and get its changes as they come. */
  #isCopied({ site, phase, members }: LeasedSite): boolean {
    const isReady = phase === 'ready' && this.#needs.leases.isSettled(site)
    return isReady && members.every((peer) => this.#hasCopy(peer, site))
  }

  #hasCopy(peer: PeerId, site: SiteId): boolean {
    const isInStep = () => this.#streams.isInSync(peer, site) && this.#streams.hasAnswered(peer, site)
    return peer === this.#needs.places.self || isInStep()
  }

  /** How many of its members have all of a site that is crawled here, this peer among them. */
  copiesOf(site: SiteId): number {
    const members = this.#leased.get(site)?.members ?? []
    return members.filter((peer) => this.#hasCopy(peer, site)).length
  }

  /** Answers requests of other peers. */
  answer(from: PeerId, bytes: Uint8Array): Promise<Uint8Array> {
    return this.#handler.answer(from, bytes)
  }

  /** Its lease was acquired, lost or changed. */
  onLeaseChange(site: SiteId): void {
    const leased = this.#leased.get(site)
    if (leased !== undefined) this.#siteLifecycle.advance(leased)
  }

  #canCrawl(leased: LeasedSite | undefined, forMs = 0): boolean {
    if (leased?.phase !== 'ready' || leased.isSuperseded) return false
    return this.#needs.leases.canCrawl(leased.site, Math.max(forMs, this.#terms.requestMs))
  }

  /** One peer reports another lease holder: that counts when others confirm it. */
  #confirmSuperseded(site: SiteId, epoch: number, peer: PeerId): void {
    void this.#needs.leases.findLaterEpoch(site, epoch, peer).then((later) => {
      if (later !== undefined && !this.#isClosed) this.#siteLifecycle.supersede(site, later)
    })
  }

  #acked(site: SiteId, peer: PeerId, position: LogPosition): void {
    const leased = this.#acks.noteAck(site, peer, position)
    if (leased !== undefined) this.#siteLifecycle.noteAck(leased)
  }

  #lookAtUnready(): void {
    for (const leased of this.#leased.all)
      if (leased.phase !== 'ready' || leased.isSuperseded) this.#siteLifecycle.advance(leased)
  }

  async #roundIfDue(): Promise<void> {
    if (!this.#isRoundDue) return
    this.#isRoundDue = false
    try {
      await this.#round()
    } catch (error) {
      if (!(error instanceof PolyhistorError)) throw error
      this.#isRoundDue = true
    }
  }

  /** Looks at every site that we have anything of. */
  async #round(): Promise<void> {
    const { frontier, replicas, places, clock } = this.#needs
    let count = 0
    const goesOn = async (): Promise<boolean> => {
      if (++count % looksPerTurn === 0) await clock.sleep(0)
      return !this.#isClosed
    }
    for (const leased of this.#leased.all) {
      if (leased.phase === 'ready') this.#siteLifecycle.advance(leased)
      if (!(await goesOn())) return
    }
    const isSettled = clock.monotonicMs() - this.#startedMs > settleMs
    for (const { site } of [...frontier.heads()]) {
      if (this.#leased.get(site) !== undefined) continue
      if (places.leads(site)) this.#siteLifecycle.openSite(site)
      else if (isSettled) await this.#siteEviction.evict(site)
      else this.#isRoundDue = true
      if (!(await goesOn())) return
    }
    for (const { site, head } of [...replicas.sites()]) {
      if (head.position !== undefined && places.leads(site)) this.#siteLifecycle.openSite(site)
      if (!(await goesOn())) return
    }
  }

  #answerHolding(peer: PeerId, site: SiteId, position: LogPosition): HoldingAnswer {
    const { places } = this.#needs
    const placedAt = places.placedAt(site)
    if (placedAt !== undefined && placedAt !== peer) return { peer: placedAt }
    if (!places.leads(site) || this.#isClosed) return 'coming'
    const leased = this.#siteLifecycle.openSite(site)
    if (leased.phase !== 'ready') {
      if (leased.hints.size < hintsMax) leased.hints.add(peer)
      return 'coming'
    }
    const { members, tenure } = leased
    if (position.epoch > tenure.epoch) {
      // It was another's while we were away, and what this peer has is newer than ours.
      this.#confirmSuperseded(site, position.epoch, peer)
      // Unless members renew our lease: then nobody else has a later one, and what this peer has is not genuine.
      return this.#canCrawl(leased) ? 'keep' : 'coming'
    }
    const isWanted = members.includes(peer) || tenure.established < tenure.epoch || position.epoch === 0
    const hasAll = members.every(
      (member) => member === places.self || this.#streams.hasAnswered(member, site),
    )
    return isWanted || !hasAll ? 'keep' : 'drop'
  }

  #every(periodMs: number, task: () => void | Promise<void>): PeriodicTask {
    const { random } = this.#needs
    return new PeriodicTask(this.#needs, periodMs, task, { firstMs: 0, jitter: { share: 0.2, random } })
  }
}
