// Change log: the events of this frontier's sites. Each site's log lies with the site, and is replicated and handed over with it;
// an index over all sites gives them in the order of their stamps.
//
// Invariants:
// - An event is put in the commit that completes its URL. Its number is the next of its site, whoever wrote the last one.
// - Stamps grow: over all events that this frontier writes, over all events of a site, and above whatever `promise` gave.
// - The index has each event that lies here, and no other. It is this frontier's own: made anew when a site comes in.
// - What was dropped is known: no event up to `droppedUpTo` can be missed by somebody who is not told.
//
// What is read may not be committed or safe with others yet: whoever tells it on waits for that (changes/event-source.ts).

import {
  decodeEvent,
  decodeEventPlace,
  encodeEvent,
  type StoredEvent,
} from '../../../changes/event-coding.ts'
import type { PageChange } from '../../../changes/page-state.ts'
import { readableOr } from '../../../formats/wire/message-bytes.ts'
import { counter } from '../../../formats/wire/message-fields.ts'
import { type Out, record } from '../../../formats/wire/message-schema.ts'
import type { Table } from '../../../platform/storage/key-value.ts'
import { keyAfter } from '../../../platform/storage/key-value.ts'
import type { BufferedTable } from '../write-buffer.ts'
import {
  droppedKey,
  eventHeadKey,
  eventKey,
  indexEnd,
  indexKey,
  indexStart,
  promisedKey,
  readIndexKey,
  readSize,
  sizeValue,
  stampMax,
} from './event-keys.ts'

interface Needs {
  readonly sites: BufferedTable
  readonly index: BufferedTable
  /** The index as it is on disk. */
  readonly stored: Table
  readonly clock: { nowMs(): number }
}

/** What is known of a site's log beside its events. */
export const eventHead = record({ sequence: counter, stamp: counter, droppedUpTo: counter })
type EventHead = Out<typeof eventHead>

/** Of whom and for whom an event is. */
export interface EventPlace {
  readonly site: Buffer
  readonly siteName: string
  readonly url: string
  readonly epoch: number
  readonly job: string | undefined
}

export interface LoggedEvent {
  readonly site: Buffer
  readonly stamp: number
  /** Its index key. */
  readonly position: Buffer
  readonly bytes: Uint8Array
}

export interface EventRange {
  /** An index key: those behind it. */
  readonly after: Buffer
  /** Those up to it; undefined for all. */
  readonly upTo?: Buffer | undefined
  readonly countMax: number
  readonly bytesMax: number
  isWanted(site: Buffer): boolean
}

export interface EventPage {
  readonly events: readonly LoggedEvent[]
  /** Where to go on: behind this key. */
  readonly next: Buffer
  readonly isEnd: boolean
}

const noHead: EventHead = { sequence: 0, stamp: 0, droppedUpTo: 0 }
const headsMax = 4_096
/** Index entries looked at for one page, wanted or not. */
const looksMax = 5_000
const dayMs = 86_400_000
/** Promises are written for so long at once. */
const reserveMs = 10_000
/** Nobody makes our stamps run ahead of our clock by more. */
const aheadMsMax = 60_000

export class ChangeLog {
  readonly #needs: Needs
  readonly #heads = new Map<string, EventHead>()
  readonly #changed = new Map<string, Buffer>()
  /** The last stamp that was given to an event, or promised to be passed. */
  #stamp: number
  #droppedUpTo: number
  /** Events are written here, or were. */
  #isBegun: boolean
  readonly #listeners = new Set<() => void>()
  /** How far the clocks of most other peers are ahead of ours. */
  #aheadMs: () => number = () => 0
  #promisedMax: number

  constructor(needs: Needs) {
    this.#needs = needs
    const promised = this.#noted(promisedKey) ?? 0
    this.#promisedMax = promised <= needs.clock.nowMs() + dayMs ? promised : 0
    this.#stamp = Math.max(lastStamp(needs.stored), this.#promisedMax)
    this.#droppedUpTo = this.#noted(droppedKey) ?? 0
    this.#isBegun = this.#stamp > 0
  }

  /** On disk, or about to be: no stamp above this was promised to be passed. */
  get promisedMax(): number {
    return this.#promisedMax
  }

  /** The largest stamp of an event that is not kept any more. */
  get droppedUpTo(): number {
    return this.#droppedUpTo
  }

  /** Something is about to be fetched. */
  begin(): void {
    this.#isBegun = true
  }

