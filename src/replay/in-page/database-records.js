// Records of databases in memory: lists in the order of their keys, and what writing to them changes, with a way back for
// transactions that are aborted.

import { compareKeys, isWithin, keyError, keyOrNone, putAt, valueAt } from './database-keys.js'

/** Entries { key, primaryKey, value }, in order of key and then of primary key. */
class SortedRecords {
  #records = []

  get size() {
    return this.#records.length
  }

  /** The place of the first record that is not before it. */
  #placeOf(key, primaryKey) {
    let [low, high] = [0, this.#records.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if (compareRecords(this.#records[middle], key, primaryKey) < 0) low = middle + 1
      else high = middle
    }
    return low
  }

  /** The place behind all records of a key. */
  #placeBehind(key) {
    let [low, high] = [0, this.#records.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if (compareKeys(this.#records[middle].key, key) <= 0) low = middle + 1
      else high = middle
    }
    return low
  }

  insert(record) {
    this.#records.splice(this.#placeOf(record.key, record.primaryKey), 0, record)
  }

  remove(record) {
    const at = this.#placeOf(record.key, record.primaryKey)
    if (this.#records[at] === record) this.#records.splice(at, 1)
  }

  /** All within a range, in order. */
  *within(range) {
    const start = range?.lower === undefined ? 0 : this.#placeOf(range.lower)
    for (let at = start; at < this.#records.length; at++) {
      const record = this.#records[at]
      if (isWithin(range, record.key)) yield record
      else if (range.upper !== undefined && compareKeys(range.upper, record.key) < 0) return
    }
  }

  first(range) {
    for (const record of this.within(range)) return record
    return undefined
  }

  /**
   * The next one in a direction. `past`: the place { key, primaryKey } that was there last, or, with `isIncluded`, that is
   * wanted or else what comes behind it.
   */
  next(range, direction, past) {
    const isUnique = direction.endsWith('unique')
    const found = direction.startsWith('prev')
      ? this.#before(range, past, isUnique)
      : this.#after(range, past, isUnique)
    // Of equal keys, the one with the lowest primary key stands for all.
    return found && direction === 'prevunique' ? this.#records[this.#placeOf(found.key)] : found
  }

  #after(range, past, isUnique) {
    const from = past?.key ?? range?.lower
    for (let at = from === undefined ? 0 : this.#placeOf(from); at < this.#records.length; at++) {
      const record = this.#records[at]
      if (isPassed(record, past, isUnique, 1)) continue
      if (isWithin(range, record.key)) return record
      if (range.upper !== undefined && compareKeys(range.upper, record.key) < 0) return undefined
    }
    return undefined
  }

  #before(range, past, isUnique) {
    const from = past?.key ?? range?.upper
    for (
      let at = from === undefined ? this.#records.length - 1 : this.#placeBehind(from) - 1;
      at >= 0;
      at--
    ) {
      const record = this.#records[at]
      if (isPassed(record, past, isUnique, -1)) continue
      if (isWithin(range, record.key)) return record
      if (range.lower !== undefined && compareKeys(range.lower, record.key) > 0) return undefined
    }
    return undefined
  }
}

/** Whether a record lies at or before a place, in the direction of the sign. */
function isPassed({ key, primaryKey }, past, isUnique, sign) {
  if (past === undefined) return false
  const byKey = compareKeys(key, past.key) * sign
  if (byKey !== 0) return byKey < 0
  if (isUnique || past.primaryKey === undefined) return !past.isIncluded
  const byPrimary = compareKeys(primaryKey, past.primaryKey) * sign
  return past.isIncluded ? byPrimary < 0 : byPrimary <= 0
}

function compareRecords(record, key, primaryKey) {
  const found = compareKeys(record.key, key)
  if (found !== 0 || primaryKey === undefined) return found
  return compareKeys(record.primaryKey, primaryKey)
}

export class StoreRecords {
  name
  keyPath
  autoIncrement
  nextKey = 1
  records = new SortedRecords()
  /** By name. */
  indexes = new Map()

  constructor(name, { keyPath = null, autoIncrement = false }) {
    this.name = name
    this.keyPath = keyPath
    this.autoIncrement = autoIncrement
  }

  /** `value` is a copy of its own. Ways back are added to `undo`. Gives the key. */
  put(value, givenKey, isNew, undo) {
    const key = givenKey ?? this.#generated(value, undo)
    const old = this.records.first(IDBKeyRange.only(key))
    if (old !== undefined && isNew)
      throw keyError('Key already exists in the object store.', 'ConstraintError')
    const record = { key, primaryKey: key, value }
    for (const index of this.indexes.values()) index.check(record)
    if (old !== undefined) this.remove(old, undo)
    this.#insert(record, undo)
    return key
  }

  #generated(value, undo) {
    const key = this.nextKey
    if (key > Number.MAX_SAFE_INTEGER)
      throw keyError('The key generator has no more keys.', 'ConstraintError')
    this.#setNext(key + 1, undo)
    if (this.keyPath !== null) putAt(value, this.keyPath, key)
    return key
  }

  /** Numbers that were given count for those that are generated. */
  passNumber(key, undo) {
    if (this.autoIncrement && typeof key === 'number' && key >= this.nextKey)
      this.#setNext(Math.floor(key) + 1, undo)
  }

  #setNext(next, undo) {
    const before = this.nextKey
    this.nextKey = next
    undo.push(() => (this.nextKey = before))
  }

  #insert(record, undo) {
    this.records.insert(record)
    undo.push(() => this.records.remove(record))
    for (const index of this.indexes.values()) index.add(record, undo)
  }

  remove(record, undo) {
    this.records.remove(record)
    undo.push(() => this.records.insert(record))
    for (const index of this.indexes.values()) index.drop(record, undo)
  }
}

export class IndexRecords {
  name
  keyPath
  unique
  multiEntry
  records = new SortedRecords()
  #entries = new Map()

  constructor(name, keyPath, { unique = false, multiEntry = false }) {
    this.name = name
    this.keyPath = keyPath
    this.unique = unique
    this.multiEntry = multiEntry
  }

  /** Throws where another record has the key already. */
  check(record) {
    if (!this.unique) return
    for (const key of this.#keysOf(record)) {
      const other = this.records.first(IDBKeyRange.only(key))
      if (other !== undefined && compareKeys(other.primaryKey, record.primaryKey) !== 0)
        throw keyError(`A record of the index '${this.name}' has this key already.`, 'ConstraintError')
    }
  }

  add(record, undo) {
    const entries = this.#keysOf(record).map((key) => ({ key, primaryKey: record.primaryKey, record }))
    for (const entry of entries) this.records.insert(entry)
    this.#entries.set(record, entries)
    undo.push(() => this.drop(record, []))
  }

  drop(record, undo) {
    const entries = this.#entries.get(record) ?? []
    this.#entries.delete(record)
    for (const entry of entries) this.records.remove(entry)
    undo.push(() => this.add(record, []))
  }

  #keysOf(record) {
    const found = valueAt(record.value, this.keyPath)
    if (this.multiEntry && Array.isArray(found)) {
      const keys = found.map(keyOrNone).filter((key) => key !== undefined)
      return keys.filter((key, at) => keys.findIndex((other) => compareKeys(other, key) === 0) === at)
    }
    const key = keyOrNone(found)
    return key === undefined ? [] : [key]
  }
}
