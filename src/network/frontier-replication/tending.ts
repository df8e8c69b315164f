// Tending: takes sites over, goes on with them when their members change, and lets them go.

import { PolyhistorError } from '../../errors.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Log } from '../../platform/log.ts'
import type { PeerId } from '../../platform/network.ts'
import { jittered, type Random } from '../../platform/random.ts'
import type { Outlets } from './outlets.ts'
import type { PuttingAway } from './putting-away.ts'
import type { Safety } from './safety.ts'
import type { ShadowBook } from './shadow-book.ts'
import { SiteError, SiteSuperseded } from './site-error.ts'
import type { HeldStewardship, SiteFrontier, SiteId, SitePlaces, SiteStewards } from './site-frontier.ts'
import type { Takeover } from './takeover.ts'
import type { TendedSite } from './tended-site.ts'
import type { TendedSites } from './tended-sites.ts'

interface Needs {
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly frontier: SiteFrontier
  readonly shadows: ShadowBook
  readonly stewards: SiteStewards
  readonly places: SitePlaces
  readonly tended: TendedSites
  readonly outlets: Outlets
  readonly safety: Safety
  readonly takeover: Takeover
  readonly puttingAway: PuttingAway
  /** A site went to another peer, which may not know of it. */
  letGo(): void
}

const busyMs = 50
const retryMs = 500
const failuresMax = 8
/** Sites that are taken over at once: each may hold a piece of one in memory. */
const takesMax = 64

export class Tending {
  readonly #needs: Needs
  readonly #underWay = new Set<Promise<void>>()
  #takes = 0
  /** Until fewer are taken over. */
  readonly #waiting = new Set<TendedSite>()
  #isClosed = false

  constructor(needs: Needs) {
    this.#needs = needs
  }

