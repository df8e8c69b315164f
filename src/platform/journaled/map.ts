// A map that is flushed by one short write: changes go to a journal and to memory, and from there to the map below, many
// at a time.
//
// Why: a map like LMDB writes and syncs a page or more for every changed entry, and then its root. Callers who each wait
// for that get a few hundred changes a second, whatever the disk can do.
//
// Invariants: the map below never has what the journal does not; the journal is begun anew only when the map below has
// all that the new one leaves out, safely. So after a crash both together hold every transaction up to some moment not
// before the last flush, and writing to the map below again what it has already does no harm.
//
// When the disk of the journal fails: what could not be written is taken back and refused, and tried again by the next
// one, if need be in a new file. 'index-full' means that nothing of it is left; 'index-failure' that it may be there when
// the map is opened again. When the map below fails, changes are taken until memory is full of them.
//
// Changes that stand on bytes outside are synced together with those bytes, at the same time, before anybody sees them.
// When those bytes cannot be made safe, the changes are taken back and the journal is begun anew without them.

import assert from 'node:assert/strict'
import { DiskError } from '../storage/disk.ts'
import { type Ground, type KeyValue, KeyValueError, type Table } from '../storage/key-value.ts'
import { asBytes } from '../storage/ordered-map.ts'
import { type Change, decodeChanges, encodeChanges } from './change-coding.ts'
import { LostGround, syncAll } from './ground-sync.ts'
import type { Journal } from './journal.ts'
import { gone, JournaledTable, type Step, type TransactionState } from './table.ts'

interface JournaledMapOptions {
  sizeBytesMax: number
  /** Memory for changes that are not in the map below; twice as much while they are written there. */
  heldBytesMax: number
}

interface Waiting {
  action(): unknown
  ground: Ground | undefined
  resolve(result: unknown): void
  reject(error: unknown): void
}

/** Bounds the time for which the map below keeps everybody else waiting. */
const entriesPerChange = 500

export class JournaledMap implements KeyValue {
  readonly #below: KeyValue
  readonly #journal: Journal
  readonly #options: JournaledMapOptions
  readonly #whenClosed: () => void
  readonly #tables = new Map<string, JournaledTable>()
  readonly #state: TransactionState = { steps: undefined, heldBytes: 0, grownBytes: 0, isClosed: false }
  #waiting: Waiting[] = []
  #flushes: PromiseWithResolvers<void>[] = []
  #running: Promise<void> | undefined
  #filing: Promise<void> = Promise.resolve()
  #filingFailure: { error: unknown } | undefined
  /** The journal still has what was filed. */
  #isJournalStale = false
  /** Of the map below, when it was last measured. */
  #belowBytes: number | undefined
  #closing: Promise<void> | undefined

  constructor(
    needs: { below: KeyValue; journal: Journal },
    options: JournaledMapOptions,
    whenClosed: () => void,
  ) {
    this.#below = needs.below
    this.#journal = needs.journal
    this.#options = options
    this.#whenClosed = whenClosed
  }

