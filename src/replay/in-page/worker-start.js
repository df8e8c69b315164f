// Worker start: makes a replayed worker believe that it is where it was, before its own script runs. Loaded with wombat's
// half for workers before it, by the blob that every worker starts from (workers.js), which then calls polyhistorStart.

import { keepCachesInMemory } from './caches.js'
import { keepDatabasesInMemory } from './databases.js'
import { hearMissingOfFetch, tellMissing } from './missing-parts.js'
import { letWorkersStart, originalUrl } from './workers.js'

const nativeImportScripts = self.importScripts.bind(self)
const nativeFetch = self.fetch.bind(self)

/** facts: { replay, timestamp, url, source, isBlob, isModule, isShared }. Without a source the script stands behind the call. */
self.polyhistorStart = (facts) => {
  delete self.polyhistorStart
  const whenMissing = tellMissing()
  hearMissingOfFetch(self, whenMissing)
  const addressOf = archiveAddresses(facts)
  new self.WBWombat({
    prefix: `${facts.replay}/web/`,
    prefixMod: `${facts.replay}/web/${facts.timestamp}wkrf_/`,
    originalURL: facts.url,
  })
  if (!facts.isBlob) showPlace(facts.url)
  showOriginalAddresses(facts.replay)
  loadScripts(facts, addressOf)
  keepDatabasesInMemory(self)
  keepCachesInMemory(self, (request) =>
    originalUrl(new URL(request.url ?? request, facts.url).href, facts.replay),
  )
  letWorkersStart(self, { ...facts, base: () => facts.url, whenMissing })
  const begin = facts.isShared ? heldConnections() : heldMessages()
  if (facts.isModule) importModule(addressOf(facts.source, 'wkrm_'), begin)
  else {
    begin()
    if (facts.source !== undefined) importAll([addressOf(facts.source, 'wkr_')])
  }
}

/** Gives the address in the archive that stands for one that the worker names. */
function archiveAddresses({ replay, timestamp, url: base }) {
  return (url, modifier, from = base) => {
    const { protocol, href } = new URL(originalUrl(String(url), replay), originalUrl(from, replay))
    if (!/^https?:$/.test(protocol)) return href
    return `${replay}/web/${timestamp}${modifier}/${originalUrl(href, replay)}`
  }
}

/** A worker starts from a blob, and would take that for its address. */
function showPlace(url) {
  const place = new URL(url)
  for (const [name, value] of [
    ['location', place],
    ['origin', place.origin],
  ])
    Object.defineProperty(self, name, { value, configurable: true, enumerable: true })
}

function showOriginalAddresses(replay) {
  for (const [owner, name] of [
    [Response, 'url'],
    [Request, 'url'],
    [XMLHttpRequest, 'responseURL'],
  ]) {
    const descriptor = Object.getOwnPropertyDescriptor(owner.prototype, name)
    Object.defineProperty(owner.prototype, name, {
      ...descriptor,
      get() {
        return originalUrl(descriptor.get.call(this), replay)
      },
    })
  }
}

/** wombat asks for what a worker loads as for data, and knows no modules. */
function loadScripts({ replay, url: base }, addressOf) {
  self.importScripts = (...urls) => importAll(urls.map((url) => addressOf(url, 'wkr_')))
  self.____wb_rewrite_import__ = async (from, url, options) =>
    import(addressOf(url, 'wkrm_', from ?? base), options)
  // What rewritten scripts ask for, also where a page puts the text of its functions into a worker.
  self._wb_wombat = { extract_orig: (address) => originalUrl(address, replay) }
  self.WB_wombat_runEval2 = (run) => ({ eval: (_this, _arguments, text) => run(text, false) })
}

/** Browsers make no entry of a script that could not be imported: it is asked for once more, so that its absence is told. */
function importAll(addresses) {
  try {
    nativeImportScripts(...addresses)
  } catch (error) {
    if (error?.name === 'NetworkError')
      for (const address of addresses)
        nativeFetch(address)
          .then((answer) => answer.text())
          .catch(() => {})
    throw error
  }
}

/** What is said before a module has run is kept for it. Gives what lets it through. */
function heldMessages() {
  const early = []
  const keep = (event) => {
    event.stopImmediatePropagation()
    early.push(event)
  }
  addEventListener('message', keep)
  return () => {
    removeEventListener('message', keep)
    for (const { data, ports } of early) dispatchEvent(new MessageEvent('message', { data, ports }))
  }
}

/** The same for a shared worker: each message is the port of one more connection. */
function heldConnections() {
  let early = []
  let handler = null
  const connect = (port) =>
    dispatchEvent(new MessageEvent('connect', { data: '', ports: [port], source: port }))
  addEventListener('message', (event) => {
    event.stopImmediatePropagation()
    if (early === undefined) connect(event.ports[0])
    else early.push(event.ports[0])
  })
  addEventListener('connect', (event) => handler?.call(self, event))
  Object.defineProperty(self, 'onconnect', {
    configurable: true,
    enumerable: true,
    get: () => handler,
    set: (given) => {
      handler = typeof given === 'function' ? given : null
    },
  })
  self.SharedWorkerGlobalScope = self.DedicatedWorkerGlobalScope
  for (const name of ['DedicatedWorkerGlobalScope', 'postMessage'])
    Object.defineProperty(self, name, { value: undefined, configurable: true, writable: true })
  return () => {
    const waiting = early
    early = undefined
    for (const port of waiting) connect(port)
  }
}

/** Chromium starts no worker of modules here, but lets a plain one import them. */
function importModule(address, begin) {
  import(address).then(begin, (error) =>
    setTimeout(() => {
      throw error
    }),
  )
}
