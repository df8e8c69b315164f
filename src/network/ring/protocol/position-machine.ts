// One position's part in the ring's protocol: events in, effects out, no I/O, no clock.
//
// Invariants: the list is orderly (successor-list.ts); the predecessor is never missing, and is ourselves when we know of
// nobody else; the list changes by one operation at a time, which whoever runs us must bring to its end with `answered` or
// `failed`; a successor is taken in only after it answered us.
// The rules themselves are in rules.ts, what they are for in docs/decisions/0011-ring-protocol.md.

import type { Contact, PositionStatus } from '../ring.ts'
import type { RingEffect, RingEvent } from './machine-messages.ts'
import { isBetween } from './place.ts'
import { isLesserRing } from './ring-order.ts'
import { correctedRules, type PositionState, type Rules } from './rules.ts'
import { isSameList, nobodyElse, type SuccessorList } from './successor-list.ts'

/** What the one that was asked is wanted for. */
type Purpose = 'enter' | 'successor' | 'between' | 'hint'

interface Operation {
  purpose: Purpose
  serial: number
  asked: Contact
}

interface Rectifying {
  serial: number
  /** Who wants the predecessor's place; nobody, when we ask on our own account. */
  newcomer: Contact | undefined
}

export class PositionMachine {
  readonly self: Contact
  readonly #rules: Rules
  readonly #successorsMax: number
  #status: PositionStatus = 'joining'
  #successors: SuccessorList = nobodyElse
  #predecessor: Contact
  #isPredecessorDead = false
  #operation: Operation | undefined
  #isTickMissed = false
  #missedHint: Contact | undefined
  #rectifying: Rectifying | undefined
  #serial = 0
  #effects: RingEffect[] = []

  constructor(self: Contact, options: { successorsMax: number; rules?: Rules }) {
    this.self = self
    this.#rules = options.rules ?? correctedRules
    this.#successorsMax = options.successorsMax
    this.#predecessor = self
  }

  get status(): PositionStatus {
    return this.#status
  }

  get successors(): SuccessorList {
    return this.#successors
  }

  get predecessor(): Contact {
    return this.#predecessor
  }

