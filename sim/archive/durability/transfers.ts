// Copies on their way: each peer sends one at a time and gets one at a time, at a limited rate, the most urgent first.
//
// A copy that is cut off is lost as far as it came, and its bytes count as traffic all the same.

import { RepairQueue } from '../../../src/network/replication/copies/repair-queue.ts'
import type { QueuedEvent } from '../../../src/platform/simulated/event-queue.ts'
import type { Arc } from './arc.ts'
import type { Member } from './member.ts'
import type { Timeline } from './timeline.ts'

export interface Transfer {
  arc: Arc
  from: Member
  to: Member
  beganAtMs: number
  end: QueuedEvent | undefined
}

export class Transfers {
  readonly #timeline: Timeline
  readonly #arcMs: number
  readonly #done: (transfer: Transfer) => void
  readonly #waiting = new Map<Member, RepairQueue<Transfer>>()
  readonly #under = new Map<Arc, Transfer[]>()
  /** In copies of whole arcs. */
  traffic = 0

  constructor(timeline: Timeline, arcMs: number, done: (transfer: Transfer) => void) {
    this.#timeline = timeline
    this.#arcMs = arcMs
    this.#done = done
  }

  /** Who is getting a copy of the arc right now. */
  comingTo(arc: Arc): Transfer[] {
    return this.#under.get(arc) ?? []
  }

  put(arc: Arc, from: Member, to: Member, reachable: number): void {
    let queue = this.#waiting.get(from)
    if (queue === undefined) this.#waiting.set(from, (queue = new RepairQueue()))
    queue.put({ arc, from, to, beganAtMs: 0, end: undefined }, reachable)
    this.#begin(from)
  }

  /** Takes back what was asked for an arc and has not begun. */
  withdraw(arc: Arc): void {
    for (const [from, queue] of this.#waiting) {
      queue.remove((transfer) => transfer.arc === arc)
      if (queue.size === 0) this.#waiting.delete(from)
    }
  }

  /** The member is away: what it sends or gets is cut off. Returns the arcs that go without for it. */
  cut(member: Member): Set<Arc> {
    const arcs = new Set<Arc>()
    for (const queue of this.#waiting.values()) {
      queue.remove((transfer) => {
        const isCut = transfer.from === member || transfer.to === member
        if (isCut) arcs.add(transfer.arc)
        return isCut
      })
    }
    for (const transfer of [member.sending, member.getting]) {
      if (transfer === undefined) continue
      this.#timeline.cancel(transfer.end!)
      this.#finish(transfer)
      arcs.add(transfer.arc)
    }
    this.#beginAll()
    return arcs
  }

  #begin(from: Member): void {
    if (from.sending !== undefined) return
    const transfer = this.#waiting.get(from)?.take(({ to }) => to.getting === undefined)
    if (transfer === undefined) return
    from.sending = transfer
    transfer.to.getting = transfer
    transfer.beganAtMs = this.#timeline.nowMs
    this.#under.set(transfer.arc, [...this.comingTo(transfer.arc), transfer])
    transfer.end = this.#timeline.in(this.#arcMs, () => {
      this.#finish(transfer)
      this.#done(transfer)
      this.#beginAll()
    })
  }

  #beginAll(): void {
    for (const from of this.#waiting.keys()) this.#begin(from)
  }

  #finish(transfer: Transfer): void {
    this.traffic += (this.#timeline.nowMs - transfer.beganAtMs) / this.#arcMs
    transfer.from.sending = undefined
    transfer.to.getting = undefined
    const rest = this.comingTo(transfer.arc).filter((other) => other !== transfer)
    if (rest.length > 0) this.#under.set(transfer.arc, rest)
    else this.#under.delete(transfer.arc)
  }
}
