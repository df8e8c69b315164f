// Capture sender: sends captures to another peer, many to a message, several messages at a time.
//
// What the receiver cannot resolve (a delta whose base is in an earlier message that is still being stored) is sent again after
// the rest, and then whole.

import type { PeerId } from '../../../platform/network/network.ts'
import { sendLacking } from '../anti-entropy/lacking.ts'
import type { CaptureReader, Portion } from './capture-reader.ts'
import type { CopiesCalls } from './copies-calls.ts'
import { CopiesError } from './copies-error.ts'
import type { Traffic } from './traffic.ts'
import type { Outcome } from './wire/answers.ts'

/** `gone`: it is not here any more, or cannot be read here. */
export type GivenOutcome = Outcome | 'gone'

interface GiveOptions {
  signal?: AbortSignal | undefined
  /** Resolves when so many bytes may go. */
  pace?(bytes: number): Promise<void>
}

const messagesAtOnce = 4

type Outcomes = Map<Uint8Array, GivenOutcome>

export class CaptureSender {
  readonly #calls: CopiesCalls
  readonly #reading: CaptureReader
  readonly #traffic: Traffic

  constructor(needs: { calls: CopiesCalls; reading: CaptureReader; traffic: Traffic }) {
    this.#calls = needs.calls
    this.#reading = needs.reading
    this.#traffic = needs.traffic
  }

  /** What became of each, in the order given. Throws when the peer cannot be reached, and 'copies-peer-full'. */
  async give(peer: PeerId, keys: readonly Uint8Array[], options: GiveOptions = {}): Promise<GivenOutcome[]> {
    const outcomes: Outcomes = new Map()
    const send = async (some: readonly Uint8Array[], isWhole: boolean): Promise<Uint8Array[]> => {
      await this.#send(peer, some, isWhole, outcomes, options)
      return some.filter((key) => outcomes.get(key) === 'lacking')
    }
    const lacking = await send(keys, false)
    if (lacking.length > 0) await sendLacking(lacking, send)
    return keys.map((key) => outcomes.get(key)!)
  }

  async #send(
    peer: PeerId,
    keys: readonly Uint8Array[],
    isWhole: boolean,
    outcomes: Outcomes,
    options: GiveOptions,
  ): Promise<void> {
    const underWay = new Set<Promise<void>>()
    let failure: unknown
    const send = async (portion: Portion): Promise<void> => {
      const sending = this.#sendOne(peer, portion, outcomes, options)
        .catch((error: unknown) => {
          failure ??= error
        })
        .finally(() => underWay.delete(sending))
      underWay.add(sending)
      if (underWay.size >= messagesAtOnce) await Promise.race(underWay)
    }
    for await (const portion of this.#reading.portions(keys, isWhole)) {
      if (failure !== undefined) break
      for (const key of portion.missing) outcomes.set(key, 'gone')
      if (portion.captures.length > 0) await send(portion)
    }
    await Promise.all(underWay)
    if (failure !== undefined) throw failure
  }

  async #sendOne(
    peer: PeerId,
    { captures, release }: Portion,
    outcomes: Outcomes,
    { signal, pace }: GiveOptions,
  ): Promise<void> {
    const bytes = captures.reduce((sum, capture) => sum + (capture.bytes?.length ?? 0), 0)
    await pace?.(bytes)
    const answered = await this.#calls.give(peer, captures, signal)
    release()
    this.#traffic.countOut(bytes)
    for (const [index, { key }] of captures.entries()) outcomes.set(key, answered[index]!)
    if (answered.includes('full')) throw new CopiesError('copies-peer-full', `Peer ${peer} has no room`)
  }
}
