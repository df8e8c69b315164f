// How a position's state goes over the wire: asked for with a digest of what the asker has, so that in a ring at rest a few
// bytes say "still the same".

import { crc32 } from 'node:zlib'
import { PolyhistorError } from '../../errors.ts'
import { MessageMalformed } from '../../formats/wire/message-bytes.ts'
import type { RingKey } from '../../model/ring-key.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Random } from '../../platform/random.ts'
import type { Patience, RingClient } from './lookup/ring-client.ts'
import type { Hold, OwnershipClaim } from './protocol/ownership.ts'
import type { PositionMachine } from './protocol/position-machine.ts'
import type { PositionState } from './protocol/rules.ts'
import type { SuccessorList } from './protocol/successor-list.ts'
import type { Contact } from './ring.ts'
import { RingNotMember } from './ring-error.ts'
import type { TicketExchange } from './ticket-exchange.ts'
import {
  decodeState,
  encodePositionState,
  encodeState,
  pingAnswer,
  type StateAnswer,
} from './wire/answers.ts'
import type { ContactFinder } from './wire/contact-coding.ts'
import { nonceBytes } from './wire/questions.ts'

/** What a successor last said. */
interface Known {
  place: RingKey
  digest: number
  state: PositionState
}

interface Coded {
  predecessor: Contact
  successors: SuccessorList
  bytes: Uint8Array
  digest: number
}

export class StateExchange {
  readonly #needs: { clock: Clock; random: Random; asking: RingClient; tickets: TicketExchange }
  readonly #machine: PositionMachine
  #known: Known | undefined
  #coded: Coded | undefined
  #leavesFrom: RingKey | undefined
  /** Of the answer that is being handled. */
  lastAnswer: { askedMs: number; hold: Hold | undefined; successor: RingKey; isNews: boolean } | undefined

  constructor(
    needs: { clock: Clock; random: Random; asking: RingClient; tickets: TicketExchange },
    machine: PositionMachine,
  ) {
    this.#needs = needs
    this.#machine = machine
  }

  /** With a word: say also that we may precede it. */
  async ask(to: Contact, claim: OwnershipClaim | undefined, patience: Patience = {}): Promise<PositionState> {
    const { asking, tickets, clock } = this.#needs
    const { self } = this.#machine
    const known = this.#known?.place === to.place ? this.#known : undefined
    const question = {
      kind: 'state',
      position: to.index,
      digest: known?.digest ?? 0,
      notifier: claim && { index: self.index, address: self.address, claim },
    } as const
    const asked = await asking.ask(to, question, patience)
    const decode = (bytes: Uint8Array, contactOf: ContactFinder): StateAnswer =>
      decodeState(bytes, to.place, contactOf)
    const answer = tickets.readNow(asked, decode) ?? (await tickets.fetchAndRead(asked, to.peer, decode))
    asking.neighbours.clockRead(to.peer, answer.nowMs, asked.askedAtMs, clock.nowMs())
    const state = answer.state ?? known?.state
    if (state === undefined) throw new MessageMalformed('a state that is the same as none')
    if (answer.state !== undefined) this.#known = { place: to.place, digest: codedOf(state).digest, state }
    this.lastAnswer = {
      askedMs: asked.askedMs,
      hold: answer.hold,
      successor: to.place,
      isNews: answer.state !== undefined,
    }
    return state
  }

  async isAlive(to: Contact): Promise<boolean> {
    const { asking, random, clock } = this.#needs
    const nonce = random.bytes(nonceBytes)
    try {
      const asked = await asking.ask(to, { kind: 'ping', position: to.index, nonce })
      const answer = pingAnswer.decode(asked.bytes)
      asking.neighbours.clockRead(to.peer, answer.nowMs, asked.askedAtMs, clock.nowMs())
      return answer.isMember && Buffer.compare(answer.nonce, nonce) === 0
    } catch (error) {
      if (!(error instanceof PolyhistorError)) throw error
      return false
    }
  }

  tell(kind: 'notify' | 'poke' | 'farewell' | 'hint', to: Contact): void {
    const { index: sender, address, place } = this.#machine.self
    const question = { position: to.index, sender, address }
    if (kind === 'farewell')
      this.#needs.asking.tell(to, { kind, ...question, from: this.#leavesFrom ?? place })
    else this.#needs.asking.tell(to, { kind, ...question })
  }

  leavesFrom(place: RingKey): void {
    this.#leavesFrom = place
  }

  /** The answer to one who asks for our state and has that of the digest. */
  answer(digest: number, hold: Hold | undefined): Uint8Array {
    const { status, predecessor, successors } = this.#machine
    if (status !== 'member') throw new RingNotMember()
    if (this.#coded?.predecessor !== predecessor || this.#coded.successors !== successors)
      this.#coded = { predecessor, successors, ...codedOf({ predecessor, successors }) }
    const { bytes, digest: own } = this.#coded
    return encodeState(this.#needs.clock.nowMs(), hold, digest === own ? undefined : bytes)
  }
}

function codedOf(state: PositionState): { bytes: Uint8Array; digest: number } {
  const bytes = encodePositionState(state)
  // Nought is for those that have no state yet.
  return { bytes, digest: crc32(bytes) || 1 }
}
