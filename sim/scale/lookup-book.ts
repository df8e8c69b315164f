// Lookups of random keys by peers of three kinds, each held against who owned the key meanwhile.
//
// Right: whom it found owned the key at some moment of the lookup. Wrong: it found another. Unanswered: nobody said in time that
// the key was its own; mostly its owner had just died, and its heir waits. What the asker's death cut off is not counted.

import { PolyhistorError } from '../../src/errors.ts'
import type { RingKey } from '../../src/model/ring-key.ts'
import type { SimulatedPeer } from '../ring/ring-world.ts'
import type { LivePlaces } from './live-places.ts'

/** `cold`: it remembers nothing but lists and fingers. `warm`: it stays, remembers all, and looks much up. `usual`: the others. */
export type AskerKind = 'cold' | 'usual' | 'warm'

class Tally {
  right = 0
  wrong = 0
  unanswered = 0
  hops = 0
  /** Of those answered. */
  readonly durationsMs: number[] = []
}

export type LookupFigures = ReturnType<LookupBook['take']>

export class LookupBook {
  readonly #live: LivePlaces
  #tallies = newTallies()

  constructor(live: LivePlaces) {
    this.#live = live
  }

  async lookUp(peer: SimulatedPeer, kind: AskerKind, key: RingKey): Promise<void> {
    const startMs = peer.port.monotonicMs()
    const tally = this.#tallies[kind]
    try {
      const { owner, hops } = await peer.node.lookup(key)
      if (this.#live.wasOwner(owner.position, key, startMs)) tally.right++
      else tally.wrong++
      tally.hops += hops
      tally.durationsMs.push(peer.port.monotonicMs() - startMs)
    } catch (error) {
      if (!(error instanceof PolyhistorError)) throw error
      tally.unanswered++
    }
  }

  /** The figures since this was last asked. */
  take() {
    const { cold, usual, warm } = this.#tallies
    this.#tallies = newTallies()
    return { cold: figuresOf(cold), usual: figuresOf(usual), warm: figuresOf(warm) }
  }
}

function newTallies(): Record<AskerKind, Tally> {
  return { cold: new Tally(), usual: new Tally(), warm: new Tally() }
}

function figuresOf({ right, wrong, unanswered, hops, durationsMs }: Tally) {
  durationsMs.sort((a, b) => a - b)
  const at = (share: number): number => Math.round(durationsMs[Math.floor(share * durationsMs.length)] ?? 0)
  return { right, wrong, unanswered, hops, medianMs: at(0.5), slowMs: at(0.95) }
}
