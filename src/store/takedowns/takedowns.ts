// Takedowns: URLs, prefixes and sites that are hidden at once. Nothing under them is taken from crawls and imports.
//
// For store.takedownUndo what they hide is kept whole, on disk and on the ring, and `release` brings all of it back; after
// that the next compaction destroys it for good, unless it is held: then it stays hidden until somebody lifts that. A takedown is in the index, and also a line of takedowns.jsonl beside it,
// as is its release: whoever rebuilds the index from the volumes must neither bring back what was taken down nor hide what was
// released.
//
// Invariants: a target has at most one takedown; a capture is hidden in the index only while a takedown is there that covers
// it; takedowns and releases are carried out one after the other, and gone on with when a crash cut them short.

import type { Clock } from '../../platform/clock.ts'
import { SerialQueue } from '../../platform/serial-queue.ts'
import type { Ledger } from '../index/ledger.ts'
import type { StoreIndex } from '../index/store-index.ts'
import { lineBytesMax } from '../line-file.ts'
import { StoreError } from '../store-error.ts'
import type { TakedownCaptures } from './takedown-captures.ts'
import type { ListedTakedowns, TakedownList } from './takedown-list.ts'
import type { TakedownQuarantine } from './takedown-quarantine.ts'
import {
  checkReason,
  checkTarget,
  nameOf,
  storedTakedown,
  type Takedown,
  type TakedownTarget,
} from './takedown-record.ts'
import { type LookedUpUrl, TakedownSet } from './takedown-set.ts'
import type { TakedownTraces } from './takedown-traces.ts'

export type { Takedown, TakedownTarget } from './takedown-record.ts'

/** Clocks that are kept right are moved by less. */
const aheadMsMin = 60_000
const requestsNote = 'takedownsHideRequests'

export interface TakedownOptions {
  /** Who asked for it, where that was not this peer's owner. */
  by?: string | undefined
  /** There is no way back on this peer: the next compaction destroys it. For its owner alone to say. */
  isNow?: boolean | undefined
  /** Whether it stays hidden instead of being destroyed; as it was when not given. */
  isHeld?: boolean | undefined
}

interface Needs {
  index: StoreIndex
  ledger: Ledger
  clock: Clock
  list: TakedownList
  quarantine: TakedownQuarantine
  captures: TakedownCaptures
  traces: TakedownTraces
}

export class Takedowns {
  readonly #needs: Needs
  readonly #undoMs: number
  readonly #hidden = new TakedownSet()
  /** Those whose captures are marked as hidden; not those that are being released. */
  readonly #marked = new TakedownSet()
  /** Those that have no way back. */
  readonly #final = new TakedownSet()
  /** Names of those of which the list may say something else than the index, since writing one of them failed. */
  readonly #unsure = new Set<string>()
  readonly #queue = new SerialQueue()

  constructor(needs: Needs, undoMs: number) {
    this.#needs = needs
    this.#undoMs = undoMs
    this.#remember()
  }

  get isEmpty(): boolean {
    return this.#hidden.isEmpty
  }

  *all(): Iterable<Takedown> {
    for (const [, value] of this.#needs.index.takedowns.range()) {
      const takedown = this.#read(value)
      if (takedown !== undefined) yield takedown
    }
  }

  /** Stored ones that could not be read and hide nothing. */
  get quarantined(): number {
    return this.#needs.quarantine.count
  }

  hides(url: LookedUpUrl): boolean {
    return this.#hidden.hides(url)
  }

  hidesUrl(url: string): boolean {
    return this.#hidden.hidesUrl(url)
  }

  /** Whether a capture of it that is here is to be marked as hidden. */
  marks(url: LookedUpUrl): boolean {
    return this.#marked.hides(url)
  }

  /** Whether nothing of it is kept, not even hidden. */
  destroys(url: LookedUpUrl): boolean {
    return this.#final.hides(url)
  }

  /** Whether no record may name it any more. */
  destroysUrl(url: string): boolean {
    return this.#final.hidesUrl(url)
  }

  check(url: LookedUpUrl): void {
    if (this.hides(url)) throw this.refusal(url.surt)
  }

  refusal(name: string): StoreError {
    return new StoreError(
      'store-taken-down',
      `${name} was taken down: it is hidden, and nothing of it is taken.`,
    )
  }

  /** Resolves when all its captures are hidden, and stay so. Gives the number of those that were not before. */
  async add(wanted: TakedownTarget, reason: string, options: TakedownOptions = {}): Promise<number> {
    const target = checkTarget(wanted)
    checkReason(reason)
    return this.#queue.run(() => this.#add(target, reason, options))
  }

  /** Brings back what a takedown hides. Gives how many captures are shown again. */
  async release(wanted: TakedownTarget): Promise<number> {
    const target = checkTarget(wanted)
    return this.#queue.run(() => this.#release(target))
  }

