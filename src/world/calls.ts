// Questions and answers between peers, on top of a network that may lose, repeat and reorder messages.
//
// Invariants: a call ends once: with the answer, the other's failure, PeerUnreachable, a timeout or the caller's abort. A
// question that comes twice is handled once, as far as memory goes (`remembered` questions per peer). Answers that are
// late, repeated or from the wrong peer are dropped. Every table has a bound.
// Leaves to callers: trying again; whether a call that timed out was handled is not known.
//
// A message is a kind (one byte), the call's number (eight bytes) and what it says. Numbers begin at random, so that a
// process that was started again is not taken for repeating itself.

import assert from 'node:assert/strict'
import { PolyhistorError, type Retry } from '../errors.ts'
import type { Clock, Timer } from './clock.ts'
import type { Message, Network, PeerId } from './network.ts'
import type { Random } from './random.ts'

export class CallTimedOut extends PolyhistorError {
  readonly peer: PeerId

  constructor(peer: PeerId, deadlineMs: number) {
    super('call-timed-out', `Peer ${peer} did not answer within ${deadlineMs} ms`, { retry: 'later' })
    this.peer = peer
  }
}

/** The other peer could not do what it was asked. `code` is that of its own error. */
export class CallFailed extends PolyhistorError {
  readonly peer: PeerId

  constructor(peer: PeerId, code: string, message: string, retry: Retry) {
    super(code, message, { retry })
    this.peer = peer
  }
}

/** So many calls to this peer wait for their answers that another is not made. */
export class TooManyCalls extends PolyhistorError {
  constructor(peer: PeerId) {
    super('too-many-calls', `Too many calls to peer ${peer} are waiting for answers`, { retry: 'later' })
  }
}

export interface CallLimits {
  /** Calls to one peer that may wait for answers at once. More are refused. */
  inFlightMax: number
  /** Questions from one peer that may be worked on at once. More are answered with 'too-many-calls'. */
  handlingMax: number
  /** Questions remembered per peer, to know repeated ones. */
  rememberedMax: number
  /** Peers whose questions are remembered; the one silent for longest is forgotten first. */
  peersMax: number
}

const limitsDefault: CallLimits = {
  inFlightMax: 1_024,
  handlingMax: 1_024,
  rememberedMax: 4_096,
  peersMax: 4_096,
}

/** Gives the answer, or throws a PolyhistorError that the caller gets as CallFailed. */
export type CallHandler = (from: PeerId, bytes: Uint8Array) => Promise<Uint8Array> | Uint8Array

const kindByte = { question: 0, answer: 1, failure: 2 } as const
const headerBytes = 9
const failureCharactersMax = 2_000

interface Waiting {
  end(): void
  resolve(bytes: Uint8Array): void
  reject(error: unknown): void
}

interface Asker {
  remembered: Set<bigint>
  handling: number
}

export class Calls {
  readonly #network: Network
  readonly #clock: Clock
  readonly #limits: CallLimits
  readonly #waiting = new Map<PeerId, Map<bigint, Waiting>>()
  readonly #askers = new Map<PeerId, Asker>()
  #nextId: bigint
  #handler: CallHandler | undefined

  constructor(needs: { network: Network; clock: Clock; random: Random }, limits: Partial<CallLimits> = {}) {
    this.#network = needs.network
    this.#clock = needs.clock
    this.#limits = { ...limitsDefault, ...limits }
    this.#nextId = Buffer.from(needs.random.bytes(8)).readBigUInt64BE()
    this.#network.receive((message) => this.#receive(message))
  }

  /** The largest question or answer. */
  get bytesMax(): number {
    return this.#network.messageBytesMax - headerBytes
  }

  /** Questions are answered by this handler from now on. Those that come while there is none are dropped. */
  answer(handler: CallHandler): void {
    this.#handler = handler
  }

  /** Asks, and gives the answer. `deadlineMs` counts from now. */
  call(
    peer: PeerId,
    bytes: Uint8Array,
    options: { deadlineMs: number; signal?: AbortSignal },
  ): Promise<Uint8Array> {
    const { deadlineMs, signal } = options
    return new Promise((resolve, reject) => {
      signal?.throwIfAborted()
      const waiting = this.#waiting.get(peer) ?? new Map<bigint, Waiting>()
      if (waiting.size >= this.#limits.inFlightMax) throw new TooManyCalls(peer)
      this.#waiting.set(peer, waiting)
      const id = this.#newId()
      const abort = (): void => call.reject(signal?.reason)
      const timer: Timer = this.#clock.after(deadlineMs, () =>
        call.reject(new CallTimedOut(peer, deadlineMs)),
      )
      const call: Waiting = {
        end: () => {
          timer.cancel()
          signal?.removeEventListener('abort', abort)
          waiting.delete(id)
          if (waiting.size === 0) this.#waiting.delete(peer)
        },
        resolve: (answer) => {
          call.end()
          resolve(answer)
        },
        reject: (error) => {
          call.end()
          reject(error)
        },
      }
      waiting.set(id, call)
      signal?.addEventListener('abort', abort, { once: true })
      this.#network.send(peer, pack(kindByte.question, id, bytes)).catch((error) => call.reject(error))
    })
  }

