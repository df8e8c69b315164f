// Object stores, indexes and cursors of databases in memory: what pages call, on the records of database-records.js.

import { compareKeys, keyError, keyOf, rangeOf, valueAt } from './database-keys.js'
import { IndexRecords } from './database-records.js'
import { nameList } from './database-requests.js'

const copyOf = structuredClone

/** What stores and indexes have in common. */
class RecordSource {
  #records
  transaction

  constructor(records, transaction) {
    this.#records = records
    this.transaction = transaction
  }

  get(query) {
    const range = rangeOf(query, { isNeeded: true })
    return this.#ask((records) => valueIn(records.first(range)))
  }

  getKey(query) {
    const range = rangeOf(query, { isNeeded: true })
    return this.#ask((records) => records.first(range)?.primaryKey)
  }

  getAll(query, count) {
    return this.#all(query, count, valueIn)
  }

  getAllKeys(query, count) {
    return this.#all(query, count, ({ primaryKey }) => primaryKey)
  }

  #all(query, count, pick) {
    const range = rangeOf(query)
    const max = count || Number.POSITIVE_INFINITY
    return this.#ask((records) => {
      const found = []
      for (const record of records.within(range)) {
        if (found.length >= max) break
        found.push(pick(record))
      }
      return found
    })
  }

  count(query) {
    const range = rangeOf(query)
    return this.#ask((records) => (range === undefined ? records.size : [...records.within(range)].length))
  }

  openCursor(query, direction = 'next') {
    return this.#cursor(query, direction, CursorWithValue)
  }

  openKeyCursor(query, direction = 'next') {
    return this.#cursor(query, direction, Cursor)
  }

  #cursor(query, direction, Kind) {
    if (!['next', 'nextunique', 'prev', 'prevunique'].includes(direction))
      throw new TypeError(`'${direction}' is no direction of a cursor.`)
    const range = rangeOf(query)
    const cursor = new Kind(this, direction, (past) => this.#records.records.next(range, direction, past))
    cursor.request = this.#ask(() => cursor.begin())
    return cursor.request
  }

  #ask(work) {
    return this.transaction.ask(this, () => work(this.#records.records))
  }
}

function valueIn(record) {
  return record && copyOf((record.record ?? record).value)
}

export class ObjectStore extends RecordSource {
  #store
  #indexes = new Map()

  constructor(store, transaction) {
    super(store, transaction)
    this.#store = store
  }

  get name() {
    return this.#store.name
  }

  get keyPath() {
    return this.#store.keyPath
  }

  get autoIncrement() {
    return this.#store.autoIncrement
  }

  get indexNames() {
    return nameList(this.#store.indexes.keys())
  }

  add(value, key) {
    return this.#write(value, key, true)
  }

  put(value, key) {
    return this.#write(value, key, false)
  }

  #write(value, givenKey, isNew) {
    this.#checkWriting()
    const store = this.#store
    const { keyPath } = store
    if (keyPath !== null && givenKey !== undefined)
      throw keyError('The object store uses in-line keys and the key parameter was provided.')
    if (keyPath === null && !store.autoIncrement && givenKey === undefined)
      throw keyError('The object store uses out-of-line keys and has no key generator.')
    const copy = copyOf(value)
    const found = keyPath === null ? givenKey : valueAt(copy, keyPath)
    if (found === undefined && !store.autoIncrement)
      throw keyError('Evaluating the object store’s key path did not yield a value.')
    const key = found === undefined ? undefined : keyOf(found)
    return this.#change((undo) => {
      const put = store.put(copy, key, isNew, undo)
      store.passNumber(key, undo)
      return put
    })
  }

  delete(query) {
    this.#checkWriting()
    const range = rangeOf(query, { isNeeded: true })
    return this.#change((undo) => this.#removeAll(range, undo))
  }

  clear() {
    this.#checkWriting()
    return this.#change((undo) => this.#removeAll(undefined, undo))
  }

  #removeAll(range, undo) {
    for (const record of [...this.#store.records.within(range)]) this.#store.remove(record, undo)
  }

  #change(work) {
    return this.transaction.ask(this, () => work(this.transaction.undo))
  }

  #checkWriting() {
    this.transaction.checkActive()
    if (this.transaction.mode === 'readonly')
      throw new DOMException('The transaction is read-only.', 'ReadOnlyError')
  }

  index(name) {
    const index = this.#store.indexes.get(name)
    if (index === undefined) throw new DOMException(`There is no index '${name}'.`, 'NotFoundError')
    if (!this.#indexes.has(index)) this.#indexes.set(index, new StoreIndex(index, this))
    return this.#indexes.get(index)
  }

  createIndex(name, keyPath, options = {}) {
    this.#checkChanging()
    const { indexes, records } = this.#store
    if (indexes.has(name)) throw new DOMException(`There is an index '${name}' already.`, 'ConstraintError')
    const index = new IndexRecords(
      name,
      Array.isArray(keyPath) ? [...keyPath] : String(keyPath),
      options ?? {},
    )
    for (const record of records.within(undefined)) {
      index.check(record)
      index.add(record, [])
    }
    indexes.set(name, index)
    this.transaction.undo.push(() => indexes.delete(name))
    return this.index(name)
  }

  deleteIndex(name) {
    this.#checkChanging()
    const { indexes } = this.#store
    const index = indexes.get(name)
    if (index === undefined) throw new DOMException(`There is no index '${name}'.`, 'NotFoundError')
    indexes.delete(name)
    this.transaction.undo.push(() => indexes.set(name, index))
  }

  #checkChanging() {
    if (this.transaction.mode !== 'versionchange')
      throw new DOMException('The database is not running a version change transaction.', 'InvalidStateError')
    this.transaction.checkActive()
  }
}