  /** Carries out what a crash cut short, and takes up what only the list knows. */
  finish(): Promise<void> {
    return this.#queue.run(async () => {
      await this.#takeUp(await this.#setAside())
      this.#remember()
      for (const takedown of [...this.all()]) {
        if (takedown.stage === 'hiding') await this.#hide(takedown)
        if (takedown.stage === 'releasing') await this.#show(takedown)
        if (takedown.stage === 'destroying') await this.#destroy(takedown)
      }
      await this.#hideRequests()
    })
  }

  /** Takes out of the index what can not be taken back any more. */
  destroyDue(): Promise<void> {
    return this.#queue.run(async () => {
      for (const takedown of [...this.all()]) await this.#destroyIfDue(takedown)
    })
  }

  async #add(
    target: TakedownTarget,
    reason: string,
    { by, isNow, isHeld: hold }: TakedownOptions,
  ): Promise<number> {
    const atMs = this.#needs.clock.nowMs()
    const there = this.#get(target)
    const earlier = there?.stage === 'releasing' ? undefined : there
    const { captures, hidden } = this.#needs.ledger.totals()
    const takedown: Takedown = earlier ?? {
      target,
      atMs,
      finalAtMs: atMs + this.#undoMs,
      reason,
      by,
      stage: 'hiding',
      captures: 0,
      ofCaptures: captures - hidden,
    }
    // Said again it neither takes longer nor ends sooner, unless that was asked for.
    const finalAtMs = isNow ? Math.min(atMs, takedown.finalAtMs) : takedown.finalAtMs
    const isHeld = !isNow && (hold ?? takedown.isHeld ?? false)
    const wanted = { ...takedown, finalAtMs, isHeld }
    const isSaid =
      earlier?.finalAtMs === finalAtMs &&
      (earlier.isHeld ?? false) === isHeld &&
      !this.#unsure.has(nameOf(target))
    if (!isSaid) await this.#say(wanted)
    if (wanted.stage === 'hiding') return this.#hide(wanted)
    await this.#destroyIfDue(wanted)
    return 0
  }

  /** Resolves when list and index both know it. */
  async #say(takedown: Takedown): Promise<void> {
    const { list, index } = this.#needs
    const { target } = takedown
    this.#unsure.add(nameOf(target))
    await list.append(takedown)
    await index.changeForGood(() => this.#put(takedown))
    this.#unsure.delete(nameOf(target))
    if (takedown.stage === 'hiding') this.#marked.add(target)
    this.#hidden.add(target)
  }

  async #release(target: TakedownTarget): Promise<number> {
    const { clock, list, index } = this.#needs
    const name = nameOf(target)
    const takedown = this.#get(target)
    if (takedown?.stage === 'destroying' || takedown?.stage === 'destroyed') {
      throw new StoreError(
        'store-takedown-final',
        `The takedown of ${describe(target)} could be taken back until ${new Date(takedown.finalAtMs).toISOString()}. Nothing is left to bring back.`,
      )
    }
    const isUnknown = takedown === undefined && !this.#unsure.has(name)
    if (!isUnknown) {
      this.#unsure.add(name)
      await list.release(target, clock.nowMs())
    }
    if (takedown === undefined) {
      this.#unsure.delete(name)
      throw new StoreError('store-not-found', `${describe(target)} was not taken down.`)
    }
    await index.changeForGood(() => this.#put({ ...takedown, stage: 'releasing' }))
    this.#unsure.delete(name)
    this.#remember()
    return this.#show(takedown)
  }

  async #hide(takedown: Takedown): Promise<number> {
    const { captures: walk, index } = this.#needs
    let { captures } = takedown
    const count = await walk.hide(takedown.target, (some) => {
      captures += some
      if (some > 0) this.#put({ ...takedown, captures })
    })
    const hidden: Takedown = { ...takedown, captures, stage: 'hidden' }
    await index.changeForGood(() => this.#put(hidden))
    await this.#destroyIfDue(hidden)
    return count
  }

  /** Once: earlier versions did not hide the answers to a URL's other requests with it. */
  async #hideRequests(): Promise<void> {
    const { index } = this.#needs
    const hidden = [...this.all()].filter(({ target, stage }) => stage === 'hidden' && target.kind !== 'site')
    if (hidden.length === 0 || index.note<boolean>(requestsNote) === true) return
    for (const takedown of hidden) await this.#hide(takedown)
    await index.changeForGood(() => index.putNote(requestsNote, true))
  }

  /** All of it is seen again at once, when the last of it has been seen to. */
  async #show({ target }: Takedown): Promise<number> {
    const { captures, index } = this.#needs
    const name = nameOf(target)
    const others = new TakedownSet()
    others.replace(this.#targets((other) => nameOf(other.target) !== name))
    const count = await captures.show(target, others)
    await index.changeForGood(() => index.takedowns.remove(Buffer.from(name)))
    this.#remember()
    return count
  }

  async #destroyIfDue(takedown: Takedown): Promise<void> {
    const { clock, index } = this.#needs
    if (takedown.stage === 'destroying') return this.#destroy(takedown)
    if (takedown.stage !== 'hidden') return
    if (takedown.finalAtMs > clock.nowMs()) return this.#bringBack(takedown)
    if (takedown.isHeld) return
    await index.changeForGood(() => this.#put({ ...takedown, stage: 'destroying' }))
    this.#final.add(takedown.target)
    await this.#destroy(takedown)
  }

  /** It was said by a clock that was ahead: it can be taken back for as long as was said, from now on. */
  async #bringBack(takedown: Takedown): Promise<void> {
    const { clock, list, index } = this.#needs
    const { atMs, finalAtMs } = takedown
    const nowMs = clock.nowMs()
    if (atMs <= nowMs + aheadMsMin) return
    const moved: Takedown = { ...takedown, atMs: nowMs, finalAtMs: nowMs + (finalAtMs - atMs) }
    await list.append(moved)
    await index.changeForGood(() => this.#put(moved))
  }

  async #destroy(takedown: Takedown): Promise<void> {
    const { captures, index, traces } = this.#needs
    await captures.destroy(takedown.target)
    await index.changeForGood(() => {
      traces.mayExistElsewhere()
      this.#put({ ...takedown, stage: 'destroyed' })
    })
  }

  /** Takes out what is no takedown, of the list and of the index. Gives what is left of the list. */
  async #setAside(): Promise<ListedTakedowns['listed']> {
    const { list, index, quarantine } = this.#needs
    const { listed, readable, unreadable } = await list.read()
    const poisoned = [...index.takedowns.range()].filter(([, value]) => this.#read(value) === undefined)
    await quarantine.add([
      ...unreadable,
      ...poisoned.map(([, value]) => Buffer.from(value.subarray(0, lineBytesMax)).toString()),
    ])
    if (unreadable.length > 0) await list.replace(readable)
    if (poisoned.length > 0) {
      await index.changeForGood(() => {
        for (const [key] of poisoned) index.takedowns.remove(key)
      })
    }
    return listed
  }

  /** What the list says and the index does not know yet. */
  async #takeUp(listed: ListedTakedowns['listed']): Promise<void> {
    const { index, ledger } = this.#needs
    const known = new Map([...this.all()].map((takedown) => [nameOf(takedown.target), takedown]))
    const { captures } = ledger.totals()
    const changes: Takedown[] = []
    for (const [name, takedown] of listed) {
      const there = known.get(name)
      if (takedown === undefined) {
        if (there?.stage === 'hiding' || there?.stage === 'hidden')
          changes.push({ ...there, stage: 'releasing' })
      } else if (there === undefined || there.stage === 'releasing') {
        // The list is written first: it was said again after the release that the index knows of.
        changes.push({ ...takedown, stage: 'hiding', ofCaptures: captures })
      } else if (there.finalAtMs > takedown.finalAtMs)
        changes.push({ ...there, finalAtMs: takedown.finalAtMs })
    }
    if (changes.length === 0) return
    await index.changeForGood(() => {
      for (const takedown of changes) this.#put(takedown)
    })
  }

  #remember(): void {
    this.#hidden.replace(this.#targets(() => true))
    this.#marked.replace(this.#targets(({ stage }) => stage === 'hiding' || stage === 'hidden'))
    this.#final.replace(this.#targets(({ stage }) => stage === 'destroying' || stage === 'destroyed'))
  }

  *#targets(isMeant: (takedown: Takedown) => boolean): Iterable<TakedownTarget> {
    for (const takedown of this.all()) if (isMeant(takedown)) yield takedown.target
  }

  #get(target: TakedownTarget): Takedown | undefined {
    const value = this.#needs.index.takedowns.get(Buffer.from(nameOf(target)))
    return value && this.#read(value)
  }

  #put(takedown: Takedown): void {
    const key = Buffer.from(nameOf(takedown.target))
    this.#needs.index.takedowns.put(key, Buffer.from(JSON.stringify(takedown)))
  }

  #read(value: Uint8Array): Takedown | undefined {
    try {
      return storedTakedown(JSON.parse(Buffer.from(value).toString()), this.#undoMs)
    } catch (error) {
      if (error instanceof SyntaxError) return undefined
      throw error
    }
  }
}

function describe(target: TakedownTarget): string {
  return target.kind === 'site' ? target.site : target.url
}
