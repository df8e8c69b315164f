// Change stream: all events of all sites behind a cursor, and those that come, read from the peers that crawl the sites.
//
// Promises: at least once; none missing, through crashes and hand-overs; those of a site in order. Memory is bounded: a page for each
// peer, which is asked for the next only when what it gave was taken by whoever reads the stream.
// Backlogs are told in the order of stamps; what has just happened, as it comes.

import { PolyhistorError } from '../../errors.ts'
import type { Clock } from '../../platform/clock.ts'
import { WakeSignal } from '../../platform/wake-signal.ts'
import { ChangesError } from '../changes-error.ts'
import { printCursor } from '../cursor.ts'
import type { StoredEvent } from '../event-coding.ts'
import type { ReadAnswer, ReadQuestion } from './questions.ts'
import { RecentIds } from './recent-ids.ts'
import { SourceReader } from './source-reader.ts'
import { Watermark } from './watermark.ts'

export interface StreamPeers {
  /** All that can be asked now, ourselves included. */
  present(): readonly string[]
  /** So few are away that each site has a member among those who are present. */
  isEnough(): boolean
  /** The same peers are present for so long that all have noticed. */
  isStable(): boolean
  /** Whom we see: see present-peers.ts. */
  view(): number
  /** There are no others, and were none. */
  isAlone(): boolean
  /** Rejects with a PolyhistorError when it does not answer. */
  read(peer: string, question: ReadQuestion, signal: AbortSignal): Promise<ReadAnswer>
}

export type Told =
  /** In the order of stamps. `cursor`: up to where all was told when all of these are. */
  | { readonly kind: 'events'; readonly events: readonly StoredEvent[]; readonly cursor: number }
  /** Events up to this stamp are not kept any more, and were not told. */
  | { readonly kind: 'gap'; readonly upTo: number; readonly cursor: number }
  /** Nothing happened for some time. */
  | { readonly kind: 'beat'; readonly cursor: number }

interface Source {
  readonly reader: SourceReader
  isAsking: boolean
  hasAnswered: boolean
  hasFailed: boolean
  askAfterMs: number
  /** When the question under way is late. */
  lateAtMs: number
}

export interface StreamOptions {
  /** 0: from the first event that is kept. */
  readonly cursor: number
  /** False: ends when all that there is now was told. */
  readonly isFollowing: boolean
  readonly signal: AbortSignal
}

/** Clocks of peers that join or start again may be behind by so much. */
const marginMs = 10_000
const waitMs = 5_000
/** While the cursor lags behind what was told: a reader that is cut off before it comes up is told the same again. */
const claimingMs = 500
const failedMs = 1_000
const emptyMs = 200
const beatMs = 15_000
const beginMs = 5_000
/** Who does not answer is waited for so long before what others have is all that there is. */
const endMs = 10_000
/** At the end, for the cursor to come up to what was told. */
const claimMs = 3_000
/** Events that were told lately, to leave them out when they come again. */
const toldMax = 100_000
const lookMs = 1_000

export class ChangeStream {
  readonly #peers: StreamPeers
  readonly #clock: Clock
  readonly #options: StreamOptions
  readonly #watermark: Watermark
  readonly #sources = new Map<string, Source>()
  /** Not present any more. */
  readonly #leaving = new Set<Source>()
  readonly #underWay = new Set<Promise<void>>()
  readonly #ending = new AbortController()
  readonly #signal: AbortSignal
  readonly #told = new RecentIds(toldMax)
  readonly #wake: WakeSignal
  readonly #begunAtMs: number
  /** Every source was at its end once. */
  #isLive = false
  #wasEnough: boolean
  #gapUpTo: number
  #endedAtMs: number | undefined
  #beatAtMs: number
  /** The largest stamp that was told, and the last cursor. */
  #toldUpTo = 0
  #cursorTold: number

  constructor(needs: { peers: StreamPeers; clock: Clock }, options: StreamOptions) {
    this.#peers = needs.peers
    this.#clock = needs.clock
    this.#options = options
    this.#signal = AbortSignal.any([options.signal, this.#ending.signal])
    this.#watermark = new Watermark(options.cursor)
    this.#wake = new WakeSignal(needs)
    this.#begunAtMs = needs.clock.monotonicMs()
    this.#beatAtMs = this.#begunAtMs
    this.#gapUpTo = options.cursor
    this.#cursorTold = options.cursor
    this.#wasEnough = needs.peers.isEnough()
  }

