// Bundles that are out: who has each, until when it may ask the host, and what it has given back.
//
// Fence: a volunteer may ask the host for `fenceMs` from the moment that it was told so, as it counts itself: from when it sent its
// question, plus how long that lay here. It ends everything then, unless `hold` has lengthened it. This peer counts from its answer, and
// adds what clocks may differ by: so nobody else asks the host before the volunteer has stopped, whatever happened to either of them or
// to the wire. No fence is longer than the site's lease: a peer that takes the site over finds nobody asking.
// Bounded: bundles out at most bundlesOutMax, heldMax for each volunteer, and bytes that are being taken in.

import type { RingKey } from '../../model/ring-key.ts'
import type { Clock, Timer } from '../../platform/clock.ts'
import type { PeerId } from '../../platform/network/network.ts'
import type { Random } from '../../platform/random.ts'
import { type GivenAnswer, unpackAnswers } from './given-answers.ts'
import { unsealed } from './sealed-answers.ts'
import { bundleIdBytes, heldMax, type WireBundle } from './volunteer-messages.ts'
import type { AskedPlace } from './waiting-asks.ts'

export interface BundleWork extends Pick<WireBundle, 'urgency' | 'urls' | 'pace' | 'startMs' | 'robots'> {
  readonly site: RingKey
}

/** `overdue`: it did not come back in time; what came before is there. `not-ours`: the site is not crawled here for long enough. */
export interface HandedResult {
  readonly end: 'given' | 'overdue' | 'not-ours'
  /** By the place of their URL. */
  readonly answers: ReadonlyMap<number, GivenAnswer>
  /** When it was handed out, by the wall clock. */
  readonly sinceMs: number
  /** From the message with it to the last one with answers. */
  readonly outMs: number
}

interface Needs {
  readonly clock: Clock
  readonly random: Random
  canCrawl(site: RingKey, forMs: number): boolean
}

interface Handed {
  readonly peer: PeerId
  readonly site: RingKey
  readonly count: number
  readonly hrefs: readonly string[]
  readonly answers: Map<number, GivenAnswer>
  readonly deadlineMs: number
  fencedUntilMs: number
  begunAtMs: number
  timer: Timer | undefined
  finish(end: HandedResult['end']): void
}

const fenceMs = 6_000
/** What clocks of both may differ by while the fence stands, and a little for timers. */
const fenceSlackMs = 500
/** A bundle is over after so long, whatever it says. */
const deadlineMsMin = 30_000
const deadlineMsMax = 300_000
/** For the slowest page that is waited for. */
const perUrlMs = 5_000
const bundlesOutMax = 4_096
const closeLookMs = 100

export class HandedBundles {
  readonly #needs: Needs
  readonly #out = new Map<string, Handed>()
  readonly #counts = new Map<PeerId, number>()
  #isClosing = false

  constructor(needs: Needs) {
    this.#needs = needs
  }

  get size(): number {
    return this.#out.size
  }

  hasRoomFor(peer: PeerId): boolean {
    return !this.#isClosing && this.#out.size < bundlesOutMax && (this.#counts.get(peer) ?? 0) < heldMax
  }

  /** Resolves when nobody asks the host any more for this bundle. */
  handOut(place: AskedPlace, work: BundleWork): Promise<HandedResult> {
    const { clock, random } = this.#needs
    const answers = new Map<number, GivenAnswer>()
    const sinceMs = clock.nowMs()
    if (!this.hasRoomFor(place.peer) || !this.#needs.canCrawl(work.site, fenceMs + fenceSlackMs)) {
      place.giveBack()
      return Promise.resolve({ end: 'not-ours', answers, sinceMs, outMs: 0 })
    }
    const id = random.bytes(bundleIdBytes)
    const name = Buffer.from(id).toString('hex')
    const { delayMs, delayMsMin, leastMs } = work.pace
    const eachMs = perUrlMs + Math.max(delayMs ?? delayMsMin, leastMs)
    const deadlineMs = Math.min(
      deadlineMsMax,
      Math.max(deadlineMsMin, work.startMs + work.urls.length * eachMs),
    )
    return new Promise((resolve) => {
      const handed: Handed = {
        peer: place.peer,
        site: work.site,
        count: work.urls.length,
        hrefs: work.urls.map(({ href }) => href),
        answers,
        deadlineMs: clock.monotonicMs() + deadlineMs,
        fencedUntilMs: 0,
        begunAtMs: clock.monotonicMs(),
        timer: undefined,
        finish: (end) => {
          if (!this.#out.delete(name)) return
          handed.timer?.cancel()
          const left = this.#counts.get(place.peer)! - 1
          if (left === 0) this.#counts.delete(place.peer)
          else this.#counts.set(place.peer, left)
          resolve({ end, answers, sinceMs, outMs: clock.monotonicMs() - handed.begunAtMs })
        },
      }
      this.#out.set(name, handed)
      this.#counts.set(place.peer, (this.#counts.get(place.peer) ?? 0) + 1)
      this.#fence(handed)
      const { site: _site, ...rest } = work
      place.give({ ...rest, id, fenceMs, deadlineMs })
    })
  }

  /** The answer leaves now: what is left of each fence, which has begun here already. */
  begun(bundles: readonly WireBundle[]): WireBundle[] {
    const nowMs = this.#needs.clock.monotonicMs()
    return bundles.map((bundle) => {
      const handed = this.#out.get(Buffer.from(bundle.id).toString('hex'))
      if (handed !== undefined) handed.begunAtMs = nowMs
      const { fencedUntilMs = 0 } = handed ?? {}
      return { ...bundle, fenceMs: Math.max(0, Math.floor(fencedUntilMs - fenceSlackMs - nowMs)) }
    })
  }

  /** For how long it may go on with each; 0: not at all. */
  hold(from: PeerId, ids: readonly Uint8Array[]): number[] {
    const nowMs = this.#needs.clock.monotonicMs()
    return ids.map((id) => {
      const handed = this.#out.get(Buffer.from(id).toString('hex'))
      if (handed === undefined || handed.peer !== from || nowMs + fenceMs > handed.deadlineMs) return 0
      if (this.#isClosing || !this.#needs.canCrawl(handed.site, fenceMs + fenceSlackMs)) return 0
      this.#fence(handed)
      return fenceMs
    })
  }

  /** False: it is not out, or not with this one. Throws MessageMalformed. */
  give(from: PeerId, id: Uint8Array, isLast: boolean, packed: Uint8Array): boolean {
    const handed = this.#out.get(Buffer.from(id).toString('hex'))
    if (handed === undefined || handed.peer !== from) return false
    for (const answer of unsealed(unpackAnswers(packed), handed))
      if (answer.index < handed.count && !handed.answers.has(answer.index))
        handed.answers.set(answer.index, answer)
    if (isLast) handed.finish('given')
    return true
  }

  /** Nobody is told to go on any more. Resolves when nobody asks any host for us. */
  async close(): Promise<void> {
    this.#isClosing = true
    const { clock } = this.#needs
    const untilMs = clock.monotonicMs() + fenceMs + fenceSlackMs
    while (this.#out.size > 0 && clock.monotonicMs() < untilMs) await clock.sleep(closeLookMs)
  }

  #fence(handed: Handed): void {
    const { clock } = this.#needs
    const leftMs = fenceMs + fenceSlackMs
    handed.fencedUntilMs = clock.monotonicMs() + leftMs
    handed.timer?.cancel()
    handed.timer = clock.after(leftMs, () => handed.finish('overdue'))
  }
}