  #newId(): bigint {
    this.#nextId = BigInt.asUintN(64, this.#nextId + 1n)
    return this.#nextId
  }

  #receive({ from, bytes }: Message): void {
    // Another program, or a later version of this one: not for us.
    if (bytes.length < headerBytes) return
    const id = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).readBigUInt64BE(1)
    const rest = bytes.subarray(headerBytes)
    if (bytes[0] === kindByte.question) this.#handle(from, id, rest)
    else if (bytes[0] === kindByte.answer) this.#waiting.get(from)?.get(id)?.resolve(rest)
    else if (bytes[0] === kindByte.failure)
      this.#waiting.get(from)?.get(id)?.reject(unpackFailure(from, rest))
  }

  #handle(from: PeerId, id: bigint, bytes: Uint8Array): void {
    const handler = this.#handler
    if (handler === undefined) return
    const asker = this.#asker(from)
    if (asker.remembered.has(id)) return
    remember(asker.remembered, id, this.#limits.rememberedMax)
    if (asker.handling >= this.#limits.handlingMax) {
      this.#reply(from, packFailure(id, new TooManyCalls(this.#network.self)))
      return
    }
    asker.handling++
    void this.#answer(handler, from, id, bytes).finally(() => asker.handling--)
  }

  async #answer(handler: CallHandler, from: PeerId, id: bigint, bytes: Uint8Array): Promise<void> {
    try {
      const answer = await handler(from, bytes)
      assert(answer.length <= this.bytesMax, `an answer of ${answer.length} bytes`)
      this.#reply(from, pack(kindByte.answer, id, answer))
    } catch (error) {
      if (error instanceof PolyhistorError) this.#reply(from, packFailure(id, error))
      else {
        // A broken invariant of ours: the asker need not wait for its deadline, and we must not hide it.
        this.#reply(from, packFailure(id, new PolyhistorError('peer-failed', 'The peer failed to answer')))
        throw error
      }
    }
  }

  #reply(to: PeerId, bytes: Uint8Array): void {
    // Who cannot be reached any more has its deadline.
    this.#network.send(to, bytes).catch((error) => {
      if (!(error instanceof PolyhistorError)) throw error
    })
  }

  #asker(peer: PeerId): Asker {
    const asker = this.#askers.get(peer) ?? { remembered: new Set(), handling: 0 }
    // Last in, last to be forgotten.
    this.#askers.delete(peer)
    this.#askers.set(peer, asker)
    if (this.#askers.size > this.#limits.peersMax) this.#askers.delete(this.#askers.keys().next().value!)
    return asker
  }
}

function remember(remembered: Set<bigint>, id: bigint, max: number): void {
  remembered.add(id)
  if (remembered.size > max) remembered.delete(remembered.values().next().value!)
}

function pack(kind: number, id: bigint, bytes: Uint8Array): Uint8Array {
  const message = Buffer.allocUnsafe(headerBytes + bytes.length)
  message[0] = kind
  message.writeBigUInt64BE(id, 1)
  message.set(bytes, headerBytes)
  return message
}

function packFailure(id: bigint, { code, message, retry }: PolyhistorError): Uint8Array {
  const failure = { code, message: message.slice(0, failureCharactersMax), retry }
  return pack(kindByte.failure, id, Buffer.from(JSON.stringify(failure)))
}

/** Whatever the other peer sent, it becomes an error. */
function unpackFailure(peer: PeerId, bytes: Uint8Array): CallFailed {
  let failure: { code?: unknown; message?: unknown; retry?: unknown } = {}
  try {
    failure = Object(JSON.parse(new TextDecoder().decode(bytes)))
  } catch {
    // Not JSON: the defaults below.
  }
  const code = typeof failure.code === 'string' ? failure.code : 'peer-failed'
  const message = typeof failure.message === 'string' ? failure.message : 'The peer failed to answer'
  return new CallFailed(peer, code, message, failure.retry === 'later' ? 'later' : 'never')
}
