// Questions and answers between peers, on top of a network that may lose, repeat and reorder messages.
//
// Invariants: a call ends once: with the answer, the other's failure, PeerUnreachable, a timeout or the caller's abort. A
// question that comes twice is handled once, as far as memory goes (`remembered` questions per peer). Answers that are
// late, repeated or from the wrong peer are dropped. A handler whose asker has given up is told. Every table has a bound.
// Leaves to callers: trying again; whether a call that timed out was handled is not known.
// How they are written is in call-messages.ts. Numbers begin at random, so that a process that was started again is not
// taken for repeating itself.

import assert from 'node:assert/strict'
import { PolyhistorError } from '../../errors.ts'
import { LruCache } from '../../model/lru-cache.ts'
import type { Clock, Timer } from '../clock.ts'
import {
  type Channel,
  type Message,
  type Network,
  type PeerId,
  PeerUnreachable,
  type Pieces,
} from '../network/network.ts'
import type { Random } from '../random.ts'
import { CallTimedOut, TooManyCalls } from './call-errors.ts'
import { type CallContext, Handling } from './call-handling.ts'
import {
  deadlineBytes,
  headerBytes,
  kindByte,
  pack,
  packFailure,
  packQuestion,
  readDeadline,
  readId,
  unpackFailure,
} from './call-messages.ts'

export { CallFailed, CallTimedOut, TooManyCalls } from './call-errors.ts'
export type { CallContext } from './call-handling.ts'

export interface CallLimits {
  /** Calls to one peer that may wait for answers at once. More are refused. */
  inFlightMax: number
  /** Questions from one peer that may be worked on at once. More are answered with 'too-many-calls'. */
  handlingMax: number
  /** Bytes of those questions. More are answered with 'too-many-calls', unless they come alone. */
  handlingBytesMax: number
  /** Questions remembered per peer, to know repeated ones. */
  rememberedMax: number
  /** Peers whose questions are remembered; the one silent for longest is forgotten first. */
  peersMax: number
}

const limitsDefault: CallLimits = {
  inFlightMax: 1_024,
  handlingMax: 1_024,
  handlingBytesMax: 32 * 1024 * 1024,
  rememberedMax: 4_096,
  peersMax: 4_096,
}

export interface CallOptions {
  /** Counts from now. */
  deadlineMs: number
  signal?: AbortSignal | undefined
  /** What question and answer travel with; `control` unless told. */
  channel?: Channel
}

/** Gives the answer, or throws a PolyhistorError that the caller gets as CallFailed. */
export type CallHandler = (
  from: PeerId,
  bytes: Uint8Array,
  context: CallContext,
) => Promise<Uint8Array> | Uint8Array

const idMax = Number.MAX_SAFE_INTEGER

interface Waiting {
  end(): void
  resolve(bytes: Uint8Array): void
  reject(error: unknown): void
}

interface Asker {
  remembered: Set<number>
  handling: Map<number, Handling>
  handlingBytes: number
}

export class Calls {
  readonly #network: Network
  readonly #clock: Clock
  readonly #limits: CallLimits
  readonly #waiting = new Map<PeerId, Map<number, Waiting>>()
  readonly #askers: LruCache<PeerId, Asker>
  #lastId: number
  #handler: CallHandler | undefined

  constructor(needs: { network: Network; clock: Clock; random: Random }, limits: Partial<CallLimits> = {}) {
    this.#network = needs.network
    this.#clock = needs.clock
    this.#limits = { ...limitsDefault, ...limits }
    this.#askers = new LruCache({ max: this.#limits.peersMax })
    this.#lastId = needs.random.below(2 ** 47)
    this.#network.receive((message) => this.#receive(message))
    this.#network.onLost?.((peer) => this.#lose(peer))
  }

  /** The largest question or answer. */
  get bytesMax(): number {
    return this.#network.messageBytesMax - headerBytes - deadlineBytes
  }

  /** Questions are answered by this handler from now on. Those that come while there is none are dropped. */
  answer(handler: CallHandler): void {
    this.#handler = handler
  }