export class StoreIndex extends RecordSource {
  #index
  objectStore

  constructor(index, objectStore) {
    super(index, objectStore.transaction)
    this.#index = index
    this.objectStore = objectStore
  }

  get name() {
    return this.#index.name
  }

  get keyPath() {
    return this.#index.keyPath
  }

  get unique() {
    return this.#index.unique
  }

  get multiEntry() {
    return this.#index.multiEntry
  }
}

export class Cursor {
  source
  direction
  request
  #seek
  #record
  #isMoving = true

  constructor(source, direction, seek) {
    this.source = source
    this.direction = direction
    this.#seek = seek
  }

  get key() {
    return this.#record?.key
  }

  get primaryKey() {
    return this.#record?.primaryKey
  }

  begin() {
    return this.#arrive(this.#seek(undefined))
  }

  continue(key) {
    const wanted = key === undefined ? undefined : keyOf(key)
    this.#checkAhead(wanted)
    this.#move(() => this.#seek(wanted === undefined ? this.#record : { key: wanted, isIncluded: true }))
  }

  continuePrimaryKey(key, primaryKey) {
    const wanted = { key: keyOf(key), primaryKey: keyOf(primaryKey), isIncluded: true }
    this.#move(() => this.#seek(wanted))
  }

  advance(count) {
    if (!(count > 0)) throw new TypeError('A count greater than zero is needed.')
    this.#move(() => {
      let record = this.#record
      for (let left = count; left > 0 && record !== undefined; left--) record = this.#seek(record)
      return record
    })
  }

  update(value) {
    this.#checkHasValue()
    const store = this.source.objectStore ?? this.source
    return store.keyPath === null ? store.put(value, this.primaryKey) : store.put(value)
  }

  delete() {
    this.#checkHasValue()
    return (this.source.objectStore ?? this.source).delete(this.primaryKey)
  }

  #checkAhead(key) {
    if (key === undefined || this.#record === undefined) return
    const sign = this.direction.startsWith('prev') ? -1 : 1
    if (compareKeys(key, this.#record.key) * sign <= 0)
      throw keyError('The parameter is not ahead of the cursor’s position.')
  }

  #checkHasValue() {
    if (this.#isMoving || !('value' in this))
      throw new DOMException('The cursor is being iterated or has no value.', 'InvalidStateError')
  }

  #move(seek) {
    if (this.#isMoving)
      throw new DOMException('The cursor is being iterated or has passed its end.', 'InvalidStateError')
    this.request.transaction.checkActive()
    this.#isMoving = true
    this.request.waitAgain()
    this.request.transaction.ask(this.source, () => this.#arrive(seek()), this.request)
  }

  #arrive(record) {
    this.#record = record
    this.took?.(record)
    if (record === undefined) return null
    this.#isMoving = false
    return this
  }
}

export class CursorWithValue extends Cursor {
  value

  took(record) {
    this.value = valueIn(record)
  }
}
