// The peers of a run: they join, come and go, are cut off with their region, and end; who ends is replaced by a newcomer.

import { cameBack } from '../../../src/network/replication/copies/absence-history.ts'
import type { SimulatedRandom } from '../../../src/platform/simulated/random.ts'
import { announcementMs, type ChurnModel, drawLife, exponential, hourMs, yearMs } from './churn-model.ts'
import { Member } from './member.ts'
import { RingPlaces } from './ring-places.ts'
import type { Timeline } from './timeline.ts'

export interface PopulationListener {
  /** It is on the ring for the first time. */
  joined(member: Member): void
  vanished(member: Member): void
  /** It is back, after so long. */
  appeared(member: Member, absenceMs: number): void
  /** It said that it will go for good. */
  announced(member: Member): void
  /** It is gone for good, and nobody was told. */
  ended(member: Member): void
}

export class Population {
  readonly ring = new RingPlaces()
  readonly #members = new Map<string, Member>()
  readonly #model: ChurnModel
  readonly #random: SimulatedRandom
  readonly #timeline: Timeline
  readonly #listener: PopulationListener
  readonly #isRegionUp: boolean[]
  #born = 0
  ends = 0

  constructor(
    needs: { random: SimulatedRandom; timeline: Timeline; listener: PopulationListener },
    model: ChurnModel,
  ) {
    this.#model = model
    this.#random = needs.random
    this.#timeline = needs.timeline
    this.#listener = needs.listener
    this.#isRegionUp = Array.from({ length: model.regions }, () => true)
  }

  start(): void {
    for (let count = 0; count < this.#model.peers; count++) this.#join(false)
    if (this.#model.outagesPerYear === 0) return
    for (const region of this.#isRegionUp.keys()) this.#scheduleOutage(region)
  }

  /** By its name; one that has not ended. */
  member(name: string): Member {
    return this.#members.get(name)!
  }

  get members(): IterableIterator<Member> {
    return this.#members.values()
  }

  #join(isNew: boolean): void {
    const { nowMs } = this.#timeline
    const number = this.#born++
    const life = drawLife(this.#model, this.#random.fork(`life-${number}`), nowMs, isNew)
    const member = new Member(number, life)
    member.isRegionUp = this.#isRegionUp[life.region]!
    if (!member.isPresent) member.absentSinceMs = nowMs
    this.#members.set(member.name, member)
    this.ring.add(member)
    this.#scheduleTurn(member)
    const lastsMs = life.endsAtMs - nowMs
    if (life.isAnnounced)
      this.#timeline.in(Math.max(0, lastsMs - announcementMs), () => this.#announce(member))
    this.#timeline.in(lastsMs, () => this.#end(member))
    this.#listener.joined(member)
  }

  #scheduleTurn(member: Member): void {
    const lastsMs = member.isOnline ? member.life.sessionMs() : member.life.absenceMs()
    this.#timeline.in(lastsMs, () => {
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
    this.#listener.announced(member)
  }

  #end(member: Member): void {
    this.ends++
    this.#change(member, () => {
      member.isGone = true
    })
    this.ring.remove(member)
    this.#members.delete(member.name)
    this.#listener.ended(member)
    this.#join(true)
  }

  #scheduleOutage(region: number): void {
    const { outagesPerYear, outageHoursMean } = this.#model
    const meanMs = this.#isRegionUp[region] ? yearMs / outagesPerYear : outageHoursMean * hourMs
    const random = this.#random.fork(`region-${region}-${this.#timeline.nowMs}`)
    this.#timeline.in(exponential(random, meanMs), () => {
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
    member.absentSinceMs = this.#timeline.nowMs
    this.#listener.vanished(member)
  }

  #appear(member: Member): void {
    const absenceMs = this.#timeline.nowMs - member.absentSinceMs!
    member.history = cameBack(member.history, absenceMs)
    member.absentSinceMs = undefined
    this.#listener.appeared(member, absenceMs)
  }
}