  /** Asks, and gives the answer. The bytes, and those that a handler answers with, must not change any more. */
  call(peer: PeerId, bytes: Pieces, options: CallOptions): Promise<Uint8Array> {
    const { deadlineMs, signal, channel } = options
    return new Promise((resolve, reject) => {
      signal?.throwIfAborted()
      const waiting = this.#waiting.get(peer) ?? new Map<number, Waiting>()
      if (waiting.size >= this.#limits.inFlightMax) throw new TooManyCalls(peer)
      this.#waiting.set(peer, waiting)
      const id = this.#newId()
      const abort = (): void => {
        call.reject(signal?.reason)
        this.#tell(peer, pack(kindByte.cancellation, id, nothing), channel)
      }
      const timer: Timer = this.#clock.after(deadlineMs, () =>
        call.reject(new CallTimedOut(peer, deadlineMs)),
      )
      const call: Waiting = {
        end: () => {
          timer.cancel()
          signal?.removeEventListener('abort', abort)
          waiting.delete(id)
          if (waiting.size === 0 && this.#waiting.get(peer) === waiting) this.#waiting.delete(peer)
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
      this.#network
        .send(peer, packQuestion(id, deadlineMs, bytes), channel)
        .catch((error) => call.reject(error))
    })
  }

  #newId(): number {
    this.#lastId = this.#lastId === idMax ? 0 : this.#lastId + 1
    return this.#lastId
  }

  /** Its answers will not come: who waits need not wait for the deadline. */
  #lose(peer: PeerId): void {
    const waiting = this.#waiting.get(peer)
    if (waiting === undefined) return
    for (const call of [...waiting.values()]) {
      call.reject(new PeerUnreachable(peer, 'the connection ended before the answer came'))
    }
  }

  #receive({ from, bytes, channel }: Message): void {
    // Another program, or a later version of this one: not for us.
    if (bytes.length < headerBytes) return
    const id = readId(bytes)
    const rest = bytes.subarray(headerBytes)
    if (bytes[0] === kindByte.question) this.#handle(from, id, rest, channel)
    else if (bytes[0] === kindByte.answer) this.#waiting.get(from)?.get(id)?.resolve(rest)
    else if (bytes[0] === kindByte.failure)
      this.#waiting.get(from)?.get(id)?.reject(unpackFailure(from, rest))
    else if (bytes[0] === kindByte.cancellation) this.#askers.get(from)?.handling.get(id)?.cancel()
  }

  #handle(from: PeerId, id: number, bytes: Uint8Array, channel: Channel): void {
    const handler = this.#handler
    if (handler === undefined || bytes.length < deadlineBytes) return
    const asker = this.#asker(from)
    if (asker.remembered.has(id)) return
    remember(asker.remembered, id, this.#limits.rememberedMax)
    const { handlingMax, handlingBytesMax } = this.#limits
    const isBusy = asker.handling.size > 0 && asker.handlingBytes + bytes.length > handlingBytesMax
    if (asker.handling.size >= handlingMax || isBusy) {
      this.#tell(from, packFailure(id, new TooManyCalls(this.#network.self)), channel)
      return
    }
    const handling = new Handling(channel, readDeadline(bytes), this.#clock)
    asker.handling.set(id, handling)
    asker.handlingBytes += bytes.length
    void this.#answer(handler, from, id, bytes.subarray(deadlineBytes), handling).finally(() => {
      handling.end()
      asker.handling.delete(id)
      asker.handlingBytes -= bytes.length
    })
  }

  async #answer(
    handler: CallHandler,
    from: PeerId,
    id: number,
    bytes: Uint8Array,
    handling: Handling,
  ): Promise<void> {
    const { channel } = handling
    try {
      const answer = await handler(from, bytes, handling)
      assert(answer.length <= this.bytesMax, `an answer of ${answer.length} bytes`)
      if (!handling.isCancelled) this.#tell(from, pack(kindByte.answer, id, answer), channel)
    } catch (error) {
      // What comes of being cancelled interests nobody.
      if (handling.isCancelled) return
      if (error instanceof PolyhistorError) this.#tell(from, packFailure(id, error), channel)
      else {
        // A broken invariant of ours: the asker need not wait for its deadline, and we must not hide it.
        const failure = new PolyhistorError('peer-failed', 'The peer failed to answer')
        this.#tell(from, packFailure(id, failure), channel)
        throw error
      }
    }
  }

  #tell(to: PeerId, bytes: Pieces, channel?: Channel): void {
    // Who cannot be reached any more has its deadline.
    this.#network.send(to, bytes, channel).catch((error) => {
      if (!(error instanceof PolyhistorError)) throw error
    })
  }

  #asker(peer: PeerId): Asker {
    let asker = this.#askers.get(peer)
    if (asker === undefined) {
      asker = { remembered: new Set(), handling: new Map(), handlingBytes: 0 }
      this.#askers.set(peer, asker)
    }
    return asker
  }
}

const nothing = new Uint8Array()

function remember(remembered: Set<number>, id: number, max: number): void {
  remembered.add(id)
  if (remembered.size > max) remembered.delete(remembered.values().next().value!)
}
