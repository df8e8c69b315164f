// Outbox: links that wait to be sent, on disk in the order of the ring.
//
// Invariants: what was put and flushed is there until it is removed, whatever crashes. Nothing of it is in memory but the
// census and the jobs. Numbers of entries grow in the order of commits, so a selection names the same
// entries again as long as nobody has removed any of them.

import { PolyhistorError } from '../../../errors.ts'
import type { RingKey } from '../../../model/ring-key.ts'
import type { Clock } from '../../../platform/clock.ts'
import type { KeyValue, Table } from '../../../platform/storage/key-value.ts'
import { keyAfter } from '../../../platform/storage/key-value.ts'
import { asText, type ForwardedLink, type LinkText, linkChars } from '../forwarded-link.ts'
import { OutboxCounts } from './outbox-counts.ts'
import {
  entryKey,
  type OutboxEntry,
  readEntry,
  ringKeyOfEntry,
  sequenceOfEntry,
  writeEntry,
} from './outbox-entry.ts'
import { WaitingJobs } from './waiting-jobs.ts'

/** Links of a site that are offered together and are more than this become several entries: a batch has whole ones. */
const entryLinksMax = 100
const entryCharsMax = 64 * 1024
const sequenceKey = Buffer.from('sequence')

/** Entries that lie side by side. */
export interface Span {
  readonly first: Buffer
  readonly last: Buffer
}

/** Entries of some spans that were there when they were first read. */
export interface Selection {
  readonly spans: readonly Span[]
  readonly sequenceMax: number
}

interface Reading {
  readonly entries: readonly OutboxEntry[]
  readonly chars: number
  /** There is more than was wanted. */
  readonly isCut: boolean
}

export class Outbox {
  readonly #keyValue: KeyValue
  readonly #clock: Clock
  readonly #entries: Table
  readonly #numbers: Table
  readonly #totals: OutboxCounts
  readonly #jobs: WaitingJobs
  #sequence = 0

  constructor(keyValue: KeyValue, clock: Clock) {
    this.#keyValue = keyValue
    this.#clock = clock
    this.#entries = keyValue.table('outbox')
    this.#numbers = keyValue.table('numbers')
    this.#totals = new OutboxCounts(keyValue)
    this.#jobs = new WaitingJobs(keyValue)
    const stored = this.#numbers.get(sequenceKey)
    if (stored !== undefined) this.#sequence = Buffer.from(stored).readUIntBE(0, 6)
  }

  get links(): number {
    return this.#totals.links
  }

  linksOf(jobId: string): number {
    return this.#jobs.linksOf(jobId)
  }

  get bytes(): number {
    return this.#totals.bytes
  }

  get oldestMs(): number | undefined {
    return this.#totals.oldestMs
  }

  /** Inside a transaction. What it gives is to be called once that has happened. */
  put(links: readonly ForwardedLink[]): () => void {
    const step = this.#totals.stepOf(this.#clock.nowMs())
    let bytes = 0
    for (const [ringKey, group] of groupsOf(links)) {
      const value = writeEntry(step, group)
      bytes += value.length
      // Numbers of a transaction that does not happen are left out.
      this.#entries.put(entryKey(ringKey, ++this.#sequence), value)
    }
    this.#numbers.put(sequenceKey, entryKey(noKey, this.#sequence).subarray(-6))
    const counts = [this.#totals.change(step, { links: links.length, bytes }), this.#jobs.change(links, 1)]
    return () => {
      for (const count of counts) count()
    }
  }

  /** The key of the first entry at or after this one. */
  firstAt(from: Buffer): Buffer | undefined {
    for (const [key] of this.#entries.range({ from, limit: 1 })) return Buffer.from(key)
    return undefined
  }

  /** The number of a site's first entry; infinite when it has none. */
  firstNumberOf(site: RingKey): number {
    const key = this.firstAt(entryKey(site, 0))
    return key !== undefined && ringKeyOfEntry(key) === site ? sequenceOfEntry(key) : Number.POSITIVE_INFINITY
  }

  /** The number of the last entry that was put. */
  get sequence(): number {
    return this.#sequence
  }

  /** Entries from this key on, before another one, until there are so many characters of links; one at least. */
  read(from: Buffer, to: Buffer, charsMax: number, sequenceMax = this.#sequence): Reading {
    const entries: OutboxEntry[] = []
    let chars = 0
    for (const [key, value] of this.#entries.range({ from, to })) {
      if (sequenceOfEntry(key) > sequenceMax) continue
      const entry = this.#readable(key, value)
      if (entry === undefined) continue
      const more = charsOf(entry.links)
      if (entries.length > 0 && chars + more > charsMax) return { entries, chars, isCut: true }
      entries.push(entry)
      chars += more
    }
    return { entries, chars, isCut: false }
  }

  /** An entry that was damaged on disk is lost: it would be in the way of all behind it. */
  #readable(key: Uint8Array, value: Uint8Array): OutboxEntry | undefined {
    try {
      return readEntry(key, value)
    } catch (error) {
      if (!(error instanceof PolyhistorError)) throw error
      const damaged = Buffer.from(key)
      void this.#keyValue.transaction(() => this.#entries.remove(damaged))
      return undefined
    }
  }

  /** What is left of a selection. */
  readAgain({ spans, sequenceMax }: Selection): OutboxEntry[] {
    return spans.flatMap(
      ({ first, last }) => this.read(first, keyAfter(last), Number.POSITIVE_INFINITY, sequenceMax).entries,
    )
  }

  async remove(entries: readonly OutboxEntry[]): Promise<void> {
    const changes = await this.#keyValue.transaction(() => {
      const steps = new Map<number, { links: number; bytes: number }>()
      const gone: LinkText[] = []
      for (const { key, step, links, storedBytes } of entries) {
        if (!this.#entries.remove(key)) continue
        gone.push(...links)
        const sum = steps.get(step) ?? { links: 0, bytes: 0 }
        steps.set(step, { links: sum.links - links.length, bytes: sum.bytes - storedBytes })
      }
      const counts = [...steps].map(([step, less]) => this.#totals.change(step, less))
      return [...counts, this.#jobs.change(gone, -1)]
    })
    for (const apply of changes) apply()
  }
}

const noKey = '00'.repeat(20) as RingKey

function* groupsOf(links: readonly ForwardedLink[]): Generator<[RingKey, LinkText[]]> {
  const groups = new Map<RingKey, LinkText[]>()
  for (const link of links) {
    const text = asText(link)
    const group = groups.get(link.url.ringKey)
    if (group === undefined) groups.set(link.url.ringKey, [text])
    else group.push(text)
  }
  for (const [ringKey, group] of groups) for (const part of partsOf(group)) yield [ringKey, part]
}

function* partsOf(group: readonly LinkText[]): Generator<LinkText[]> {
  let part: LinkText[] = []
  let chars = 0
  for (const link of group) {
    const more = charsOf([link])
    if (part.length >= entryLinksMax || (part.length > 0 && chars + more > entryCharsMax)) {
      yield part
      part = []
      chars = 0
    }
    part.push(link)
    chars += more
  }
  yield part
}

function charsOf(links: readonly LinkText[]): number {
  return links.reduce((sum, link) => sum + linkChars(link), 0)
}
