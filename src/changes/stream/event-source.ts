// Event source: tells the events of the sites that this peer crawls to whoever follows them, this peer or another.
//
// Invariants: no event is told before it is safe with the site's members, so none is told that a take-over would undo. An answer is a
// page of bounded size; nothing is kept for those who read, but for so many who wait for the next event.

import { PolyhistorError } from '../../errors.ts'
import { LruCache } from '../../model/lru-cache.ts'
import type { RingKey } from '../../model/ring-key.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Random } from '../../platform/random.ts'
import { WakeSignal } from '../../platform/wake-signal.ts'
import { type LocalEvent, type LocalEvents, type LocalPage, positionAfter } from '../local-events.ts'
import { eventsMax, pageBytesMax, type ReadAnswer, type ReadQuestion } from './questions.ts'

interface Needs {
  readonly clock: Clock
  readonly random: Random
  readonly events: LocalEvents
  /** Resolves when what was written of these sites is safe; rejects with a PolyhistorError when that takes too long, or when one of
   * them went to another peer. */
  waitUntilSafe(sites: readonly RingKey[]): Promise<void>
  /** Sites that may be nobody's at the moment. */
  unsettled(): number
  /** Whom this peer sees: see present-peers.ts. */
  view(): number
}

/** Who wait for an event at a time; more are answered at once. */
const waitingMax = 512
/** Sites of which it is remembered up to where they are safe. */
const safeMax = 50_000
const instanceMax = 2 ** 47

export class EventSource {
  readonly #needs: Needs
  readonly #instance: number
  readonly #safeUpTo = new LruCache<string, number>({ max: safeMax })
  #waiting = 0
  readonly #closing = new AbortController()

  constructor(needs: Needs) {
    this.#needs = needs
    this.#instance = 1 + needs.random.below(instanceMax)
  }

  /** Nobody is kept waiting any more. */
  close(): void {
    this.#closing.abort()
  }

  async read(question: ReadQuestion, signal?: AbortSignal): Promise<ReadAnswer> {
    const { events } = this.#needs
    events.pass(question.cursor)
    if (question.instance !== this.#instance)
      return { kind: 'restarted', instance: this.#instance, generation: events.generation }
    if (question.missed === undefined && question.generation !== events.generation)
      return { kind: 'taken', generation: events.generation }
    const first = this.#page(question)
    if (first.events.length > 0 || !first.isEnd || question.missed || question.waitMs === 0)
      return this.#safe(first, question.after)
    await this.#waitForEvent(question.waitMs, signal)
    return this.#safe(this.#page(question), question.after)
  }

  #page({ after, generation, missed }: ReadQuestion): LocalPage {
    const { events } = this.#needs
    // Before reading: what is written later has a larger stamp.
    const upTo = positionAfter(events.promise())
    const page = events.page({
      after: Buffer.from(after),
      upTo: missed && Buffer.from(missed.upTo),
      takenAfter: missed?.takenAfter ?? -1,
      generation,
      countMax: eventsMax,
      bytesMax: pageBytesMax,
    })
    return page.isEnd ? { ...page, next: missed ? Buffer.from(missed.upTo) : upTo } : page
  }

  async #waitForEvent(waitMs: number, signal?: AbortSignal): Promise<void> {
    const { clock, events } = this.#needs
    if (this.#waiting >= waitingMax || this.#closing.signal.aborted) return
    const bell = new WakeSignal({ clock })
    const ring = () => bell.ring()
    const stop = events.onAppended(ring)
    const signals = [this.#closing.signal, ...(signal ? [signal] : [])]
    for (const one of signals) one.addEventListener('abort', ring, { once: true })
    this.#waiting++
    try {
      await bell.wait(waitMs)
    } finally {
      this.#waiting--
      stop()
      for (const one of signals) one.removeEventListener('abort', ring)
    }
  }

  /** The page up to the first event that is not safe. */
  async #safe(page: LocalPage, after: Uint8Array): Promise<ReadAnswer> {
    const { events } = this.#needs
    const unsafe = new Map<string, RingKey>()
    for (const event of page.events) if (!this.#isSafe(event)) unsafe.set(event.prefix, event.site)
    const promised = events.promise()
    await Promise.all(
      [...unsafe].map(async ([prefix, site]) => {
        if (await this.#becomesSafe(site)) this.#safeUpTo.set(prefix, promised)
      }),
    )
    const safe = page.events.findIndex((event) => !this.#isSafe(event))
    const told = safe === -1 ? page.events : page.events.slice(0, safe)
    const { next, isEnd } = safe === -1 ? page : { next: nextOf(told, after), isEnd: false }
    return {
      kind: 'page',
      events: told.map(({ bytes }) => bytes),
      next,
      isEnd,
      droppedUpTo: events.droppedUpTo,
      unsettled: this.#needs.unsettled() + events.comingCount,
      view: this.#needs.view(),
    }
  }

  #isSafe({ prefix, stamp }: LocalEvent): boolean {
    return stamp <= (this.#safeUpTo.get(prefix) ?? 0)
  }

  async #becomesSafe(site: RingKey): Promise<boolean> {
    try {
      await this.#needs.waitUntilSafe([site])
      return true
    } catch (error) {
      // It takes long, or the site is another peer's by now.
      if (!(error instanceof PolyhistorError)) throw error
      return false
    }
  }
}

function nextOf(told: readonly LocalEvent[], after: Uint8Array): Buffer {
  return told.at(-1)?.position ?? Buffer.from(after)
}
