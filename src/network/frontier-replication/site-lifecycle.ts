// Site lifecycle: takes sites over, follows changes of their members, and gives them up.

import assert from 'node:assert/strict'
import { PolyhistorError, unlessFails } from '../../errors.ts'
import type { PeerId } from '../../platform/network/network.ts'
import { jittered } from '../../platform/random.ts'
import type { LeasedSite } from './leased-site.ts'
import type { LeasedSites } from './leased-sites.ts'
import type { ReplicationAcks } from './replication-acks.ts'
import type { ReplicationStreams } from './replication-streams.ts'
import { SiteError, SiteSuperseded } from './site-error.ts'
import type { SiteEviction } from './site-eviction.ts'
import type { HeldLease, SiteId } from './site-frontier.ts'
import type { SitesNeeds } from './sites.ts'
import type { Takeover } from './takeover.ts'

interface Needs extends Omit<SitesNeeds, 'flush' | 'ask'> {
  readonly leased: LeasedSites
  readonly streams: ReplicationStreams
  readonly acks: ReplicationAcks
  readonly takeover: Takeover
  readonly siteEviction: SiteEviction
  /** A site went to another peer, which may not know of it. */
  letGo(): void
}

const busyMs = 50
const retryMs = 500
const failuresMax = 8
/** Take-overs at a time: each may hold a piece of a site in memory. */
const takesMax = 64

export class SiteLifecycle {
  readonly #needs: Needs
  readonly #underWay = new Set<Promise<void>>()
  #takes = 0
  /** Waiting for a free take-over slot. */
  readonly #waiting = new Set<LeasedSite>()
  #isClosed = false

  constructor(needs: Needs) {
    this.#needs = needs
  }