  /** Asks all once. Rejects with 'cursor-too-old' when what comes after the cursor is not kept any more. */
  async begin(): Promise<void> {
    const { cursor } = this.#options
    while (!this.#haveAllAnswered() && this.#clock.monotonicMs() - this.#begunAtMs < beginMs) {
      this.#askAll()
      await this.#wake.wait(lookMs)
    }
    const oldest = this.#droppedUpTo()
    if (cursor > 0 && oldest > cursor) {
      const told = printCursor(oldest)
      throw new ChangesError(
        'cursor-too-old',
        `Changes behind this cursor are not kept any more (settings changes.keepAge and changes.keepBytes). The oldest cursor that nothing is missing behind is ${told}.`,
      )
    }
    this.#gapUpTo = Math.max(cursor, oldest)
  }

  async *told(): AsyncGenerator<Told> {
    const { signal, isFollowing } = this.#options
    const ring = () => this.#wake.ring()
    signal.addEventListener('abort', ring, { once: true })
    try {
      while (!signal.aborted) {
        this.#advance()
        this.#askAll()
        const gap = this.#droppedUpTo()
        if (gap > this.#gapUpTo && this.#watermark.stamp < gap) {
          this.#gapUpTo = gap
          yield { kind: 'gap', upTo: gap, cursor: this.#cursor }
        }
        const events = this.#take()
        const cursor = this.#cursor
        if (events.length > 0) {
          this.#cursorTold = cursor
          yield { kind: 'events', events, cursor }
        } else if (!isFollowing && this.#isOver()) return yield { kind: 'beat', cursor }
        else if (this.#isBeatDue(cursor)) {
          this.#cursorTold = cursor
          yield { kind: 'beat', cursor }
        } else await this.#wake.wait(lookMs)
      }
    } finally {
      signal.removeEventListener('abort', ring)
      await this.close()
    }
  }

  /** Nothing is asked any more. Needed where `told` was not begun. */
  async close(): Promise<void> {
    this.#ending.abort()
    await Promise.all(this.#underWay)
  }

  /** All with this stamp or a smaller one was told. */
  get #cursor(): number {
    const buffered = [...this.#sources.values(), ...this.#leaving].flatMap(
      ({ reader }) => reader.buffered[0] ?? [],
    )
    return Math.min(this.#watermark.stamp, ...buffered.map(({ stamp }) => stamp - 1))
  }

  #askAll(): void {
    const present = new Set(this.#peers.present())
    for (const [name, source] of this.#sources) {
      if (present.has(name)) continue
      this.#sources.delete(name)
      // What has come is told all the same.
      this.#leaving.add(source)
      this.#watermark.disturb()
    }
    const nowMs = this.#clock.monotonicMs()
    for (const name of present) {
      let source = this.#sources.get(name)
      if (source === undefined) {
        const reader = new SourceReader(this.#watermark.stamp)
        source = { reader, isAsking: false, hasAnswered: false, hasFailed: false, askAfterMs: 0, lateAtMs: 0 }
        this.#sources.set(name, source)
        this.#watermark.disturb()
      }
      if (source.isAsking || source.reader.buffered.length > 0 || source.askAfterMs > nowMs) continue
      const asking = this.#ask(name, source).finally(() => this.#underWay.delete(asking))
      this.#underWay.add(asking)
    }
  }

  async #ask(name: string, source: Source): Promise<void> {
    const { reader } = source
    const { isFollowing } = this.#options
    const signal = this.#signal
    const { round } = this.#watermark
    const startMs = this.#clock.monotonicMs()
    source.isAsking = true
    const pauseMs = !isFollowing || !this.#isLive ? 0 : this.#isClaimed() ? waitMs : claimingMs
    source.lateAtMs = startMs + pauseMs + beginMs
    this.#wakeAt(source.lateAtMs)
    try {
      const question = reader.question(this.#watermark.stamp, pauseMs)
      const answer = await this.#peers.read(name, question, signal)
      const isQuiet = reader.note(answer, this.#watermark.stamp) && this.#isAgreed(answer)
      if (isQuiet) this.#watermark.answered(name, round)
      else this.#watermark.disturb()
      source.hasAnswered ||= answer.kind === 'page'
      source.hasFailed = false
      const isEmpty = answer.kind === 'page' && answer.events.length === 0
      // At its end, or what comes next is not safe yet.
      if (isEmpty) source.askAfterMs = startMs + emptyMs
    } catch (error) {
      if (!(error instanceof PolyhistorError) && !signal.aborted) throw error
      source.hasFailed = true
      source.askAfterMs = this.#clock.monotonicMs() + failedMs
      this.#watermark.disturb()
    } finally {
      source.isAsking = false
      this.#wakeAt(source.askAfterMs)
    }
  }

  /** Whoever has not noticed that a peer is gone does not know that its sites are nobody's. */
  #isAgreed(answer: ReadAnswer): boolean {
    if (this.#peers.isStable()) return true
    return answer.kind === 'page' && answer.view !== 0 && answer.view === this.#peers.view()
  }

  #wakeAt(atMs: number): void {
    const inMs = atMs - this.#clock.monotonicMs()
    if (inMs <= 0) this.#wake.ring()
    else this.#clock.after(inMs, () => this.#wake.ring())
  }

  #advance(): void {
    const isEnough = this.#peers.isEnough()
    if (isEnough !== this.#wasEnough) this.#watermark.disturb()
    this.#wasEnough = isEnough
    if (!isEnough || this.#sources.size === 0) return
    const latestMs = this.#clock.nowMs() - (this.#peers.isAlone() ? 0 : marginMs)
    const readers = new Map([...this.#sources].map(([name, { reader }]) => [name, reader]))
    this.#watermark.advance(readers, Math.floor(latestMs), this.#peers.isAlone())
  }

  /** What may be told now. */
  #take(): StoredEvent[] {
    // Who is silent holds up the cursor, and not what others have told.
    const nowMs = this.#clock.monotonicMs()
    const isWaitedFor = ({ hasFailed, isAsking, lateAtMs }: Source): boolean =>
      !hasFailed && !(isAsking && nowMs >= lateAtMs)
    const sources = [...this.#sources.values()].filter(isWaitedFor)
    this.#isLive ||= sources.length > 0 && sources.every(({ reader }) => reader.isAtEnd)
    const horizon = this.#isLive
      ? Number.POSITIVE_INFINITY
      : Math.min(...sources.map(({ reader, hasAnswered }) => (hasAnswered ? reader.horizon : 0)))
    const taken: StoredEvent[] = []
    for (const { reader } of this.#leaving) taken.push(...reader.take(reader.buffered.length))
    this.#leaving.clear()
    for (const { reader } of this.#sources.values()) {
      const { buffered } = reader
      const end = buffered.findIndex(({ stamp }) => stamp > horizon)
      taken.push(...reader.take(end === -1 ? buffered.length : end))
    }
    taken.sort((one, other) => one.stamp - other.stamp)
    this.#toldUpTo = Math.max(this.#toldUpTo, taken.at(-1)?.stamp ?? 0)
    return taken.filter(({ id }) => this.#told.add(id))
  }

  /** The cursor covers what was told, as far as two questions that wait let it. */
  #isClaimed(): boolean {
    return this.#watermark.stamp >= Math.min(this.#toldUpTo, this.#clock.nowMs() - marginMs - 2 * waitMs)
  }

  /** Every so often, and once the cursor has come up to what was told. */
  #isBeatDue(cursor: number): boolean {
    const nowMs = this.#clock.monotonicMs()
    const hasCaughtUp = this.#cursorTold < this.#toldUpTo && cursor >= this.#toldUpTo
    if (!hasCaughtUp && nowMs - this.#beatAtMs < beatMs) return false
    this.#beatAtMs = nowMs
    return true
  }

  /** All that there is was told, and the cursor says so as far as it can. */
  #isOver(): boolean {
    const nowMs = this.#clock.monotonicMs()
    const isPatient = nowMs - this.#begunAtMs < endMs
    const sources = [...this.#sources.values()]
    if (!sources.every(({ reader, hasFailed }) => reader.isAtEnd || (hasFailed && !isPatient))) return false
    this.#endedAtMs ??= nowMs
    // Who writes more than a thousand events a second has stamps of the future, which are not claimed yet.
    const claimable = Math.min(this.#clock.nowMs(), ...sources.map(({ reader }) => reader.progress))
    const isClaimed = this.#watermark.stamp >= claimable - marginMs
    return isClaimed || !this.#peers.isEnough() || nowMs - this.#endedAtMs > claimMs
  }

  #haveAllAnswered(): boolean {
    return (
      this.#sources.size > 0 &&
      [...this.#sources.values()].every(({ hasAnswered, hasFailed }) => hasAnswered || hasFailed)
    )
  }

  #droppedUpTo(): number {
    return Math.max(0, ...[...this.#sources.values()].map(({ reader }) => reader.droppedUpTo))
  }
}
