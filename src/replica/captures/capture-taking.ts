// Takes captures that another peer sent. Nothing it says is believed: the store checks every byte, and files what it keeps by
// what the records themselves say.
//
// Captures of one URL are taken one after the other, for a delta rests on an earlier one; those of different URLs at once,
// so that they share the disk's flushes. A revisit may rest on any other: what is lacking is tried again after the rest.

import { PolyhistorError } from '../../errors.ts'
import type { CaptureCopy, HeldCaptures } from './held-captures.ts'
import type { Outcome } from './wire/answers.ts'

export interface TakenCapture {
  readonly key: Uint8Array
  copy(): CaptureCopy
}

const fullCodes = new Set(['store-no-room', 'index-full', 'disk-full', 'share-full'])

export class CaptureTaking {
  readonly #held: HeldCaptures

  constructor(needs: { held: HeldCaptures }) {
    this.#held = needs.held
  }

  /** In the order given. */
  async take(captures: readonly TakenCapture[]): Promise<Outcome[]> {
    const outcomes: Outcome[] = captures.map(() => 'lacking')
    let lacking = captures.map((_, index) => index)
    while (lacking.length > 0) {
      const byUrl = Map.groupBy(lacking, (index) => urlOf(captures[index]!.key))
      await Promise.all(
        Array.from(byUrl.values(), async (indexes) => {
          for (const index of indexes) outcomes[index] = await this.#takeOne(captures[index]!)
        }),
      )
      const still = lacking.filter((index) => outcomes[index] === 'lacking')
      if (still.length === lacking.length) break
      lacking = still
    }
    return outcomes
  }

  async #takeOne({ copy }: TakenCapture): Promise<Outcome> {
    try {
      return await this.#held.take(copy())
    } catch (error) {
      if (!(error instanceof PolyhistorError)) throw error
      if (fullCodes.has(error.code)) return 'full'
      return error.retry === 'later' ? 'failed' : 'damaged'
    }
  }
}

/** Without time and id. */
function urlOf(key: Uint8Array): string {
  return Buffer.prototype.latin1Slice.call(key, 0, Math.max(0, key.length - 23))
}
