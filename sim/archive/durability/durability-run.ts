// One run: a population, the arcs that it holds, and a rule that keeps them alive, event by event.
//
// The rule is asked about an arc when something happened that can change its plan: a holder's patience ended, one came
// back that was missed or waited for, a copy arrived or was cut off. A departure alone changes nothing for a patient rule:
// a test runs with `asksAlways`, and finds that it makes no other copies.

import type { QueuedEvent } from '../../../src/platform/simulated/event-queue.ts'
import { SimulatedRandom } from '../../../src/platform/simulated/random.ts'
import { Arc } from './arc.ts'
import { type ChurnModel, dayMs, yearMs } from './churn-model.ts'
import { type CopyRule, forgetMs } from './copy-rules.ts'
import { CopyStatistics } from './copy-statistics.ts'
import type { Member } from './member.ts'
import { Population } from './population.ts'
import type { RangeCopies } from './range-copies.ts'
import { RingPlaces } from './ring-places.ts'
import { Timeline } from './timeline.ts'
import { type Transfer, Transfers } from './transfers.ts'

export interface StorageModel {
  entries: number
  bytesPerEntry: number
  /** Entries are grouped into so many arcs that share their fate. */
  arcs: number
  /** What a peer sends, and gets, for repair at most. */
  bytesPerSecond: number
}

export interface RunOptions {
  seed: string
  churn: ChurnModel
  storage: StorageModel
  copies: number
  asksAlways?: boolean
}

export interface RunResult {
  lostArcs: number
  /** What was sent, in copies of the whole archive. */
  traffic: number
  /** Of that, for whom the ring names, where there were copies enough. */
  trafficToPlace: number
  meanCopies: number
  lastCopyShare: number
  belowWanted: number
  unreadable: number
  /** How often the ring's owner of the moment has a copy itself. */
  ownerHolds: number
  offlineShare: number
  ends: number
  plans: number
  trace: string
}

const sampledArcsPerDay = 200
/** Prime, so that the samples go round all arcs. */
const sampleStride = 797

export class DurabilityRun {
  readonly #options: RunOptions
  readonly #rule: CopyRule
  readonly #timeline = new Timeline()
  readonly #population: Population
  /** Everybody who is there or waited for. */
  readonly #awaited = new RingPlaces(() => true)
  readonly #isAwaited = new Set<Member>()
  readonly #patienceEnds = new Map<Member, QueuedEvent>()
  readonly #arcs: Arc[]
  readonly #waiting = new Set<Arc>()
  readonly #transfers: Transfers
  readonly #statistics = new CopyStatistics()
  #lost = 0
  #placed = 0
  #plans = 0
  #sampled = 0

  constructor(options: RunOptions, rule: CopyRule) {
    const { seed, churn, storage } = options
    this.#options = options
    this.#rule = rule
    const listener = {
      joined: (member: Member) => this.#appearedOnRing(member),
      vanished: (member: Member) => this.#vanished(member),
      appeared: (member: Member, absenceMs: number) => this.#appeared(member, absenceMs),
      announced: (member: Member) => this.#givenUp(member),
      ended: (member: Member) => this.#ended(member),
    }
    const random = new SimulatedRandom(seed)
    this.#population = new Population({ random, timeline: this.#timeline, listener }, churn)
    this.#arcs = Array.from({ length: storage.arcs }, (_, index) => new Arc(index, index / storage.arcs))
    const arcMs = (storage.entries / storage.arcs) * (storage.bytesPerEntry / storage.bytesPerSecond) * 1_000
    this.#transfers = new Transfers(this.#timeline, arcMs, (transfer) => this.#arrived(transfer))
  }