  /** Takes in what an earlier process left in the journal. Before anything else. */
  load(records: readonly Uint8Array[]): void {
    for (const record of records) {
      for (const { table, key, value } of decodeChanges(record)) this.#tableOf(table).load(key, value)
    }
    for (const table of this.#tables.values()) table.show()
  }

  table(name: string): Table {
    return this.#tableOf(name)
  }

  async transaction<T>(action: () => T, ground?: Ground): Promise<T> {
    assert(!this.#state.isClosed && this.#closing === undefined, 'index is closed')
    assert(this.#state.steps === undefined, 'transaction inside a transaction')
    return new Promise<T>((resolve, reject) => {
      this.#waiting.push({ action, ground, resolve: resolve as (result: unknown) => void, reject })
      this.#running ??= this.#run()
    })
  }

  flush(): Promise<void> {
    assert(!this.#state.isClosed, 'index is closed')
    const request = Promise.withResolvers<void>()
    this.#flushes.push(request)
    this.#running ??= this.#run()
    return request.promise
  }

  sizeBytes(): number {
    return (this.#belowBytes ?? 0) + this.#state.grownBytes
  }

  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  async #close(): Promise<void> {
    try {
      await this.flush()
      while (this.#running !== undefined) await this.#running
      await this.#fileAll()
    } finally {
      this.#state.isClosed = true
      await this.#journal.close()
      await this.#below.close().finally(this.#whenClosed)
    }
  }

  #tableOf(name: string): JournaledTable {
    assert(!this.#state.isClosed, 'index is closed')
    let table = this.#tables.get(name)
    if (table === undefined) {
      assert(this.#state.steps === undefined, `table ${name} is first asked for inside a transaction`)
      table = new JournaledTable(name, this.#below.table(name), this.#state)
      this.#tables.set(name, table)
      this.#belowBytes = undefined
    }
    return table
  }

  /** One thing at a time: a journal has one end. */
  async #run(): Promise<void> {
    // Nothing begins before its caller knows of it, and callers of the same moment go together.
    await Promise.resolve()
    while (this.#waiting.length > 0 || this.#flushes.length > 0) {
      if (this.#waiting.length > 0) await this.#commit(this.#nextGroup())
      else await this.#answerFlushes(this.#flushes.splice(0))
    }
    this.#running = undefined
  }

  /** Those with a ground go together, and so do those without: they run only once, and fail for no ground of others. */
  #nextGroup(): Waiting[] {
    const isGrounded = this.#waiting[0]!.ground !== undefined
    const end = this.#waiting.findIndex(({ ground }) => (ground !== undefined) !== isGrounded)
    return this.#waiting.splice(0, end === -1 ? this.#waiting.length : end)
  }

  async #commit(group: Waiting[]): Promise<void> {
    const steps: Step[] = []
    try {
      if (this.#isMemoryFull) await this.#makeRoom()
      if (this.#belowBytes === undefined) await this.#measure()
      const answers = group.map((waiting) => this.#attempt(waiting, steps))
      if (steps.length > 0) await this.#write(steps, groundsOf(group))
      else await syncAll(groundsOf(group))
      for (const table of new Set(steps.map((step) => step.table))) table.show()
      for (const answer of answers) answer()
    } catch (error) {
      takeBack(steps)
      if (error instanceof LostGround) await this.#giveUp(group, error.failures)
      else for (const { reject } of group) reject(error)
    }
  }

  /** Those whose ground was lost fail; the others are tried again. */
  async #giveUp(group: readonly Waiting[], failures: ReadonlyMap<Ground, unknown>): Promise<void> {
    let remaining: { error: unknown } | undefined
    try {
      await this.#checkSound()
    } catch (error) {
      // They are still in the old journal, and may be found there.
      remaining = { error }
    }
    const isLost = ({ ground }: Waiting) => failures.has(ground!)
    for (const waiting of group.filter(isLost))
      waiting.reject(remaining ? remaining.error : failures.get(waiting.ground!))
    this.#waiting.unshift(...group.filter((waiting) => !isLost(waiting)))
  }

  /** Gives what tells the caller of it, once it counts. */
  #attempt({ action, resolve, reject }: Waiting, steps: Step[]): () => void {
    const own: Step[] = []
    this.#state.steps = own
    try {
      const result = action()
      assert(!(result instanceof Promise), 'a transaction must not wait')
      this.#checkSize(own)
      for (const step of own) steps.push(step)
      return () => resolve(result)
    } catch (error) {
      takeBack(own)
      return () => reject(error)
    } finally {
      this.#state.steps = undefined
    }
  }

  #checkSize(steps: readonly Step[]): void {
    const { sizeBytesMax } = this.#options
    if (this.sizeBytes() <= sizeBytesMax) return
    if (steps.reduce((sum, { grownBytes }) => sum + grownBytes, 0) <= 0) return
    throw new KeyValueError(
      'index-full',
      `The index is full: it may have ${sizeBytesMax} bytes. Raise its limit or remove something.`,
    )
  }

  async #measure(): Promise<void> {
    const isLimited = this.#options.sizeBytesMax < Number.POSITIVE_INFINITY
    this.#belowBytes = isLimited ? await this.#below.transaction(() => this.#below.sizeBytes()) : 0
  }

  async #write(steps: readonly Step[], grounds: readonly Ground[]): Promise<void> {
    const journal = this.#journal
    const isToBegin = !journal.isBegun || this.#isJournalStale
    // What a file begins with counts in any case.
    if (isToBegin) await syncAll(grounds)
    try {
      if (this.#isJournalStale && journal.isBegun && (await this.#beginsAnew())) return
      if (!journal.isBegun) return await this.#begin()
      await journal.append(encodeChanges(steps.map(asChange)), isToBegin ? [] : grounds)
    } catch (error) {
      throw this.#asIndexError(error)
    }
    if (grounds.length > 0) await this.#syncWith(isToBegin ? [] : grounds)
  }

  async #syncWith(grounds: readonly Ground[]): Promise<void> {
    const syncing = this.#trySync()
    try {
      await syncAll(grounds)
    } catch (error) {
      this.#journal.distrust()
      throw error
    } finally {
      await syncing
    }
    await this.#checkSound()
  }

  /** With all that is not filed, and so with what is being changed. */
  async #begin(): Promise<void> {
    this.#isJournalStale = false
    await this.#journal.begin(encodeChanges([...this.#unfiled()]))
  }

  /** False when there is no room for another; the old one still does. */
  async #beginsAnew(): Promise<boolean> {
    try {
      await this.#begin()
      return true
    } catch (error) {
      this.#isJournalStale = true
      if (!(error instanceof DiskError)) throw error
      return false
    }
  }

  *#unfiled(): Generator<Change> {
    for (const table of this.#tables.values()) {
      for (const [key, value] of table.unfiled()) yield asChange({ table, key, value })
    }
  }

