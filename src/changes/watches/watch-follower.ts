// Watch follower: reads the stream of changes once for all watches and feeds of a home, and records what each event led to.
//
// Invariant: how far the stream was read moves in the transaction that records what came up to there: history, messages for receivers, events
// of feeds. A process that is killed goes on from there, and what it had recorded beyond is not recorded again (stream-place.ts).
// It reads only while there is somebody to read for. Where the log does not reach back to where it stopped, that is noted, for the owner to
// see, and it goes on with what there is.

import { PolyhistorError } from '../../errors.ts'
import { surtOf } from '../../model/url/surt.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Log } from '../../platform/log.ts'
import { WakeSignal } from '../../platform/wake-signal.ts'
import type { StoredEvent } from '../event-coding.ts'
import type { FeedBook } from '../feeds/feed-book.ts'
import type { ChangeStream, StreamOptions, Told } from '../stream/change-stream.ts'
import { messageId, watchMessage } from '../webhooks/watch-message.ts'
import type { WebhookBook } from '../webhooks/webhook-book.ts'
import type { PageWatch, WatchSighting, WatchState } from './page-watch.ts'
import type { StreamPlace } from './stream-place.ts'
import type { WatchBook } from './watch-book.ts'
import type { WatchIndex } from './watch-index.ts'
import type { LookResult, WatchLook } from './watch-look.ts'

export interface WatchedChanges {
  stream(options: StreamOptions): ChangeStream
  isHidden(url: string): boolean
}

export interface WatchFollowerNeeds {
  readonly changes: WatchedChanges
  readonly book: WatchBook
  readonly index: WatchIndex
  readonly place: StreamPlace
  readonly look: WatchLook
  readonly webhooks: WebhookBook
  readonly feeds: FeedBook
  readonly clock: Clock
  readonly log: Log
  /** Messages may be due. */
  whenEnqueued(): void
}

/** What one event led to. */
interface Dealt {
  readonly event: StoredEvent
  readonly looks: readonly { readonly watch: PageWatch; readonly surt: string; readonly result: LookResult }[]
  readonly isOfFeed: boolean
}

/** Clocks of peers may differ by so much. */
const marginMs = 10_000
const againMs = 10_000
const endedMs = 1_000
/** A cursor that moved by less is not worth a commit of its own. */
const cursorEveryMs = 5_000

export class WatchFollower {
  readonly #needs: WatchFollowerNeeds
  readonly #wake: WakeSignal
  readonly #stopping = new AbortController()
  #running: Promise<void> | undefined
  #origin = ''

  constructor(needs: WatchFollowerNeeds) {
    this.#needs = needs
    this.#wake = new WakeSignal(needs)
  }

  /** `origin`: where this archive is read, for links in messages. */
  start(origin: string): void {
    this.#origin = origin
    this.#running ??= this.#run()
  }

  /** There is somebody new to read for. */
  wake(): void {
    this.#wake.ring()
  }

  async close(): Promise<void> {
    this.#stopping.abort()
    this.#wake.ring()
    await this.#running
  }

