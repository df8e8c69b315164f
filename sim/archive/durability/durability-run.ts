// One run: the peers' lives, the arcs that they hold, and a rule that keeps them alive, event by event.
//
// The rule is asked about an arc when something happened that can change its plan: a holder's patience ended, one came
// back that was missed or waited for, a copy arrived or was cut off. A departure alone changes nothing for a patient rule:
// a test runs with `asksAlways`, and finds that it makes no other copies.

import { cameBack } from '../../../src/replica/copies/absence-history.ts'
import type { RangeCopies } from '../../../src/replica/copies/range-copies.ts'
import { EventQueue, type QueuedEvent } from '../../../src/world/simulated/event-queue.ts'
import { SimulatedRandom } from '../../../src/world/simulated/random.ts'
import { Trace } from '../../../src/world/simulated/trace.ts'
import { Arc } from './arc.ts'
import { type ChurnModel, dayMs, drawLife, exponential, hourMs, noticeMs, yearMs } from './churn-model.ts'
import type { CopyRule } from './copy-rules.ts'
import { CopyStatistics } from './copy-statistics.ts'
import { Member } from './member.ts'
import { RingPlaces } from './ring-places.ts'
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
  /** Repair traffic, in copies of the whole archive. */
  traffic: number
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

export class DurabilityRun {
  readonly #options: RunOptions
  readonly #rule: CopyRule
  readonly #random: SimulatedRandom
  readonly #events = new EventQueue()
  readonly #trace = new Trace(false)
  readonly #ring = new RingPlaces()
  readonly #members = new Map<string, Member>()
  readonly #patienceEnds = new Map<Member, QueuedEvent>()
  readonly #isRegionUp: boolean[]
  readonly #arcs: Arc[]
  readonly #waiting = new Set<Arc>()
  readonly #transfers: Transfers
  readonly #statistics = new CopyStatistics()
  readonly #endMs: number
  #nowMs = 0
  #born = 0
  #ends = 0
  #lost = 0
  #plans = 0
  #samples = { arcs: 0, members: 0, offline: 0 }

  constructor(options: RunOptions, rule: CopyRule) {
    const { seed, churn, storage } = options
    this.#options = options
    this.#rule = rule
    this.#random = new SimulatedRandom(seed)
    this.#endMs = churn.years * yearMs
    this.#isRegionUp = Array.from({ length: churn.regions }, () => true)
    this.#arcs = Array.from({ length: storage.arcs }, (_, index) => new Arc(index, index / storage.arcs))
    const arcMs = (storage.entries / storage.arcs) * (storage.bytesPerEntry / storage.bytesPerSecond) * 1_000
    this.#transfers = new Transfers(this.#events, arcMs, (transfer) => this.#arrived(transfer))
  }

