// Other windows: every frame has an origin of its own here, so what wombat expects to reach in them is out of reach. A page
// gets stand-ins, which can do what any page may do with a window of another origin: send it messages, and little more.
// Messages carry the archived origins, as wombat's do, for the receiving side checks and shows those.

import { stageDocumentOf } from './blank-frames.js'

const standIns = new WeakMap()

/** Our own window and null stay what they are. */
export function standInFor(real) {
  if (real === null || real === undefined || real === window || !isRealWindow(real)) return real
  let standIn = standIns.get(real)
  if (standIn === undefined) {
    standIn = new Proxy({}, new OtherWindow(real))
    standIns.set(real, standIn)
  }
  return standIn
}

/** Whether it is a window that is not a stand-in already: of those, only windows let nothing else be read. */
function isRealWindow(object) {
  try {
    return object.window === object && object.polyhistorStandIn !== true
  } catch {
    return true
  }
}

class OtherWindow {
  #real

  constructor(real) {
    this.#real = real
  }

  get(_target, name, standIn) {
    const real = this.#real
    switch (name) {
      case 'window':
      case 'self':
      case 'frames':
      case '_WB_wombat_obj_proxy':
        return standIn
      case '__WBProxyRealObj__':
        return real
      case 'polyhistorStandIn':
      case '_wb_wombat':
      case '_skip_wombat':
        return true
      case '__WB_pmw':
        return () => standIn
      case 'postMessage':
        return (message, options, transfer) => send(real, message, options, transfer)
      case 'closed':
      case 'length':
        return real[name]
      case 'parent':
      case 'top':
      case 'opener':
        return standInFor(real[name])
      case 'focus':
      case 'blur':
      case 'close':
        return () => real[name]()
      case 'location':
        return new LocationOf(real)
      case 'document':
        return stageDocumentOfWindow(standIn)
      default:
        return typeof name === 'string' && /^\d+$/.test(name) ? standInFor(real[name]) : undefined
    }
  }

  set(_target, name, value) {
    if (name === 'location') go(this.#real, value)
    return true
  }

  has(_target, name) {
    return name === 'postMessage' || name === 'window'
  }
}

/** Of a frame of our own page that has no page in it. */
function stageDocumentOfWindow(standIn) {
  for (const frame of document.getElementsByTagName('iframe')) {
    if (frame.contentWindow === standIn) return stageDocumentOf(frame) ?? undefined
  }
  return undefined
}

/** Only to be set. */
class LocationOf {
  #real

  constructor(real) {
    this.#real = real
  }

  set href(url) {
    go(this.#real, url)
  }

  replace(url) {
    go(this.#real, url)
  }

  assign(url) {
    go(this.#real, url)
  }
}

function go(real, url) {
  real.location = window._wb_wombat.rewrite_url(String(url))
}

function send(real, message, options, transfer) {
  const isDictionary = typeof options === 'object' && options !== null
  const target = isDictionary ? (options.targetOrigin ?? '/') : String(options ?? '/')
  const own = window.WB_wombat_location.origin
  const envelope = { from: own, to_origin: target === '/' ? own : target, message }
  real.postMessage(envelope, '*', (isDictionary ? options.transfer : transfer) ?? [])
}

/** Before wombat, which asks the same places. */
export function standInForOtherWindows(replayOrigin) {
  for (const element of [HTMLIFrameElement, HTMLFrameElement, HTMLObjectElement, HTMLEmbedElement]) {
    wrapGetter(element.prototype, 'contentWindow')
  }
  wrapGetter(MessageEvent.prototype, 'source')
  // wombat sends to the host that it sees, which is not the origin of a page like this one.
  const native = window.postMessage
  window.postMessage = function postMessage(message, options, transfer) {
    const target = typeof options === 'object' && options !== null ? options.targetOrigin : options
    const more = typeof options === 'object' && options !== null ? options.transfer : transfer
    return native.call(window, message, target === replayOrigin ? '*' : target, more)
  }
}

/** Before wombat is started: where it looks into frames by name or number, it finds stand-ins. */
export function showFramesAsStandIns() {
  const { prototype } = window._WBWombat
  const { defaultProxyGet } = prototype
  prototype.defaultProxyGet = function (object, name, ...more) {
    try {
      return defaultProxyGet.call(this, object, name, ...more)
    } catch (error) {
      if (object !== window) throw error
      return standInFor(Reflect.get(object, name))
    }
  }
}

function wrapGetter(prototype, name) {
  const descriptor = Object.getOwnPropertyDescriptor(prototype, name)
  if (descriptor?.get === undefined) return
  Object.defineProperty(prototype, name, {
    ...descriptor,
    get() {
      return standInFor(descriptor.get.call(this))
    },
  })
}

/** After wombat, whose listeners take a bare `addEventListener(…)` for one of no window. */
export function listenWithoutWindow() {
  for (const name of ['addEventListener', 'removeEventListener', 'postMessage']) {
    const wombats = window[name]
    window[name] = function (...given) {
      return wombats.apply(this ?? window, given)
    }
  }
}

/** After wombat: within a frame, `parent` and `top` are the pages around it, up to the one that the reader looks at. */
export function showWindowsAround() {
  const own = window._WB_wombat_obj_proxy
  let highest = window
  while (highest.parent !== window.top) highest = highest.parent
  const around = { parent: standInFor(window.parent), top: standInFor(highest) }
  window._WB_wombat_obj_proxy = new Proxy(own, {
    get: (target, name) => (name === 'parent' || name === 'top' ? around[name] : Reflect.get(target, name)),
  })
}
