// Runs one position: does what its machine wants done, and tells it what came of that.
//
// Invariant: every `ask` and `ping` of the machine comes to an end, so that it never waits for ever. Ticks come every
// `stabiliseMs`, a little earlier or later by chance, so that positions do not fall into step; sooner when hurried, but not
// more often than `hurriesPerRound` a round.

import { PolyhistorError } from '../../errors.ts'
import type { RingKey } from '../../model/ring-key.ts'
import type { Clock, Timer } from '../../platform/clock.ts'
import { jittered, type Random } from '../../platform/random.ts'
import { Fingers } from './lookup/fingers.ts'
import type { RingClient } from './lookup/ring-client.ts'
import type { RingEffect, RingEvent } from './protocol/machine-messages.ts'
import { type Hold, Ownership, type OwnershipClaim } from './protocol/ownership.ts'
import { isBetween } from './protocol/place.ts'
import { PositionMachine } from './protocol/position-machine.ts'
import type { Rules } from './protocol/rules.ts'
import type { Contact } from './ring.ts'
import type { RingOptions } from './ring-options.ts'
import { StateExchange } from './state-exchange.ts'
import type { TicketExchange } from './ticket-exchange.ts'

const hurriesPerRound = 20
const jitter = 0.1
/** Rounds without a word from the predecessor before we ask after it. */
const silentRounds = 2.5

/** What becomes of `enter-after`. */
export type EntryOutcome =
  | { kind: 'entered' }
  | Extract<RingEffect, { kind: 'misplaced' } | { kind: 'unanswered' }>

interface PositionNeeds {
  clock: Clock
  random: Random
  asking: RingClient
  tickets: TicketExchange
  /** Ours have changed. */
  changed(position: Position): void
  /** The successor is farther than the last one: others may stand between. */
  unsure(position: Position): void
  /** Contacts seen in answers. */
  learn(contacts: Iterable<Contact>): void
}

export class Position {
  readonly machine: PositionMachine
  readonly fingers: Fingers
  readonly exchange: StateExchange
  readonly #needs: PositionNeeds
  readonly #options: RingOptions
  readonly #ownership: Ownership
  #timer: Timer | undefined
  #isHurried = false
  #first: RingKey
  #heardPredecessorMs: number
  #entry: ((outcome: EntryOutcome) => void) | undefined
  #isOver = false

  constructor(needs: PositionNeeds, self: Contact, options: RingOptions, rules?: Rules) {
    this.#needs = needs
    this.#options = options
    this.machine = new PositionMachine(self, {
      successorsMax: options.successorsMax,
      ...(rules && { rules }),
    })
    this.fingers = new Fingers(self.place)
    this.exchange = new StateExchange(needs, this.machine)
    this.#ownership = new Ownership(self.place, options.ownershipMs, rules)
    this.#heardPredecessorMs = needs.clock.monotonicMs()
    this.#first = self.place
  }

  /** Ticks from now on. */
  start(): void {
    this.#schedule(this.#options.stabiliseMs * this.#needs.random.fraction())
  }

  end(): void {
    this.#isOver = true
    this.#timer?.cancel()
    this.#endEntry({ kind: 'unanswered', member: this.machine.self })
  }

  owns(key: RingKey): boolean {
    const { machine } = this
    if (machine.status !== 'member') return false
    return this.#ownership.owns(key, machine.predecessor.place, machine.isAlone, this.#nowMs())
  }

  create(): void {
    this.handle({ kind: 'create' })
  }

  /** Tries to join, or merge, right after this member. */
  enterAfter(member: Contact): Promise<EntryOutcome> {
    if (this.machine.isBusy) return Promise.resolve({ kind: 'unanswered', member })
    return new Promise((resolve) => {
      this.#entry = resolve
      this.handle({ kind: 'enter-after', member })
    })
  }

  /** It may precede us. Without a word it has not said that we are its successor. */
  notified(by: Contact, claim: OwnershipClaim | undefined): void {
    this.handle({ kind: 'notified', by })
    if (by.place !== this.machine.predecessor.place) return
    this.#heardPredecessorMs = this.#nowMs()
    if (claim !== undefined) this.#ownership.heard(by.place, claim, this.#nowMs())
  }

  /** It follows us closer than our successor, it says. */
  hinted(by: Contact): void {
    this.handle({ kind: 'hinted', by })
  }

  /** A neighbour's list has changed: ours may, too. */
  poked(by: Contact): void {
    if (this.machine.successors.entries[0]?.place === by.place) this.#hurry()
  }

  farewell(by: Contact, from: RingKey): void {
    if (by.place === this.machine.predecessor.place) this.#ownership.bequeathed(by.place, from)
    this.handle({ kind: 'farewell', by })
  }

