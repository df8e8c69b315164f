// Databases in memory: the Indexed Database API for pages and workers of an origin like no other, where the browser's own
// refuses. They live as long as the page or the worker does, and nobody else sees them.
//
// Left out: that a page and its workers share databases, and exceptions of listeners as a reason to abort.

import { compareKeys, keyOf } from './database-keys.js'
import { StoreRecords } from './database-records.js'
import {
  DatabaseRequest,
  DatabaseTransaction,
  inTask,
  nameList,
  OpenRequest,
  TransactionLine,
  tell,
  withHandlers,
} from './database-requests.js'
import { Cursor, CursorWithValue, ObjectStore, StoreIndex } from './database-stores.js'

class VersionChangeEvent extends Event {
  oldVersion
  newVersion

  constructor(type, { oldVersion = 0, newVersion = null } = {}) {
    super(type)
    this.oldVersion = oldVersion
    this.newVersion = newVersion
  }
}

/** What there is under one name. */
class Stored {
  name
  version = 0
  stores = new Map()
  line = new TransactionLine()
  connections = new Set()

  constructor(name) {
    this.name = name
  }
}

class Database extends EventTarget {
  #stored
  #isClosed = false
  upgrade

  constructor(stored) {
    super()
    this.#stored = stored
    stored.connections.add(this)
  }

  get name() {
    return this.#stored.name
  }

  get version() {
    return this.#stored.version
  }

