// Workers: a page of an origin like no other may start them from blobs only. So each starts from a blob that loads our part
// for workers (worker-start.js) and then the worker's own script. Workers start workers in the same way.
//
// Shared workers are refused in such an origin: they are ordinary workers here, shared within their page, that are told of
// each connection.

import { hearMissing } from './missing-parts.js'

/** The policy of replayed pages (safety-headers.ts) holds in workers too: without a word on it no script is loaded. */
const workerTrust =
  "self.trustedTypes&&trustedTypes.createPolicy('default',{createHTML:t=>t,createScript:t=>t,createScriptURL:t=>t});"

/** Before wombat, which would start workers in its own way, and ask the server for blobs. */
const NativeWorker = self.Worker
const { open: nativeOpen, send: nativeSend } = XMLHttpRequest.prototype

/**
 * In a page, after wombat; in a worker, at its start. `place`: { replay, timestamp, base(), whenMissing(urls) } where `base`
 * gives the archived URL that relative addresses are resolved against, and `whenMissing` is told of parts that workers lack.
 */
export function letWorkersStart(scope, place) {
  const starts = new WorkerStarts(scope, place)
  if (NativeWorker !== undefined) scope.Worker = workerClass(starts)
  // Workers of workers are started here too, but only pages have shared ones.
  if (scope.SharedWorker !== undefined) scope.SharedWorker = sharedWorkerClass(starts)
}

class WorkerStarts {
  #place
  #NativeURL
  #NativeBlob
  #NativeRequest

  constructor(scope, place) {
    this.#place = place
    this.#NativeURL = scope.URL
    this.#NativeBlob = scope.Blob
    this.#NativeRequest = scope.XMLHttpRequest
  }

  /** The address as the archived page means it. */
  resolved(url) {
    const { replay, base } = this.#place
    const { href } = new this.#NativeURL(String(url), base())
    return originalUrl(href, replay)
  }

  /** `url` as resolved() gives it. */
  start(url, options, isShared, newTarget) {
    const isModule = options?.type === 'module'
    const address = this.#NativeURL.createObjectURL(this.#blob(url, isModule, isShared))
    try {
      const worker = Reflect.construct(NativeWorker, [address, { ...options, type: 'classic' }], newTarget)
      hearMissing(worker, this.#place.whenMissing)
      return worker
    } finally {
      this.#NativeURL.revokeObjectURL(address)
    }
  }

  #blob(url, isModule, isShared) {
    const { replay, timestamp, base } = this.#place
    const isBlob = url.startsWith('blob:')
    const facts = { replay, timestamp, url: isBlob ? base() : url, isBlob, isModule, isShared }
    const start = `${workerTrust}importScripts(${JSON.stringify(`${replay}/web/_/worker.js`)});`
    // A page may take its blob back as soon as the worker is made, so it is read now; a module cannot be put in line.
    if (isBlob && !isModule)
      return this.#script(`${start}polyhistorStart(${JSON.stringify(facts)});`, this.#read(url))
    const source = isBlob ? this.#NativeURL.createObjectURL(this.#script(this.#read(url))) : url
    return this.#script(`${start}polyhistorStart(${JSON.stringify({ ...facts, source })})`)
  }

  #script(...texts) {
    return new this.#NativeBlob(texts, { type: 'text/javascript' })
  }

  #read(url) {
    const request = new this.#NativeRequest()
    nativeOpen.call(request, 'GET', url, false)
    nativeSend.call(request)
    return request.responseText
  }
}

function workerClass(starts) {
  function Worker(url, options) {
    if (new.target === undefined) throw new TypeError("Please use the 'new' operator")
    return starts.start(
      starts.resolved(url),
      options,
      false,
      new.target === Worker ? NativeWorker : new.target,
    )
  }
  Worker.prototype = NativeWorker.prototype
  Object.defineProperty(Worker.prototype, 'constructor', {
    value: Worker,
    configurable: true,
    writable: true,
  })
  return Worker
}

function sharedWorkerClass(starts) {
  const running = new Map()
  return class SharedWorker extends EventTarget {
    port
    onerror = null

    constructor(url, options) {
      super()
      const settings =
        typeof options === 'object' && options !== null ? options : { name: String(options ?? '') }
      const address = starts.resolved(url)
      const key = JSON.stringify([address, settings.name ?? ''])
      if (!running.has(key)) running.set(key, starts.start(address, settings, true, NativeWorker))
      const worker = running.get(key)
      const { port1, port2 } = new MessageChannel()
      worker.postMessage(null, [port2])
      worker.addEventListener('error', () => this.#tellError())
      this.port = port1
    }

    #tellError() {
      const event = new Event('error')
      this.dispatchEvent(event)
      if (typeof this.onerror === 'function') this.onerror(event)
    }
  }
}

/** Of an address in the archive; others stay. */
export function originalUrl(address, replay) {
  const prefix = `${replay}/web/`
  if (!address.startsWith(prefix)) return address
  return address.slice(prefix.length).replace(/^[0-9]*(?:[a-z]+_)?\/(?=https?:)/, '')
}
