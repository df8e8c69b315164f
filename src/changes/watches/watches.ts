// Watches: what their owner asks of them: made, shown, changed, paused, removed, and tried out on the newest version of a page.
//
// They work with a running peer, which follows the changes, and without one: then what is said is kept for the next.

import { within } from '../../platform/clock.ts'
import type { Random } from '../../platform/random.ts'
import type { Looked } from './look-work.ts'
import {
  type PageWatch,
  stateAtFirst,
  targetText,
  type WatchSettings,
  type WatchSighting,
  type WatchState,
} from './page-watch.ts'
import { type WatchGap, watchesMax } from './watch-book.ts'
import type { WatchFollowerNeeds } from './watch-follower.ts'
import { pageOf, type WatchVisits } from './watch-visits.ts'
import { WatchesError } from './watches-error.ts'
import { changedWatch, readWatch, type WrittenWatch, writeWatch } from './written-watch.ts'

export interface WatchView {
  readonly watch: PageWatch
  readonly state: WatchState
  /** Newest first. */
  readonly history: readonly WatchSighting[]
  /** Why its pages are not visited as it asks for. */
  readonly visitTrouble: string | undefined
}

export interface WatchTrial {
  readonly url: string
  readonly capturedAtMs: number
  readonly isFound: boolean
  readonly lines: readonly string[]
  readonly lineCount: number
}

/** As interfaces ask for them. */
export type WatchService = Pick<
  Watches,
  'list' | 'count' | 'find' | 'findByFeedKey' | 'add' | 'change' | 'setPaused' | 'remove' | 'trial' | 'gap'
>

interface Needs extends Pick<WatchFollowerNeeds, 'book' | 'index' | 'place' | 'feeds' | 'look' | 'clock'> {
  readonly random: Random
  /** Where a peer runs. */
  readonly visits?: WatchVisits | undefined
  /** There is somebody new to follow changes for. */
  whenChanged?(): void
}

const marginMs = 10_000
const trialMsMax = 20_000
const feedKeyBytes = 18

export class Watches {
  readonly #needs: Needs
  readonly #byFeedKey = new Map<string, string>()

  constructor(needs: Needs) {
    this.#needs = needs
    for (const watch of needs.book.all()) this.#index(watch)
  }

  get count(): number {
    return this.#needs.book.size
  }

  get gap(): WatchGap | undefined {
    return this.#needs.book.gap
  }

