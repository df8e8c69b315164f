// Ring client: sends requests to other peers with timeouts by their round-trip times, and retries before it takes one for dead.
//
// Invariants: every question ends: with an answer, or an error after `tries` tries, each waiting twice as long (up to
// `timeoutMsMax`). A peer
// that refuses the connection is not tried again; one that was just found silent is not asked at all. Questions to ourselves do not leave the peer.
// In open networks an answer counts only when it comes from the address that gave the position its place.

import { PolyhistorError } from '../../../errors.ts'
import type { Clock } from '../../../platform/clock.ts'
import { type PeerId, PeerUnreachable } from '../../../platform/network/network.ts'
import type { Admission } from '../admission.ts'
import { type Neighbour, Neighbours } from '../neighbours.ts'
import type { RememberedPeers } from '../remembered-peers.ts'
import type { Contact, RingCalls } from '../ring.ts'
import { RingPlaceRefused } from '../ring-error.ts'
import type { RingOptions } from '../ring-options.ts'
import { type Question, ringQuestion } from '../wire/questions.ts'

/** For how long it is taken as known that a peer is silent, unless it is heard of. */
const silentMsKnown = 4_000

export interface Asked {
  bytes: Uint8Array
  askedMs: number
  /** By the wall clock, for the other's clock offset. */
  askedAtMs: number
}

export interface Patience {
  /** Unless told, as many as it takes to call a peer dead. */
  tries?: number
  /** Called when the first try got no answer in time. */
  doubted?: () => void
  /** Ask also one that has just been found silent. */
  isAgain?: boolean
}

export class RingClient {
  readonly neighbours = new Neighbours()
  readonly #clock: Clock
  readonly #calls: RingCalls
  readonly #options: RingOptions
  readonly #admission: Admission
  readonly #remembered: RememberedPeers
  readonly #answerOurselves: (bytes: Uint8Array) => Uint8Array
  #isOver = false

  constructor(
    needs: { clock: Clock; calls: RingCalls; admission: Admission; remembered: RememberedPeers },
    options: RingOptions,
    answerOurselves: (bytes: Uint8Array) => Uint8Array,
  ) {
    this.#clock = needs.clock
    this.#calls = needs.calls
    this.#admission = needs.admission
    this.#remembered = needs.remembered
    this.#options = options
    this.#answerOurselves = answerOurselves
  }

  end(): void {
    this.#isOver = true
  }

  /** Asks a position's peer. */
  async ask(contact: Contact, question: Question, patience: Patience = {}): Promise<Asked> {
    const asked = await this.askPeer(contact.peer, [contact.address], question, patience)
    if (!this.#admission.isWhereItSays(contact))
      throw new RingPlaceRefused(`${contact.peer} is not at ${contact.address}`)
    return asked
  }

  async askPeer(
    peer: PeerId,
    addresses: string[],
    question: Question,
    { tries = this.#options.tries, doubted, isAgain = false }: Patience = {},
  ): Promise<Asked> {
    const bytes = ringQuestion.encode(question)
    if (peer === this.#calls.self) return this.#askOurselves(bytes)
    const neighbour = this.neighbours.of(peer)
    this.#learn(neighbour, addresses)
    if (!isAgain && this.#isJustFoundSilent(neighbour))
      throw new PeerUnreachable(peer, 'it has just been silent')
    const triesMax = neighbour.isSilent ? 1 : tries
    for (let count = 1; ; count++) {
      const asked = await this.#try(neighbour, bytes, count, count === triesMax)
      if (asked !== undefined) return asked
      if (count === 1) doubted?.()
    }
  }

  /** Says something to which no answer matters. */
  tell(contact: Contact, question: Question): void {
    this.ask(contact, question, { tries: 1 }).catch((error: unknown) => {
      // Whoever did not hear it will find out by itself.
      if (!(error instanceof PolyhistorError)) throw error
    })
  }

  /** Undefined when it is worth another try. */
  async #try(
    neighbour: Neighbour,
    bytes: Uint8Array,
    count: number,
    isLast: boolean,
  ): Promise<Asked | undefined> {
    const askedMs = this.#clock.monotonicMs()
    const askedAtMs = this.#clock.nowMs()
    const timeoutMs = this.neighbours.timeoutMs(neighbour, this.#options) * 2 ** (count - 1)
    const deadlineMs = Math.min(timeoutMs, this.#options.timeoutMsMax)
    try {
      const call = this.#calls.call(neighbour.peer, bytes, { deadlineMs })
      // One that is in doubt may meanwhile be found silent by another question.
      const answer = await (count === 1 ? call : unlessSilent(call, neighbour))
      if (count === 1) this.neighbours.measured(neighbour, this.#clock.monotonicMs() - askedMs)
      this.#heard(neighbour)
      return { bytes: answer, askedMs, askedAtMs }
    } catch (error) {
      if (!(error instanceof PolyhistorError)) throw error
      // Others may have found out meanwhile that it is silent.
      const isWorthIt = !isLast && !this.#isOver && !neighbour.isSilent
      if (error.code === 'call-timed-out' && isWorthIt) return undefined
      const isSilent = error.code === 'call-timed-out' && count >= this.#options.tries
      if (isSilent || error.code === 'peer-unreachable') this.#silent(neighbour)
      // A refusal is a sign of life too.
      else if (error.code !== 'call-timed-out') this.#heard(neighbour)
      throw error
    }
  }

  async #askOurselves(bytes: Uint8Array): Promise<Asked> {
    const asked = { askedMs: this.#clock.monotonicMs(), askedAtMs: this.#clock.nowMs() }
    await Promise.resolve()
    return { bytes: this.#answerOurselves(bytes), ...asked }
  }

  /** Nobody need find out again so soon, when a row of neighbours is dead. */
  #isJustFoundSilent({ isSilent, silentAtMs }: Neighbour): boolean {
    return isSilent && this.#clock.monotonicMs() - silentAtMs < silentMsKnown
  }

  #learn(neighbour: Neighbour, addresses: string[]): void {
    const [address = ''] = addresses
    if (address === '' || neighbour.address === address) return
    neighbour.address = address
    this.#calls.learn(neighbour.peer, addresses)
  }

  #heard(neighbour: Neighbour): void {
    neighbour.isSilent = false
    this.#remembered.found(neighbour.peer)
  }

  #silent(neighbour: Neighbour): void {
    neighbour.isSilent = true
    neighbour.silentAtMs = this.#clock.monotonicMs()
    for (const end of neighbour.waiting ?? []) end()
    this.#remembered.lost(neighbour.peer)
  }
}

function unlessSilent(call: Promise<Uint8Array>, neighbour: Neighbour): Promise<Uint8Array> {
  return new Promise<Uint8Array>((resolve, reject) => {
    const end = (): void => reject(new PeerUnreachable(neighbour.peer, 'it has just been silent'))
    const waiting = (neighbour.waiting ??= new Set())
    waiting.add(end)
    call.then(resolve, reject).finally(() => {
      waiting.delete(end)
      if (waiting.size === 0) neighbour.waiting = undefined
    })
  })
}
