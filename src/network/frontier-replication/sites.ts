// Sites: which sites this peer crawls, and that what is known of them survives it.
//
//   await sites.ready(site)         it is ours to add to and to crawl, with all that was ever known of it
//   if (sites.may(site)) fetch      asked before every request
//   await sites.safe([site])        what was added is with its members
//
// Invariants, by sim/sites: a site is crawled by one peer at a time, and no host of it is asked sooner than it may be, whoever
// asked before. What was added and called safe is never lost while a majority of the site's members are not.
// Parts: tending.ts (taking over and letting go), takeover.ts, outlets.ts (what members are told), safety.ts, putting-away.ts,
// site-desk.ts (what others ask of us), shadow-check.ts (what we have of others' sites).

import { PolyhistorError } from '../../errors.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Log } from '../../platform/log.ts'
import type { PeerId } from '../../platform/network.ts'
import { PeriodicTask } from '../../platform/periodic-task.ts'
import type { Random } from '../../platform/random.ts'
import { Outlets } from './outlets.ts'
import { PuttingAway } from './putting-away.ts'
import { Safety, within } from './safety.ts'
import type { ShadowBook } from './shadow-book.ts'
import { ShadowCheck } from './shadow-check.ts'
import { SiteDesk } from './site-desk.ts'
import { SiteError } from './site-error.ts'
import type { SiteFrontier, SiteId, SitePlaces, SiteStewards } from './site-frontier.ts'
import { type SiteTerms, siteTermsDefault } from './site-terms.ts'
import type { Stage } from './stage.ts'
import { Takeover } from './takeover.ts'
import type { TendedSite } from './tended-site.ts'
import { TendedSites } from './tended-sites.ts'
import { Tending } from './tending.ts'
import type { HoldingAnswer } from './wire/questions.ts'

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
  /** Those of ours that are not with all who are to keep them, and those of others that nobody crawls yet. */
  readonly toCopy: number
  /** Of what members have to be told. */
  readonly waiting: number
  readonly bytesSent: number
}

const busyMs = 50
/** After a start the ring gets so long to find itself before anything is put away. */
const settleMs = 15_000
/** Sites looked at before everything else has its turn. */
const looksPerTurn = 200
/** All of them are looked at this often, whatever happens. */
const roundMs = 30_000
/** Who may have something of a site, besides its members. */
const hintsMax = 16
/** A goodbye takes no longer. */
const goodbyeMs = 3_000

