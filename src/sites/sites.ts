// Sites: which sites this peer crawls, and that what is known of them survives it.
//
//   await sites.ready(site)         it is ours to add to and to crawl, with all that was ever known of it
//   if (sites.may(site)) fetch      asked before every request
//   await sites.safe([site])        what was added is with its members
//
// Invariants, by sim/sites: a site is crawled by one peer at a time, and no host of it is asked sooner than it may be, whoever
// asked before. What was added and called safe is never lost while a majority of the site's members are not.
// Parts: tended-site.ts (how far each is), takeover.ts, outlets.ts (what members are told), putting-away.ts, site-desk.ts
// (what others ask of us), shadow-check.ts (what we have of others' sites).

import { PolyhistorError } from '../errors.ts'
import type { Clock, Timer } from '../world/clock.ts'
import type { Log } from '../world/log.ts'
import type { PeerId } from '../world/network.ts'
import type { Random } from '../world/random.ts'
import { Outlets } from './outlets.ts'
import { PuttingAway } from './putting-away.ts'
import type { ShadowBook } from './shadow-book.ts'
import { ShadowCheck } from './shadow-check.ts'
import { SiteDesk } from './site-desk.ts'
import { SiteError } from './site-error.ts'
import type {
  HeldStewardship,
  SiteChanges,
  SiteFrontier,
  SiteId,
  SitePlaces,
  SiteStewards,
} from './site-frontier.ts'
import { type SiteTerms, siteTermsDefault } from './site-terms.ts'
import type { Stage } from './stage.ts'
import { Takeover } from './takeover.ts'
import { TendedSite } from './tended-site.ts'
import type { HoldingAnswer } from './wire/parcel.ts'

export interface SitesNeeds {
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly frontier: SiteFrontier
  readonly shadows: ShadowBook
  readonly stewards: SiteStewards
  readonly places: SitePlaces
  /** Everything that was told to the frontier so far is on disk when it resolves. Many share one. */
  flush(): Promise<void>
  /** Asks another peer's sites. Rejects with a PolyhistorError when it does not answer. */
  ask(peer: PeerId, question: Uint8Array, options: { deadlineMs: number }): Promise<Uint8Array>
}

export interface SitesStatus {
  readonly ready: number
  /** Not taken over yet. */
  readonly coming: number
  readonly closing: number
  /** Sites of other peers of which we keep what is known. */
  readonly shadows: number
  /** Of what members have to be told. */
  readonly waiting: number
  readonly bytesSent: number
}

const prefixDigits = 16
const busyMs = 50
const retryMs = 500
const failuresMax = 8
/** After a start the ring gets so long to find itself before anything is put away. */
const settleMs = 15_000
/** Sites looked at before everything else has its turn. */
const looksPerTurn = 200
/** All of them are looked at this often, whatever happens. */
const roundMs = 30_000

export class Sites {
  readonly #needs: SitesNeeds
  readonly #terms: SiteTerms
  readonly #tended = new Map<SiteId, TendedSite>()
  /** The same by the first bytes of the ring key, as a frontier asks. */
  readonly #byPrefix = new Map<string, TendedSite>()
  /** With changes that are not safe yet, up to here. */
  readonly #unsafe = new Map<TendedSite, Stage>()
  readonly #outlets: Outlets
  readonly #takeover: Takeover
  readonly #puttingAway: PuttingAway
  readonly #desk: SiteDesk
  readonly #check: ShadowCheck
  readonly #startedMs: number
  #timers: Timer[] = []
  #stopListening: (() => void) | undefined
  #isRoundDue = true
  #bytesSent = 0
  #isClosed = false

