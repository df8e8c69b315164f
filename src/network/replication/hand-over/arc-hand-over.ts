// Arc hand-over: gives another peer what we hold of one arc, and has it show that it has it, before we give up the place for which we keep
// it. Ours stays here afterwards, as a spare copy, until all that keep the arc by then have shown theirs (hand-over.ts).

import { PolyhistorError } from '../../../errors.ts'
import type { PeerId } from '../../../platform/network/network.ts'
import type { Admission } from '../captures/admission.ts'
import { rangesOn } from '../captures/places.ts'
import type { Arc } from '../captures/wire/questions.ts'
import { type KeyRange, nextKey } from '../sums/key-range.ts'
import type { HandOverNeeds } from './hand-over.ts'

interface Needs extends Pick<HandOverNeeds, 'held' | 'places' | 'reconciler' | 'possession' | 'pace'> {
  readonly admission: Pick<Admission, 'isAhead'>
}

const entriesAtOnce = 1_024

export class ArcHandOver {
  readonly #needs: Needs

  constructor(needs: Needs) {
    this.#needs = needs
  }

  /** True when the peer has shown all of it that can be read here. */
  async give(peer: PeerId, arc: Arc, signal: AbortSignal): Promise<boolean> {
    const { places, reconciler, pace } = this.#needs
    try {
      for (const range of rangesOn(places, arc)) {
        if (!(await reconciler.giveAll(peer, range, { signal, pace }))) return false
        if (!(await this.#isShown(peer, range, signal))) return false
      }
      return true
    } catch (error) {
      if (!(error instanceof PolyhistorError)) throw error
      return false
    }
  }

  async #isShown(peer: PeerId, { from, to }: KeyRange, signal: AbortSignal): Promise<boolean> {
    const { held, possession, admission } = this.#needs
    for (let start = from; ; ) {
      const keys = [...held.sums.entries({ from: start, to }, entriesAtOnce)].map(({ key }) => key)
      const wanted = keys.filter((key) => !admission.isAhead(held.roster.momentOf(key)))
      const areProven = await possession.areProven([peer], wanted, signal)
      if (areProven.includes(false)) return false
      if (keys.length < entriesAtOnce) return true
      start = nextKey(keys.at(-1)!)
    }
  }
}
