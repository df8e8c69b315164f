// Even load: the owner of sites has other members crawl some of them while it, or whoever crawls them, has more to do than they have.
//
// An owner measures what its own sites give it to do, hears with every answer to `lead` what others have to do, and plans moves
// (load-plan.ts) every so often. Nothing is agreed on, and nobody else need know. Does not flap: a move has to pay clearly, a site that
// was moved rests, and a site that has nothing to do for long goes back to its owner, where it costs no questions.
// Who is much nearer to a site counts as having less to do (member-times.ts), and such a move rests for longer: moves between regions are
// rare.
// Invariants: what is given is bounded; of what a peer may get at most (load-plan.ts), what it was given counts as it was measured here,
// so that a peer that says it has nothing to do gets no more than its part, and loses what it is idle with.

import { LruCache } from '../../model/lru-cache.ts'
import type { RingKey } from '../../model/ring-key.ts'
import type { Clock } from '../../platform/clock.ts'
import type { PeerId } from '../../platform/network/network.ts'
import { PeriodicTask } from '../../platform/periodic-task.ts'
import type { Random } from '../../platform/random.ts'
import type { LeaderChoice } from './given-sites.ts'
import { type LoadedSite, type Move, type PeerLoad, planMoves } from './load-plan.ts'
import { type LoadTerms, loadTermsDefault } from './load-terms.ts'
import type { MemberTimes } from './member-times.ts'
import type { LoadReport, ToldTime } from './wire/questions.ts'

interface Needs {
  readonly self: PeerId
  readonly clock: Clock
  readonly random: Random
  /** What the sites that are crawled here give to do, in pages of ten minutes. */
  loads(): ReadonlyMap<RingKey, number>
  /** Who keeps the site's copies by the ring, ourselves first; undefined when it is not ours. */
  replicaSet(site: RingKey): readonly PeerId[] | undefined
  /** How much we give, in positions. When not given, as many as we have places, which then is what we say. */
  readonly share?: number | undefined
  /** How many places peers have on the ring, ourselves among them: what those give who do not say it. */
  capacities(): ReadonlyMap<PeerId, number>
  /** Who crawls a site of ours, or is about to, instead of us. */
  placedAt(site: RingKey): PeerId | undefined
  /** Somebody said who is to crawl the site, and is right. */
  isPlaced(site: RingKey): boolean
  /** How far members are from sites; not known where it is not given. */
  readonly times?: Pick<MemberTimes, 'of' | 'told' | 'heard'> | undefined
}

interface Given {
  readonly peer: PeerId
  readonly atMs: number
  /** The most that it was measured or said to give to do since. */
  loadMost: number
  /** As it was last said; as it was measured here until it is crawled there. */
  load: number
  isThere: boolean
  busyAtMs: number
}

const toldMax = 4_096

export class EvenLoad implements LeaderChoice {
  readonly #needs: Needs
  readonly #terms: LoadTerms
  readonly #given = new Map<RingKey, Given>()
  /** Until when sites are not to be moved; `isFirm`: nor to one that is much nearer. */
  readonly #resting = new Map<RingKey, { readonly untilMs: number; readonly isFirm: boolean }>()
  readonly #heard = new Map<
    PeerId,
    { readonly load: number; readonly share?: number | undefined; readonly atMs: number }
  >()
  readonly #listeners = new Set<() => void>()
  /** When others were told how far we are. */
  readonly #toldTimes = new LruCache<PeerId, number>({ max: toldMax })
  #own: { readonly loads: ReadonlyMap<RingKey, number>; readonly atMs: number } | undefined
  #task: PeriodicTask | undefined
  #moves = 0
  #farMoves = 0

  constructor(needs: Needs, terms: Partial<LoadTerms> = {}) {
    this.#needs = needs
    this.#terms = { ...loadTermsDefault, ...terms }
  }

