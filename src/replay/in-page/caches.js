// Caches in memory: the Cache API for pages and workers of an origin like no other. They live as long as the page or the
// worker does. Answers are kept under the archived address of their request.

const cachesMax = 100
const entriesMax = 5_000

class Cache {
  #addressOf
  /** { request, url, response }, in the order in which they came. */
  #entries = []

  constructor(addressOf) {
    this.#addressOf = addressOf
  }

  async match(request, options) {
    return this.#found(request, options)[0]?.response.clone()
  }

  async matchAll(request, options) {
    return this.#found(request, options).map(({ response }) => response.clone())
  }

  async keys(request, options) {
    return this.#found(request, options).map((entry) => entry.request)
  }

  add(request) {
    return this.addAll([request])
  }

  async addAll(requests) {
    const responses = await Promise.all(requests.map((request) => fetch(request)))
    if (responses.some(({ ok }) => !ok)) throw new TypeError('A request failed.')
    for (const [at, request] of requests.entries()) await this.put(request, responses[at])
  }

  async put(request, response) {
    const kept = request instanceof Request ? request : new Request(request)
    if (kept.method !== 'GET') throw new TypeError(`Request method '${kept.method}' is unsupported.`)
    if (response.status === 206 || response.bodyUsed) throw new TypeError('This response cannot be kept.')
    const url = this.#addressOf(request)
    this.#entries = this.#entries.filter((entry) => entry.url !== url)
    if (this.#entries.length >= entriesMax)
      throw new DOMException('There is no more room.', 'QuotaExceededError')
    // Its body is read now: an answer that is only half read would stay half.
    const { status, statusText, headers } = response
    const body = isBodiless(status) ? null : await response.blob()
    const copy = new Response(body, { status: status || 200, statusText, headers })
    Object.defineProperty(copy, 'url', { value: response.url })
    this.#entries.push({ request: kept, url, response: withClones(copy) })
  }

  async delete(request, options) {
    const found = new Set(this.#found(request, options))
    this.#entries = this.#entries.filter((entry) => !found.has(entry))
    return found.size > 0
  }

  #found(request, { ignoreSearch = false, ignoreMethod = false } = {}) {
    if (request === undefined) return [...this.#entries]
    if (request instanceof Request && request.method !== 'GET' && !ignoreMethod) return []
    const comparable = (url) => (ignoreSearch ? url.replace(/\?.*$/, '') : url)
    const wanted = comparable(this.#addressOf(request))
    return this.#entries.filter(({ url }) => comparable(url) === wanted)
  }
}

function isBodiless(status) {
  return status === 204 || status === 205 || status === 304
}

/** Clones tell the same address. */
function withClones(response) {
  const { clone } = Response.prototype
  response.clone = () => Object.defineProperty(clone.call(response), 'url', { value: response.url })
  return response
}

class CacheStorage {
  #addressOf
  #caches = new Map()

  constructor(addressOf) {
    this.#addressOf = addressOf
  }

  async open(name) {
    const key = String(name)
    if (!this.#caches.has(key) && this.#caches.size >= cachesMax)
      throw new DOMException('There is no more room.', 'QuotaExceededError')
    if (!this.#caches.has(key)) this.#caches.set(key, new Cache(this.#addressOf))
    return this.#caches.get(key)
  }

  async has(name) {
    return this.#caches.has(String(name))
  }

  async delete(name) {
    return this.#caches.delete(String(name))
  }

  async keys() {
    return [...this.#caches.keys()]
  }

  async match(request, options = {}) {
    for (const [name, cache] of this.#caches) {
      if (options.cacheName !== undefined && options.cacheName !== name) continue
      const found = await cache.match(request, options)
      if (found !== undefined) return found
    }
    return undefined
  }
}

/** `addressOf`: the archived address of a request, or of what one is made from. */
export function keepCachesInMemory(scope, addressOf) {
  for (const [name, value] of [
    ['caches', new CacheStorage(addressOf)],
    ['CacheStorage', CacheStorage],
    ['Cache', Cache],
  ])
    Object.defineProperty(scope, name, { value, configurable: true, writable: true })
}
