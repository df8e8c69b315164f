// Storage, cookies, service workers: in an origin like no other the browser's own throw as soon as they are touched.
// These live as long as the page, and nobody else sees them.

/** Before wombat, which puts its own Storage in place of these. */
export function emulateStorage() {
  for (const name of ['localStorage', 'sessionStorage']) replaceProperty(window, name, {})
  replaceProperty(window, 'cookieStore', undefined)
  replaceProperty(navigator, 'serviceWorker', serviceWorkers)
  emulateCookies()
  emulateQuota(navigator)
}

/** Whoever asks how much room there is gets an answer, and nothing is kept for good. */
export function emulateQuota({ storage }) {
  if (storage === undefined) return
  replaceProperty(storage, 'estimate', async () => ({ usage: 0, quota: quotaBytes }))
  for (const name of ['persist', 'persisted']) replaceProperty(storage, name, async () => false)
}

export function replaceProperty(object, name, value) {
  try {
    Object.defineProperty(object, name, { value, configurable: true, writable: true, enumerable: true })
  } catch {
    // A browser that does not let it be replaced refuses its use all the same.
  }
}

function refusal() {
  return Promise.reject(new DOMException('This page is replayed from an archive.', 'SecurityError'))
}

const serviceWorkers = {
  controller: null,
  ready: new Promise(() => {}),
  register: refusal,
  getRegistration: () => Promise.resolve(undefined),
  getRegistrations: () => Promise.resolve([]),
  startMessages() {},
  addEventListener() {},
  removeEventListener() {},
  dispatchEvent: () => true,
  onmessage: null,
  oncontrollerchange: null,
}

const quotaBytes = 1_000_000_000
const cookiesMax = 200
const cookieCharsMax = 4_096

function emulateCookies() {
  const cookies = new Map()
  const NativeDate = Date
  Object.defineProperty(Document.prototype, 'cookie', {
    configurable: true,
    enumerable: true,
    get: () => [...cookies].map(([name, value]) => (name === '' ? value : `${name}=${value}`)).join('; '),
    set(written) {
      const [pair, ...attributes] = String(written).slice(0, cookieCharsMax).split(';')
      const equals = pair.indexOf('=')
      const name = equals === -1 ? '' : pair.slice(0, equals).trim()
      const value = pair.slice(equals + 1).trim()
      cookies.delete(name)
      if (!attributes.some((attribute) => isOver(attribute.trim(), NativeDate)) && cookies.size < cookiesMax)
        cookies.set(name, value)
    },
  })
}

function isOver(attribute, NativeDate) {
  const age = /^max-age\s*=\s*(-?\d+)/i.exec(attribute)
  if (age !== null) return Number(age[1]) <= 0
  const end = /^expires\s*=\s*(.+)/i.exec(attribute)
  return end !== null && NativeDate.parse(end[1]) <= NativeDate.now()
}
