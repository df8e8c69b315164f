// What peers say about the bounds of split sites, and which bounds follow from it.
//
// A bound is a cheap thing to say and dear for all: captures move to the place that follows from it, and whoever could choose bounds
// alone could try names until parts of a site lie at its own place. So nobody's word alone counts: a bound holds while at least
// `wordsMin` peers say so, and more than say that it is gone. The owner of the part proposes it, and each other holder says the same
// only if that is plausible by what it holds itself (large-parts.ts).
// Invariant: which bounds there are follows from the words alone, in whatever order they were heard, so all peers agree.

import type { PeerId } from '../../../platform/network.ts'
import type { Bound } from './split-sites.ts'

interface Words {
  readonly key: Uint8Array
  /** By author: whether it says that the bound is gone. */
  readonly isGoneBy: Map<PeerId, boolean>
}

export class SplitVotes {
  readonly #wordsMin: number
  readonly #votes = new Map<string, Words>()
  /** Names whose words have changed since they were last taken. */
  readonly #changed = new Set<string>()

  constructor(wordsMin: number) {
    this.#wordsMin = wordsMin
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

  /** Bounds that somebody says there are, and not enough others yet. */
  proposed(): Uint8Array[] {
    return [...this.#votes.values()]
      .filter(({ isGoneBy }) => {
        const here = hereIn(isGoneBy)
        return here > 0 && here < this.#wordsMin
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
      // A single word, whatever it says, is nothing to any of us.
      if (isGoneBy.size < this.#wordsMin) continue
      bounds.push({ key, isGone: here < this.#wordsMin || here <= isGoneBy.size - here })
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
