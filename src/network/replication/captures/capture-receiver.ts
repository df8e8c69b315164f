// Capture receiver: stores captures that another peer sent. Nothing it says is believed: the store checks every byte, asks
// whether the capture may be kept (admission.ts), and files it by its own records.
//
// All are stored at once, so that they share flushes. A delta waits for the earlier captures of its URL, since its base may have
// come with another message. A revisit may depend on any capture: one whose content is missing is tried again after the rest.

import { PolyhistorError } from '../../../errors.ts'
import type { ReceivedCopy } from '../../../store/copying/copying.ts'
import type { Admit } from './admission.ts'
import type { HeldCaptures } from './held-captures.ts'
import type { Outcome } from './wire/answers.ts'

export interface ReceivedCapture {
  readonly key: Uint8Array
  /** It comes in pieces, as fast as whoever sends it likes. */
  readonly isLarge: boolean
  /** So says whoever sends it. */
  readonly isFirst?: boolean | undefined
  /** With its payload, or there is none to be had. */
  readonly isWhole?: boolean | undefined
  copy(): ReceivedCopy
}

/** What became of the one at this place. */
type Tell = (place: number, outcome: Outcome) => void

const fullCodes = new Set(['store-no-room', 'index-full', 'disk-full', 'share-full'])

export class CaptureReceiver {
  readonly #held: HeldCaptures
  /** By URL: the end of all that are being taken. */
  readonly #underWay = new Map<string, Promise<void>>()

  constructor(needs: { held: HeldCaptures }) {
    this.#held = needs.held
  }

  /** In the order given. */
  async take(captures: readonly ReceivedCapture[], admit: Admit): Promise<Outcome[]> {
    const outcomes: Outcome[] = captures.map(() => 'lacking')
    let lacking = captures.map((_, index) => index)
    while (lacking.length > 0) {
      const byUrl = Map.groupBy(lacking, (index) => urlOf(captures[index]!.key))
      await Promise.all(
        Array.from(byUrl, ([url, indexes]) => {
          const some = indexes.map((index) => captures[index]!)
          const tell = (place: number, outcome: Outcome): void => void (outcomes[indexes[place]!] = outcome)
          return some.some(({ isLarge }) => isLarge)
            ? this.#oneByOne(some, admit, tell)
            : this.#together(url, some, admit, tell)
        }),
      )
      const still = lacking.filter((index) => outcomes[index] === 'lacking')
      if (still.length === lacking.length) break
      lacking = still
    }
    return outcomes
  }

  /** Nobody waits for another peer's pieces. */
  async #oneByOne(captures: readonly ReceivedCapture[], admit: Admit, tell: Tell): Promise<void> {
    for (const [place, capture] of captures.entries()) tell(place, await this.#takeOne(capture, admit))
  }

  /** Of one URL, in their order. */
  async #together(
    url: string,
    captures: readonly ReceivedCapture[],
    admit: Admit,
    tell: Tell,
  ): Promise<void> {
    let before = this.#underWay.get(url)
    const taken = captures.map(async (capture, place) => {
      const earlier = before
      const taking = this.#takeOne(capture, admit, earlier)
      before = taking.then(
        () => earlier,
        () => earlier,
      )
      tell(place, await taking)
    })
    const last = before!
    this.#underWay.set(url, last)
    void last.then(() => {
      if (this.#underWay.get(url) === last) this.#underWay.delete(url)
    })
    await Promise.all(taken)
  }

  async #takeOne(
    { copy, isWhole, isFirst = false }: ReceivedCapture,
    admit: Admit,
    before?: Promise<void>,
  ): Promise<Outcome> {
    try {
      return await this.#held.take(copy(), { before, isWhole, admit: (capture) => admit(capture, isFirst) })
    } catch (error) {
      if (!(error instanceof PolyhistorError)) throw error
      if (fullCodes.has(error.code)) return 'full'
      if (error.code === 'copies-not-plausible') return 'refused'
      return error.retry === 'later' ? 'failed' : 'damaged'
    }
  }
}

/** Without time and id. */
function urlOf(key: Uint8Array): string {
  return Buffer.prototype.latin1Slice.call(key, 0, Math.max(0, key.length - 23))
}
