// Gives captures to another peer: many to a message, several messages on their way at a time.
//
// What the other lacks the ground for (a delta whose base is in an earlier message that is still being taken) is given again
// when the rest has been taken, and then whole.

import type { PeerId } from '../../world/network.ts'
import type { CaptureReading } from './capture-reading.ts'
import type { CopiesCalls } from './copies-calls.ts'
import { CopiesError } from './copies-error.ts'
import { sendLacking } from './lacking.ts'
import type { Traffic } from './traffic.ts'
import type { Outcome } from './wire/answers.ts'
import { capturesMax, type SentCapture } from './wire/questions.ts'

/** `gone`: it is not here any more, or cannot be read here. */
export type GivenOutcome = Outcome | 'gone'

export interface GiveOptions {
  signal?: AbortSignal | undefined
  /** Resolves when so many bytes may go. */
  pace?(bytes: number): Promise<void>
}

/** A message has about so many bytes of captures. */
const messageBytes = 1024 * 1024
const messagesAtOnce = 4

type Outcomes = Map<Uint8Array, GivenOutcome>

export class Giving {
  readonly #calls: CopiesCalls
  readonly #reading: CaptureReading
  readonly #traffic: Traffic

  constructor(needs: { calls: CopiesCalls; reading: CaptureReading; traffic: Traffic }) {
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
    const send = async (message: SentCapture[]): Promise<void> => {
      const sending = this.#sendOne(peer, message, outcomes, options)
        .catch((error: unknown) => {
          failure ??= error
        })
        .finally(() => underWay.delete(sending))
      underWay.add(sending)
      if (underWay.size >= messagesAtOnce) await Promise.race(underWay)
    }
    let message: SentCapture[] = []
    let bytes = 0
    for await (const { key, capture } of this.#reading.all(keys, isWhole)) {
      if (failure !== undefined) break
      if (capture === undefined) {
        outcomes.set(key, 'gone')
        continue
      }
      const size = capture.bytes?.length ?? 0
      // What is large takes long: it goes alone.
      const isLarge = capture.bytes === undefined
      if (message.length > 0 && (isLarge || bytes + size > messageBytes || message.length >= capturesMax)) {
        await send(message)
        message = []
        bytes = 0
      }
      message.push(capture)
      bytes += size
      if (isLarge) {
        await send(message)
        message = []
        bytes = 0
      }
    }
    if (message.length > 0 && failure === undefined) await send(message)
    await Promise.all(underWay)
    if (failure !== undefined) throw failure
  }

  async #sendOne(
    peer: PeerId,
    message: readonly SentCapture[],
    outcomes: Outcomes,
    { signal, pace }: GiveOptions,
  ): Promise<void> {
    const bytes = message.reduce((sum, capture) => sum + (capture.bytes?.length ?? 0), 0)
    await pace?.(bytes)
    const answered = await this.#calls.give(peer, message, signal)
    this.#traffic.countOut(bytes)
    for (const [index, { key }] of message.entries()) outcomes.set(key, answered[index]!)
    if (answered.includes('full')) throw new CopiesError('copies-peer-full', `Peer ${peer} has no room`)
  }
}
