// Ring handler: answers other peers' requests about the ring. All input is checked here: unknown positions, places that are not
// the caller's and malformed bytes are refused with a code, and change nothing.

import { PolyhistorError } from '../../errors.ts'
import type { Clock } from '../../platform/clock.ts'
import type { PeerId } from '../../platform/network/network.ts'
import type { Random } from '../../platform/random.ts'
import type { Admission } from './admission.ts'
import type { RingClient } from './lookup/ring-client.ts'
import type { RoutingTable } from './lookup/routing-table.ts'
import type { Position } from './position.ts'
import type { OwnershipClaim } from './protocol/ownership.ts'
import type { Contact } from './ring.ts'
import { RingNotMember } from './ring-error.ts'
import type { TicketExchange } from './ticket-exchange.ts'
import { acknowledgement, encodeFind, pingAnswer } from './wire/answers.ts'
import { nonceBytes, type Question, ringQuestion } from './wire/questions.ts'

/** Newcomers that are being asked to prove their address at once. */
const provingMax = 64
/** Successors named in a lookup's answer. */
const successorsMax = 32

interface AnsweringNeeds {
  clock: Clock
  random: Random
  asking: RingClient
  admission: Admission
  tickets: TicketExchange
  routes: RoutingTable
  positions: readonly Position[]
  /** Somebody was heard of who was silent, or asks us to look ourselves up through it. */
  metAgain(contact: { peer: PeerId; address: string }, position: Position | undefined): void
}

export class RingHandler {
  readonly #needs: AnsweringNeeds
  readonly #proving = new Set<string>()

  constructor(needs: AnsweringNeeds) {
    this.#needs = needs
  }

  answer(from: PeerId, bytes: Uint8Array): Uint8Array {
    const question = ringQuestion.decode(bytes)
    if (this.#needs.asking.neighbours.heard(from))
      this.#needs.metAgain({ peer: from, address: this.#needs.asking.neighbours.of(from).address }, undefined)
    if (question.kind === 'find')
      return encodeFind(
        this.#needs.routes.find(question.key, Math.min(question.successorsMax, successorsMax)),
      )
    if (question.kind === 'ping') return this.#pong(question)
    if (question.kind === 'tickets') return this.#needs.tickets.answer(question.peers)
    const position = this.#positionAt(question.position)
    if (position === undefined || position.machine.status !== 'member') throw new RingNotMember()
    if (question.kind === 'state') {
      const { notifier } = question
      if (notifier !== undefined) {
        const caller = this.#needs.admission.caller(from, notifier.index, notifier.address)
        this.#meet(caller, position, notifier.claim)
      }
      return position.exchange.answer(question.digest, position.holdFor())
    }
    this.#hear(question, this.#needs.admission.caller(from, question.sender, question.address), position)
    return acknowledgement
  }

  #positionAt(index: number): Position | undefined {
    return this.#needs.positions.find(({ machine }) => machine.self.index === index)
  }

  #hear(question: Question, by: Contact, position: Position): void {
    if (question.kind === 'notify') this.#meet(by, position, undefined)
    else if (question.kind === 'poke') position.poked(by)
    else if (question.kind === 'farewell') position.farewell(by, question.from)
    else if (question.kind === 'hint') {
      position.hinted(by)
      this.#needs.metAgain(by, position)
    }
  }

  #pong({ position, nonce }: Question & { kind: 'ping' }): Uint8Array {
    const isMember = this.#positionAt(position)?.machine.status === 'member'
    return pingAnswer.encode({ nowMs: this.#needs.clock.nowMs(), nonce, isMember })
  }

  /** It says that it may precede us. */
  #meet(by: Contact, position: Position, claim: OwnershipClaim | undefined): void {
    if (this.#needs.admission.isProven(by)) {
      this.#needs.routes.learn([by])
      position.notified(by, claim)
    } else void this.#prove(by, position, claim)
  }

  /** Only the peer at that address can know the nonce. */
  async #prove(by: Contact, position: Position, claim: OwnershipClaim | undefined): Promise<void> {
    const name = `${by.peer} ${by.address}`
    if (this.#proving.has(name) || this.#proving.size >= provingMax) return
    this.#proving.add(name)
    try {
      const nonce = this.#needs.random.bytes(nonceBytes)
      const asked = await this.#needs.asking.ask(by, { kind: 'ping', position: by.index, nonce })
      if (Buffer.compare(pingAnswer.decode(asked.bytes).nonce, nonce) !== 0) return
      this.#needs.admission.proven(by)
      position.notified(by, claim)
    } catch (error) {
      if (!(error instanceof PolyhistorError)) throw error
    } finally {
      this.#proving.delete(name)
    }
  }
}