  append({ site, siteName, url, epoch, job }: EventPlace, change: PageChange): void {
    const head = this.#head(site)
    const stamp = Math.max(this.#nowMs(), this.#stamp + 1, head.stamp + 1)
    const sequence = head.sequence + 1
    const event: StoredEvent = { ...change, stamp, sequence, epoch, url, site: siteName, job }
    const bytes = encodeEvent(event)
    this.#stamp = stamp
    this.#needs.sites.put(eventKey(site, sequence), bytes)
    this.#needs.index.put(indexKey(stamp, site, sequence), sizeValue(bytes.length))
    this.#setHead(site, { ...head, sequence, stamp })
    for (const listener of this.#listeners) listener()
  }

  /** Told of each event that is appended. */
  onAppended(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** All events written here from now on have larger stamps than this one. */
  promise(): number {
    this.#stamp = Math.max(this.#stamp, this.#nowMs())
    this.#reserve()
    return this.#stamp
  }

  /** Somebody was promised elsewhere that all later events have larger stamps. */
  pass(stamp: number): void {
    if (stamp <= this.#nowMs() + aheadMsMax) this.#stamp = Math.max(this.#stamp, Math.floor(stamp))
  }

  /** Whoever's clock is behind would write stamps that others have passed: such a clock is put forward. */
  followClocks(aheadMs: () => number): void {
    this.#aheadMs = aheadMs
  }

  #nowMs(): number {
    return Math.floor(this.#needs.clock.nowMs() + Math.min(dayMs, Math.max(0, this.#aheadMs())))
  }

  /** The next process goes on above what this one promised, whatever its clock says. Written for some time at once. Whoever has
   * never written an event and only looks must not write. */
  #reserve(): void {
    if (this.#stamp <= this.#promisedMax || !this.#isBegun) return
    this.#promisedMax = this.#stamp + reserveMs
    this.#note(promisedKey, this.#promisedMax)
  }

  page({ after, upTo, countMax, bytesMax, isWanted }: EventRange): EventPage {
    const { index, sites } = this.#needs
    const events: LoggedEvent[] = []
    let next = after
    let bytes = 0
    let looks = 0
    for (const [key] of index.range(keyAfter(after), upTo === undefined ? indexEnd : keyAfter(upTo))) {
      if (events.length >= countMax || bytes >= bytesMax || looks++ >= looksMax)
        return { events, next, isEnd: false }
      next = Buffer.from(key)
      const { stamp, site, sequence } = readIndexKey(next)
      if (!isWanted(site)) continue
      const stored = sites.get(eventKey(site, sequence))
      if (stored === undefined) continue
      events.push({ site, stamp, position: next, bytes: stored })
      bytes += stored.length
    }
    return { events, next, isEnd: true }
  }

  /** An event or a head came with its site. */
  cameIn(site: Buffer, isEvent: boolean, value: Uint8Array): void {
    if (!isEvent) {
      const { droppedUpTo } = eventHead.decode(value)
      this.#dropped(droppedUpTo)
      return
    }
    const { stamp, sequence } = decodeEventPlace(value)
    this.#needs.index.put(indexKey(stamp, site, sequence), sizeValue(value.length))
  }

  /** Whether an event or a head can be true by our clock: what says to be of the far future would stop all stamps. */
  isPlausible(isEvent: boolean, value: Uint8Array): boolean {
    const { stamp } = isEvent ? decodeEvent(value) : eventHead.decode(value)
    return stamp <= this.#needs.clock.nowMs() + dayMs
  }

  /** An event goes with its site. */
  goesOut(site: Buffer, isEvent: boolean, value: Uint8Array): void {
    if (!isEvent) return
    const event = readableOr(() => decodeEventPlace(value), undefined)
    if (event !== undefined) this.#needs.index.remove(indexKey(event.stamp, site, event.sequence))
  }

  /** What is on disk is newer, or it is gone. */
  forgetSite(site: Buffer): void {
    const text = site.toString('latin1')
    this.#heads.delete(text)
    this.#changed.delete(text)
  }

  /** An event is not kept any longer. */
  drop(key: Buffer): void {
    const { stamp, site, sequence } = readIndexKey(key)
    const own = Buffer.from(site)
    this.#needs.sites.remove(eventKey(own, sequence))
    this.#needs.index.remove(key)
    const head = this.#head(own)
    this.#setHead(own, { ...head, droppedUpTo: Math.max(head.droppedUpTo, stamp) })
    this.#dropped(stamp)
  }

  /** What is known of a site's log beside its events. */
  headOf(site: Buffer): EventHead {
    return this.#head(site)
  }

  /** Index keys and bytes of events, the oldest first. */
  *sizes(
    after: Buffer,
    limit: number,
  ): Generator<{ key: Buffer; stamp: number; site: Buffer; bytes: number }> {
    for (const [key, value] of this.#needs.index.range(keyAfter(after), indexEnd, limit)) {
      const own = Buffer.from(key)
      const { stamp, site } = readIndexKey(own)
      yield { key: own, stamp, site, bytes: readSize(value) }
    }
  }

  /** Puts the heads that have changed. */
  write(): void {
    for (const [text, site] of this.#changed)
      this.#needs.sites.put(eventHeadKey(site), eventHead.encode(this.#heads.get(text)!))
    this.#changed.clear()
  }

  #head(site: Buffer): EventHead {
    const known = this.#heads.get(site.toString('latin1'))
    if (known !== undefined) return known
    const stored = this.#needs.sites.get(eventHeadKey(site))
    return (stored && readableOr(() => eventHead.decode(stored), undefined)) ?? noHead
  }

  #setHead(site: Buffer, head: EventHead): void {
    const text = site.toString('latin1')
    this.#heads.set(text, head)
    this.#changed.set(text, site)
    if (this.#heads.size <= headsMax) return
    this.write()
    this.#heads.delete(this.#heads.keys().next().value!)
  }

  #dropped(stamp: number): void {
    if (stamp <= this.#droppedUpTo) return
    this.#droppedUpTo = stamp
    this.#note(droppedKey, stamp)
  }

  #noted(key: Buffer): number | undefined {
    const stored = this.#needs.index.get(key)
    return stored && readableOr(() => counter.decode(stored), undefined)
  }

  #note(key: Buffer, value: number): void {
    this.#needs.index.put(key, counter.encode(value))
  }
}

function lastStamp(stored: Table): number {
  for (const [key] of stored.range({ from: indexStart, to: indexEnd, reverse: true, limit: 1 }))
    return Math.min(stampMax, readIndexKey(Buffer.from(key)).stamp)
  return 0
}
