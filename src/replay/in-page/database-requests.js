// Requests and transactions of databases in memory: what is asked is done one after the other, each in a task of its own,
// and told by events, as the Indexed Database API has it.
//
// A transaction begins when none before it is under way that it must not overlap with: those that write have their stores
// to themselves. It ends when nothing is left to be done after its last event. Aborted, it takes its changes back.

let postTask

/** Tasks in order, without the delay that timers have. */
export function inTask(task) {
  postTask ??= taskQueue()
  postTask(task)
}

function taskQueue() {
  const { port1, port2 } = new MessageChannel()
  const waiting = []
  port1.onmessage = () => waiting.shift()()
  return (task) => {
    waiting.push(task)
    port2.postMessage(null)
  }
}

/** `onsuccess` and its kind, as attributes. */
export function withHandlers(prototype, ...types) {
  for (const type of types) {
    const handlers = new WeakMap()
    Object.defineProperty(prototype, `on${type}`, {
      configurable: true,
      enumerable: true,
      get() {
        return handlers.get(this)?.handler ?? null
      },
      set(handler) {
        const before = handlers.get(this)
        if (before !== undefined) this.removeEventListener(type, before.listener)
        handlers.delete(this)
        if (typeof handler !== 'function') return
        const listener = (event) => {
          if (handler.call(this, event) === false) event.preventDefault()
        }
        handlers.set(this, { handler, listener })
        this.addEventListener(type, listener)
      },
    })
  }
}

/** Tells a target and then those above it. Gives whether somebody prevented what comes of it. */
export function tell(targets, type) {
  let isPrevented = false
  for (const target of targets) {
    const event = new Event(type, { bubbles: targets.length > 1, cancelable: true })
    let isStopped = false
    event.stopPropagation = () => (isStopped = true)
    if (target !== targets[0]) Object.defineProperty(event, 'target', { value: targets[0] })
    if (!target.dispatchEvent(event)) isPrevented = true
    if (isStopped) break
  }
  return isPrevented
}

export class DatabaseRequest extends EventTarget {
  source
  transaction
  readyState = 'pending'
  #result
  #error = null

  constructor(source, transaction = null) {
    super()
    this.source = source
    this.transaction = transaction
  }

  get result() {
    this.#checkDone()
    return this.#result
  }

  get error() {
    this.#checkDone()
    return this.#error
  }

  #checkDone() {
    if (this.readyState !== 'done')
      throw new DOMException('The request has not finished.', 'InvalidStateError')
  }

  succeed(result) {
    this.readyState = 'done'
    this.#result = result
    this.#error = null
  }

  fail(error) {
    this.readyState = 'done'
    this.#result = undefined
    this.#error = error
  }

  /** A cursor goes on with the request that it came with. */
  waitAgain() {
    this.readyState = 'pending'
  }
}
withHandlers(DatabaseRequest.prototype, 'success', 'error')

export class OpenRequest extends DatabaseRequest {}
withHandlers(OpenRequest.prototype, 'blocked', 'upgradeneeded')

export class DatabaseTransaction extends EventTarget {
  db
  mode
  durability = 'default'
  error = null
  storeNames
  undo = []
  isActive = true
  isOver = false
  #line
  #waiting = []
  #isBegun = false
  #isCommitted = false
  #stores = new Map()

  /** `line`: the transactions of the database, in order. */
  constructor(db, storeNames, mode, line) {
    super()
    this.db = db
    this.storeNames = storeNames
    this.mode = mode
    this.#line = line
    line.add(this)
    inTask(() => {
      this.isActive = false
      line.beginAll()
    })
  }

  get objectStoreNames() {
    return nameList(this.storeNames)
  }

  objectStore(name) {
    if (this.isOver) throw new DOMException('The transaction has finished.', 'InvalidStateError')
    if (!this.storeNames.includes(name))
      throw new DOMException(`There is no object store '${name}' in this transaction.`, 'NotFoundError')
    if (!this.#stores.has(name)) this.#stores.set(name, this.db.storeOf(name, this))
    return this.#stores.get(name)
  }

  /** For names that come and go while a database is changed. */
  forgetStore(name) {
    this.#stores.delete(name)
  }

  checkActive() {
    if (!this.isActive || this.isOver)
      throw new DOMException('The transaction is not active.', 'TransactionInactiveError')
  }

  /** `work` gives the result of the request, or throws what it fails with. */
  ask(source, work, request = new DatabaseRequest(source, this)) {
    this.checkActive()
    this.#waiting.push({ request, work })
    return request
  }

  begin() {
    if (this.#isBegun) return
    this.#isBegun = true
    inTask(() => this.#step())
  }

  /** In a task: what the last event led to, promises included, has been asked by then. */
  #step() {
    if (this.isOver) return
    this.isActive = false
    const next = this.#waiting[0]
    if (next === undefined) {
      this.#end()
      return
    }
    const { request, work } = next
    const undone = this.undo.length
    try {
      request.succeed(work())
    } catch (error) {
      for (const back of this.undo.splice(undone).reverse()) back()
      request.fail(error)
    }
    this.#tell(request)
    this.#waiting.shift()
    if (!this.isOver) inTask(() => this.#step())
  }

  #tell(request) {
    this.isActive = true
    const isFailed = request.error !== null
    const isPrevented = tell(isFailed ? [request, this, this.db] : [request], isFailed ? 'error' : 'success')
    if (isFailed && !isPrevented && !this.isOver) this.#abort(request.error)
  }

  #end() {
    this.isOver = true
    this.isActive = false
    this.#line.remove(this)
    tell([this], 'complete')
    this.ended?.(true)
  }

  commit() {
    this.checkActive()
    this.#isCommitted = true
    this.isActive = false
  }

  abort() {
    if (this.isOver || this.#isCommitted)
      throw new DOMException('The transaction has finished.', 'InvalidStateError')
    this.#abort(null)
  }

  #abort(error) {
    this.isOver = true
    this.isActive = false
    this.error = error
    for (const back of this.undo.splice(0).reverse()) back()
    const left = this.#waiting.splice(0).filter(({ request }) => request.readyState === 'pending')
    this.#line.remove(this)
    inTask(() => {
      for (const { request } of left) {
        request.fail(new DOMException('The transaction was aborted.', 'AbortError'))
        tell([request, this, this.db], 'error')
      }
      tell([this, this.db], 'abort')
      this.ended?.(false)
    })
  }
}
withHandlers(DatabaseTransaction.prototype, 'complete', 'error', 'abort')

/** The transactions of one database that have not ended. */
export class TransactionLine {
  #waiting = []

  add(transaction) {
    this.#waiting.push(transaction)
  }

  remove(transaction) {
    this.#waiting = this.#waiting.filter((other) => other !== transaction)
    this.beginAll()
  }

  beginAll() {
    for (const [at, transaction] of this.#waiting.entries()) {
      const before = this.#waiting.slice(0, at)
      if (!before.some((other) => areApart(other, transaction))) transaction.begin()
    }
  }
}

/** Whether the second has to wait for the first. */
function areApart(first, second) {
  if (first.mode === 'versionchange' || second.mode === 'versionchange') return true
  if (first.mode === 'readonly' && second.mode === 'readonly') return false
  return first.storeNames.some((name) => second.storeNames.includes(name))
}

/** A list as the DOM has it: with `contains` and `item`. */
export function nameList(names) {
  const list = [...names].sort()
  return Object.assign(list, { contains: (name) => list.includes(name), item: (at) => list[at] ?? null })
}
