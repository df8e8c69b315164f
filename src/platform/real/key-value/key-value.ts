// Ordered maps kept in LMDB, one environment per folder.
//
// Why childTransaction, of the ways that lmdb-js has to run a transaction: transactionSync commits and fsyncs on the main
// thread (measured here: 15 k puts/s in transactions of 6, whoever waits); transaction groups callers into one commit on
// a thread of its own (81 k with 64 callers at once, 136 k with 1,000) but keeps what an action wrote before it threw;
// childTransaction groups as well and takes back exactly what that one action did (78 k and 113 k).
//
// Durability: overlappingSync (the default) makes a commit visible first and syncs after it; pages of the last synced
// state are not reused until then, and after a power cut LMDB goes back to it. flush() asks for that sync and waits.
//
// Leaves out: locking a folder against another process. Damage that would end the process is looked for before a file is mapped
// (index-opening.ts); other damage gives 'index-damaged' when it is read.

import assert from 'node:assert/strict'
import { type Database, open, type RootDatabase } from 'lmdb'
import type { Disk } from '../../storage/disk.ts'
import {
  checkKey,
  type Entry,
  type Ground,
  type KeyValue,
  KeyValueError,
  type KeyValueErrorCode,
  type KeyValues,
  type OpenOptions,
  type Range,
  type Table,
} from '../../storage/key-value.ts'
import { makeLastingFolder } from '../../storage/lasting-folder.ts'
import { checkBeforeMapping, fillLockFile, markClosed, markInUse } from './index-opening.ts'

export const tablesMax = 64
// Address space, not memory. Left alone, lmdb-js begins with 128 kB, doubles it and keeps every old mapping, so that
// the same pages count as resident several times.
export const mapBytes = 2 ** 36
// Entries that an iteration inside a transaction reads ahead.
const entriesAhead = 64
export const byteFormat = { encoding: 'binary', keyEncoding: 'binary' } as const

type Bytes = Database<Uint8Array, Uint8Array>
export type Root = RootDatabase<Uint8Array, Uint8Array>

// What lmdb-js has but does not declare.
interface Undeclared {
  sync(done: (error?: Error) => void): void
  db: {
    stat(): {
      pageSize: number
      treeBranchPageCount: number
      treeLeafPageCount: number
      overflowPages: number
    }
  }
}

export class RealKeyValues implements KeyValues {
  readonly #disk: Disk
  readonly #open = new Set<string>()

  constructor(needs: { disk: Disk }) {
    this.#disk = needs.disk
  }