  /** We own it by the ring, and there is something to do. */
  openSite(site: SiteId): LeasedSite {
    const { leased, leases } = this.#needs
    const known = leased.get(site)
    if (known !== undefined || this.#isClosed) return known ?? leased.add(site)
    leases.acquire(site)
    return leased.add(site)
  }

  /** Moves the site to its next phase, if something that decides this has changed. */
  advance(leased: LeasedSite): void {
    if (this.#isClosed) return
    const held = this.#needs.leases.leaseOf(leased.site)
    if (leased.phase === 'seeking') this.#lookWhileSeeking(leased, held)
    else if (leased.phase === 'taking') {
      if (leased.isSuperseded || held?.epoch !== leased.tenure.epoch)
        leased.failWaits(new SiteSuperseded(leased.site))
    } else if (leased.phase === 'ready') this.#lookWhileReady(leased, held)
  }

  #lookWhileSeeking(leased: LeasedSite, held: HeldLease | undefined): void {
    const { leases, places, clock, frontier } = this.#needs
    const { site } = leased
    if (!places.leads(site)) this.#run(leased, () => this.#letGo(leased))
    else if (leased.isSuperseded && frontier.head(site) !== undefined)
      this.#run(leased, () => this.#letGo(leased))
    else if (held !== undefined && clock.monotonicMs() >= leased.nextMs && leases.canCrawl(site)) {
      if (this.#takes < takesMax) this.#run(leased, () => this.#take(leased, held))
      else this.#waiting.add(leased)
    }
  }

  #lookWhileReady(leased: LeasedSite, held: HeldLease | undefined): void {
    const { places, acks } = this.#needs
    const { epoch } = leased.tenure
    // Between two epochs of ours another peer may have crawled it.
    if (held !== undefined && held.epoch > epoch + 1) leased.supersededBy = held.epoch
    if (leased.isSuperseded || !places.leads(leased.site)) this.#run(leased, () => this.#letGo(leased))
    else if (held !== undefined && held.epoch > epoch) this.#moveOn(leased, held)
    acks.check(leased)
  }

  /** A peer holds its lease of this epoch. */
  supersede(site: SiteId, epoch: number): void {
    const leased = this.#needs.leased.get(site)
    if (leased === undefined || epoch <= leased.tenure.epoch) return
    leased.supersededBy = Math.max(leased.supersededBy, epoch)
    this.advance(leased)
  }

  /** Another peer takes it over: resolves when nothing of it is in our frontier any more. */
  async evict(site: SiteId): Promise<void> {
    const { frontier, clock, leased, siteEviction } = this.#needs
    const phase = () => leased.get(site)?.phase
    while (phase() === 'closing' || phase() === 'taking') {
      this.#mustBeOpen()
      await clock.sleep(busyMs)
    }
    if (phase() === 'ready') throw new SiteError('site-not-ready', `${site} is crawled here`)
    if (frontier.head(site) !== undefined) await siteEviction.evict(site)
  }

  /** A member has acknowledged more of it. */
  noteAck(leased: LeasedSite): void {
    const { establishing } = leased
    if (establishing !== undefined && leased.isWithMajority(establishing, this.#needs.places.self))
      this.#establish(leased)
  }

  /** Nothing is begun any more. Resolves when nothing is under way. */
  async close(): Promise<void> {
    const { leased } = this.#needs
    this.#isClosed = true
    for (const one of leased.all) one.fail(new SiteError('site-not-ready', 'This peer is stopping'))
    await Promise.all(this.#underWay)
  }

  /** Unexpected errors are bugs or disk failures; the frontier reports the latter, too. */
  #run({ site }: LeasedSite, action: () => Promise<void>): void {
    const running = action()
      .catch((error: unknown) => {
        // Requests that take too long lose their site.
        if (this.#isClosed) return
        this.#needs.log.error({ err: error, site }, 'A site could not be taken over or let go')
      })
      .finally(() => this.#underWay.delete(running))
    this.#underWay.add(running)
  }

  async #take(leased: LeasedSite, held: HeldLease): Promise<void> {
    leased.phase = 'taking'
    this.#takes++
    try {
      await this.#takeOver(leased, held)
    } catch (error) {
      if (!(error instanceof PolyhistorError)) throw error
      this.#takeLater(leased, error)
    } finally {
      this.#takes--
      this.#lookAtWaiting()
    }
  }

  #lookAtWaiting(): void {
    for (const leased of this.#waiting) {
      if (this.#takes >= takesMax) return
      this.#waiting.delete(leased)
      if (this.#needs.leased.get(leased.site) === leased) this.advance(leased)
    }
  }

  async #takeOver(leased: LeasedSite, held: HeldLease): Promise<void> {
    const { frontier, streams, acks, takeover, siteEviction, log } = this.#needs
    const { site } = leased
    const { epoch, members } = held
    await siteEviction.waitUntilSettled(site)
    leased.tenure = { epoch, since: epoch, established: 0 }
    leased.members = members
    const position = await takeover.take(site, held, leased.hints)
    this.#mustHold(leased)
    streams.setMembers(site, this.#others(members), leased.tenure, position)
    const first = { epoch, sequence: position.sequence + 1 }
    frontier.open(site, first)
    await frontier.committed()
    streams.flushNow(site)
    await acks.waitUntilKept([{ leased, position: first }])
    const isTold = leased.waitUntilSafe(first)
    acks.check(leased)
    await isTold
    this.#mustHold(leased)
    leased.phase = 'ready'
    leased.failures = 0
    leased.hints.clear()
    this.#establish(leased)
    log.debug({ site, position: first }, 'A site was taken over')
    leased.resolveReady()
  }

  #takeLater(leased: LeasedSite, error: PolyhistorError): void {
    const { frontier, streams, acks, clock, random, leases } = this.#needs
    const { site, tenure } = leased
    streams.end(site)
    frontier.close(site)
    acks.forget(leased)
    if (error instanceof SiteSuperseded && leases.leaseOf(site)?.epoch === tenure.epoch)
      leases.acquireAgain(site)
    leased.isLost = false
    leased.failures = Math.min(failuresMax, leased.failures + 1)
    leased.nextMs = clock.monotonicMs() + jittered(retryMs * leased.failures, 0.5, random)
    leased.phase = 'seeking'
  }

  /** We still hold the lease, with other members. */
  #moveOn(leased: LeasedSite, { epoch, members }: HeldLease): void {
    const { frontier, streams, acks, log } = this.#needs
    const { site } = leased
    // Also while a made-up site with the same id prefix comes and goes: its entries are its own.
    const current = frontier.positionOf(site)
    assert(current !== undefined, `${site} is ready, and not followed`)
    const next = { epoch, sequence: current.sequence + 1 }
    leased.tenure = { ...leased.tenure, epoch }
    leased.members = members
    leased.establishing = next
    streams.setMembers(site, this.#others(members), leased.tenure, current)
    frontier.moveOn(site, next)
    log.debug({ site, epoch, members }, 'A site has other members')
    this.#run(leased, async () => {
      await acks.waitUntilKept([{ leased, position: next }])
      this.noteAck(leased)
    })
  }

  #establish(leased: LeasedSite): void {
    const { streams, replicas } = this.#needs
    const { epoch } = leased.tenure
    leased.establishing = undefined
    leased.tenure = { ...leased.tenure, established: epoch }
    streams.touch(leased.site, leased.tenure)
    this.#run(leased, () => replicas.establish(leased.site, epoch))
  }

  /** Gives it up: finishes requests under way, ships the last changes to its members, and evicts it to the replica store. */
  async #letGo(leased: LeasedSite): Promise<void> {
    const { frontier, leases, places, clock, streams, siteEviction, log } = this.#needs
    const { site } = leased
    const wasOpen = leased.phase === 'ready'
    leased.phase = 'closing'
    while (frontier.isBusy(site)) {
      this.#mustBeOpen()
      await clock.sleep(busyMs)
    }
    if (wasOpen && !leased.isSuperseded) await this.#tellLast(leased)
    leased.isSealed = true
    await frontier.committed()
    streams.end(site)
    frontier.close(site)
    await siteEviction.evict(site)
    this.#forget(leased)
    log.debug({ site, wasSafe: !leased.isLost }, 'A site was let go')
    if (!this.#isClosed && places.leads(site)) this.openSite(site)
    else await leases.release(site)
    this.#needs.letGo()
  }

  async #tellLast(leased: LeasedSite): Promise<void> {
    // Where that fails our replica has it, for any peer that asks.
    await unlessFails(this.#needs.acks.waitUntilSafe([leased]))
  }

  #forget(leased: LeasedSite): void {
    this.#needs.leased.remove(leased)
    this.#needs.acks.forget(leased)
    leased.fail(new SiteError('site-not-ours', `${leased.site} went to another peer`))
  }

  #others(members: readonly PeerId[]): PeerId[] {
    return members.filter((peer) => peer !== this.#needs.places.self)
  }

  #mustHold(leased: LeasedSite): void {
    this.#mustBeOpen()
    const held = this.#needs.leases.leaseOf(leased.site)
    if (leased.isSuperseded || held?.epoch !== leased.tenure.epoch) throw new SiteSuperseded(leased.site)
  }

  #mustBeOpen(): void {
    if (this.#isClosed) throw new SiteError('site-not-ready', 'This peer is stopping')
  }
}