  constructor(needs: SitesNeeds, terms: Partial<SiteTerms> = {}) {
    this.#needs = needs
    this.#terms = { ...siteTermsDefault, ...terms }
    this.#startedMs = needs.clock.monotonicMs()
    const { frontier, shadows, places } = needs
    const ask = (peer: PeerId, question: Uint8Array) =>
      needs.ask(peer, question, { deadlineMs: this.#terms.answerMs })
    this.#outlets = new Outlets(
      {
        ...needs,
        ask,
        acked: (site, peer, stage) => this.#acked(site, peer, stage),
        superseded: (site, epoch) => this.#supersede(site, epoch),
        silent: () => {
          for (const tended of this.#unsafe.keys()) this.#lookAtSafety(tended)
        },
        sent: (bytes) => {
          this.#bytesSent += bytes
        },
      },
      this.#terms,
    )
    this.#takeover = new Takeover({ ...needs, self: places.self, ask, isGone: (peer) => places.isGone(peer) })
    this.#puttingAway = new PuttingAway(needs)
    this.#desk = new SiteDesk({
      frontier,
      shadows,
      supersede: (site, epoch) => this.#supersede(site, epoch),
      putAway: (site) => this.#putAwayFor(site),
      answerHolding: (peer, site, stage) => this.#answerHolding(peer, site, stage),
    })
    this.#check = new ShadowCheck({ ...needs, ask, isTended: (site) => this.#tended.has(site) }, this.#terms)
  }