  /** Tells the neighbours that we go. */
  leave(): void {
    const { self, predecessor } = this.machine
    this.exchange.leavesFrom(this.#ownership.from(predecessor.place, this.#nowMs()) ?? self.place)
    this.handle({ kind: 'leave' })
    this.end()
  }

  /** What to tell a predecessor with the state. */
  holdFor(): Hold | undefined {
    return this.#ownership.holdFor(this.machine.predecessor.place, this.#nowMs())
  }

  handle(event: RingEvent): void {
    for (const effect of this.machine.handle(event)) this.#carryOut(effect)
  }

  #carryOut(effect: RingEffect): void {
    const { exchange } = this
    if (effect.kind === 'ask') void this.#ask(effect)
    else if (effect.kind === 'ping') void this.#ping(effect)
    else if (effect.kind === 'hurry') this.#hurry()
    else if (effect.kind === 'changed') this.#changed()
    else if (effect.kind === 'preceded') this.#preceded(effect.before, effect.after)
    else if (effect.kind === 'joined') this.#endEntry({ kind: 'entered' })
    else if (effect.kind === 'misplaced' || effect.kind === 'unanswered') this.#endEntry(effect)
    else if (effect.kind === 'confirmed') this.#confirmed()
    else exchange.tell(effect.kind, effect.to)
  }

  async #ask({ serial, to, notify, isBrief }: RingEffect & { kind: 'ask' }): Promise<void> {
    try {
      const claim = notify ? this.#claim() : undefined
      const patience = isBrief ? { tries: 1 } : { doubted: () => this.#scout(to) }
      const state = await this.exchange.ask(to, claim, patience)
      if (this.#isOver) return
      if (this.exchange.lastAnswer!.isNews)
        this.#needs.learn([to, state.predecessor, ...state.successors.entries])
      this.handle({ kind: 'answered', serial, state })
      // An entry that neither joined nor failed was a merge.
      if (!notify) this.#endEntry({ kind: 'entered' })
    } catch (error) {
      if (!(error instanceof PolyhistorError)) throw error
      if (!this.#isOver) this.handle({ kind: 'failed', serial })
    }
  }

  /** When the successor may be dead, are the others? Asked all at once, so that a row of dead ones takes no longer than one. */
  #scout(doubted: Contact): void {
    const { successors, self } = this.machine
    const peers = new Map(successors.entries.map((contact) => [contact.peer, contact]))
    peers.delete(doubted.peer)
    peers.delete(self.peer)
    for (const contact of peers.values()) {
      if (!this.#needs.asking.neighbours.isSilent(contact.peer)) void this.exchange.isAlive(contact)
    }
  }

  async #ping({ serial, to }: RingEffect & { kind: 'ping' }): Promise<void> {
    const isAlive = await this.exchange.isAlive(to)
    if (!this.#isOver) this.handle({ kind: 'pinged', serial, isAlive })
  }

  #claim(): OwnershipClaim {
    return this.#ownership.claim(this.machine.predecessor.place, this.#nowMs())
  }

  #confirmed(): void {
    const { askedMs, hold, successor } = this.exchange.lastAnswer!
    const predecessor = this.machine.predecessor.place
    this.#ownership.confirmed({ askedMs, nowMs: this.#nowMs(), successor, predecessor, hold })
  }

  #preceded(before: Contact, after: Contact): void {
    this.#heardPredecessorMs = this.#nowMs()
    const { self, successors } = this.machine
    // Who merges with another ring has successors by now.
    const isFirst = before.place === self.place && successors.entries.length === 0
    this.#ownership.predecessorChanged(before.place, after.place, this.#nowMs(), isFirst)
  }

  #changed(): void {
    const { self, successors } = this.machine
    const first = successors.entries[0]?.place ?? self.place
    const isFarther = first !== this.#first && isBetween(self.place, this.#first, first)
    this.#first = first
    this.#needs.changed(this)
    if (isFarther) this.#needs.unsure(this)
  }

  #endEntry(outcome: EntryOutcome): void {
    this.#entry?.(outcome)
    this.#entry = undefined
  }

  #tick(): void {
    this.#isHurried = false
    const { stabiliseMs } = this.#options
    this.#schedule(jittered(stabiliseMs, jitter, this.#needs.random))
    this.handle({ kind: 'tick' })
    if (this.#nowMs() - this.#heardPredecessorMs > silentRounds * stabiliseMs) {
      this.#heardPredecessorMs = this.#nowMs()
      this.handle({ kind: 'silence' })
    }
  }

  #hurry(): void {
    if (this.#isHurried || this.#isOver) return
    this.#isHurried = true
    this.#schedule(this.#options.stabiliseMs / hurriesPerRound)
  }

  #schedule(delayMs: number): void {
    // One timer: joining may have hurried us before we were started.
    this.#timer?.cancel()
    this.#timer = this.#needs.clock.after(delayMs, () => {
      if (!this.#isOver) this.#tick()
    })
  }

  #nowMs(): number {
    return this.#needs.clock.monotonicMs()
  }
}
