// Which of its ticket's places a peer has on the ring: taken and given up while it runs, and kept over restarts.
//
// A place that is taken is a join of that position, one that is given up a leave: the ring's protocol knows nothing else of it. Who takes
// which place, and when, is for others to say: src/network/even-places/, and the share of the disk where that fills up.
// What is kept is written after the ring has changed: who is killed in between is one place behind, as if that position had crashed.

import { positionsMax } from '../../network/ring/protocol/place.ts'
import type { Ring } from '../../network/ring/ring.ts'
import type { Log } from '../../platform/log.ts'

export interface KeptPlaces {
  /** As many as the peer's share of the disk stood for then. */
  readonly positions: number
  readonly indexes: readonly number[]
}

interface Needs {
  readonly ring: Pick<Ring, 'takePlace' | 'givePlace' | 'view'>
  readonly log: Log
  keep(places: KeptPlaces): Promise<void>
}

export class TakenPlaces {
  /** What the peer's share of the disk stands for, in positions. */
  readonly weight: number
  readonly #needs: Needs
  #keeping: Promise<void> = Promise.resolve()

  constructor(needs: Needs, weight: number) {
    this.#needs = needs
    this.weight = weight
  }

  /** On the ring now, the lowest first. */
  get indexes(): number[] {
    const { positions } = this.#needs.ring.view()
    return positions.filter(({ status }) => status === 'member').map(({ index }) => index)
  }

  async take(index: number): Promise<boolean> {
    const isTaken = await this.#needs.ring.takePlace(index)
    if (isTaken) this.#keep()
    return isTaken
  }

  give(index: number): boolean {
    const isGiven = this.#needs.ring.givePlace(index)
    if (isGiven) this.#keep()
    return isGiven
  }

  /** The last one, when the disk fills up. False when there is only one. */
  giveUpPosition(): boolean {
    const last = this.indexes.at(-1)
    return last !== undefined && this.give(last)
  }

  /** Resolves when all is written. */
  async close(): Promise<void> {
    await this.#keeping
  }

  #keep(): void {
    const places = { positions: this.weight, indexes: this.indexes }
    this.#keeping = this.#keeping
      .then(() => this.#needs.keep(places))
      .catch((error) =>
        this.#needs.log.error({ err: error }, 'Which places this peer has could not be written down'),
      )
  }
}

/** With which places to begin again: those that were kept; where the share is another one now, as many more of the first ones, or fewer of
 * the last. */
export function placesToBegin(kept: KeptPlaces | undefined, positions: number): number[] | undefined {
  if (kept === undefined) return undefined
  const wanted = Math.min(positionsMax, Math.max(1, kept.indexes.length + positions - kept.positions))
  const indexes = [...kept.indexes].sort((one, other) => one - other).slice(0, wanted)
  for (let index = 0; indexes.length < wanted; index++) if (!indexes.includes(index)) indexes.push(index)
  return indexes
}

/** What was written down; undefined when it is not what we write. */
export function readKeptPlaces(text: string): KeptPlaces | undefined {
  try {
    const { positions, indexes } = JSON.parse(text) as Partial<KeptPlaces>
    if (!isCount(positions) || !Array.isArray(indexes) || indexes.length === 0) return undefined
    const isSound = indexes.every((index) => isCount(index + 1)) && new Set(indexes).size === indexes.length
    return isSound ? { positions, indexes } : undefined
  } catch (error) {
    if (!(error instanceof SyntaxError) && !(error instanceof TypeError)) throw error
    return undefined
  }
}

function isCount(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) >= 1 && (value as number) <= positionsMax
}
