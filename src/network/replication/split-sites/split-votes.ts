// Split votes: what peers say about the bounds of split sites, and which bounds are in force.
//
// A bound costs little to announce and much to apply: captures move to the place that follows from it, and a peer that could
// choose bounds alone could try names until parts of a site are at its own place. So a bound is in force while at least
// `votesMin` peers vote for it, and more than vote that it is gone. The owner of the part proposes it, and each other holder
// votes for it only if it is plausible by what it holds itself (large-parts.ts).
// Invariant: the bounds follow from the votes alone, in whatever order they came, so all peers agree.

import type { PeerId } from '../../../platform/network/network.ts'
import type { Bound } from './split-sites.ts'

interface Votes {
  readonly key: Uint8Array
  /** By author: whether it says that the bound is gone. */
  readonly isGoneBy: Map<PeerId, boolean>
}

export class SplitVotes {
  readonly #votesMin: number
  readonly #votes = new Map<string, Votes>()
  /** Names whose words have changed since they were last taken. */
  readonly #changed = new Set<string>()

  constructor(votesMin: number) {
    this.#votesMin = votesMin
  }

  record(author: PeerId, { key, isGone }: Bound): void {
    const name = nameOf(key)
    const votes = this.#votes.get(name) ?? { key, isGoneBy: new Map() }
    votes.isGoneBy.set(author, isGone)
    this.#votes.set(name, votes)
    this.#changed.add(name)
  }

  /** What the author said of it; undefined: nothing. */
  voteOf(author: PeerId, key: Uint8Array): 'here' | 'gone' | undefined {
    const isGone = this.#votes.get(nameOf(key))?.isGoneBy.get(author)
    return isGone === undefined ? undefined : isGone ? 'gone' : 'here'
  }

  /** Bounds with too few votes so far. */
  proposed(): Uint8Array[] {
    return [...this.#votes.values()]
      .filter(({ isGoneBy }) => {
        const here = hereIn(isGoneBy)
        return here > 0 && here < this.#votesMin
      })
      .map(({ key }) => key)
  }

  /** Bounds that hold, or do not any more, as far as their words have changed: at most so many. */
  takeChanged(countMax: number): Bound[] {
    const bounds: Bound[] = []
    for (const name of this.#changed) {
      if (bounds.length >= countMax) break
      this.#changed.delete(name)
      const { key, isGoneBy } = this.#votes.get(name)!
      const here = hereIn(isGoneBy)
      // A single vote has no effect.
      if (isGoneBy.size < this.#votesMin) continue
      bounds.push({ key, isGone: here < this.#votesMin || here <= isGoneBy.size - here })
    }
    return bounds
  }

  get hasChanged(): boolean {
    return this.#changed.size > 0
  }
}

function hereIn(isGoneBy: ReadonlyMap<PeerId, boolean>): number {
  let here = 0
  for (const isGone of isGoneBy.values()) if (!isGone) here++
  return here
}

function nameOf(key: Uint8Array): string {
  return Buffer.from(key).toString('latin1')
}
