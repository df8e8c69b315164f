// Address: pages change theirs with pushState and replaceState, which the browser refuses in an origin like no other. The
// state is kept with the address that the page believes to be at. wombat's location tells that one, and a base element at
// the end of the document lets relative links start from there.
//
// Every entry of the history has our note: one without it is new, made by a fragment (`#part`).

/** An address of the archive; undefined as long as the page is where it was loaded. */
let believed
let baseElement

const { pushState: nativePush, replaceState: nativeReplace } = History.prototype
const { get: nativeState } = Object.getOwnPropertyDescriptor(History.prototype, 'state')
const natives = {
  listen: window.addEventListener.bind(window),
  createElement: document.createElement.bind(document),
  setAttribute: Element.prototype.setAttribute,
  append: Node.prototype.appendChild,
}

/** Before wombat, which rewrites the URL and calls these. `changed` is told of every new address. */
export function letAddressChange(changed) {
  for (const [name, native] of [
    ['pushState', nativePush],
    ['replaceState', nativeReplace],
  ]) {
    History.prototype[name] = function change(state, title, url) {
      const address = url == null ? believed : new URL(url, believed ?? location.href).href
      native.call(this, { polyhistorAddress: address, state }, title)
      believed = address
      moveBase()
      changed()
    }
  }
  unwrapState(History.prototype)
  unwrapState(PopStateEvent.prototype)
  noteEntry()
  natives.listen('popstate', () => {
    noteEntry()
    changed()
  })
  // Added so late, it is the last to hear of the click.
  natives.listen('click', () => believed && natives.listen('click', followFragment, { once: true }), true)
}

/** Learns where we are from the entry of the history; a new one has the last address with the fragment that was gone to. */
function noteEntry() {
  const entry = nativeState.call(history)
  if (isNoted(entry)) believed = entry.polyhistorAddress
  else {
    if (believed !== undefined) believed = withFragment(believed, location.hash)
    try {
      nativeReplace.call(history, { polyhistorAddress: believed, state: entry }, '')
    } catch {
      // Browsers limit how often this can be done. Going back to this entry is then taken for going on.
    }
  }
  moveBase()
}

function isNoted(state) {
  return state !== null && typeof state === 'object' && 'polyhistorAddress' in state
}

function withFragment(url, fragment) {
  return withoutFragment(url) + fragment
}

function withoutFragment(url) {
  const hash = url.indexOf('#')
  return hash === -1 ? url : url.slice(0, hash)
}

function unwrapState(prototype) {
  const { get } = Object.getOwnPropertyDescriptor(prototype, 'state')
  Object.defineProperty(prototype, 'state', {
    configurable: true,
    enumerable: true,
    get() {
      const state = get.call(this)
      return isNoted(state) ? state.state : state
    },
  })
}

/** At the end, so that a base of the page's own comes first and counts. */
function moveBase() {
  if (believed === undefined || withoutFragment(believed) === withoutFragment(location.href)) {
    baseElement?.remove()
    return
  }
  baseElement ??= natives.createElement('base')
  natives.setAttribute.call(baseElement, 'href', withoutFragment(believed))
  if (!baseElement.isConnected && document.documentElement !== null)
    natives.append.call(document.documentElement, baseElement)
}

/** The page's base as it is without our element: scripts that stand in the page keep it when the address moves. */
export function firstBase(url) {
  const isOurs = baseElement !== undefined && document.querySelector('base[href]') === baseElement
  return isOurs ? url : document.baseURI
}

/** With a base, `#part` is a link to another page for the browser; for the page it is one within itself. */
function followFragment(event) {
  if (event.defaultPrevented || event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey) return
  const link = event
    .composedPath()
    .find((node) => node instanceof HTMLAnchorElement || node instanceof HTMLAreaElement)
  if (link === undefined || !isWithinPage(link.href)) return
  event.preventDefault()
  location.hash = new URL(link.href).hash
}

/** `url`: archived. */
function isWithinPage(url) {
  return (
    believed !== undefined &&
    url.includes('#') &&
    withoutFragment(url) === withoutFragment(originalOf(believed))
  )
}

function originalOf(address) {
  return window._wb_wombat.extract_orig(address)
}

/** After wombat: its location asks this one, which asks the real one unless the page went elsewhere. */
export function showBelievedAddress(wombatLocation) {
  const real = wombatLocation._orig_loc
  const go = (name, address) => {
    const url = believed && URL.parse(originalOf(address), originalOf(believed))?.href
    const isWithin = url && isWithinPage(url)
    const meant = isWithin ? withFragment(real.href, new URL(url).hash) : address
    if (name === 'href') real.href = meant
    else real[name](meant)
    if (isWithin) noteEntry()
  }
  // Not a proxy of the real one: what that has for good, a proxy could not show otherwise.
  const shown = new Proxy(
    {},
    {
      get(_target, name) {
        if (name === 'assign' || name === 'replace') return (address) => go(name, address)
        // wombat asks for the property `undefined` when it means the address.
        if (name === 'href' || name === 'undefined') return believed ?? real.href
        const value = Reflect.get(real, name, real)
        return typeof value === 'function' ? value.bind(real) : value
      },
      set(_target, name, value) {
        if (name === 'href') go(name, value)
        else Reflect.set(real, name, value, real)
        // At once: scripts read their address right after they changed it, before the browser tells of it.
        if (name === 'hash') noteEntry()
        return true
      },
    },
  )
  Object.defineProperty(wombatLocation, '_orig_loc', { value: shown, configurable: true })
  for (const name of ['URL', 'documentURI'])
    Object.defineProperty(document, name, {
      configurable: true,
      enumerable: true,
      get: () => wombatLocation.href,
    })
}
