// Watch book: the watches of a home on disk, what is known of each, and what they saw.
//
// All watches are in memory, for every event is asked of them; the rest is read when it is needed. What `in*` methods write is
// written by the transaction in which they are called, so that what an event led to and how far the stream was read are one commit.
// Bounded: so many watches, so much history of each, so many versions that changes are counted from.

import { digestOf } from '../../model/digest.ts'
import type { KeyValue, Table } from '../../platform/storage/key-value.ts'
import { type PageWatch, stateAtFirst, type WatchSighting, type WatchState } from './page-watch.ts'
import { readable, readableEntries } from './readable-entries.ts'
import { sightingCoding, stateCoding, watchCoding } from './watch-coding.ts'
import { WatchesError } from './watches-error.ts'

export const watchesMax = 20_000
export const historyMax = 100
const basesMax = 1_000
const stampBytes = 6
const beginningCharsMin = 4

export const watchTables = ['watches', 'states', 'history', 'bases', 'notes'] as const

/** A time for which nobody could say what changed: the log did not reach back so far. */
export interface WatchGap {
  readonly fromMs: number
  readonly toMs: number
}

export class WatchBook {
  readonly map: KeyValue
  readonly #watches: Table
  readonly #states: Table
  readonly #history: Table
  readonly #bases: Table
  readonly #notes: Table
  readonly #all = new Map<string, PageWatch>()

  constructor(map: KeyValue) {
    this.map = map
    this.#watches = map.table('watches')
    this.#states = map.table('states')
    this.#history = map.table('history')
    this.#bases = map.table('bases')
    this.#notes = map.table('notes')
    for (const watch of readableEntries(this.#watches, watchCoding)) this.#all.set(watch.id, watch)
  }

  get size(): number {
    return this.#all.size
  }

  /** In no particular order. */
  all(): Iterable<PageWatch> {
    return this.#all.values()
  }

  find(id: string): PageWatch | undefined {
    return this.#all.get(id)
  }

  /** By its id, or the beginning of it that no other has. Throws 'watch-unknown'. */
  get(id: string): PageWatch {
    const watch = this.#all.get(id) ?? namedBy(this.#all, id)
    if (watch === undefined) throw new WatchesError('watch-unknown', `There is no watch ${id.slice(0, 80)}.`)
    return watch
  }

  state(id: string): WatchState {
    const stored = this.#states.get(bytesOf(id))
    return (stored && readable(stateCoding, stored)) ?? stateAtFirst
  }

  /** Newest first. */
  history(id: string, limit = historyMax): WatchSighting[] {
    return [...readableEntries(this.#history, sightingCoding, { ...below(id), reverse: true, limit })]
  }

  /** The version of a page that changes are counted from, where that is not the last one. */
  base(id: string, surt: string): number | undefined {
    const stored = this.#bases.get(baseKey(id, surt))
    return stored && Buffer.from(stored).readUIntBE(0, stampBytes)
  }

  note(name: string): string | undefined {
    const stored = this.#notes.get(bytesOf(name))
    return stored && Buffer.from(stored).toString('utf8')
  }

  /** With the names behind `prefix`. */
  *notes(prefix: string): Generator<[name: string, value: string]> {
    const range = { from: bytesOf(prefix), to: after(bytesOf(prefix)) }
    for (const [key, value] of this.#notes.range(range))
      yield [Buffer.from(key).toString('utf8').slice(prefix.length), Buffer.from(value).toString('utf8')]
  }

  get gap(): WatchGap | undefined {
    const [fromMs, toMs] = (this.note('gap') ?? '').split(' ').map(Number)
    return fromMs && toMs ? { fromMs, toMs } : undefined
  }

  /** Of one watch: seen from memory when it is committed. */
  async put(watch: PageWatch, more: () => void = () => {}): Promise<void> {
    await this.map.transaction(() => {
      this.#watches.put(bytesOf(watch.id), watchCoding.encode(watch))
      more()
    })
    this.#all.set(watch.id, watch)
    await this.map.flush()
  }

  async remove(id: string): Promise<void> {
    await this.map.transaction(() => {
      this.#watches.remove(bytesOf(id))
      this.#states.remove(bytesOf(id))
      for (const table of [this.#history, this.#bases])
        for (const [key] of [...table.range(below(id))]) table.remove(key)
    })
    this.#all.delete(id)
    await this.map.flush()
  }

  putState(id: string, state: WatchState): void {
    this.#states.put(bytesOf(id), stateCoding.encode(state))
  }

  append(id: string, sighting: WatchSighting): void {
    this.#history.put(historyKey(id, sighting), sightingCoding.encode(sighting))
    const keys = [...this.#history.range(below(id))].map(([key]) => key)
    for (const key of keys.slice(0, Math.max(0, keys.length - historyMax))) this.#history.remove(key)
  }

  putBase(id: string, surt: string, atMs: number): void {
    const keys = [...this.#bases.range({ ...below(id), limit: basesMax })].map(([key]) => key)
    if (keys.length === basesMax) this.#bases.remove(keys[0]!)
    const value = Buffer.alloc(stampBytes)
    value.writeUIntBE(Math.floor(atMs), 0, stampBytes)
    this.#bases.put(baseKey(id, surt), value)
  }

  dropBase(id: string, surt: string): void {
    this.#bases.remove(baseKey(id, surt))
  }

  putNote(name: string, value: string | undefined): void {
    if (value === undefined) this.#notes.remove(bytesOf(name))
    else this.#notes.put(bytesOf(name), bytesOf(value))
  }
}

/** The one whose id begins so, where people write only that. */
export function namedBy<T>(all: ReadonlyMap<string, T>, beginning: string): T | undefined {
  if (beginning.length < beginningCharsMin) return undefined
  const found = [...all].filter(([id]) => id.startsWith(beginning))
  return found.length === 1 ? found[0]![1] : undefined
}

function bytesOf(text: string): Buffer {
  return Buffer.from(text, 'utf8')
}

/** All keys of a watch. Ids are of one length. */
function below(id: string): { from: Uint8Array; to: Uint8Array } {
  const from = bytesOf(id)
  return { from, to: after(from) }
}

function after(prefix: Buffer): Buffer {
  const end = Buffer.from(prefix)
  end[end.length - 1]!++
  return end
}

function historyKey(id: string, { stamp, id: eventId }: WatchSighting): Buffer {
  const stampAsBytes = Buffer.alloc(stampBytes)
  stampAsBytes.writeUIntBE(stamp, 0, stampBytes)
  return Buffer.concat([bytesOf(id), stampAsBytes, eventId])
}

function baseKey(id: string, surt: string): Buffer {
  return Buffer.concat([bytesOf(id), digestOf('sha256', surt).bytes.subarray(0, 16)])
}