  get state(): PositionState {
    return { predecessor: this.#predecessor, successors: this.#successors }
  }

  get isAlone(): boolean {
    return this.#successors.entries.length === 0 && this.#predecessor.place === this.self.place
  }

  /** An operation is under way. */
  get isBusy(): boolean {
    return this.#operation !== undefined
  }

  handle(event: RingEvent): RingEffect[] {
    this.#effects = []
    if (event.kind === 'create') this.#create()
    else if (event.kind === 'enter-after') this.#enterAfter(event.member)
    else if (event.kind === 'answered') this.#answered(event.serial, event.state)
    else if (event.kind === 'failed') this.#failed(event.serial)
    else if (this.#status === 'member') this.#handleAsMember(event)
    this.#catchUp()
    return this.#effects
  }

  /** What came while an operation was under way has its turn. */
  #catchUp(): void {
    if (this.#operation !== undefined || this.#status !== 'member') return
    const by = this.#missedHint
    this.#missedHint = undefined
    if (by !== undefined) this.#hinted(by)
    else if (this.#isTickMissed) this.#stabilise()
  }

  #handleAsMember(event: RingEvent): void {
    if (event.kind === 'tick') this.#stabilise()
    else if (event.kind === 'notified') this.#rectify(event.by)
    else if (event.kind === 'hinted') this.#hinted(event.by)
    else if (event.kind === 'pinged') this.#pinged(event.serial, event.isAlive)
    else if (event.kind === 'silence') this.#ping(undefined)
    else if (event.kind === 'farewell') this.#bidFarewell(event.by)
    else if (event.kind === 'leave') this.#leave()
  }

  #create(): void {
    if (this.#status !== 'joining') return
    this.#status = 'member'
    this.#effects.push({ kind: 'joined' }, { kind: 'changed' })
  }

  #enterAfter(member: Contact): void {
    if (this.#operation !== undefined || this.#status === 'left') return
    this.#ask('enter', member, false)
  }

  /** Asks the first successor, or, when there is none, who says that it precedes us: alone, it follows us too. */
  #stabilise(): void {
    this.#isTickMissed = this.#operation !== undefined
    if (this.#isTickMissed) return
    const first = this.#successors.entries[0]
    if (first !== undefined) this.#ask('successor', first, this.#rules.notifies())
    else if (this.#isPredecessorDead) this.#beAlone()
    else if (this.#predecessor.place !== this.self.place) this.#ask('between', this.#predecessor, true)
  }

  #answered(serial: number, state: PositionState): void {
    const operation = this.#operation
    if (operation?.serial !== serial) return
    this.#operation = undefined
    const { asked } = operation
    if (operation.purpose === 'enter') this.#entered(asked, state)
    else if (this.#status !== 'member') return
    else if (operation.purpose === 'successor') this.#successorAnswered(asked, state, serial)
    else if (operation.purpose === 'hint') this.#hintAnswered(asked, state, serial)
    else this.#betweenAnswered(asked, state, serial)
  }

  #entered(member: Contact, state: PositionState): void {
    if (!this.#rules.fitsAfter(this.self, member, state)) {
      this.#effects.push({ kind: 'misplaced', member, state })
      return
    }
    const list = this.#rules.joinedList(this.self, member, state, this.#successorsMax)
    if (this.#status === 'joining') {
      this.#status = 'member'
      this.#predecessor = member
      this.#setSuccessors(list)
      this.#effects.push({ kind: 'joined' }, { kind: 'hurry' })
    } else if (this.#status === 'member') this.#merge(member, state, list)
  }

  /** We stand between a member of what may be another ring and its successor. The lesser ring joins the greater: were it
   * the other way round, a large ring would fall apart to join a peer that has just started. */
  #merge(member: Contact, state: PositionState, list: SuccessorList): void {
    const isTheirs = isLesserRing(this.#successors, this.self, state.successors, member)
    const next = list.entries[0]!
    if (isTheirs && this.#isCloser(next)) {
      if (isBetween(this.#predecessor.place, member.place, this.self.place)) this.#setPredecessor(member)
      // Who has a successor keeps it until the closer one has answered: the member may not know yet that it is dead.
      if (this.#successors.entries.length > 0) this.#ask('between', next, this.#rules.notifies())
      else this.#setSuccessors(list)
      this.#effects.push({ kind: 'hurry' })
    }
    this.#effects.push({ kind: 'hint', to: member })
  }

  #hinted(by: Contact): void {
    if (this.#operation !== undefined) this.#missedHint = by
    else if (this.#isCloser(by)) this.#ask('hint', by, false)
  }

  /** It is taken in as one that the successor names, if its ring is the greater. */
  #hintAnswered(by: Contact, state: PositionState, serial: number): void {
    if (!this.#isCloser(by) || !isLesserRing(this.#successors, this.self, state.successors, by)) return
    this.#effects.push({ kind: 'hurry' })
    this.#betweenAnswered(by, state, serial)
  }

  /** Closer than our successor. */
  #isCloser(contact: Contact): boolean {
    const first = this.#successors.entries[0] ?? this.self
    return isBetween(this.self.place, contact.place, first.place)
  }

  #successorAnswered(first: Contact, state: PositionState, serial: number): void {
    // A farewell may have come in between.
    if (this.#successors.entries[0]?.place !== first.place) return
    this.#setSuccessors(this.#rules.followedList(this.self, first, state, this.#successorsMax))
    this.#lookBetween(first, state, serial)
  }

  #betweenAnswered(asked: Contact, state: PositionState, serial: number): void {
    const first = this.#successors.entries[0]
    if (first !== undefined && !this.#rules.comesBetween(this.self, asked, first)) return
    this.#setSuccessors(this.#rules.followedList(this.self, asked, state, this.#successorsMax))
    this.#lookBetween(asked, state, serial)
  }

  #lookBetween(first: Contact, { predecessor: named }: PositionState, serial: number): void {
    if (named.place === this.self.place) this.#effects.push({ kind: 'confirmed', serial })
    else if (this.#rules.comesBetween(this.self, named, first)) {
      if (this.#rules.asksBetween()) this.#ask('between', named, this.#rules.notifies())
      else this.#adoptUnasked(named)
    }
  }

  /** What the protocol of 2001 does. Never called with the rules of today. */
  #adoptUnasked(named: Contact): void {
    const others = { predecessor: named, successors: this.#successors }
    this.#setSuccessors(this.#rules.followedList(this.self, named, others, this.#successorsMax))
    this.#effects.push({ kind: 'notify', to: named })
  }

  #failed(serial: number): void {
    const operation = this.#operation
    if (operation?.serial !== serial) return
    this.#operation = undefined
    const { asked, purpose } = operation
    if (purpose === 'enter') this.#effects.push({ kind: 'unanswered', member: asked })
    else if (this.#status !== 'member') return
    else if (purpose === 'successor') this.#successorFailed(asked)
    else if (purpose === 'between') this.#betweenFailed(asked)
  }

  #successorFailed(dead: Contact): void {
    if (dead.place === this.#predecessor.place) this.#isPredecessorDead = true
    this.#setSuccessors(this.#rules.listAfterDeath(this.self, this.#successors, dead))
    // The next one is asked at once, and told that we may precede it now.
    this.#stabilise()
  }

  #betweenFailed(dead: Contact): void {
    const first = this.#successors.entries[0]
    if (first !== undefined) this.#effects.push({ kind: 'notify', to: first })
    else if (this.#predecessor.place === dead.place) this.#beAlone()
  }

  #beAlone(): void {
    this.#setPredecessor(this.self)
  }

  #rectify(newcomer: Contact): void {
    if (newcomer.place === this.self.place) return
    if (newcomer.place === this.#predecessor.place) {
      this.#isPredecessorDead = false
      // It may have moved.
      if (newcomer.address !== this.#predecessor.address) this.#predecessor = newcomer
    } else if (
      (this.#isPredecessorDead && this.#rules.replacesDead()) ||
      this.#predecessor.place === this.self.place ||
      this.#rules.isNearer(this.self, this.#predecessor, newcomer) ||
      !this.#rules.pingsPredecessor()
    )
      this.#setPredecessor(newcomer)
    else this.#ping(newcomer)
    if (this.#successors.entries.length === 0) this.#effects.push({ kind: 'hurry' })
  }

  #ping(newcomer: Contact | undefined): void {
    if (this.#predecessor.place === this.self.place || this.#isPredecessorDead) return
    const waiting = this.#rectifying
    if (waiting === undefined) {
      this.#rectifying = { serial: ++this.#serial, newcomer }
      this.#effects.push({ kind: 'ping', serial: this.#serial, to: this.#predecessor })
    } else if (newcomer !== undefined) {
      const isNearer =
        waiting.newcomer === undefined || isBetween(waiting.newcomer.place, newcomer.place, this.self.place)
      if (isNearer) waiting.newcomer = newcomer
    }
  }

  #pinged(serial: number, isAlive: boolean): void {
    const rectifying = this.#rectifying
    if (rectifying?.serial !== serial) return
    this.#rectifying = undefined
    if (isAlive || !this.#rules.replacesDead()) return
    if (rectifying.newcomer !== undefined) this.#setPredecessor(rectifying.newcomer)
    else this.#isPredecessorDead = true
  }

  #setPredecessor(contact: Contact): void {
    this.#isPredecessorDead = false
    this.#rectifying = undefined
    const before = this.#predecessor
    if (contact.place === before.place) return
    this.#predecessor = contact
    this.#effects.push({ kind: 'preceded', before, after: contact }, { kind: 'changed' })
    // The newcomer stands between that one and us, and owns nothing until that one has spoken to it.
    const isBetweenUs = isBetween(before.place, contact.place, this.self.place)
    if (isBetweenUs && before.place !== this.self.place) this.#effects.push({ kind: 'poke', to: before })
  }

  #setSuccessors(list: SuccessorList): void {
    if (isSameList(list, this.#successors)) return
    this.#successors = list
    this.#effects.push({ kind: 'changed' })
    if (this.#predecessor.place !== this.self.place)
      this.#effects.push({ kind: 'poke', to: this.#predecessor })
  }

  #bidFarewell(gone: Contact): void {
    if (gone.place === this.#predecessor.place) this.#isPredecessorDead = true
    const isListed = this.#successors.entries.some(({ place }) => place === gone.place)
    if (isListed) this.#setSuccessors(this.#rules.listAfterDeath(this.self, this.#successors, gone))
    this.#effects.push({ kind: 'hurry' })
  }

  #leave(): void {
    this.#status = 'left'
    const neighbours = new Map<string, Contact>()
    for (const contact of [this.#predecessor, this.#successors.entries[0] ?? this.self]) {
      if (contact.place !== this.self.place) neighbours.set(contact.place, contact)
    }
    for (const to of neighbours.values()) this.#effects.push({ kind: 'farewell', to })
    this.#effects.push({ kind: 'changed' })
  }

  #ask(purpose: Purpose, asked: Contact, notify: boolean): void {
    this.#operation = { purpose, serial: ++this.#serial, asked }
    // Our list must not grow old while we wait for one whom others believe in and that may be long dead.
    const isBrief =
      purpose !== 'successor' && this.#status === 'member' && this.#successors.entries.length > 0
    this.#effects.push({ kind: 'ask', serial: this.#serial, to: asked, notify, isBrief })
  }
}
