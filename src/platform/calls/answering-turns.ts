// Answering turns: how many questions of a service are answered at once, in all and of each peer. Who is over is refused at once, and
// comes back: so one peer that asks without end leaves turns to the others.
//
// For services whose answers take a while; how many questions a peer may ask at all is limited for all services together
// (call-budgets.ts).

import { PolyhistorError } from '../../errors.ts'
import type { PeerId } from '../network/network.ts'

export interface TurnLimits {
  readonly ofAll: number
  readonly ofEach: number
}

export class AnsweringTurns {
  readonly #limits: TurnLimits
  readonly #busy: readonly [code: string, message: string]
  readonly #underWay = new Map<PeerId, number>()
  #all = 0

  /** `busy`: what those are told who have no turn, and are to come back. */
  constructor(limits: TurnLimits, ...busy: readonly [code: string, message: string]) {
    this.#limits = limits
    this.#busy = busy
  }

  async run<T>(peer: PeerId, work: () => Promise<T> | T): Promise<T> {
    const own = this.#underWay.get(peer) ?? 0
    if (this.#all >= this.#limits.ofAll || own >= this.#limits.ofEach)
      throw new PolyhistorError(...this.#busy, { retry: 'later' })
    this.#all++
    this.#underWay.set(peer, own + 1)
    try {
      return await work()
    } finally {
      this.#all--
      const left = this.#underWay.get(peer)! - 1
      if (left === 0) this.#underWay.delete(peer)
      else this.#underWay.set(peer, left)
    }
  }
}