  /** We own it by the ring, and there is something to do. */
  tend(site: SiteId): TendedSite {
    const { tended, stewards } = this.#needs
    const known = tended.get(site)
    if (known !== undefined || this.#isClosed) return known ?? tended.add(site)
    stewards.seek(site)
    return tended.add(site)
  }

  /** Something has changed that decides what is done with it. */
  look(tended: TendedSite): void {
    if (this.#isClosed) return
    const held = this.#needs.stewards.held(tended.site)
    if (tended.phase === 'seeking') this.#lookWhileSeeking(tended, held)
    else if (tended.phase === 'taking') {
      if (tended.isSuperseded || held?.epoch !== tended.tenure.epoch)
        tended.failWaits(new SiteSuperseded(tended.site))
    } else if (tended.phase === 'ready') this.#lookWhileReady(tended, held)
  }

  #lookWhileSeeking(tended: TendedSite, held: HeldStewardship | undefined): void {
    const { stewards, places, clock, frontier } = this.#needs
    const { site } = tended
    if (!places.isOwner(site)) this.#run(tended, () => this.#letGo(tended))
    else if (tended.isSuperseded && frontier.head(site) !== undefined)
      this.#run(tended, () => this.#letGo(tended))
    else if (held !== undefined && clock.monotonicMs() >= tended.nextMs && stewards.may(site)) {
      if (this.#takes < takesMax) this.#run(tended, () => this.#take(tended, held))
      else this.#waiting.add(tended)
    }
  }

  #lookWhileReady(tended: TendedSite, held: HeldStewardship | undefined): void {
    const { places, safety } = this.#needs
    const { epoch } = tended.tenure
    // Between two epochs of ours somebody else may have had it.
    if (held !== undefined && held.epoch > epoch + 1) tended.supersededBy = held.epoch
    if (tended.isSuperseded || !places.isOwner(tended.site)) this.#run(tended, () => this.#letGo(tended))
    else if (held !== undefined && held.epoch > epoch) this.#moveOn(tended, held)
    safety.look(tended)
  }

  /** A peer is its steward, in this epoch. */
  supersede(site: SiteId, epoch: number): void {
    const tended = this.#needs.tended.get(site)
    if (tended === undefined || epoch <= tended.tenure.epoch) return
    tended.supersededBy = Math.max(tended.supersededBy, epoch)
    this.look(tended)
  }

  /** Somebody else wants to know what we have of it: resolves when nothing of it is in our frontier. */
  async putAway(site: SiteId): Promise<void> {
    const { frontier, clock, tended, puttingAway } = this.#needs
    const phase = () => tended.get(site)?.phase
    while (phase() === 'closing' || phase() === 'taking') {
      this.#mustBeOpen()
      await clock.sleep(busyMs)
    }
    if (phase() === 'ready') throw new SiteError('site-not-ready', `${site} is crawled here`)
    if (frontier.head(site) !== undefined) await puttingAway.putAway(site)
  }

  /** A member has more of it than before. */
  advanced(tended: TendedSite): void {
    const { establishing } = tended
    if (establishing !== undefined && tended.isWithMajority(establishing, this.#needs.places.self))
      this.#establish(tended)
  }

  /** Nothing is begun any more. Resolves when nothing is under way. */
  async close(): Promise<void> {
    const { tended } = this.#needs
    this.#isClosed = true
    for (const one of tended.all) one.fail(new SiteError('site-not-ready', 'This peer is stopping'))
    await Promise.all(this.#underWay)
  }

  /** Other failures than expected ones are bugs, or our own disk: whoever uses that hears of it, too. */
  #run({ site }: TendedSite, action: () => Promise<void>): void {
    const running = action()
      .catch((error: unknown) => {
        // What took too long to end has nothing to work on any more.
        if (this.#isClosed) return
        this.#needs.log.error({ err: error, site }, 'A site could not be taken over or let go')
      })
      .finally(() => this.#underWay.delete(running))
    this.#underWay.add(running)
  }

  async #take(tended: TendedSite, held: HeldStewardship): Promise<void> {
    tended.phase = 'taking'
    this.#takes++
    try {
      await this.#takeOver(tended, held)
    } catch (error) {
      if (!(error instanceof PolyhistorError)) throw error
      this.#takeLater(tended, error)
    } finally {
      this.#takes--
      this.#lookAtWaiting()
    }
  }

  #lookAtWaiting(): void {
    for (const tended of this.#waiting) {
      if (this.#takes >= takesMax) return
      this.#waiting.delete(tended)
      if (this.#needs.tended.get(tended.site) === tended) this.look(tended)
    }
  }

  async #takeOver(tended: TendedSite, held: HeldStewardship): Promise<void> {
    const { frontier, outlets, safety, takeover, puttingAway, log } = this.#needs
    const { site } = tended
    const { epoch, members } = held
    await puttingAway.settled(site)
    tended.tenure = { epoch, since: epoch, established: 0 }
    tended.members = members
    const stage = await takeover.take(site, held, tended.hints)
    this.#mustHold(tended)
    outlets.aim(site, this.#others(members), tended.tenure, stage)
    const first = { epoch, sequence: stage.sequence + 1 }
    frontier.open(site, first)
    await frontier.committed()
    outlets.rush(site)
    await safety.keep([{ tended, stage: first }])
    const isTold = tended.untilSafe(first)
    safety.look(tended)
    await isTold
    this.#mustHold(tended)
    tended.phase = 'ready'
    tended.failures = 0
    tended.hints.clear()
    this.#establish(tended)
    log.debug({ site, stage: first }, 'A site was taken over')
    tended.tellReady()
  }

  #takeLater(tended: TendedSite, error: PolyhistorError): void {
    const { frontier, outlets, safety, clock, random, stewards } = this.#needs
    const { site, tenure } = tended
    outlets.end(site)
    frontier.close(site)
    safety.forget(tended)
    if (error instanceof SiteSuperseded && stewards.held(site)?.epoch === tenure.epoch)
      stewards.claimAnew(site)
    tended.isLost = false
    tended.failures = Math.min(failuresMax, tended.failures + 1)
    tended.nextMs = clock.monotonicMs() + jittered(retryMs * tended.failures, 0.5, random)
    tended.phase = 'seeking'
  }

  /** We are steward still, with other members. */
  #moveOn(tended: TendedSite, { epoch, members }: HeldStewardship): void {
    const { frontier, outlets, safety, log } = this.#needs
    const { site } = tended
    const current = frontier.stageOf(site)
    if (current === undefined) {
      // Somebody made up a site whose id begins like this one's: what was here went with it. It is taken over anew.
      tended.supersededBy = epoch
      this.#run(tended, () => this.#letGo(tended))
      return
    }
    const next = { epoch, sequence: current.sequence + 1 }
    tended.tenure = { ...tended.tenure, epoch }
    tended.members = members
    tended.establishing = next
    outlets.aim(site, this.#others(members), tended.tenure, current)
    frontier.moveOn(site, next)
    log.debug({ site, epoch, members }, 'A site has other members')
    this.#run(tended, async () => {
      await safety.keep([{ tended, stage: next }])
      this.advanced(tended)
    })
  }

  #establish(tended: TendedSite): void {
    const { outlets, shadows } = this.#needs
    const { epoch } = tended.tenure
    tended.establishing = undefined
    tended.tenure = { ...tended.tenure, established: epoch }
    outlets.touch(tended.site, tended.tenure)
    this.#run(tended, () => shadows.establish(tended.site, epoch))
  }

  /** It is another's: what is under way ends, its members get the last of it, and it becomes a shadow. */
  async #letGo(tended: TendedSite): Promise<void> {
    const { frontier, stewards, places, clock, outlets, puttingAway, log } = this.#needs
    const { site } = tended
    const wasOpen = tended.phase === 'ready'
    tended.phase = 'closing'
    while (frontier.isBusy(site)) {
      this.#mustBeOpen()
      await clock.sleep(busyMs)
    }
    if (wasOpen && !tended.isSuperseded) await this.#tellLast(tended)
    tended.isSealed = true
    await frontier.committed()
    outlets.end(site)
    frontier.close(site)
    await puttingAway.putAway(site)
    this.#forget(tended)
    log.debug({ site, wasSafe: !tended.isLost }, 'A site was let go')
    if (!this.#isClosed && places.isOwner(site)) this.tend(site)
    else await stewards.layDown(site)
    this.#needs.letGo()
  }

  async #tellLast(tended: TendedSite): Promise<void> {
    try {
      await this.#needs.safety.until([tended])
    } catch (error) {
      // It is in our shadow, for whoever asks.
      if (!(error instanceof PolyhistorError)) throw error
    }
  }

  #forget(tended: TendedSite): void {
    this.#needs.tended.remove(tended)
    this.#needs.safety.forget(tended)
    tended.fail(new SiteError('site-not-ours', `${tended.site} went to another peer`))
  }

  #others(members: readonly PeerId[]): PeerId[] {
    return members.filter((peer) => peer !== this.#needs.places.self)
  }

  #mustHold(tended: TendedSite): void {
    this.#mustBeOpen()
    const held = this.#needs.stewards.held(tended.site)
    if (tended.isSuperseded || held?.epoch !== tended.tenure.epoch) throw new SiteSuperseded(tended.site)
  }

  #mustBeOpen(): void {
    if (this.#isClosed) throw new SiteError('site-not-ready', 'This peer is stopping')
  }
}