  get #isNeeded(): boolean {
    return this.#needs.book.size + this.#needs.feeds.size > 0
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping
    while (!signal.aborted) {
      if (!this.#isNeeded) {
        await this.#wake.wait()
        continue
      }
      try {
        await this.#follow()
        // It ends only where this peer does, or nobody is left to read for.
        await this.#wake.wait(endedMs)
      } catch (error) {
        if (signal.aborted) return
        if (!(error instanceof PolyhistorError)) throw error
        this.#needs.log.warn({ err: error }, 'Watches cannot be followed at the moment')
        await this.#wake.wait(againMs)
      }
    }
  }

  async #follow(): Promise<void> {
    const { clock, place } = this.#needs
    const cursor = place.cursor ?? Math.max(0, clock.nowMs() - marginMs)
    const stream = await this.#begun(cursor)
    for await (const told of stream.told()) {
      await this.#note(told)
      if (!this.#isNeeded) return
    }
  }

  async #begun(cursor: number): Promise<ChangeStream> {
    const { changes } = this.#needs
    const { signal } = this.#stopping
    const stream = changes.stream({ cursor, isFollowing: true, signal })
    try {
      await stream.begin()
      return stream
    } catch (error) {
      await stream.close()
      if (!(error instanceof PolyhistorError) || error.code !== 'cursor-too-old') throw error
    }
    await this.#noteGap(cursor, this.#needs.clock.nowMs())
    const whole = changes.stream({ cursor: 0, isFollowing: true, signal })
    await whole.begin()
    return whole
  }

  async #note(told: Told): Promise<void> {
    if (told.kind === 'gap') return this.#noteGap(this.#needs.place.cursor ?? told.upTo, told.upTo)
    const dealt: Dealt[] = []
    for (const event of told.kind === 'events' ? told.events : []) {
      const one = await this.#deal(event)
      if (one !== undefined) dealt.push(one)
    }
    const { place } = this.#needs
    if (dealt.length === 0 && told.cursor - (place.cursor ?? 0) < cursorEveryMs) return
    await this.#record(dealt, told.cursor)
  }

  /** undefined when it is nothing to anybody. */
  async #deal(event: StoredEvent): Promise<Dealt | undefined> {
    const { book, index, place, look, feeds, changes } = this.#needs
    const isOfFeed = feeds.has(event.site)
    const ids = index.matching(event)
    if ((ids.length === 0 && !isOfFeed) || changes.isHidden(event.url) || place.isDealtWith(event))
      return undefined
    const surt = surtOf(event.url)
    const looks: Dealt['looks'][number][] = []
    for (const id of ids) {
      const watch = book.find(id)
      // What was there before somebody watched is not told.
      if (watch === undefined || watch.isPaused || event.stamp < watch.createdAtMs - marginMs) continue
      const result = await look.at(watch, event, book.base(id, surt))
      if (result !== undefined) looks.push({ watch, surt, result })
    }
    return { event, looks, isOfFeed }
  }

  async #record(dealt: readonly Dealt[], cursor: number): Promise<void> {
    const { book, place, feeds } = this.#needs
    let committed: (() => void)[] = []
    await book.map.transaction(() => {
      committed = []
      for (const { event, looks, isOfFeed } of dealt) {
        for (const { watch, surt, result } of looks) committed.push(...this.#recordLook(watch, surt, result))
        if (isOfFeed) feeds.put(event)
        place.noteDealtWith(event)
      }
      if (cursor > (place.cursor ?? 0)) place.moveTo(cursor)
    })
    for (const done of committed) done()
    if (dealt.length === 0) return
    await book.map.flush()
    if (committed.length > 0) this.#needs.whenEnqueued()
  }

  /** Only inside a transaction. */
  #recordLook({ id }: PageWatch, surt: string, { sighting, isTold, baseMs }: LookResult): (() => void)[] {
    const { book } = this.#needs
    // It may have been removed while it was looked at.
    const watch = book.find(id)
    if (watch === undefined) return []
    book.putState(id, stateAfter(watch, book.state(id), { sighting, isTold }))
    if (baseMs === undefined) book.dropBase(id, surt)
    else book.putBase(id, surt, baseMs)
    if (isTold || sighting.isFirst) book.append(id, sighting)
    return isTold ? this.#enqueue(watch, sighting) : []
  }

  #enqueue(watch: PageWatch, sighting: WatchSighting): (() => void)[] {
    const { webhooks, clock } = this.#needs
    const receivers = webhooks
      .receivers()
      .filter(({ watches }) => watches.length === 0 || watches.includes(watch.id))
    if (receivers.length === 0) return []
    const body = watchMessage(watch, sighting, this.#origin)
    const nowMs = Math.floor(clock.nowMs())
    const message = {
      id: messageId(watch.id, sighting.id),
      watch: watch.id,
      createdAtMs: nowMs,
      nextAtMs: nowMs,
      body,
    }
    return receivers.map(({ id }) => webhooks.enqueue({ ...message, receiver: id }))
  }

  async #noteGap(fromMs: number, toMs: number): Promise<void> {
    const { book, log } = this.#needs
    const gap = `${Math.floor(fromMs)} ${Math.floor(toMs)}`
    await book.map.transaction(() => book.putNote('gap', gap))
    log.warn(
      { from: new Date(fromMs).toISOString() },
      'Watches missed changes: the log of changes does not reach back so far',
    )
  }
}

function stateAfter(
  { target: { kind: watched } }: PageWatch,
  state: WatchState,
  { sighting, isTold }: Pick<LookResult, 'sighting' | 'isTold'>,
): WatchState {
  const { kind, atMs, part, target } = sighting
  const counted = { ...state, toldCount: state.toldCount + (isTold ? 1 : 0), seenAtMs: Math.floor(atMs) }
  // Of many pages, what is so of one of them is not so of the watch.
  if (watched !== 'url') return counted
  return {
    ...counted,
    part: part === 'unread' ? state.part : part,
    isGone: kind === 'gone',
    redirectsTo: target,
    archiving: 'none',
    job: undefined,
  }
}