  start(): void {
    const { frontier, places } = this.#needs
    frontier.share(
      {
        isOpen: (site) => this.#isOpen(this.#ofPrefix(site)),
        may: (site) => this.#may(this.#ofPrefix(site)),
      },
      (changes) => this.#changed(changes),
    )
    this.#stopListening = places.onChange(() => {
      this.#isRoundDue = true
      this.#check.soon()
    })
    this.#every(this.#terms.lookMs, () => this.#lookAtAll())
    this.#every(roundMs, () => {
      this.#isRoundDue = true
    })
    this.#check.start()
  }

  close(): void {
    this.#isClosed = true
    this.#stopListening?.()
    for (const timer of this.#timers) timer.cancel()
    this.#check.close()
    this.#outlets.close()
    for (const tended of this.#tended.values())
      tended.fail(new SiteError('site-not-ready', 'This peer is stopping'))
  }

  /** True: the site is here, and nobody else asks it now. */
  may(site: SiteId): boolean {
    return this.#may(this.#tended.get(site))
  }

  /** Resolves when `may`; rejects with an error that passes when that takes long, or when the site is another's. */
  async ready(site: SiteId): Promise<void> {
    if (this.may(site)) return
    const { clock, places } = this.#needs
    if (!places.isOwner(site)) throw new SiteError('site-not-ours', `${site} is another peer's to crawl`)
    const untilMs = clock.monotonicMs() + this.#terms.patienceMs
    const tended = this.tend(site)
    await this.#within(
      tended.phase === 'ready' ? Promise.resolve() : tended.untilReady(),
      'site-not-ready',
      site,
    )
    while (!this.may(site)) {
      if (clock.monotonicMs() > untilMs || tended.phase !== 'ready')
        throw new SiteError('site-not-ready', `${site} is not ours to crawl yet`)
      await clock.sleep(busyMs)
    }
  }

  /** Resolves when all that was told to the frontier so far (of these sites) is with their members: with all that answer, and
   * with most of them. Rejects with an error that passes when that takes long, or when a site went to another peer meanwhile. */
  async safe(sites?: Iterable<SiteId>): Promise<void> {
    const { frontier, flush } = this.#needs
    // Now: a site that goes and comes back meanwhile has not been told of what was added before.
    const asked = sites ? [...sites].map((site) => this.#openSite(site)) : [...this.#tended.values()]
    await frontier.committed()
    const waitedFor = asked.flatMap((tended) => {
      if (tended.isLost) throw new SiteError('site-not-safe', `${tended.site} went to another peer`)
      const stage = this.#unsafe.get(tended)
      return stage === undefined ? [] : [{ tended, stage }]
    })
    if (waitedFor.length === 0) return
    this.#outlets.hurry()
    await flush()
    const waits = waitedFor.map(({ tended, stage }) => {
      tended.kept(stage)
      const wait = tended.untilSafe(stage)
      this.#lookAtSafety(tended)
      return this.#within(wait, 'site-not-safe', tended.site)
    })
    await Promise.all(waits)
  }

  /** Sites that are neither crawled here yet nor, as far as we know, elsewhere: what is queued for them is in no frontier. */
  get unsettled(): number {
    let count = this.#check.unsettled
    for (const { phase } of this.#tended.values()) if (phase !== 'ready') count++
    return count
  }

  status(): SitesStatus {
    const phases = [...this.#tended.values()].map(({ phase }) => phase)
    const ready = phases.filter((phase) => phase === 'ready').length
    const closing = phases.filter((phase) => phase === 'closing').length
    let shadows = 0
    for (const { head } of this.#needs.shadows.sites()) if (head.stage !== undefined) shadows++
    return {
      ready,
      coming: phases.length - ready - closing,
      closing,
      shadows,
      waiting: this.#outlets.waiting,
      bytesSent: this.#bytesSent,
    }
  }

  /** Questions of other peers' sites. */
  answer(from: PeerId, bytes: Uint8Array): Promise<Uint8Array> {
    return this.#desk.answer(from, bytes)
  }

  /** Its stewards have told that something is new. */
  stewardshipChanged(site: SiteId): void {
    const tended = this.#tended.get(site)
    if (tended !== undefined && !this.#isClosed) this.#look(tended)
  }

  /** We own it by the ring, and there is something to do. */
  tend(site: SiteId): TendedSite {
    let tended = this.#tended.get(site)
    if (tended === undefined) {
      tended = new TendedSite(site)
      this.#tended.set(site, tended)
      this.#byPrefix.set(site.slice(0, prefixDigits), tended)
      this.#needs.stewards.seek(site)
    }
    return tended
  }

  #ofPrefix(site: Buffer): TendedSite | undefined {
    return this.#byPrefix.get(site.toString('hex'))
  }

  #isOpen(tended: TendedSite | undefined): boolean {
    return (
      tended !== undefined && (tended.phase === 'ready' || tended.phase === 'closing') && !tended.isSealed
    )
  }

  #may(tended: TendedSite | undefined): boolean {
    if (tended?.phase !== 'ready' || tended.isSuperseded) return false
    return this.#needs.stewards.may(tended.site, this.#terms.requestMs)
  }

  #openSite(site: SiteId): TendedSite {
    const tended = this.#tended.get(site)
    if (tended === undefined || !this.#isOpen(tended))
      throw new SiteError('site-not-safe', `${site} went to another peer`)
    return tended
  }

  #forget(tended: TendedSite): void {
    this.#tended.delete(tended.site)
    this.#byPrefix.delete(tended.site.slice(0, prefixDigits))
    tended.isLost = this.#unsafe.delete(tended)
    tended.fail(new SiteError('site-not-ours', `${tended.site} went to another peer`))
  }

  async #lookAtAll(): Promise<void> {
    for (const tended of [...this.#tended.values()])
      if (tended.phase !== 'ready' || tended.isSuperseded) this.#look(tended)
    if (!this.#isRoundDue) return
    this.#isRoundDue = false
    await this.#round()
  }

  /** Looks at every site that we have anything of. */
  async #round(): Promise<void> {
    const { frontier, shadows, places, clock } = this.#needs
    const turn = async (count: number): Promise<void> => {
      if (count % looksPerTurn === 0) await clock.sleep(0)
    }
    let count = 0
    for (const tended of [...this.#tended.values()]) {
      if (tended.phase === 'ready') this.#look(tended)
      await turn(++count)
    }
    const isSettled = clock.monotonicMs() - this.#startedMs > settleMs
    for (const { site } of [...frontier.heads()]) {
      await turn(++count)
      if (this.#isClosed) return
      if (this.#tended.has(site)) continue
      if (places.isOwner(site)) this.tend(site)
      else if (isSettled) await this.#puttingAway.putAway(site)
      else this.#isRoundDue = true
    }
    for (const { site, head } of [...shadows.sites()]) {
      await turn(++count)
      if (this.#isClosed) return
      if (head.stage !== undefined && places.isOwner(site)) this.tend(site)
    }
  }

  #look(tended: TendedSite): void {
    const { stewards, places, clock, frontier } = this.#needs
    const { site } = tended
    const held = stewards.held(site)
    if (tended.phase === 'seeking') {
      if (!places.isOwner(site)) void this.#run(tended, () => this.#letGo(tended))
      else if (tended.isSuperseded && frontier.head(site) !== undefined)
        void this.#run(tended, () => this.#letGo(tended))
      else if (held !== undefined && clock.monotonicMs() >= tended.nextMs && stewards.may(site))
        void this.#run(tended, () => this.#take(tended, held))
    } else if (tended.phase === 'taking') {
      if (tended.isSuperseded || held?.epoch !== tended.tenure.epoch)
        tended.failWaits(new SiteError('site-not-ready', `${site} was taken over by another`))
    } else if (tended.phase === 'ready') {
      // Between two epochs of ours somebody else may have had it.
      if (held !== undefined && held.epoch > tended.tenure.epoch + 1) tended.supersededBy = held.epoch
      if (tended.isSuperseded || !places.isOwner(site)) void this.#run(tended, () => this.#letGo(tended))
      else if (held !== undefined && held.epoch > tended.tenure.epoch) this.#moveOn(tended, held)
      this.#lookAtSafety(tended)
    }
  }

  /** Other failures than expected ones are bugs, or our own disk: the crawl hears of that by itself. */
  async #run(tended: TendedSite, action: () => Promise<void>): Promise<void> {
    try {
      await action()
    } catch (error) {
      this.#needs.log.error({ err: error, site: tended.site }, 'A site could not be taken over or let go')
    }
  }

  async #take(tended: TendedSite, held: HeldStewardship): Promise<void> {
    const { frontier, places, clock, flush } = this.#needs
    const { site } = tended
    const { epoch } = held
    tended.phase = 'taking'
    await this.#puttingAway.settled(site)
    tended.tenure = { epoch, since: epoch, established: 0 }
    tended.members = held.members
    try {
      const stage = await this.#takeover.take(site, held, tended.hints)
      this.#mustHold(tended)
      const others = held.members.filter((peer) => peer !== places.self)
      this.#outlets.aim(site, others, tended.tenure, stage)
      const first = { epoch, sequence: stage.sequence + 1 }
      frontier.open(site, first)
      await frontier.committed()
      this.#outlets.hurry()
      await flush()
      tended.kept(first)
      const isTold = tended.untilSafe(first)
      this.#lookAtSafety(tended)
      await isTold
      this.#mustHold(tended)
      tended.phase = 'ready'
      tended.failures = 0
      tended.hints.clear()
      this.#establish(tended)
      this.#needs.log.debug({ site, stage: first }, 'A site was taken over')
      tended.tellReady()
    } catch (error) {
      if (!(error instanceof PolyhistorError)) throw error
      this.#outlets.end(site)
      frontier.close(site)
      this.#unsafe.delete(tended)
      tended.failures = Math.min(failuresMax, tended.failures + 1)
      tended.nextMs = clock.monotonicMs() + retryMs * tended.failures * (0.5 + this.#needs.random.fraction())
      tended.phase = 'seeking'
    }
  }

  #mustHold(tended: TendedSite): void {
    const held = this.#needs.stewards.held(tended.site)
    if (tended.isSuperseded || held?.epoch !== tended.tenure.epoch || this.#isClosed)
      throw new SiteError('site-not-ready', `${tended.site} was taken over by another`)
  }

  /** We are steward still, with other members, or of a later epoch. */
  #moveOn(tended: TendedSite, { epoch, members }: HeldStewardship): void {
    const { frontier, places, flush } = this.#needs
    const { site } = tended
    const current = frontier.stageOf(site)!
    tended.tenure = { ...tended.tenure, epoch }
    tended.members = members
    const others = members.filter((peer) => peer !== places.self)
    this.#outlets.aim(site, others, tended.tenure, current)
    frontier.moveOn(site, { epoch, sequence: current.sequence + 1 })
    this.#needs.log.debug({ site, epoch, members }, 'A site has other members')
    tended.establishing = { epoch, sequence: current.sequence + 1 }
    void this.#run(tended, async () => {
      const stage = tended.establishing
      await flush()
      if (stage !== undefined) tended.kept(stage)
      this.#lookAtSafety(tended)
    })
  }

  #establish(tended: TendedSite): void {
    const { epoch } = tended.tenure
    tended.establishing = undefined
    tended.tenure = { ...tended.tenure, established: epoch }
    this.#outlets.touch(tended.site, tended.tenure)
    void this.#run(tended, () => this.#needs.shadows.establish(tended.site, epoch))
  }

  /** It is another's: what is under way ends, its members get the last of it, and it becomes a shadow. */
  async #letGo(tended: TendedSite): Promise<void> {
    const { frontier, stewards, places, clock } = this.#needs
    const { site } = tended
    const wasOpen = tended.phase === 'ready'
    tended.phase = 'closing'
    while (frontier.isBusy(site)) await clock.sleep(busyMs)
    if (wasOpen && !tended.isSuperseded) await this.#tellLast(tended)
    tended.isSealed = true
    await frontier.committed()
    this.#outlets.end(site)
    frontier.close(site)
    await this.#puttingAway.putAway(site)
    this.#forget(tended)
    this.#needs.log.debug({ site, wasSafe: !tended.isLost }, 'A site was let go')
    if (!this.#isClosed && places.isOwner(site)) this.tend(site)
    else await stewards.layDown(site)
    this.#check.soon()
  }

  async #tellLast(tended: TendedSite): Promise<void> {
    try {
      await this.safe([tended.site])
    } catch (error) {
      // It is in our shadow, for whoever asks.
      if (!(error instanceof PolyhistorError)) throw error
    }
  }

  #supersede(site: SiteId, epoch: number): void {
    const tended = this.#tended.get(site)
    if (tended === undefined || epoch <= tended.tenure.epoch) return
    tended.supersededBy = Math.max(tended.supersededBy, epoch)
    this.#look(tended)
  }

  /** Somebody else wants to know what we have of it: resolves when nothing of it is in our frontier. */
  async #putAwayFor(site: SiteId): Promise<void> {
    const { frontier, clock } = this.#needs
    while (this.#tended.get(site)?.phase === 'closing' || this.#tended.get(site)?.phase === 'taking')
      await clock.sleep(busyMs)
    const tended = this.#tended.get(site)
    if (tended?.phase === 'ready') throw new SiteError('site-not-ready', `${site} is crawled here`)
    if (frontier.head(site) !== undefined) await this.#puttingAway.putAway(site)
  }

  #answerHolding(peer: PeerId, site: SiteId, stage: Stage): HoldingAnswer {
    const { places } = this.#needs
    if (!places.isOwner(site)) return 'coming'
    const tended = this.tend(site)
    if (tended.phase !== 'ready') {
      tended.hints.add(peer)
      return 'coming'
    }
    const { members, tenure } = tended
    const isWanted = members.includes(peer) || tenure.established < tenure.epoch || stage.epoch === 0
    const hasAll = members.every(
      (member) => member === places.self || this.#outlets.hasAnswered(member, site),
    )
    return isWanted || !hasAll ? 'keep' : 'drop'
  }

  #changed(changes: readonly SiteChanges[]): void {
    for (const one of changes) {
      this.#outlets.note(one)
      const tended = this.#tended.get(one.site)
      if (tended !== undefined) this.#unsafe.set(tended, one.stage)
    }
  }

  #acked(site: SiteId, peer: PeerId, stage: Stage): void {
    const tended = this.#tended.get(site)
    if (tended === undefined) return
    tended.acked(peer, stage)
    this.#lookAtSafety(tended)
  }

  #lookAtSafety(tended: TendedSite): void {
    const { self } = this.#needs.places
    const { establishing } = tended
    if (establishing !== undefined && tended.isWithMajority(establishing, self)) this.#establish(tended)
    // While it is taken over, most members are enough: the others may need copies.
    const isWaitedFor = (peer: PeerId) =>
      tended.phase !== 'taking' && this.#outlets.isInStep(peer, tended.site)
    const isSafe = (stage: Stage) => tended.isSafe(stage, self, isWaitedFor)
    tended.look(isSafe)
    const last = this.#unsafe.get(tended)
    if (last !== undefined && isSafe(last)) this.#unsafe.delete(tended)
  }

  async #within(wait: Promise<void>, code: 'site-not-ready' | 'site-not-safe', site: SiteId): Promise<void> {
    let timer: Timer | undefined
    const late = new Promise<never>((_, reject) => {
      timer = this.#needs.clock.after(this.#terms.patienceMs, () =>
        reject(new SiteError(code, `${site} takes too long`)),
      )
    })
    wait.catch(() => {})
    try {
      await Promise.race([wait, late])
    } finally {
      timer?.cancel()
    }
  }

  #every(periodMs: number, task: () => void | Promise<void>): void {
    const { clock, random } = this.#needs
    const again = async (): Promise<void> => {
      this.#timers = this.#timers.filter((other) => other !== timer)
      await task()
      if (this.#isClosed) return
      timer = clock.after(periodMs * (0.8 + 0.4 * random.fraction()), () => void again())
      this.#timers.push(timer)
    }
    let timer = clock.after(0, () => void again())
    this.#timers.push(timer)
  }
}