  run(): RunResult {
    const { churn, copies } = this.#options
    this.#population.start()
    for (const arc of this.#arcs) {
      for (const member of this.#population.ring.membersAfter(arc.place, copies)) this.#addCopy(arc, member)
    }
    this.#timeline.in(dayMs, () => this.#sample())
    this.#timeline.runUntil(churn.years * yearMs)
    for (const arc of this.#arcs) this.#settle(arc)
    return this.#result()
  }

  #result(): RunResult {
    const { copies, storage } = this.#options
    return {
      lostArcs: this.#lost,
      traffic: this.#transfers.traffic / storage.arcs,
      trafficToPlace: this.#placed / storage.arcs,
      meanCopies: this.#statistics.meanCopies,
      lastCopyShare: this.#statistics.lastCopyShare,
      belowWanted: this.#statistics.readableBelow(copies),
      unreadable: this.#statistics.readableBelow(1),
      ownerHolds: this.#statistics.ownerHoldsShare,
      offlineShare: this.#statistics.offlineShare,
      ends: this.#population.ends,
      plans: this.#plans,
      trace: this.#timeline.hash,
    }
  }

  // What befalls the peers.

  #vanished(member: Member): void {
    const patienceMs = this.#rule.patienceMs(member)
    if (patienceMs > 0 && patienceMs < Number.POSITIVE_INFINITY) {
      const end = this.#timeline.in(patienceMs, () => {
        member.isMissed = true
        this.#givenUp(member)
      })
      this.#patienceEnds.set(member, end)
    }
    for (const arc of this.#transfers.cut(member)) this.#review(arc)
    this.#askAbout(member)
  }

  #appeared(member: Member, absenceMs: number): void {
    const patienceEnd = this.#patienceEnds.get(member)
    if (patienceEnd) this.#timeline.cancel(patienceEnd)
    this.#patienceEnds.delete(member)
    if (absenceMs >= forgetMs) this.#rememberCopies(member)
    if (member.isMissed) this.#reviewAll(member)
    member.isMissed = false
    this.#askAbout(member)
    this.#appearedOnRing(member)
  }

  #ended(member: Member): void {
    for (const arc of member.holds) {
      this.#settle(arc)
      arc.live--
      if (arc.live === 0) this.#lost++
    }
    if (this.#rule.patienceMs(member) === 0) this.#reviewAll(member)
  }

  /** It is not waited for any more. */
  #givenUp(member: Member): void {
    if (this.#isAwaited.delete(member)) this.#awaited.remove(member)
    if (this.#rule.isRingPatient) this.#reviewReachOf(member)
    this.#reviewAll(member)
  }

  /** Somebody is on the ring that was not: some rules want copies there, and some arcs waited for anybody. */
  #appearedOnRing(member: Member): void {
    if (!member.isLeaving && !this.#isAwaited.has(member)) {
      this.#isAwaited.add(member)
      this.#awaited.add(member)
    }
    if (this.#rule.followsRing) this.#reviewReachOf(member)
    for (const arc of [...this.#waiting]) this.#review(arc)
  }

  get #ring(): RingPlaces {
    return this.#rule.isRingPatient ? this.#awaited : this.#population.ring
  }

  // What is asked of the rule.

  /** Somebody came or went: some rules act on that at once. */
  #askAbout(member: Member): void {
    const { isHasty, followsRing } = this.#rule
    const { asksAlways, copies } = this.#options
    if (!isHasty && !asksAlways) return
    for (const arc of member.holds) {
      if (asksAlways || followsRing || arc.readable < copies) this.#review(arc)
    }
  }

  #reviewReachOf(member: Member): void {
    for (const reach of this.#ring.reachOf(member, this.#options.copies)) this.#reviewWithin(reach)
  }

  #reviewAll(member: Member): void {
    for (const arc of member.holds) this.#review(arc)
  }

  #reviewWithin({ from, to }: { from: number; to: number }): void {
    const { arcs } = this.#options.storage
    const first = Math.floor(from * arcs) + 1
    const last = Math.floor(to * arcs) + (to < from ? arcs : 0)
    for (let index = first; index <= last; index++) this.#review(this.#arcs[index % arcs]!)
  }

  #review(arc: Arc): void {
    if (arc.live === 0 || arc.holders.length === 0) return
    this.#transfers.withdraw(arc)
    this.#plans++
    const { copy, drop, forget, lacking, reachable } = this.#rule.plan(this.#known(arc), this.#timeline.nowMs)
    for (const peer of drop) this.#dropCopy(arc, this.#population.member(peer))
    if (forget.length > 0) arc.holders = arc.holders.filter(({ name }) => !forget.includes(name))
    if (lacking > 0) this.#waiting.add(arc)
    else this.#waiting.delete(arc)
    for (const { from, to } of copy) {
      this.#transfers.put(arc, this.#population.member(from), this.#population.member(to), reachable)
    }
  }

  #known(arc: Arc): RangeCopies {
    return {
      holders: arc.holders.map((member) => ({
        peer: member.name,
        network: member.network,
        absentSinceMs: member.absentSinceMs,
        patienceMs: this.#rule.patienceMs(member),
        isLeaving: member.isLeaving,
      })),
      coming: this.#transfers.comingTo(arc).map(({ to }) => to.name),
      ring: this.#ring.peersAfter(arc, 2 * this.#options.copies + 2),
    }
  }

  // What becomes of the copies.

  #arrived({ arc, to, from }: Transfer): void {
    this.#timeline.note(from.name, to.name, arc.index)
    if (this.#rule.plan(this.#known(arc), this.#timeline.nowMs).counted >= this.#options.copies)
      this.#placed++
    this.#addCopy(arc, to)
    this.#review(arc)
  }

  #addCopy(arc: Arc, member: Member): void {
    this.#settle(arc)
    arc.holders.push(member)
    member.holds.add(arc)
    arc.live++
  }

  #dropCopy(arc: Arc, member: Member): void {
    this.#settle(arc)
    arc.holders = arc.holders.filter((holder) => holder !== member)
    member.holds.delete(arc)
    arc.live--
  }

  /** It was forgotten, and says itself what it has. */
  #rememberCopies(member: Member): void {
    for (const arc of member.holds) if (!arc.holders.includes(member)) arc.holders.push(member)
  }

  #settle(arc: Arc): void {
    this.#statistics.settle(arc, this.#timeline.nowMs)
  }

  #sample(): void {
    for (const { isPresent } of this.#population.members) this.#statistics.sampleMember(isPresent)
    for (let count = 0; count < sampledArcsPerDay; count++) {
      const arc = this.#arcs[(this.#sampled++ * sampleStride) % this.#arcs.length]!
      const [owner] = this.#population.ring.membersAfter(arc.place, 1)
      this.#statistics.sampleArc(arc.readable, owner?.holds.has(arc) ?? false)
    }
    this.#timeline.in(dayMs, () => this.#sample())
  }
}
