// Leaving a network for good: nothing more is crawled, those who are to keep what is here without us get it, and the home is alone
// from then on. Whatever goes wrong on the way, the peer stays what it was.

import { jsonAnswer } from '../../api/answers.ts'
import type { Route } from '../../api/route.ts'
import { PolyhistorError } from '../../errors.ts'

export interface LeavingState {
  /** `staying`: nobody asked, or it failed, which `problem` tells. */
  readonly state: 'staying' | 'ending' | 'handing-over' | 'done'
  readonly problem?: string | undefined
}

export class Leaving {
  #asked = new AbortController()
  #state: LeavingState = { state: 'staying' }

  /** Aborted when somebody has asked for it. */
  get asked(): AbortSignal {
    return this.#asked.signal
  }

  get isDone(): boolean {
    return this.#state.state === 'done'
  }

  routes(): Route[] {
    const shared = { host: 'archive' as const, path: '/api/v1/network/leave', writes: true }
    return [
      {
        ...shared,
        methods: ['POST'],
        operation: { summary: 'Hand everything over to other peers, leave the network for good, and stop' },
        handle: () => {
          if (this.#state.state === 'staying') {
            this.#state = { state: 'ending' }
            this.#asked.abort()
          }
          return jsonAnswer(this.#state)
        },
      },
      {
        ...shared,
        methods: ['GET'],
        operation: { summary: 'How far leaving the network has come' },
        handle: () => jsonAnswer(this.#state),
      },
    ]
  }

  /** When nothing is crawled any more. False when it could not be done: then the peer stays. */
  async carryOut(handOver: () => Promise<void>): Promise<boolean> {
    this.#state = { state: 'handing-over' }
    try {
      await handOver()
      this.#state = { state: 'done' }
    } catch (error) {
      if (!(error instanceof PolyhistorError)) throw error
      this.#asked = new AbortController()
      this.#state = { state: 'staying', problem: error.message }
    }
    return this.isDone
  }
}