  async open(folder: string, options: OpenOptions = {}): Promise<KeyValue> {
    assert(!this.#open.has(folder), `the index in ${folder} is open already`)
    this.#open.add(folder)
    try {
      await makeLastingFolder(this.#disk, folder)
      await checkBeforeMapping(this.#disk, folder)
      await fillLockFile(folder)
      await markInUse(folder)
      // Batches by event turn have a promise of their own, which nobody can hold: when a commit fails (a full disk), its
      // rejection would end the process. Without them callers are grouped as well (measured: no slower).
      const root = attempt<Root>(() =>
        open({
          path: folder,
          noSubdir: false,
          maxDbs: tablesMax + 1,
          eventTurnBatching: false,
          mapSize: mapBytes,
          ...byteFormat,
        }),
      )
      const map = new RealKeyValue(root, options.sizeBytesMax ?? Number.POSITIVE_INFINITY, async () => {
        await markClosed(folder)
        this.#open.delete(folder)
      })
      map.makeTables(options.tables ?? [])
      await map.settle()
      await this.#disk.syncFolder(folder)
      return map
    } catch (error) {
      this.#open.delete(folder)
      throw error
    }
  }
}

class RealKeyValue implements KeyValue {
  readonly #root: Root
  readonly #size: SizeLimit
  readonly #whenClosed: () => Promise<void>
  readonly #tables = new Map<string, RealTable>()
  readonly #state: State = { transaction: undefined, closed: false }
  #flushing: Promise<unknown> = Promise.resolve()
  #nextFlush: Promise<void> | undefined
  #flushFailure: KeyValueError | undefined
  #closing: Promise<void> | undefined

  constructor(root: Root, sizeBytesMax: number, whenClosed: () => Promise<void>) {
    this.#root = root
    this.#size = new SizeLimit(sizeBytesMax)
    this.#whenClosed = whenClosed
  }

  table(name: string): Table {
    assert(!this.#state.closed, 'index is closed')
    let table = this.#tables.get(name)
    if (table === undefined) {
      assert(this.#state.transaction === undefined, `table ${name} is first asked for inside a transaction`)
      assert(this.#tables.size < tablesMax)
      table = new RealTable(
        attempt(() => this.#root.openDB(name, byteFormat)),
        this.#state,
      )
      this.#tables.set(name, table)
      this.#size.forget()
    }
    return table
  }

  /** In one commit (measured: 16 in a new map take 2 ms, 20 one by one). */
  makeTables(names: readonly string[]): void {
    if (names.length === 0) return
    attempt(() =>
      this.#root.transactionSync(() => {
        for (const name of names) this.table(name)
      }),
    )
  }

  async transaction<T>(action: () => T, ground?: Ground): Promise<T> {
    assert(!this.#state.closed && this.#closing === undefined, 'index is closed')
    assert(this.#state.transaction === undefined, 'transaction inside a transaction')
    if (this.#flushFailure) throw this.#flushFailure
    if (ground !== undefined) return this.#onGround(ground, action)
    try {
      return await this.#root.childTransaction(() => this.#run(action))
    } catch (error) {
      this.#size.forget()
      throw await asCommitError(error)
    }
  }

  async #onGround<T>(ground: Ground, action: () => T): Promise<T> {
    await ground.sync()
    const result = await this.transaction(action)
    await this.flush()
    return result
  }

  #run<T>(action: () => T): T {
    const transaction: Transaction = { failure: undefined }
    this.#state.transaction = transaction
    try {
      return this.#size.enforce(this.#tables, () => {
        const result = action()
        assert(!(result instanceof Promise), 'a transaction must not wait')
        // LMDB cannot commit after a failed write, even if the action made light of it.
        if (transaction.failure !== undefined) throw transaction.failure
        return result
      })
    } finally {
      this.#state.transaction = undefined
    }
  }

  flush(): Promise<void> {
    assert(!this.#state.closed, 'index is closed')
    // Who comes while a flush runs may have committed after it began: the next one serves them all.
    this.#nextFlush ??= this.#flushAfter(this.#flushing)
    return this.#nextFlush
  }

  async #flushAfter(previous: Promise<unknown>): Promise<void> {
    await previous
    const flush = this.#sync()
    this.#flushing = flush.catch(() => undefined)
    this.#nextFlush = undefined
    await flush
  }

  async #sync(): Promise<void> {
    if (this.#flushFailure) throw this.#flushFailure
    const error = await new Promise<Error | undefined>((done) => undeclared(this.#root).sync(done))
    if (error === undefined) return
    // The kernel forgets what it could not write, so a later sync would succeed without it: no more promises.
    this.#flushFailure = new KeyValueError(
      'index-failure',
      `The index could not be written to disk: ${error.message}. Check the disk, then start again.`,
      error,
    )
    throw this.#flushFailure
  }

  sizeBytes(): number {
    assert(this.#state.transaction !== undefined, 'measured outside a transaction')
    return measure(this.#tables)
  }

  /** Makes durable what a process that was killed had committed but not flushed. Opened again, LMDB takes that for
   * synced, which it need not be; a new commit makes it sync, and mark as synced, all of it. */
  async settle(): Promise<void> {
    const table = this.table('')
    await this.transaction(() => table.put(new Uint8Array(1), new Uint8Array(1)))
    await this.flush()
  }

  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  async #close(): Promise<void> {
    try {
      // LMDB waits for the transactions that were asked for before.
      await this.#root.committed
      await this.flush()
    } finally {
      this.#state.closed = true
      await this.#root.close()
      await this.#whenClosed()
    }
  }
}

interface Transaction {
  failure: unknown
}

export interface State {
  transaction: Transaction | undefined
  closed: boolean
}

export class RealTable implements Table {
  readonly #database: Bytes
  readonly #state: State

  constructor(database: Bytes, state: State) {
    this.#database = database
    this.#state = state
  }

  get(key: Uint8Array): Uint8Array | undefined {
    assert(!this.#state.closed, 'index is closed')
    checkKey(key)
    const value = attempt(() => this.#database.get(key))
    return value && plain(value)
  }

  put(key: Uint8Array, value: Uint8Array): void {
    checkKey(key)
    this.#change(() => this.#database.putSync(key, value))
  }

  remove(key: Uint8Array): boolean {
    checkKey(key)
    return this.#change(() => this.#database.removeSync(key))
  }

  #change<T>(action: () => T): T {
    const { transaction } = this.#state
    assert(transaction !== undefined, 'a change outside a transaction')
    try {
      return attempt(action)
    } catch (error) {
      transaction.failure = error
      throw error
    }
  }

  range(range: Range = {}): Iterable<Entry> {
    assert(!this.#state.closed, 'index is closed')
    if (range.from) checkKey(range.from)
    if (range.to) checkKey(range.to)
    return {
      [Symbol.iterator]: () => (this.#state.transaction ? this.#ranging(range) : this.#snapshot(range)),
    }
  }

  /** Outside a transaction LMDB's own iterator keeps the state that it began with. */
  *#snapshot(range: Range): Generator<Entry> {
    assert(!this.#state.closed, 'index is closed')
    const entries = attempt(() => this.#database.getRange(asRangeOptions(range))[Symbol.iterator]())
    try {
      for (;;) {
        assert(!this.#state.closed, 'index is closed')
        const next = attempt(() => entries.next())
        if (next.done) return
        yield [plain(next.value.key), plain(next.value.value)]
      }
    } finally {
      if (!this.#state.closed) entries.return?.()
    }
  }

  /** Inside one no cursor may be open when the action changes something or ends: so a few entries at a time. */
  *#ranging(range: Range): Generator<Entry> {
    const { transaction } = this.#state
    let left = range.limit ?? Number.POSITIVE_INFINITY
    let rest = asRangeOptions(range)
    while (left > 0) {
      assert(this.#state.transaction === transaction, 'an iteration outlived its transaction')
      const limit = Math.min(left, entriesAhead)
      const entries = attempt(() => [...this.#database.getRange({ ...rest, limit })])
      for (const { key, value } of entries) yield [plain(key), plain(value)]
      if (entries.length < limit) return
      left -= entries.length
      rest = { ...rest, start: entries.at(-1)!.key, exclusiveStart: true }
    }
  }

  sizeBytes(): number {
    const stat = undeclared(this.#database).db.stat()
    return (stat.treeBranchPageCount + stat.treeLeafPageCount + stat.overflowPages) * stat.pageSize
  }
}

/** This LMDB grows its file as it needs, without a limit of its own: so the limit is kept here, on the pages in use by
 * the tables that have been asked for. Measures only inside a transaction, where LMDB can. */
class SizeLimit {
  readonly #sizeBytesMax: number
  #sizeBytes: number | undefined

  constructor(sizeBytesMax: number) {
    this.#sizeBytesMax = sizeBytesMax
  }

  /** What was measured may be wrong now: measure again. */
  forget(): void {
    this.#sizeBytes = undefined
  }

  enforce<T>(tables: Map<string, RealTable>, action: () => T): T {
    if (this.#sizeBytesMax === Number.POSITIVE_INFINITY) return action()
    const before = this.#sizeBytes ?? measure(tables)
    this.forget()
    const result = action()
    const after = measure(tables)
    if (after > before && after > this.#sizeBytesMax) throw full(this.#sizeBytesMax)
    this.#sizeBytes = after
    return result
  }
}

function measure(tables: Map<string, RealTable>): number {
  let sizeBytes = 0
  for (const table of tables.values()) sizeBytes += table.sizeBytes()
  return sizeBytes
}

function full(sizeBytesMax: number): KeyValueError {
  return new KeyValueError(
    'index-full',
    `The index is full: it may have ${sizeBytesMax} bytes. Raise its limit or remove something.`,
  )
}

/** LMDB's ranges begin where iteration does, so backwards `to` is the start. */
function asRangeOptions(range: Range): {
  start: Uint8Array
  end: Uint8Array
  exclusiveStart?: boolean
  inclusiveEnd?: boolean
  reverse?: boolean
  limit?: number
} {
  // Both must be there, even if undefined: a range without `end` leaves out the lowest key.
  const { from, to, reverse = false } = range as Range & { from: Uint8Array; to: Uint8Array }
  const limit = range.limit === undefined ? {} : { limit: range.limit }
  if (!reverse) return { start: from, end: to, ...limit }
  return { start: to, exclusiveStart: to !== undefined, end: from, inclusiveEnd: true, reverse, ...limit }
}

/** The bytes are a copy already; this makes the class the same as from the simulated kind. */
function plain(bytes: Uint8Array): Uint8Array {
  return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length)
}

function undeclared(database: Bytes): Undeclared {
  return database as unknown as Undeclared
}

const codeTable = new Map<unknown, KeyValueErrorCode>([
  [-30_792, 'index-full'], // MDB_MAP_FULL
  [28, 'index-full'], // ENOSPC
  [122, 'index-full'], // EDQUOT
  [-30_797, 'index-damaged'], // MDB_PAGE_NOTFOUND
  [-30_796, 'index-damaged'], // MDB_CORRUPTED
  [-30_794, 'index-damaged'], // MDB_VERSION_MISMATCH
  [-30_793, 'index-damaged'], // MDB_INVALID
])

const adviceByCode: Record<KeyValueErrorCode, string> = {
  'index-full': 'Free some room on its disk.',
  'index-damaged': 'Move it away; it is built again from the volumes.',
  'index-failure': 'Check its disk.',
}

export function attempt<T>(action: () => T): T {
  try {
    return action()
  } catch (error) {
    throw asKeyValueError(error)
  }
}

function asKeyValueError(error: unknown): unknown {
  const number = (error as { code?: unknown }).code
  if (typeof number !== 'number') return error
  const code = codeTable.get(number) ?? 'index-failure'
  return new KeyValueError(
    code,
    `The index failed: ${(error as Error).message}. ${adviceByCode[code]}`,
    error,
  )
}

/** A failed commit of many transactions hides its cause in a promise. */
async function asCommitError(error: unknown): Promise<unknown> {
  const { commitError } = error as { commitError?: Promise<never> }
  if (commitError === undefined) return error
  const nothing = new Promise<void>((done) => setImmediate(done))
  const cause = await Promise.race([commitError, nothing]).catch((reason: unknown) => reason)
  return asKeyValueError(cause ?? Object.assign(new Error('commit failed'), { code: 0 }))
}
