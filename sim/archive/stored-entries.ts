// Entries of a simulated peer in a real store on its simulated disk: volumes, index, journal, takedowns, and what a power cut leaves
// of them.

import { gunzipSync } from 'node:zlib'
import { parseUrl } from '../../src/model/url/url.ts'
import { parseUuid } from '../../src/model/uuid.ts'
import type { HeldCaptures } from '../../src/network/replication/captures/held-captures.ts'
import { RangeSums } from '../../src/network/replication/sums/range-sums.ts'
import type { World } from '../../src/platform/world.ts'
import { rosterKey } from '../../src/store/copying/capture-roster.ts'
import type { ReceivedCopy, ReceiveOutcome, TakeOptions } from '../../src/store/copying/copying.ts'
import { bytesOf, pageCapture, pageText, sampleOptions } from '../../src/store/fixtures/sample-captures.ts'
import { keyOfCursor } from '../../src/store/reading/capture-finder.ts'
import { Store } from '../../src/store/store.ts'
import type { Takedown, TakedownTarget } from '../../src/store/takedowns/takedowns.ts'
import type { DiskWatch, EntryDisk } from './entry-disk.ts'
import type { SimulatedEntry } from './simulated-entry.ts'

/** The keys of all captures there are, by record id: those that were taken are known by nothing else. */
export type KeysOfRecords = Map<string, Uint8Array>

export class StoredEntries implements EntryDisk {
  readonly held: HeldCaptures
  readonly #store: Store
  readonly #keys: KeysOfRecords
  readonly #watch: DiskWatch

  private constructor(store: Store, sums: RangeSums, keys: KeysOfRecords, watch: DiskWatch) {
    this.#store = store
    this.#keys = keys
    this.#watch = watch
    this.held = {
      sums,
      roster: store.roster,
      give: (cursor, how) => store.give(cursor, how),
      offer: (cursor, how) => store.offer(cursor, how),
      take: (copy, how) => this.#take(copy, how),
      possession: (cursors, nonce) => store.possession(cursors, nonce),
      flush: async () => void (await store.drop([])),
      drop: (cursors) => this.#drop(cursors),
    }
  }

  static async open(world: World, keys: KeysOfRecords, watch: DiskWatch): Promise<StoredEntries> {
    const store = await Store.open(world, '/store', {
      ...sampleOptions,
      volumeBytesMax: 20_000,
      cacheBytes: 0,
    })
    const sums = await store.sumUp((table, roster) => new RangeSums(table, roster))
    await store.coverSums(sums)
    return new StoredEntries(store, sums, keys, watch)
  }

  async keep(entry: SimulatedEntry): Promise<Uint8Array | undefined> {
    if (this.#isTakenDown(entry.url)) return undefined
    const { capture } = await this.#store.append(pageCapture(entry.url, momentOf(entry), textOf(entry)))
    const key = rosterKey(keyOfCursor(capture.cursor), parseUuid(capture.recordId))
    this.#keys.set(capture.recordId, key)
    return key
  }

  has(key: Uint8Array): boolean {
    return this.#store.roster.cursorOf(key) !== undefined
  }

  *keys(): Iterable<Uint8Array> {
    for (const { key } of this.#store.roster.entries({})) yield key
  }

  async takedown(target: TakedownTarget, reason: string): Promise<number> {
    const count = await this.#store.takedown(target, reason)
    if (target.kind === 'url') this.#watch.hidden(target.url)
    return count
  }

  takedowns(): Iterable<Takedown> {
    return this.#store.takedowns()
  }

  async isSound(key: Uint8Array, entry: SimulatedEntry): Promise<boolean> {
    const cursor = this.#store.roster.cursorOf(key)
    const capture = [...this.#store.versions(parseUrl(entry.url))].find(
      (version) => version.cursor === cursor,
    )
    if (capture === undefined) return false
    const { payload } = await this.#store.read(capture)
    return String(await bytesOf(payload())) === textOf(entry)
  }

  async #take(copy: ReceivedCopy, how?: TakeOptions): Promise<ReceiveOutcome> {
    const outcome = await this.#store.take(copy, how)
    const key = this.#keys.get(recordIdIn(copy as Uint8Array))
    if (key !== undefined && this.has(key)) this.#watch.came(key)
    return outcome
  }

  async #drop(cursors: readonly string[]): Promise<number> {
    const wanted = new Set(cursors)
    const keys = [...this.keys()].filter((key) => wanted.has(this.#store.roster.cursorOf(key)!))
    const count = await this.#store.drop(cursors)
    for (const key of keys) if (!this.has(key)) this.#watch.dropped(key)
    return count
  }

  #isTakenDown(url: string): boolean {
    return this.#store.isTakenDown(parseUrl(url))
  }
}

function momentOf({ number }: SimulatedEntry): number {
  return Date.UTC(2030, 0, 1) + 1_000 * number
}

/** Versions of a page are like each other, so that some are kept as deltas. */
function textOf({ number, url, payload }: SimulatedEntry): string {
  return pageText(url.length, 2_000).replace('Page', `Version ${number} (${payload.length})`)
}

/** Of the first record, which is the capture's own. */
function recordIdIn(copy: Uint8Array): string {
  const text = gunzipSync(copy).toString('latin1')
  return /^WARC-Record-ID: <urn:uuid:([0-9a-f-]+)>/im.exec(text)?.[1] ?? ''
}