  start(): void {
    const { random } = this.#needs
    this.#task = new PeriodicTask(this.#needs, this.#terms.planMs, () => this.#plan(), {
      jitter: { share: 0.2, random },
    })
  }

  close(): void {
    void this.#task?.close()
  }

  /** How many sites were moved since the start. */
  get moves(): number {
    return this.#moves
  }

  /** Of these: to one that is much nearer, or much farther. */
  get farMoves(): number {
    return this.#farMoves
  }

  sites(): Iterable<RingKey> {
    return this.#given.keys()
  }

  leaderOf(site: RingKey, members: readonly PeerId[]): PeerId | undefined {
    const peer = this.#given.get(site)?.peer
    return peer !== undefined && members.includes(peer) ? peer : undefined
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** What we have to do, for whoever asks us about these sites. */
  report(sites: readonly RingKey[]): LoadReport {
    const loads = this.#ownLoads()
    const rounded = (load: number): number => Math.min(this.#terms.loadMax, Math.round(load))
    const { share } = this.#needs
    const total = rounded(sum(loads.values()))
    return { total, sites: sites.map((site) => rounded(loads.get(site) ?? 0)), ...(share && { share }) }
  }

  /** What another peer says that it has to do, and each of the sites that we gave it. */
  heard(
    peer: PeerId,
    sites: readonly RingKey[],
    { total, sites: loads, share }: LoadReport,
    times: readonly ToldTime[] = [],
  ): void {
    const nowMs = this.#nowMs()
    this.#needs.times?.heard(peer, times)
    this.#heard.set(peer, { load: total, share, atMs: nowMs })
    for (const [index, site] of sites.entries()) {
      const given = this.#given.get(site)
      if (given?.peer !== peer) continue
      const load = loads[index]!
      if (load > 0) given.isThere = true
      if (given.isThere) given.load = load
      given.loadMost = Math.max(given.loadMost, load)
      if (load >= this.#terms.siteLoadMin) given.busyAtMs = nowMs
    }
  }

  timesFor(peer: PeerId): readonly ToldTime[] {
    const nowMs = this.#nowMs()
    const { times } = this.#needs
    if (times === undefined || nowMs < (this.#toldTimes.get(peer) ?? -Infinity) + this.#terms.timesMs)
      return []
    this.#toldTimes.set(peer, nowMs)
    return times.told()
  }

  /** Whose load we would need to know, and have not heard for a while. */
  unheard(): PeerId[] {
    const beforeMs = this.#nowMs() - this.#terms.planMs / 2
    return [...this.#others()].filter((peer) => (this.#heard.get(peer)?.atMs ?? -Infinity) < beforeMs)
  }

  /** With whom we share sites that give us something to do. */
  #others(): Set<PeerId> {
    const { replicaSet, self } = this.#needs
    const others = new Set<PeerId>()
    for (const [site, load] of this.#ownLoads())
      if (load >= this.#terms.siteLoadMin) for (const peer of replicaSet(site) ?? []) others.add(peer)
    others.delete(self)
    return others
  }

  #plan(): void {
    this.#forgetOld()
    const before = this.#given.size
    this.#takeBack()
    const moves = planMoves(this.#needs.self, this.#ownSites(), this.#peers(), this.#terms)
    for (const move of moves) this.#move(move)
    if (moves.length === 0 && this.#given.size === before) return
    for (const listener of [...this.#listeners]) listener()
  }

  #move({ site, to, load, isFar, isSure }: Move): void {
    const nowMs = this.#nowMs()
    this.#moves++
    if (isFar) this.#farMoves++
    this.#own = undefined
    // Where the way was only guessed, it is measured now: one that turns out to be far gives the site to the next.
    const isFirm = isFar && isSure
    this.#rest(site, isFirm ? this.#terms.farRestMs : this.#terms.restMs, isFirm)
    if (to === this.#needs.self) this.#given.delete(site)
    else
      this.#given.set(site, {
        ...{ peer: to, atMs: nowMs, busyAtMs: nowMs },
        ...{ load, loadMost: load, isThere: false },
      })
  }

  #rest(site: RingKey, ms: number, isFirm: boolean): void {
    this.#resting.set(site, { untilMs: this.#nowMs() + ms, isFirm })
  }

  /** What is not ours any more, or was said to be crawled elsewhere; what could not be given; and what is idle. */
  #takeBack(): void {
    const { replicaSet, placedAt, isPlaced } = this.#needs
    const { idleMs, failedMs, restMs } = this.#terms
    const nowMs = this.#nowMs()
    for (const [site, { peer, atMs, busyAtMs }] of this.#given) {
      const members = replicaSet(site)
      const isOurs = members?.includes(peer) === true && !isPlaced(site)
      const hasFailed = placedAt(site) !== peer && nowMs - atMs > failedMs
      if (isOurs && !hasFailed && nowMs - busyAtMs <= idleMs) continue
      this.#given.delete(site)
      this.#rest(site, restMs, true)
    }
  }

  /** Those of ours that have anything to do, wherever they are crawled. Those at rest count, and stay. */
  #ownSites(): LoadedSite[] {
    const { replicaSet, self, isPlaced, times } = this.#needs
    const hasRoom = this.#given.size + this.#terms.movesMax <= this.#terms.givenMax
    const sites: LoadedSite[] = []
    const add = (site: RingKey, at: PeerId, load: number, loadGiven?: number): void => {
      const members = replicaSet(site)
      if (members === undefined || isPlaced(site)) return
      const rest = this.#resting.get(site)
      const stays = rest?.isFirm === true || (at === self && !hasRoom)
      const isStill = stays || load < this.#terms.siteLoadMin
      const known = isStill ? undefined : times?.of(site, members)
      const given = { load, loadGiven, times: known, isResting: rest !== undefined }
      sites.push({ site, at, ...given, members: stays ? [at] : members })
    }
    for (const [site, load] of this.#ownLoads()) add(site, self, load)
    for (const [site, { peer, load, loadMost }] of this.#given) add(site, peer, load, loadMost)
    return sites
  }

  /** Of whom the load is known, with what we have given since it was said. */
  #peers(): Map<PeerId, PeerLoad> {
    const capacities = this.#needs.capacities()
    const peers = new Map<PeerId, PeerLoad>()
    const note = (peer: PeerId, load: number, share: number | undefined): void => {
      const places = capacities.get(peer)
      if (places !== undefined) peers.set(peer, { load, capacity: share || places })
    }
    note(this.#needs.self, sum(this.#ownLoads().values()), this.#needs.share)
    for (const [peer, { load, share }] of this.#heard) note(peer, load + this.#comingTo(peer), share)
    return peers
  }

  /** What it was given, and does not count yet. */
  #comingTo(peer: PeerId): number {
    let load = 0
    for (const given of this.#given.values()) if (given.peer === peer && !given.isThere) load += given.load
    return load
  }

  #forgetOld(): void {
    const nowMs = this.#nowMs()
    for (const [peer, { atMs }] of this.#heard)
      if (nowMs - atMs > this.#terms.heardMsMax) this.#heard.delete(peer)
    for (const [site, { untilMs }] of this.#resting) if (untilMs <= nowMs) this.#resting.delete(site)
  }

  /** Measured once for all who ask within a moment. What was given is still here for a while, and counts no more. */
  #ownLoads(): ReadonlyMap<RingKey, number> {
    const nowMs = this.#nowMs()
    if (this.#own === undefined || nowMs - this.#own.atMs > this.#terms.measureMs) {
      const loads = new Map([...this.#needs.loads()].filter(([site]) => !this.#given.has(site)))
      this.#own = { loads, atMs: nowMs }
    }
    return this.#own.loads
  }

  #nowMs(): number {
    return this.#needs.clock.monotonicMs()
  }
}

function sum(loads: Iterable<number>): number {
  let total = 0
  for (const load of loads) total += load
  return total
}
