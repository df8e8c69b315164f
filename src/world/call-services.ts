// Several parts of a peer share one set of calls: each has a service of its own, named by the first byte of a question.
//
// Invariant: a question reaches the handler of the service that it was asked of, or fails with 'service-unknown'; so a
// peer of a later version can ask an earlier one for what that does not do yet.

import { PolyhistorError } from '../errors.ts'
import type { CallContext, CallHandler, CallOptions } from './calls.ts'
import type { PeerId, Pieces } from './network.ts'

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
  readonly #handlers = new Map<number, CallHandler>()

  constructor(calls: CallService) {
    this.#calls = calls
    calls.answer((from, bytes, context) => this.#dispatch(from, bytes, context))
  }

  service(name: ServiceName): CallService {
    const byte = serviceBytes[name]
    return {
      bytesMax: this.#calls.bytesMax - 1,
      call: (peer, bytes, options) => this.#calls.call(peer, withByte(byte, bytes), options),
      answer: (handler) => this.#handlers.set(byte, handler),
    }
  }

  #dispatch(from: PeerId, bytes: Uint8Array, context: CallContext): Promise<Uint8Array> | Uint8Array {
    const handler = this.#handlers.get(bytes[0] ?? 0)
    if (handler === undefined) throw new PolyhistorError('service-unknown', 'This peer has no such service')
    return handler(from, bytes.subarray(1), context)
  }
}

function withByte(byte: number, bytes: Pieces): Pieces {
  const start = Uint8Array.of(byte)
  return bytes instanceof Uint8Array ? [start, bytes] : [start, ...bytes]
}
