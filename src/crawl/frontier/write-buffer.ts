// Write buffer: changes of the frontier's tables, gathered and committed many at a time.
//
// Invariants: reads see every change made, committed or not. Changes are committed in the order they were made, in
// whole groups: what is put between two calls of `checkpoint` is in one transaction. So after a crash the state is that
// after some checkpoint. While a transaction is under way the next one gathers; a group that has grown large is closed,
// so that no transaction holds up the thread for long.
// A commit for which there is no room is tried again: whoever waits for it is told, and those after it keep their order. Any other
// failure is final: whatever is asked for afterwards throws its error, for memory is ahead of the disk.

import assert from 'node:assert/strict'
import { bufferView } from '../../formats/wire/buffer-view.ts'
import type { Clock, Timer } from '../../platform/clock.ts'
import { type KeyValue, KeyValueError, type Table } from '../../platform/storage/key-value.ts'

/** Few changes wait this long for more: a commit copies each page of the tree that it touches, however little, and what changes
 * with every URL (paces, queues, heads of logs) is written once for all URLs of a commit. */
const gatherMs = 100
/** Entries per transaction, however often each was changed. Measured: some 3 µs an entry on the main thread; with three times as
 * many it is no faster, and the tree's file is a third larger, for LMDB copies each page that it changes and frees the last copy two
 * commits later. */
const entriesPerCommit = 1_000
/** Closed groups that may wait; then `hasRoom` says no, and callers wait with `room`. */
const waitingMax = 3
/** After a commit for which there was no room. */
const againMs = 1_000

/** Text stands for bytes, one a character: values that are text anyway are made bytes when they are written, in memory
 * that is used again. So changes leave no garbage outside the heap, which V8 is slow to collect. */
export type Value = Uint8Array | string
type Changes = Map<string, Value | null>
type Group = Map<BufferedTable, Changes>

/** Is told of what each group changes in a table. */
export interface GroupWatch {
  /** A group is complete but for what is put now, which is committed with it. What is returned is called after that. */
  closing(changes: ReadonlyMap<string, Value | null>): (() => void) | undefined
}

export class WriteBuffer {
  readonly #keyValue: KeyValue
  readonly #clock: Clock
  readonly #beforeClose: () => void
  #open: Group = new Map()
  /** Entries that it changes. */
  #openCount = 0
  /** Oldest first; the first is being committed. */
  readonly #closed: Group[] = []
  #committing: Promise<void> | undefined
  #timer: Timer | undefined
  readonly #whenCommitted: (() => void)[] = []
  #watched: { table: BufferedTable; watch: GroupWatch } | undefined
  /** What to call once a group is committed. */
  readonly #told = new Map<Group, () => void>()
  #failure: unknown
  /** There was no room for the last commit. */
  #lack: unknown

  /** `beforeClose` may put what was only noted in memory, before a group is closed. */
  constructor(needs: { keyValue: KeyValue; clock: Clock }, beforeClose: () => void) {
    this.#keyValue = needs.keyValue
    this.#clock = needs.clock
    this.#beforeClose = beforeClose
  }

  table(name: string): BufferedTable {
    return new BufferedTable(this.#keyValue.table(name), {
      groups: () => [...this.#closed, this.#open],
      changed: (table, key) => this.#changed(table, key),
      change: (table, key, value) => this.#change(table, key, value),
    })
  }