  async #answerFlushes(requests: PromiseWithResolvers<void>[]): Promise<void> {
    try {
      await this.#sync()
      for (const { resolve } of requests) resolve()
    } catch (error) {
      for (const { reject } of requests) reject(error)
    }
  }

  async #sync(): Promise<void> {
    await this.#trySync()
    await this.#checkSound()
  }

  /** After a failure the journal is not sound. */
  async #trySync(): Promise<void> {
    try {
      if (this.#journal.isSound) await this.#journal.sync()
    } catch (error) {
      if (!(error instanceof DiskError)) throw error
    }
  }

  /** What a file may have lost is still in memory, and goes to another. */
  async #checkSound(): Promise<void> {
    if (this.#journal.isSound) return
    try {
      await this.#begin()
    } catch (error) {
      throw this.#asIndexError(error)
    }
  }

  get #isMemoryFull(): boolean {
    return this.#state.heldBytes >= this.#options.heldBytesMax
  }

  /** Memory for more changes. One part is written below while the other grows. */
  async #makeRoom(): Promise<void> {
    await this.#finishFiling()
    await this.#startFiling()
  }

  /** What is written below must be in the journal for good. */
  async #startFiling(): Promise<void> {
    await this.#sync()
    if (this.#belowBytes !== undefined) this.#belowBytes = this.sizeBytes()
    for (const table of this.#tables.values()) table.startFiling()
    this.#state.heldBytes = 0
    this.#state.grownBytes = 0
    this.#filing = this.#file()
  }

  /** Waits for what is being written below, and tries again what failed. */
  async #finishFiling(): Promise<void> {
    await this.#filing
    if (this.#filingFailure === undefined) return
    this.#filing = this.#file()
    await this.#filing
    if (this.#filingFailure !== undefined) throw this.#filingFailure.error
  }

  async #file(): Promise<void> {
    this.#filingFailure = undefined
    try {
      for (const table of this.#tables.values()) await this.#fileTable(table)
      await this.#below.flush()
      for (const table of this.#tables.values()) table.forgetFiling()
      this.#isJournalStale = true
      this.#belowBytes = undefined
    } catch (error) {
      // Told to whoever waits for it, or comes next.
      this.#filingFailure = { error }
    }
  }

  async #fileTable(table: JournaledTable): Promise<void> {
    const { below } = table
    for (const entries of portionsOf(table.filing(), entriesPerChange)) {
      await this.#below.transaction(() => {
        for (const [key, value] of entries) {
          if (value === gone) below.remove(asBytes(key))
          else below.put(asBytes(key), asBytes(value))
        }
      })
    }
  }

  /** What cannot be written below now is safe in the journal, and is taken in when the map is opened again. */
  async #fileAll(): Promise<void> {
    try {
      await this.#finishFiling()
      await this.#startFiling()
      await this.#filing
      if (this.#filingFailure === undefined) await this.#journal.end()
    } catch (error) {
      if (!(error instanceof KeyValueError)) throw error
    }
  }

  #asIndexError(error: unknown): unknown {
    if (!(error instanceof DiskError)) return error
    const isFull = error.code === 'disk-full' && this.#journal.isSound
    return new KeyValueError(
      isFull ? 'index-full' : 'index-failure',
      `The journal of the index could not be written: ${error.message}`,
      error,
    )
  }
}

function groundsOf(group: readonly Waiting[]): Ground[] {
  return group.flatMap(({ ground }) => ground ?? [])
}

function takeBack(steps: readonly Step[]): void {
  for (const step of steps.toReversed()) step.table.takeBack(step)
}

function asChange({ table, key, value }: Pick<Step, 'table' | 'key' | 'value'>): Change {
  return { table: table.name, key, value: value === gone ? undefined : value }
}

function* portionsOf<T>(entries: Iterable<T>, countMax: number): Generator<T[]> {
  let portion: T[] = []
  for (const entry of entries) {
    portion.push(entry)
    if (portion.length < countMax) continue
    yield portion
    portion = []
  }
  if (portion.length > 0) yield portion
}
