// Several parts of a peer share one set of calls: each has a service of its own, named by the first byte of a question.
//
// Invariant: a question reaches the handler of the service that it was asked of, or fails with 'service-unknown'; so a
// peer of a later version can ask an earlier one for what that does not do yet.
//
// It is also where faults end (docs/decisions/0046): whatever a handler throws on account of a question is counted against
// its sender and answered with a failure, and the process goes on. What our own work throws outside a handler (timers,
// commits, a failed disk) is not caught here. Without `faults`, as in simulations, an unexpected error is thrown on, so that
// it fails the run.

import assert from 'node:assert/strict'
import { PolyhistorError } from '../../errors.ts'
import type { PeerId, Pieces } from '../network/network.ts'
import type { CallBudgets } from './call-budgets.ts'
import { OverBudget } from './call-errors.ts'
import type { CallFaults } from './call-faults.ts'
import type { CallContext, CallHandler, CallOptions } from './calls.ts'

/** The bytes are part of the protocol: never give one a second meaning. */
export const serviceBytes = {
  ring: 1,
  replica: 2,
  crawl: 3,
  feed: 4,
  reading: 5,
  rank: 6,
  search: 7,
  sites: 8,
  notices: 9,
  jobs: 10,
  status: 11,
  content: 12,
  siteNames: 13,
  changes: 14,
  links: 15,
  errands: 16,
  browsers: 17,
  proofs: 18,
  survey: 19,
  audits: 20,
  corroboration: 21,
  volunteers: 26,
  invitations: 27,
  places: 28,
} as const
export type ServiceName = keyof typeof serviceBytes

/** What a part of the peer asks others with. `Calls` is one too. */
export interface CallService {
  /** The largest question or answer. */
  readonly bytesMax: number
  call(peer: PeerId, bytes: Pieces, options: CallOptions): Promise<Uint8Array>
  answer(handler: CallHandler): void
}

export class CallServices {
  readonly #calls: CallService
  readonly #faults: CallFaults | undefined
  readonly #budgets: CallBudgets | undefined
  readonly #mayAsk: ((from: PeerId, service: ServiceName) => boolean) | undefined
  readonly #handlers = new Map<number, { name: ServiceName; handler: CallHandler }>()
  readonly #stopped = new Set<number>()
  /** By service: questions that are being answered. */
  readonly #underWay = new Map<number, Set<Promise<unknown>>>()

  /** Without budgets calls are not limited; without `mayAsk` everybody may ask everything. */
  constructor(
    calls: CallService,
    faults?: CallFaults,
    budgets?: CallBudgets,
    mayAsk?: (from: PeerId, service: ServiceName) => boolean,
  ) {
    this.#mayAsk = mayAsk
    this.#calls = calls
    this.#faults = faults
    this.#budgets = budgets
    calls.answer((from, bytes, context) => this.#dispatch(from, bytes, context))
  }

  service(name: ServiceName): CallService {
    const byte = serviceBytes[name]
    return {
      bytesMax: this.#calls.bytesMax - 1,
      call: (peer, bytes, options) => this.#calls.call(peer, withByte(byte, bytes), options),
      answer: (handler) => this.#handlers.set(byte, { name, handler }),
    }
  }

  /** Questions to these are refused from now on. Resolves when those that came before are answered: then nobody needs what
   * the answers were taken from. */
  async stop(names: readonly ServiceName[]): Promise<void> {
    const bytes = names.map((name) => serviceBytes[name])
    for (const byte of bytes) this.#stopped.add(byte)
    await Promise.allSettled(bytes.flatMap((byte) => [...(this.#underWay.get(byte) ?? [])]))
  }

  #dispatch(from: PeerId, bytes: Uint8Array, context: CallContext): Promise<Uint8Array> | Uint8Array {
    const service = bytes[0] ?? 0
    const known = this.#handlers.get(service)
    if (known === undefined) throw new PolyhistorError('service-unknown', 'This peer has no such service')
    if (this.#mayAsk?.(from, known.name) === false)
      throw new PolyhistorError('service-not-permitted', 'This service is not for who asks')
    if (this.#stopped.has(service))
      throw new PolyhistorError('service-stopped', 'This peer is about to stop', { retry: 'later' })
    if (this.#budgets?.allows(from) === false) this.#fail(known.name, from, context, new OverBudget())
    const handle = () => known.handler(from, bytes.subarray(1), context)
    const answer = this.#contain(known.name, from, context, () =>
      this.#budgets === undefined ? handle() : this.#budgets.measured(from, handle),
    )
    if (answer instanceof Promise) this.#note(service, answer)
    return answer
  }

  /** The fault boundary: what a question made a handler throw goes no further than its sender. */
  #contain(
    name: ServiceName,
    from: PeerId,
    context: CallContext,
    work: () => Promise<Uint8Array> | Uint8Array,
  ): Promise<Uint8Array> | Uint8Array {
    try {
      const answer = work()
      if (!(answer instanceof Promise)) return this.#fitting(answer)
      return answer
        .then((bytes) => this.#fitting(bytes))
        .catch((error: unknown) => this.#fail(name, from, context, error))
    } catch (error) {
      return this.#fail(name, from, context, error)
    }
  }

  #fitting(answer: Uint8Array): Uint8Array {
    assert(answer.length <= this.#calls.bytesMax, `an answer of ${answer.length} bytes`)
    return answer
  }

  #fail(name: ServiceName, from: PeerId, context: CallContext, error: unknown): never {
    // What comes of being cancelled interests nobody: mostly it is the signal's own error.
    if (context.isCancelled) throw error
    if (error instanceof PolyhistorError) {
      if (error instanceof OverBudget) this.#faults?.note('throttled', name, from, error)
      else if (error.code.endsWith('malformed')) this.#faults?.note('malformed', name, from, error)
      throw error
    }
    if (this.#faults === undefined) throw error
    this.#faults.note('failed', name, from, error)
    throw new PolyhistorError('peer-failed', 'The peer failed to answer', { cause: error })
  }

  #note(service: number, answer: Promise<unknown>): void {
    let underWay = this.#underWay.get(service)
    if (underWay === undefined) this.#underWay.set(service, (underWay = new Set()))
    underWay.add(answer)
    const ended = () => void underWay.delete(answer)
    answer.then(ended, ended)
  }
}

function withByte(byte: number, bytes: Pieces): Pieces {
  const start = Uint8Array.of(byte)
  return bytes instanceof Uint8Array ? [start, bytes] : [start, ...bytes]
}
