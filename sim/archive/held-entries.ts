// What a simulated peer holds on its disk: entries in a simulated index with the real sums over them, in place of the store,
// so that a hundred peers are affordable.

import { createHash } from 'node:crypto'
import { ringKeyBytes, ringKeyFromBytes } from '../../src/model/ring-key.ts'
import type { HeldCaptures } from '../../src/network/replication/captures/held-captures.ts'
import { RangeSums } from '../../src/network/replication/sums/range-sums.ts'
import { wallStartMs } from '../../src/platform/simulated/clock.ts'
import type { KeyValue, Range, Table } from '../../src/platform/storage/key-value.ts'
import type { CopyOffer, ReceiveOutcome, TakeOptions } from '../../src/store/copying/copying.ts'
import { storedTakedown } from '../../src/store/takedowns/takedown-record.ts'
import type { Takedown, TakedownTarget } from '../../src/store/takedowns/takedowns.ts'
import type { DiskWatch, EntryDisk } from './entry-disk.ts'
import { keyOfUrl, nameOf, readEntry, type SimulatedEntry, writeEntry } from './simulated-entry.ts'

export class HeldEntries implements HeldCaptures, EntryDisk {
  readonly sums: RangeSums
  readonly roster: HeldCaptures['roster']
  readonly #map: KeyValue
  readonly #entries: Table
  readonly #takedowns: Table
  /** All there are, for what does not travel with an entry kept as a delta. */
  readonly #world: ReadonlyMap<string, SimulatedEntry>
  readonly #watch: DiskWatch

  private constructor(map: KeyValue, world: ReadonlyMap<string, SimulatedEntry>, watch: DiskWatch) {
    this.#map = map
    this.#world = world
    this.#watch = watch
    this.#entries = map.table('entries')
    this.#takedowns = map.table('takedowns')
    this.roster = {
      entries: (range: Range) => this.#list(range),
      cursorOf: (key) => (this.has(key) ? nameOf(key) : undefined),
      momentOf: (key) => this.#momentOf(key),
    }
    this.sums = new RangeSums(map.table('sums'), this.roster)
  }

  static async open(
    map: KeyValue,
    world: ReadonlyMap<string, SimulatedEntry>,
    watch: DiskWatch,
  ): Promise<HeldEntries> {
    const held = new HeldEntries(map, world, watch)
    while (!(await held.#change(() => held.sums.cover(1_000))));
    return held
  }

  get held(): HeldCaptures {
    return this
  }

  has(key: Uint8Array): boolean {
    return this.#entries.get(key) !== undefined
  }

  *keys(): Iterable<Uint8Array> {
    for (const [key] of this.#entries.range()) yield key
  }

  /** What is not kept cannot be wrong. */
  async isSound(): Promise<boolean> {
    return true
  }

  async keep(entry: SimulatedEntry): Promise<Uint8Array | undefined> {
    const outcome = await this.take(writeEntry(entry, false))
    return outcome === 'kept' ? entry.key : undefined
  }

  async give(cursor: string, options: { isWhole?: boolean } = {}): Promise<Uint8Array | undefined> {
    return this.offer(cursor, options)?.read()
  }

  offer(
    cursor: string,
    options: { isWhole?: boolean } = {},
  ): (Omit<CopyOffer, 'read'> & { read(): Promise<Uint8Array> }) | undefined {
    const entry = this.#world.get(cursor)
    if (entry === undefined || !this.has(entry.key)) return undefined
    const bytes = writeEntry(entry, options.isWhole === true)
    return { sizeBytes: bytes.length, isFirst: false, read: async () => bytes }
  }

  async take(
    copy: Uint8Array | AsyncIterable<Uint8Array>,
    { before, admit }: TakeOptions = {},
  ): Promise<ReceiveOutcome> {
    await before
    const { key, id, base } = readEntry(copy as Uint8Array)
    admit?.({
      ringKey: ringKeyFromBytes(key.subarray(0, ringKeyBytes)),
      surt: '',
      capturedAtMs: this.#momentOf(key),
    })
    const outcome = await this.#change((): ReceiveOutcome => {
      if (this.#isTakenDown(key)) return 'taken-down'
      if (this.has(key)) return 'known'
      if (base !== undefined && !this.has(base)) return 'lacking'
      this.#entries.put(key, id)
      this.sums.add(key, id)
      return 'kept'
    })
    await this.flush()
    if (this.has(key)) this.#watch.came(key)
    return outcome
  }

  async possession(
    cursors: readonly (string | undefined)[],
    nonce: Uint8Array,
  ): Promise<(Uint8Array | undefined)[]> {
    return cursors.map((cursor) => {
      const entry = cursor === undefined ? undefined : this.#world.get(cursor)
      if (entry === undefined || !this.has(entry.key)) return undefined
      return createHash('sha256').update(nonce).update(entry.payload).digest()
    })
  }

  flush(): Promise<void> {
    return this.#map.flush()
  }

  async drop(cursors: readonly string[]): Promise<number> {
    const entries = cursors.map((cursor) => this.#world.get(cursor)!)
    const dropped = await this.#change(() => entries.filter(({ key }) => this.#remove(key)))
    for (const { key } of dropped) this.#watch.dropped(key)
    return dropped.length
  }

  async takedown(target: TakedownTarget, reason: string): Promise<number> {
    if (target.kind !== 'url') throw new Error('only URLs are taken down here')
    const takedown = storedTakedown({ target, atMs: 0, reason, isDone: true }, 0)!
    const start = keyOfUrl(target.url)
    const hidden = await this.#change(() => {
      this.#takedowns.put(start, Buffer.from(JSON.stringify(takedown)))
      const to = Buffer.concat([start, Uint8Array.of(1)])
      const keys = [...this.#entries.range({ from: start, to })].map(([key]) => key)
      return keys.filter((key) => this.#remove(key))
    })
    await this.flush()
    this.#watch.hidden(target.url)
    return hidden.length
  }

  *takedowns(): Iterable<Takedown> {
    for (const [, value] of this.#takedowns.range())
      yield JSON.parse(Buffer.from(value).toString()) as Takedown
  }

  /** About when it was kept: there is one a second. */
  #momentOf(key: Uint8Array): number {
    return wallStartMs + 1_000 * (this.#world.get(nameOf(key))?.number ?? 0)
  }

  #isTakenDown(key: Uint8Array): boolean {
    const entry = this.#world.get(nameOf(key))
    return entry !== undefined && this.#takedowns.get(entry.urlKey) !== undefined
  }

  /** Inside a change. */
  #remove(key: Uint8Array): boolean {
    const id = this.#entries.get(key)
    if (id === undefined) return false
    this.#entries.remove(key)
    this.sums.remove(key, id)
    return true
  }

  *#list(range: Range) {
    for (const [key, id] of this.#entries.range(range)) yield { key, id }
  }

  #change<T>(action: () => T): Promise<T> {
    return this.#map.transaction(() => this.sums.change(action))
  }
}
