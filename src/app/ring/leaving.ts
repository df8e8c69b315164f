// Leaving a network for good: crawling stops, everything is handed over to the peers that will keep it, and the home has no
// network from then on. If this fails or is cancelled, the peer stays a member; what was handed over by then need not be handed
// over again.

import { jsonAnswer } from '../../api/answers.ts'
import type { Route } from '../../api/route.ts'
import { count, object } from '../../api/v1/operation.ts'
import { PolyhistorError } from '../../errors.ts'

export interface HandedOver {
  /** What lies here. */
  readonly entries: number
  /** As much of it is safe with others. */
  readonly done: number
  /** What had to be sent for it. */
  readonly sentBytes: number
  /** Stored bytes of the entries that are left, about. */
  readonly leftBytes: number
  /** Who took how many entries. */
  readonly peers: readonly { readonly peer: string; readonly entries: number }[]
}

export interface LeavingState {
  /** `staying`: nobody asked, or it was called off or failed, which `problem` tells. */
  readonly state: 'staying' | 'ending' | 'handing-over' | 'done'
  readonly problem?: string | undefined
  readonly handedOver?: HandedOver | undefined
}

const text = { type: 'string' }
const answer = object({
  state: text,
  problem: text,
  handedOver: object({
    entries: count,
    done: count,
    sentBytes: count,
    leftBytes: count,
    peers: { type: 'array', items: object({ peer: text, entries: count }) },
  }),
})

export class Leaving {
  #asked = new AbortController()
  #calledOff = new AbortController()
  #state: LeavingState = { state: 'staying' }
  readonly #told = Promise.withResolvers<void>()

  /** Aborted when somebody has asked for it. */
  get asked(): AbortSignal {
    return this.#asked.signal
  }

  get isDone(): boolean {
    return this.#state.state === 'done'
  }

  /** Resolves when somebody was told that it is done. */
  get told(): Promise<void> {
    return this.#told.promise
  }

  ask(): void {
    if (this.#state.state !== 'staying') return
    this.#state = { state: 'ending' }
    this.#asked.abort()
  }

  callOff(): void {
    if (this.#state.state !== 'staying') this.#calledOff.abort()
  }

  routes(): Route[] {
    const shared = { host: 'archive' as const, path: '/api/v1/network/leave' }
    return [
      {
        ...shared,
        methods: ['POST'],
        writes: true,
        operation: {
          summary: 'Hand everything over to other peers, leave the network for good, and stop',
          answer,
        },
        handle: () => {
          this.ask()
          return jsonAnswer(this.#state)
        },
      },
      {
        ...shared,
        methods: ['DELETE'],
        writes: true,
        operation: { summary: 'Stay after all; what was handed over is with the others', answer },
        handle: () => {
          this.callOff()
          return jsonAnswer(this.#state)
        },
      },
      {
        ...shared,
        methods: ['GET'],
        operation: { summary: 'How far leaving the network has come', answer },
        handle: () => {
          if (this.isDone) this.#told.resolve()
          return jsonAnswer(this.#state)
        },
      },
    ]
  }

  /** When nothing is crawled any more. False when it could not be done or was called off: then the peer stays. */
  async carryOut(
    stop: AbortSignal,
    handOver: (signal: AbortSignal, tell: (handedOver: HandedOver) => void) => Promise<void>,
  ): Promise<boolean> {
    const signal = AbortSignal.any([stop, this.#calledOff.signal])
    this.#state = { state: 'handing-over' }
    try {
      signal.throwIfAborted()
      await handOver(signal, (handedOver) => {
        this.#state = { state: 'handing-over', handedOver }
      })
      this.#state = { ...this.#state, state: 'done' }
    } catch (error) {
      if (!signal.aborted && !(error instanceof PolyhistorError)) throw error
      this.#asked = new AbortController()
      this.#calledOff = new AbortController()
      const problem = signal.aborted ? 'leaving was called off' : (error as Error).message
      this.#state = { ...this.#state, state: 'staying', problem }
    }
    return this.isDone
  }
}
