// Takes captures that another peer sent. Nothing it says is believed: the store checks every byte, and files what it keeps by
// what the records themselves say.
//
// Captures of one URL are taken one after the other, for a delta rests on an earlier one, which may have come with another message;
// those of different URLs at once, so that they share the disk's flushes. A revisit may rest on any other: what is lacking is tried
// again after the rest.

import { PolyhistorError } from '../../errors.ts'
import type { HeldCaptures, TakenCopy } from './held-captures.ts'
import type { Outcome } from './wire/answers.ts'

export interface TakenCapture {
  readonly key: Uint8Array
  /** It comes in pieces, as fast as whoever sends it likes. */
  readonly isLarge: boolean
  copy(): TakenCopy
}

const fullCodes = new Set(['store-no-room', 'index-full', 'disk-full', 'share-full'])

export class CaptureTaking {
  readonly #held: HeldCaptures
  /** By URL: the last that waits for its turn, or has it. */
  readonly #underWay = new Map<string, Promise<void>>()

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
        Array.from(byUrl, ([url, indexes]) => {
          const work = async (): Promise<void> => {
            for (const index of indexes) outcomes[index] = await this.#takeOne(captures[index]!)
          }
          // Nobody waits for another peer's pieces.
          return indexes.some((index) => captures[index]!.isLarge) ? work() : this.#inTurn(url, work)
        }),
      )
      const still = lacking.filter((index) => outcomes[index] === 'lacking')
      if (still.length === lacking.length) break
      lacking = still
    }
    return outcomes
  }

  /** At once when nothing of this URL is being taken. */
  async #inTurn(url: string, work: () => Promise<void>): Promise<void> {
    const before = this.#underWay.get(url)
    const turn = before === undefined ? work() : before.then(work, work)
    this.#underWay.set(url, turn)
    try {
      await turn
    } finally {
      if (this.#underWay.get(url) === turn) this.#underWay.delete(url)
    }
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