  get objectStoreNames() {
    return nameList(this.#stored.stores.keys())
  }

  storeOf(name, transaction) {
    return new ObjectStore(this.#stored.stores.get(name), transaction)
  }

  transaction(names, mode = 'readonly') {
    if (this.#isClosed) throw new DOMException('The database connection is closed.', 'InvalidStateError')
    if (this.upgrade !== undefined)
      throw new DOMException('A version change transaction is running.', 'InvalidStateError')
    const asked = [...new Set(typeof names === 'string' ? [names] : Array.from(names, String))]
    if (asked.length === 0) throw new DOMException('No object stores are named.', 'InvalidAccessError')
    const missing = asked.find((name) => !this.#stored.stores.has(name))
    if (missing !== undefined)
      throw new DOMException(`There is no object store '${missing}'.`, 'NotFoundError')
    if (mode !== 'readonly' && mode !== 'readwrite')
      throw new TypeError(`'${mode}' is no mode of a transaction.`)
    return new DatabaseTransaction(this, asked, mode, this.#stored.line)
  }

  createObjectStore(name, options) {
    const upgrade = this.#upgrade()
    const { stores } = this.#stored
    if (stores.has(name))
      throw new DOMException(`There is an object store '${name}' already.`, 'ConstraintError')
    const { keyPath = null, autoIncrement = false } = options ?? {}
    const path = keyPath === null || Array.isArray(keyPath) ? keyPath : String(keyPath)
    if (autoIncrement && (path === '' || Array.isArray(path)))
      throw new DOMException('A key generator needs a simple key path.', 'InvalidAccessError')
    stores.set(name, new StoreRecords(name, { keyPath: path, autoIncrement }))
    upgrade.storeNames.push(name)
    upgrade.undo.push(() => stores.delete(name))
    return upgrade.objectStore(name)
  }

  deleteObjectStore(name) {
    const upgrade = this.#upgrade()
    const { stores } = this.#stored
    const store = stores.get(name)
    if (store === undefined) throw new DOMException(`There is no object store '${name}'.`, 'NotFoundError')
    stores.delete(name)
    upgrade.storeNames.splice(upgrade.storeNames.indexOf(name), 1)
    upgrade.forgetStore(name)
    upgrade.undo.push(() => stores.set(name, store))
  }

  #upgrade() {
    if (this.upgrade === undefined)
      throw new DOMException('The database is not running a version change transaction.', 'InvalidStateError')
    this.upgrade.checkActive()
    return this.upgrade
  }

  close() {
    this.#isClosed = true
    this.#stored.connections.delete(this)
    this.closed?.()
  }

  get isClosed() {
    return this.#isClosed
  }
}
withHandlers(Database.prototype, 'abort', 'close', 'error', 'versionchange')

class Databases {
  #all = new Map()
  /** One after the other, by name. */
  #turns = new Map()

  open(name, version) {
    if (version !== undefined && !(Number(version) >= 1))
      throw new TypeError('A version is a number from 1 on.')
    const request = new OpenRequest(null)
    this.#inTurn(String(name), () => this.#open(String(name), version && Math.floor(version), request))
    return request
  }

  deleteDatabase(name) {
    const request = new OpenRequest(null)
    this.#inTurn(String(name), () => this.#delete(String(name), request))
    return request
  }

  async databases() {
    return [...this.#all.values()].map(({ name, version }) => ({ name, version }))
  }

  cmp(first, second) {
    return compareKeys(keyOf(first), keyOf(second))
  }

  #inTurn(name, work) {
    const before = this.#turns.get(name) ?? Promise.resolve()
    this.#turns.set(name, before.then(() => new Promise((resolve) => inTask(resolve))).then(work))
  }

  async #open(name, asked, request) {
    const stored = this.#all.get(name) ?? new Stored(name)
    const version = asked ?? (stored.version || 1)
    if (version < stored.version) {
      const text = `The requested version (${version}) is less than the existing version (${stored.version}).`
      this.#fail(request, new DOMException(text, 'VersionError'))
      return
    }
    this.#all.set(name, stored)
    const { version: oldVersion } = stored
    if (version > oldVersion) await this.#freed(stored, oldVersion, version, request)
    const database = new Database(stored)
    if (version > oldVersion && !(await this.#upgraded(database, stored, version, request))) {
      database.close()
      if (oldVersion === 0) this.#all.delete(name)
      this.#fail(request, new DOMException('The upgrade was aborted.', 'AbortError'))
      return
    }
    request.succeed(database)
    tell([request], 'success')
  }

  /** Gives whether it went well. */
  async #upgraded(database, stored, version, request) {
    const { version: oldVersion } = stored
    stored.version = version
    const upgrade = new DatabaseTransaction(database, [...stored.stores.keys()], 'versionchange', stored.line)
    upgrade.undo.push(() => (stored.version = oldVersion))
    database.upgrade = upgrade
    const ended = new Promise((resolve) => (upgrade.ended = resolve))
    request.transaction = upgrade
    request.succeed(database)
    request.dispatchEvent(new VersionChangeEvent('upgradeneeded', { oldVersion, newVersion: version }))
    const isWell = await ended
    database.upgrade = undefined
    request.transaction = null
    return isWell && !database.isClosed
  }

  async #delete(name, request) {
    const stored = this.#all.get(name)
    if (stored !== undefined) await this.#freed(stored, stored.version, null, request)
    this.#all.delete(name)
    request.succeed(undefined)
    request.dispatchEvent(
      new VersionChangeEvent('success', { oldVersion: stored?.version ?? 0, newVersion: null }),
    )
  }

  /** Waits until nobody has it open any more. */
  async #freed({ connections }, oldVersion, newVersion, request) {
    const versions = { oldVersion, newVersion }
    for (const connection of connections)
      connection.dispatchEvent(new VersionChangeEvent('versionchange', versions))
    if (connections.size === 0) return
    request.dispatchEvent(new VersionChangeEvent('blocked', versions))
    await Promise.all(
      [...connections].map((connection) => new Promise((resolve) => (connection.closed = resolve))),
    )
  }

  #fail(request, error) {
    request.fail(error)
    tell([request], 'error')
  }
}

/** Ranges stay the browser's own: they need no storage. */
const databaseClasses = {
  IDBFactory: Databases,
  IDBDatabase: Database,
  IDBTransaction: DatabaseTransaction,
  IDBRequest: DatabaseRequest,
  IDBOpenDBRequest: OpenRequest,
  IDBObjectStore: ObjectStore,
  IDBIndex: StoreIndex,
  IDBCursor: Cursor,
  IDBCursorWithValue: CursorWithValue,
  IDBVersionChangeEvent: VersionChangeEvent,
}

export function keepDatabasesInMemory(scope) {
  const define = (name, value) =>
    Object.defineProperty(scope, name, { value, configurable: true, writable: true, enumerable: false })
  define('indexedDB', new Databases())
  for (const [name, value] of Object.entries(databaseClasses)) define(name, value)
}