export class Sites {
  readonly #needs: SitesNeeds
  readonly #terms: SiteTerms
  readonly #tended = new TendedSites()
  readonly #outlets: Outlets
  readonly #safety: Safety
  readonly #puttingAway: PuttingAway
  readonly #tending: Tending
  readonly #desk: SiteDesk
  readonly #check: ShadowCheck
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
    const tended = this.#tended
    const ask = (peer: PeerId, question: Uint8Array) =>
      needs.ask(peer, question, { deadlineMs: this.#terms.answerMs })
    const outlets = new Outlets(
      {
        ...needs,
        ask,
        acked: (site, peer, stage) => this.#acked(site, peer, stage),
        superseded: (site, epoch, peer) => this.#confirmSuperseded(site, epoch, peer),
        unknown: (site) => needs.stewards.tellAgain(site),
        silent: () => this.#safety.lookAtAll(),
        sent: (bytes) => {
          this.#bytesSent += bytes
        },
      },
      this.#terms,
    )
    this.#outlets = outlets
    const safety = new Safety({ ...needs, self, tended, outlets }, this.#terms)
    this.#safety = safety
    const puttingAway = new PuttingAway(needs)
    this.#puttingAway = puttingAway
    const takeover = new Takeover({
      ...needs,
      self,
      ask,
      isGone: (peer) => places.isGone(peer),
      superseded: (site, epoch, peer) => this.#confirmSuperseded(site, epoch, peer),
    })
    this.#check = new ShadowCheck(
      { ...needs, ask, isTended: (site) => tended.get(site) !== undefined },
      this.#terms,
    )
    this.#tending = new Tending({
      ...needs,
      tended,
      outlets,
      safety,
      takeover,
      puttingAway,
      letGo: () => this.#check.soon(),
    })
    this.#desk = new SiteDesk({
      ...needs,
      supersede: (site, epoch) => this.#tending.supersede(site, epoch),
      putAway: (site) => this.#tending.putAway(site),
      answerHolding: (peer, site, stage) => this.#answerHolding(peer, site, stage),
    })
  }

  start(): void {
    const { frontier, places } = this.#needs
    frontier.share(
      {
        isOpen: (site) => this.#tended.ofPrefix(site)?.isOpen ?? false,
        may: (site) => this.#may(this.#tended.ofPrefix(site)),
      },
      (changes) => {
        for (const one of changes) {
          this.#outlets.note(one)
          this.#safety.changed(one)
        }
      },
    )
    this.#stopListening = places.onChange(() => {
      this.#isRoundDue = true
      this.#check.soon()
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

  /** When nothing is crawled any more. Members get the last of our sites, and whoever comes next need not wait for our grants
   * to end. */
  async close(): Promise<void> {
    const { clock, stewards } = this.#needs
    this.#isClosed = true
    this.#stopListening?.()
    for (const task of this.#tasks) void task.close()
    this.#check.close()
    const ready = this.#tended.all.filter(({ phase }) => phase === 'ready')
    const late = () => new SiteError('site-not-safe', 'This peer is stopping')
    const ignored = (): void => {}
    await within(clock, goodbyeMs, this.#safety.until(ready), late).catch(ignored)
    await within(clock, goodbyeMs, this.#tending.close(), late).catch(ignored)
    const layDowns = Promise.all(ready.map(({ site }) => stewards.layDown(site))).then(ignored)
    await within(clock, goodbyeMs, layDowns, late).catch(ignored)
    this.#outlets.close()
  }

  /** True: the site is here, and nobody else asks it now. */
  may(site: SiteId): boolean {
    return this.#may(this.#tended.get(site))
  }

  /** Resolves when `may`; rejects with an error that passes when that takes long, or when the site is another's. */
  async ready(site: SiteId): Promise<void> {
    if (this.may(site)) return
    const { clock, places } = this.#needs
    const late = () => new SiteError('site-not-ready', `${site} is not ours to crawl yet`)
    if (this.#isClosed) throw late()
    if (!places.isOwner(site)) throw new SiteError('site-not-ours', `${site} is another peer's to crawl`)
    const untilMs = clock.monotonicMs() + this.#terms.patienceMs
    const tended = this.#tending.tend(site)
    if (tended.phase !== 'ready') await within(clock, this.#terms.patienceMs, tended.untilReady(), late)
    while (!this.may(site)) {
      if (clock.monotonicMs() > untilMs || tended.phase !== 'ready') throw late()
      await clock.sleep(busyMs)
    }
  }

  /** Resolves when all that was told to the frontier so far (of these sites) is with their members: with all that answer, and
   * with most of them. Rejects with an error that passes when that takes long, or when a site went to another peer meanwhile. */
  async safe(sites?: Iterable<SiteId>): Promise<void> {
    await this.#safety.until(sites ? [...sites].map((site) => this.#openSite(site)) : this.#tended.all)
  }

  #openSite(site: SiteId): TendedSite {
    const tended = this.#tended.get(site)
    if (!tended?.isOpen) throw new SiteError('site-not-safe', `${site} went to another peer`)
    return tended
  }

  /** Sites that are neither crawled here yet nor, as far as we know, elsewhere: what is queued for them is in no frontier. */
  get unsettled(): number {
    return this.#check.unsettled + this.#tended.all.filter(({ phase }) => phase !== 'ready').length
  }

  status(): SitesStatus {
    const phases = this.#tended.all.map(({ phase }) => phase)
    const ready = phases.filter((phase) => phase === 'ready').length
    const closing = phases.filter((phase) => phase === 'closing').length
    let shadows = 0
    for (const { head } of this.#needs.shadows.sites()) if (head.stage !== undefined) shadows++
    return {
      ready,
      coming: phases.length - ready - closing,
      closing,
      shadows,
      toCopy: this.#check.unsettled + this.#tended.all.filter((tended) => !this.#isCopied(tended)).length,
      waiting: this.#outlets.waiting,
      bytesSent: this.#bytesSent,
    }
  }

  /** All whom the ring names for it have it, and are told of its changes as they come. */
  #isCopied({ site, phase, members }: TendedSite): boolean {
    const { stewards, places } = this.#needs
    const has = (peer: PeerId): boolean =>
      peer === places.self || (this.#outlets.isInStep(peer, site) && this.#outlets.hasAnswered(peer, site))
    return phase === 'ready' && stewards.isSettled(site) && members.every(has)
  }

  /** Questions of other peers' sites. */
  answer(from: PeerId, bytes: Uint8Array): Promise<Uint8Array> {
    return this.#desk.answer(from, bytes)
  }

  /** Its stewards have told that something is new. */
  stewardshipChanged(site: SiteId): void {
    const tended = this.#tended.get(site)
    if (tended !== undefined) this.#tending.look(tended)
  }

  #may(tended: TendedSite | undefined): boolean {
    if (tended?.phase !== 'ready' || tended.isSuperseded) return false
    return this.#needs.stewards.may(tended.site, this.#terms.requestMs)
  }

  /** One peer says that somebody else is steward: it counts when others say so. */
  #confirmSuperseded(site: SiteId, epoch: number, peer: PeerId): void {
    void this.#needs.stewards.laterEpoch(site, epoch, peer).then((later) => {
      if (later !== undefined && !this.#isClosed) this.#tending.supersede(site, later)
    })
  }

  #acked(site: SiteId, peer: PeerId, stage: Stage): void {
    const tended = this.#safety.acked(site, peer, stage)
    if (tended !== undefined) this.#tending.advanced(tended)
  }

  #lookAtUnready(): void {
    for (const tended of this.#tended.all)
      if (tended.phase !== 'ready' || tended.isSuperseded) this.#tending.look(tended)
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
    const { frontier, shadows, places, clock } = this.#needs
    let count = 0
    const goesOn = async (): Promise<boolean> => {
      if (++count % looksPerTurn === 0) await clock.sleep(0)
      return !this.#isClosed
    }
    for (const tended of this.#tended.all) {
      if (tended.phase === 'ready') this.#tending.look(tended)
      if (!(await goesOn())) return
    }
    const isSettled = clock.monotonicMs() - this.#startedMs > settleMs
    for (const { site } of [...frontier.heads()]) {
      if (this.#tended.get(site) !== undefined) continue
      if (places.isOwner(site)) this.#tending.tend(site)
      else if (isSettled) await this.#puttingAway.putAway(site)
      else this.#isRoundDue = true
      if (!(await goesOn())) return
    }
    for (const { site, head } of [...shadows.sites()]) {
      if (head.stage !== undefined && places.isOwner(site)) this.#tending.tend(site)
      if (!(await goesOn())) return
    }
  }

  #answerHolding(peer: PeerId, site: SiteId, stage: Stage): HoldingAnswer {
    const { places } = this.#needs
    if (!places.isOwner(site) || this.#isClosed) return 'coming'
    const tended = this.#tending.tend(site)
    if (tended.phase !== 'ready') {
      if (tended.hints.size < hintsMax) tended.hints.add(peer)
      return 'coming'
    }
    const { members, tenure } = tended
    const isWanted = members.includes(peer) || tenure.established < tenure.epoch || stage.epoch === 0
    const hasAll = members.every(
      (member) => member === places.self || this.#outlets.hasAnswered(member, site),
    )
    return isWanted || !hasAll ? 'keep' : 'drop'
  }

  #every(periodMs: number, task: () => void | Promise<void>): PeriodicTask {
    const { random } = this.#needs
    return new PeriodicTask(this.#needs, periodMs, task, { firstMs: 0, jitter: { share: 0.2, random } })
  }
}