  run(): RunResult {
    const { churn, copies } = this.#options
    for (let count = 0; count < churn.peers; count++) this.#join(false)
    for (const arc of this.#arcs) {
      for (const member of this.#ring.membersAfter(arc.place, copies)) this.#addCopy(arc, member)
    }
    if (churn.outagesPerYear > 0) {
      for (const region of this.#isRegionUp.keys()) this.#scheduleOutage(region)
    }
    this.#at(dayMs, () => this.#sample())
    for (let event = this.#events.take(); event && event.timeMs <= this.#endMs; event = this.#events.take()) {
      this.#nowMs = event.timeMs
      this.#trace.tick(event.timeMs, event.sequence)
      event.task!()
    }
    for (const arc of this.#arcs) this.#statistics.settle(arc, this.#endMs)
    return this.#result()
  }

  #result(): RunResult {
    const { copies, storage } = this.#options
    return {
      lostArcs: this.#lost,
      traffic: this.#transfers.traffic / storage.arcs,
      meanCopies: this.#statistics.meanCopies,
      lastCopyShare: this.#statistics.lastCopyShare,
      belowWanted: this.#statistics.readableBelow(copies),
      unreadable: this.#statistics.readableBelow(1),
      ownerHolds: this.#statistics.ownerHoldsShare,
      offlineShare: this.#samples.offline / this.#samples.members,
      ends: this.#ends,
      plans: this.#plans,
      trace: this.#trace.hash,
    }
  }

  #at(timeMs: number, task: () => void): QueuedEvent {
    return this.#events.add(timeMs, task)
  }

  // The peers' lives.

  #join(isNew: boolean): void {
    const number = this.#born++
    const life = drawLife(this.#options.churn, this.#random.fork(`life-${number}`), this.#nowMs, isNew)
    const member = new Member(number, life)
    member.isRegionUp = this.#isRegionUp[life.region]!
    if (!member.isPresent) member.absentSinceMs = this.#nowMs
    this.#members.set(member.name, member)
    this.#ring.add(member)
    this.#scheduleTurn(member)
    if (life.isAnnounced)
      this.#at(Math.max(this.#nowMs, life.endsAtMs - noticeMs), () => this.#announce(member))
    this.#at(life.endsAtMs, () => this.#end(member))
    this.#ringChanged(member)
  }

  #scheduleTurn(member: Member): void {
    const lastsMs = member.isOnline ? member.life.sessionMs() : member.life.absenceMs()
    this.#at(this.#nowMs + lastsMs, () => {
      if (member.isGone || member.isLeaving) return
      this.#change(member, () => {
        member.isOnline = !member.isOnline
      })
      this.#scheduleTurn(member)
    })
  }

  #announce(member: Member): void {
    this.#change(member, () => {
      member.isLeaving = true
      member.isOnline = true
    })
    for (const arc of member.holds) this.#review(arc)
  }

  #end(member: Member): void {
    this.#ends++
    this.#change(member, () => {
      member.isGone = true
    })
    this.#ring.remove(member)
    this.#members.delete(member.name)
    for (const arc of member.holds) this.#loseCopy(arc)
    if (this.#rule.patienceMs(member) === 0) for (const arc of member.holds) this.#review(arc)
    this.#join(true)
  }

  #scheduleOutage(region: number): void {
    const { outagesPerYear, outageHoursMean } = this.#options.churn
    const meanMs = this.#isRegionUp[region] ? yearMs / outagesPerYear : outageHoursMean * hourMs
    const random = this.#random.fork(`region-${region}-${this.#nowMs}`)
    this.#at(this.#nowMs + exponential(random, meanMs), () => {
      this.#isRegionUp[region] = !this.#isRegionUp[region]
      for (const member of [...this.#members.values()].filter(({ life }) => life.region === region)) {
        this.#change(member, () => {
          member.isRegionUp = this.#isRegionUp[region]!
        })
      }
      this.#scheduleOutage(region)
    })
  }

  #change(member: Member, change: () => void): void {
    const was = member.isPresent
    change()
    if (was && !member.isPresent) this.#vanish(member)
    if (!was && member.isPresent) this.#appear(member)
  }

  #vanish(member: Member): void {
    member.absentSinceMs = this.#nowMs
    const patienceMs = this.#rule.patienceMs(member)
    if (patienceMs > 0 && patienceMs < this.#endMs) {
      const end = this.#at(this.#nowMs + patienceMs, () => {
        member.isMissed = true
        for (const arc of member.holds) this.#review(arc)
      })
      this.#patienceEnds.set(member, end)
    }
    for (const arc of this.#transfers.cut(member, this.#nowMs)) this.#review(arc)
    this.#askAbout(member)
  }

  #appear(member: Member): void {
    const { isMissed } = member
    if (member.absentSinceMs !== undefined) {
      member.history = cameBack(member.history, this.#nowMs - member.absentSinceMs)
    }
    member.absentSinceMs = undefined
    member.isMissed = false
    const end = this.#patienceEnds.get(member)
    if (end) this.#events.cancel(end)
    this.#patienceEnds.delete(member)
    if (isMissed) this.#reviewReturned(member)
    this.#askAbout(member)
    this.#ringChanged(member)
  }

  // The arcs' copies.

  #addCopy(arc: Arc, member: Member): void {
    this.#statistics.settle(arc, this.#nowMs)
    arc.holders.push(member)
    member.holds.add(arc)
    arc.live++
  }

  #dropCopy(arc: Arc, member: Member): void {
    this.#statistics.settle(arc, this.#nowMs)
    arc.holders = arc.holders.filter((holder) => holder !== member)
    member.holds.delete(arc)
    arc.live--
  }

  #loseCopy(arc: Arc): void {
    this.#statistics.settle(arc, this.#nowMs)
    arc.live--
    if (arc.live === 0) this.#lost++
  }

  #arrived({ arc, to, from }: Transfer): void {
    this.#trace.note(this.#nowMs, from.name, to.name, arc.index)
    this.#addCopy(arc, to)
    this.#review(arc)
  }

  /** Somebody is on the ring that was not: some rules want copies there, and some arcs waited for anybody. */
  #ringChanged(member: Member): void {
    if (this.#rule.followsRing) {
      for (const { from, to } of this.#ring.reachOf(member, this.#options.copies))
        this.#reviewBetween(from, to)
    }
    for (const arc of [...this.#waiting]) this.#review(arc)
  }

  #reviewBetween(from: number, to: number): void {
    const { arcs } = this.#options.storage
    const first = Math.floor(from * arcs) + 1
    const last = Math.floor(to * arcs) + (to < from ? arcs : 0)
    for (let index = first; index <= last; index++) this.#review(this.#arcs[index % arcs]!)
  }

  /** It is back after all, with its disk: it says what it has, should that be forgotten. */
  #reviewReturned(member: Member): void {
    for (const arc of member.holds) {
      if (!arc.holders.includes(member)) arc.holders.push(member)
      this.#review(arc)
    }
  }

  /** Somebody came or went: some rules act on that at once. */
  #askAbout(member: Member): void {
    const { isHasty, followsRing } = this.#rule
    const { asksAlways, copies } = this.#options
    if (!isHasty && !asksAlways) return
    for (const arc of member.holds) {
      if (asksAlways || followsRing || arc.readable < copies) this.#review(arc)
    }
  }

  #review(arc: Arc): void {
    if (arc.live === 0 || arc.holders.length === 0) return
    this.#transfers.withdraw(arc)
    this.#plans++
    const plan = this.#rule.plan(this.#situation(arc), this.#nowMs)
    for (const peer of plan.drop) this.#dropCopy(arc, this.#members.get(peer)!)
    if (plan.forget.length > 0) arc.holders = arc.holders.filter(({ name }) => !plan.forget.includes(name))
    if (plan.lacking > 0) this.#waiting.add(arc)
    else this.#waiting.delete(arc)
    for (const { from, to } of plan.copy) {
      this.#transfers.put(arc, this.#members.get(from)!, this.#members.get(to)!, plan.reachable, this.#nowMs)
    }
  }

  #situation(arc: Arc): RangeCopies {
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

  #sample(): void {
    const samples = this.#samples
    for (const member of this.#members.values()) {
      samples.members++
      if (!member.isPresent) samples.offline++
    }
    for (let count = 0; count < sampledArcsPerDay; count++) {
      const arc = this.#arcs[(samples.arcs++ * 797) % this.#arcs.length]!
      const [owner] = this.#ring.membersAfter(arc.place, 1)
      this.#statistics.sample(arc.readable, owner?.holds.has(arc) ?? false)
    }
    this.#at(this.#nowMs + dayMs, () => this.#sample())
  }
}