  /** The newest first; `historyMax` of what each saw. */
  list({ offset = 0, limit = 100, historyMax = 1 } = {}): WatchView[] {
    const newestFirst = [...this.#needs.book.all()].sort((one, other) => other.createdAtMs - one.createdAtMs)
    return newestFirst.slice(offset, offset + limit).map((watch) => this.#view(watch, historyMax))
  }

  /** Throws 'watch-unknown'. */
  find(id: string, historyMax?: number): WatchView {
    return this.#view(this.#needs.book.get(id), historyMax)
  }

  findByFeedKey(key: string): WatchView | undefined {
    const id = this.#byFeedKey.get(key)
    return id === undefined ? undefined : this.find(id)
  }

  /** The one that is there, where somebody watches exactly this already. */
  async add(written: WrittenWatch): Promise<WatchView> {
    const { book, clock, random } = this.#needs
    const settings = readWatch(written)
    const same = this.#sameAs(settings)
    if (same !== undefined) return this.#view(same)
    if (book.size >= watchesMax)
      throw new WatchesError('watches-full', `A peer keeps ${watchesMax} watches at most: remove some first.`)
    const watch: PageWatch = {
      ...settings,
      id: random.uuid(),
      isPaused: false,
      createdAtMs: Math.floor(clock.nowMs()),
      feedKey: Buffer.from(random.bytes(feedKeyBytes)).toString('base64url'),
    }
    const state = await this.#firstState(watch)
    await book.put(watch, () => {
      book.putState(watch.id, state)
      this.#beginReading()
    })
    this.#index(watch)
    await this.#tell(watch)
    return this.#view(watch)
  }

  async change(named: string, written: WrittenWatch): Promise<WatchView> {
    const { book, index, visits } = this.#needs
    const before = book.get(named)
    const { id } = before
    const watch = { ...before, ...changedWatch(before, written) }
    const state = await this.#firstState(watch)
    const { part, archiving } = state
    const isSameTarget = JSON.stringify(before.target) === JSON.stringify(watch.target)
    const then = isSameTarget
      ? { ...book.state(id), part }
      : { ...state, archiving, toldCount: book.state(id).toldCount }
    await book.put(watch, () => book.putState(id, then))
    index.remove(id, before.target)
    this.#index(watch)
    if (!isSameTarget) await visits?.ensure(before.target)
    await this.#tell(watch)
    return this.#view(watch)
  }

  async setPaused(id: string, isPaused: boolean): Promise<WatchView> {
    const watch = { ...this.#needs.book.get(id), isPaused }
    await this.#needs.book.put(watch)
    await this.#tell(watch)
    return this.#view(watch)
  }

  async remove(named: string): Promise<void> {
    const { book, index, visits } = this.#needs
    const watch = book.get(named)
    const { id } = watch
    await book.remove(id)
    index.remove(id, watch.target)
    this.#byFeedKey.delete(watch.feedKey)
    await visits?.ensure(watch.target)
  }

  /** What a watch selects on the newest version of its page, or of another one. Rejects with 'watch-nothing-archived'. */
  async trial(written: WrittenWatch, page?: string): Promise<WatchTrial> {
    const settings = readWatch(written)
    const url = page ?? pageOf(settings.target)
    const found = await this.#look(settings, url)
    if (found === undefined)
      throw new WatchesError(
        'watch-nothing-archived',
        `There is no version of ${url} in the archive that could be read. Archive it first: polyhistor crawl --depth 0 ${url}`,
      )
    const { isFound, lines, lineCount } = found.looked
    return { url: found.url, capturedAtMs: found.capturedAtMs, isFound, lines, lineCount }
  }

  #view(watch: PageWatch, historyMax?: number): WatchView {
    const { book, visits } = this.#needs
    return {
      watch,
      state: book.state(watch.id),
      history: book.history(watch.id, historyMax),
      visitTrouble: visits?.trouble(watch.id),
    }
  }

  #index(watch: PageWatch): void {
    this.#needs.index.add(watch.id, watch.target)
    this.#byFeedKey.set(watch.feedKey, watch.id)
  }

  #sameAs(settings: WatchSettings): PageWatch | undefined {
    const key = JSON.stringify(writeWatch({ ...settings, name: '' }))
    const isSameTarget = ({ target }: PageWatch) =>
      target.kind === settings.target.kind && targetText(target) === targetText(settings.target)
    for (const watch of this.#needs.book.all())
      if (isSameTarget(watch) && JSON.stringify(writeWatch({ ...watch, name: '' })) === key) return watch
    return undefined
  }

  /** Only inside a transaction. Who begins to read begins now, not where somebody else ended. */
  #beginReading(): void {
    const { book, feeds, place, clock } = this.#needs
    if (book.size + feeds.size === 0)
      place.moveTo(Math.max(place.cursor ?? 0, Math.floor(clock.nowMs()) - marginMs))
  }

  async #firstState(watch: WatchSettings): Promise<WatchState> {
    const found = await this.#look(watch, pageOf(watch.target)).catch(() => undefined)
    if (found === undefined) return { ...stateAtFirst, archiving: 'wanted' }
    if (watch.target.kind !== 'url') return stateAtFirst
    return { ...stateAtFirst, part: found.looked.isFound ? 'found' : 'missing' }
  }

  #look(
    settings: WatchSettings,
    url: string,
  ): Promise<{ looked: Looked; capturedAtMs: number; url: string } | undefined> {
    return within(this.#needs.clock, trialMsMax, this.#needs.look.atNewest(settings, url))
  }

  async #tell(watch: PageWatch): Promise<void> {
    this.#needs.whenChanged?.()
    await this.#needs.visits?.ensure(watch.target)
  }
}
