// What a simulated peer holds on its disk: entries in a simulated index with the real sums over them, in place of the store,
// so that a hundred peers are affordable.

import type { HeldCaptures, TakeOutcome } from '../../src/replica/captures/held-captures.ts'
import { RangeSums } from '../../src/replica/sums/range-sums.ts'
import type { KeyValue, Range, Table } from '../../src/world/key-value.ts'
import { readEntry, type SimulatedEntry, writeEntry } from './simulated-entry.ts'

export class HeldEntries implements HeldCaptures {
  readonly sums: RangeSums
  readonly roster: HeldCaptures['roster']
  readonly #map: KeyValue
  readonly #entries: Table
  /** All there are, for what does not travel with an entry kept as a delta. */
  readonly #world: ReadonlyMap<string, SimulatedEntry>

  private constructor(map: KeyValue, world: ReadonlyMap<string, SimulatedEntry>) {
    this.#map = map
    this.#world = world
    this.#entries = map.table('entries')
    this.roster = {
      entries: (range: Range) => this.#list(range),
      cursorOf: (key) => (this.has(key) ? nameOf(key) : undefined),
    }
    this.sums = new RangeSums(map.table('sums'), this.roster)
  }

  static async open(map: KeyValue, world: ReadonlyMap<string, SimulatedEntry>): Promise<HeldEntries> {
    const held = new HeldEntries(map, world)
    while (!(await held.#change(() => held.sums.cover(1_000))));
    return held
  }

  get count(): number {
    return this.sums.sumOf({ from: new Uint8Array(), to: undefined }).count
  }

  has(key: Uint8Array): boolean {
    return this.#entries.get(key) !== undefined
  }

  keep(entry: SimulatedEntry): Promise<TakeOutcome> {
    return this.take(writeEntry(entry, false))
  }

  async give(cursor: string, options: { isWhole?: boolean } = {}): Promise<Uint8Array | undefined> {
    const entry = this.#world.get(cursor)
    if (entry === undefined || !this.has(entry.key)) return undefined
    return writeEntry(entry, options.isWhole === true)
  }

  async take(copy: Uint8Array | AsyncIterable<Uint8Array>): Promise<TakeOutcome> {
    const { key, id, base } = readEntry(copy as Uint8Array)
    const outcome = await this.#change((): TakeOutcome => {
      if (this.has(key)) return 'known'
      if (base !== undefined && !this.has(base)) return 'lacking'
      this.#entries.put(key, id)
      this.sums.add(key, id)
      return 'kept'
    })
    await this.#map.flush()
    return outcome
  }

  flush(): Promise<void> {
    return this.#map.flush()
  }

  drop(cursors: readonly string[]): Promise<number> {
    return this.#change(() => {
      let dropped = 0
      for (const cursor of cursors) {
        const entry = this.#world.get(cursor)
        if (entry === undefined || !this.has(entry.key)) continue
        this.#entries.remove(entry.key)
        this.sums.remove(entry.key, entry.id)
        dropped++
      }
      return dropped
    })
  }

  *#list(range: Range) {
    for (const [key, id] of this.#entries.range(range)) yield { key, id }
  }

  #change<T>(action: () => T): Promise<T> {
    return this.#map.transaction(() => this.sums.change(action))
  }
}

export function nameOf(key: Uint8Array): string {
  return Buffer.from(key).toString('latin1')
}