  /** One table has one who watches. */
  watch(table: BufferedTable, watch: GroupWatch): void {
    assert(this.#watched === undefined)
    this.#watched = { table, watch }
  }

  /** The state is consistent now. */
  checkpoint(): void {
    if (this.#failure !== undefined) throw this.#failure
    if (this.#openCount >= entriesPerCommit) this.#closeOpen()
    if (this.#lack !== undefined) this.#timer ??= this.#clock.after(againMs, () => this.#commitNow())
    else if (this.#closed.length > 0) this.#commitNow()
    else if (this.#openCount > 0) this.#timer ??= this.#clock.after(gatherMs, () => this.#commitNow())
  }

  #commitNow(): void {
    this.#timer?.cancel()
    this.#timer = undefined
    if (this.#closed.length === 0) this.#closeOpen()
    // With nothing to commit, commitAll would be done before it could be noted that it runs.
    if (this.#closed.length > 0) this.#committing ??= this.#commitAll()
  }

  get hasRoom(): boolean {
    return this.#closed.length < waitingMax
  }

  /** Resolves when there is room for more changes. */
  room(): Promise<void> {
    return this.#commitUntil(() => this.hasRoom)
  }

  /** Everything up to the last checkpoint is committed when it resolves. */
  async committed(): Promise<void> {
    if (this.#failure !== undefined) throw this.#failure
    this.#closeOpen()
    const last = this.#closed.at(-1)
    await this.#commitUntil(() => last === undefined || !this.#closed.includes(last))
  }

  /** Rejects when commits fail, or when there is no room for one that was tried on behalf of this caller. */
  async #commitUntil(isDone: () => boolean): Promise<void> {
    for (let isTried = false; ; ) {
      if (this.#failure !== undefined) throw this.#failure
      if (isDone()) return
      if (this.#committing === undefined) {
        if (isTried) throw this.#lack
        isTried = true
        this.#commitNow()
      }
      await this.#nextCommit()
    }
  }

  /** The same, and it survives a power cut. */
  async flush(): Promise<void> {
    await this.committed()
    await this.#keyValue.flush()
  }

  /** Resolves when the transaction under way has ended. */
  #nextCommit(): Promise<void> {
    return new Promise((resolve) => this.#whenCommitted.push(resolve))
  }

  /** undefined when there is no change, null when it was removed. */
  #changed(table: BufferedTable, key: string): Value | null | undefined {
    let value = this.#open.get(table)?.get(key)
    for (let index = this.#closed.length - 1; value === undefined && index >= 0; index--)
      value = this.#closed[index]!.get(table)?.get(key)
    return value
  }

  #change(table: BufferedTable, key: string, value: Value | null): void {
    let changes = this.#open.get(table)
    if (changes === undefined) this.#open.set(table, (changes = new Map()))
    const count = changes.size
    changes.set(key, value)
    this.#openCount += changes.size - count
  }

  #tellCommitted(): void {
    for (const resolve of this.#whenCommitted.splice(0)) resolve()
  }

  #closeOpen(): void {
    this.#beforeClose()
    if (this.#openCount === 0) return
    this.#tellClosing(this.#open)
    this.#closed.push(this.#open)
    this.#open = new Map()
    this.#openCount = 0
  }

  #tellClosing(group: Group): void {
    if (this.#watched === undefined) return
    const { table, watch } = this.#watched
    const whenCommitted = watch.closing(group.get(table) ?? new Map())
    if (whenCommitted !== undefined) this.#told.set(group, whenCommitted)
  }

  async #commitAll(): Promise<void> {
    try {
      for (;;) {
        const group = this.#closed[0]
        if (group === undefined) break
        await this.#keyValue.transaction(() => apply(group))
        this.#lack = undefined
        this.#closed.shift()
        this.#told.get(group)?.()
        this.#told.delete(group)
        this.#tellCommitted()
      }
    } catch (error) {
      if (error instanceof KeyValueError && error.code === 'index-full') this.#lack = error
      else this.#failure = error
    } finally {
      this.#committing = undefined
      this.#tellCommitted()
    }
  }
}

interface Gathering {
  /** Oldest first. */
  groups(): Group[]
  changed(table: BufferedTable, key: string): Value | null | undefined
  change(table: BufferedTable, key: string, value: Value | null): void
}

/** A table as it will be once all is committed. */
export class BufferedTable {
  readonly #table: Table
  readonly #gathering: Gathering

  constructor(table: Table, gathering: Gathering) {
    this.#table = table
    this.#gathering = gathering
  }

  get(key: Buffer): Uint8Array | undefined {
    const changed = this.#gathering.changed(this, key.toString('latin1'))
    if (changed === undefined) return this.#table.get(key)
    return changed === null ? undefined : asBytes(changed)
  }

  /** The same with text for key and value. */
  getText(key: string): string | undefined {
    const changed = this.#gathering.changed(this, key)
    if (changed === null) return undefined
    if (typeof changed === 'string') return changed
    const bytes = changed ?? this.#table.get(keyScratch.of(key))
    return bytes && bufferView(bytes).toString('latin1')
  }

  put(key: Buffer, value: Uint8Array): void {
    this.#gathering.change(this, key.toString('latin1'), value)
  }

  putText(key: string, text: string): void {
    this.#gathering.change(this, key, text)
  }

  remove(key: Buffer): void {
    this.#gathering.change(this, key.toString('latin1'), null)
  }

  removeText(key: string): void {
    this.#gathering.change(this, key, null)
  }

  /** Entries from `from` (included) to `to` (excluded), at most `limit`. What changes meanwhile may be seen or not. */
  *range(from: Buffer, to: Buffer, limit = Number.POSITIVE_INFINITY): Generator<[Buffer, Uint8Array]> {
    let left = limit
    if (left <= 0) return
    const changed = this.#changedWithin(from.toString('latin1'), to.toString('latin1'))
    const keys = [...changed.keys()].sort()
    let next = 0
    for (const [key, value] of this.#table.range({ from, to })) {
      const bytes = Buffer.from(key.buffer, key.byteOffset, key.byteLength)
      const text = bytes.toString('latin1')
      for (; next < keys.length && keys[next]! < text; next++) {
        const put = changed.get(keys[next]!)
        if (put === null) continue
        yield [Buffer.from(keys[next]!, 'latin1'), asBytes(put!)]
        if (--left === 0) return
      }
      if (keys[next] === text) continue
      yield [bytes, value]
      if (--left === 0) return
    }
    for (; next < keys.length; next++) {
      const put = changed.get(keys[next]!)
      if (put === null) continue
      yield [Buffer.from(keys[next]!, 'latin1'), asBytes(put!)]
      if (--left === 0) return
    }
  }

  /** Inside a transaction. */
  apply(changes: Changes): void {
    for (const [text, value] of changes) {
      const key = keyScratch.of(text)
      if (value === null) this.#table.remove(key)
      else this.#table.put(key, typeof value === 'string' ? valueScratch.of(value) : value)
    }
  }

  #changedWithin(from: string, to: string): Changes {
    const within: Changes = new Map()
    for (const group of this.#gathering.groups()) {
      const changes = group.get(this)
      if (changes === undefined) continue
      for (const [key, value] of changes) if (key >= from && key < to) within.set(key, value)
    }
    return within
  }
}

/** Bytes of a text, until those of the next are asked for. */
class Scratch {
  #bytes = Buffer.allocUnsafeSlow(4_096)

  of(text: string): Buffer {
    if (text.length > this.#bytes.length) this.#bytes = Buffer.allocUnsafeSlow(2 * text.length)
    this.#bytes.write(text, 0, 'latin1')
    return this.#bytes.subarray(0, text.length)
  }
}

const keyScratch = new Scratch()
const valueScratch = new Scratch()

function asBytes(value: Value): Uint8Array {
  return typeof value === 'string' ? Buffer.from(value, 'latin1') : value
}

function apply(group: Group): void {
  for (const [table, changes] of group) {
    assert(changes.size > 0)
    table.apply(changes)
  }
}
