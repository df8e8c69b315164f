// Joining: brings a position onto a ring: finds the member right before its place, and enters after it. The same for a first join
// and for merging after a partition.
//
// Invariant: a bounded number of steps. Whether a position may enter is decided by the state machine (rules.ts).

import { PolyhistorError } from '../../errors.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Admission } from './admission.ts'
import type { Lookup } from './lookup/lookup.ts'
import type { RingClient } from './lookup/ring-client.ts'
import type { EntryOutcome, Position } from './position.ts'
import { isBetween } from './protocol/place.ts'
import type { Contact, KnownPeer } from './ring.ts'
import { RingJoinFailed } from './ring-error.ts'
import type { RingOptions } from './ring-options.ts'

/** Members passed on the way from the one found to the one right before us. */
const stepsMax = 32
const pauseMs = 250
/** So long a position looks for its place on another ring; there will be another time, perhaps through one that is alive. */
const mergeRounds = 3
const idleWaitMs = 50
const idleWaitsMax = 100

export class Joining {
  readonly #clock: Clock
  readonly #finding: Lookup
  readonly #admission: Admission
  readonly #asking: RingClient
  readonly #options: RingOptions

  constructor(
    needs: { clock: Clock; finding: Lookup; admission: Admission; asking: RingClient },
    options: RingOptions,
  ) {
    this.#clock = needs.clock
    this.#finding = needs.finding
    this.#admission = needs.admission
    this.#asking = needs.asking
    this.#options = options
  }

  /** Until it is in, or `lookupMs` are over. */
  async join(position: Position, through: readonly KnownPeer[]): Promise<void> {
    const untilMs = this.#clock.monotonicMs() + this.#options.lookupMs
    let reason: unknown
    do {
      try {
        if (await this.#enter(position, through, untilMs)) return
      } catch (error) {
        if (!(error instanceof PolyhistorError)) throw error
        reason = error
      }
      await this.#clock.sleep(pauseMs)
    } while (this.#clock.monotonicMs() < untilMs && position.machine.status === 'joining')
    if (position.machine.status !== 'member')
      throw new RingJoinFailed('no member could be entered after in time', reason)
  }

  /** Looks a member up through another, and merges when they know somebody closer than we do. */
  async merge(position: Position, through: KnownPeer): Promise<void> {
    try {
      const untilMs = this.#clock.monotonicMs() + mergeRounds * this.#options.stabiliseMs
      if (!this.#admission.isKnown(through.peer)) await this.#meet(through)
      const stranger = this.#strangerOf(position, through)
      if (stranger !== undefined && (await this.#walk(position, stranger, untilMs))) return
      await this.#enter(position, [through], untilMs)
    } catch (error) {
      if (!(error instanceof PolyhistorError)) throw error
    }
  }

  async #enter(position: Position, through: readonly KnownPeer[], untilMs: number): Promise<boolean> {
    const { self, status } = position.machine
    const { owner, predecessor } = await this.#finding.find(self.place, {
      successorsMax: 0,
      through,
      isEntry: true,
      deadlineMs: untilMs - this.#clock.monotonicMs(),
      ...(status === 'joining' && { except: self.place }),
    })
    // Our own ring, and it knows us; or one that still knows us from before a restart, and will find out.
    if (owner.place === self.place) return status === 'member'
    return this.#walk(position, predecessor.place === self.place ? owner : predecessor, untilMs)
  }

  /** From list to list along the ring of this member, to the one right before us. */
  async #walk(position: Position, start: Contact, untilMs: number): Promise<boolean> {
    let member: Contact | undefined = start
    for (let step = 0; step < stepsMax && member !== undefined; step++) {
      await this.#untilIdle(position)
      if (this.#clock.monotonicMs() > untilMs) return false
      const outcome = await position.enterAfter(member)
      if (outcome.kind === 'entered') return true
      member = outcome.kind === 'misplaced' ? nextMember(position.machine.self, outcome) : undefined
    }
    return false
  }

  /** A position of one that is surely on another ring: ours is small enough to know all its members. Lookups over there may
   * lead straight back to us, by caches that know us from before; lists do not. */
  #strangerOf({ machine }: Position, { peer, addresses }: KnownPeer): Contact | undefined {
    const { self, predecessor, successors } = machine
    const isKnown = [self, predecessor, ...successors.entries].some((contact) => contact.peer === peer)
    const [address = ''] = addresses
    if (!successors.isWhole || isKnown || address === '') return undefined
    return this.#admission.contactOf(peer, 0, address)
  }

  /** The transport learns the ticket of whoever it is connected to. */
  async #meet({ peer, addresses }: KnownPeer): Promise<void> {
    await this.#asking.askPeer(peer, addresses, { kind: 'tickets', peers: [] }, { tries: 1 })
  }

  /** A list is changed by one operation at a time, and a dead neighbour can take seconds. */
  async #untilIdle({ machine }: Position): Promise<void> {
    for (let count = 0; machine.isBusy && count < idleWaitsMax; count++) await this.#clock.sleep(idleWaitMs)
  }
}

/** From a member that does not stand right before us to its last successor that does not lie behind us. */
function nextMember(
  self: Contact,
  { member, state }: EntryOutcome & { kind: 'misplaced' },
): Contact | undefined {
  const before = state.successors.entries.filter(({ place }) => isBetween(member.place, place, self.place))
  return before.at(-1)
}
