// Address: pages change theirs with pushState and replaceState, which the browser refuses in an origin like no other. The
// state is kept with the address that the page believes to be at, and wombat's location tells that one.

let believed

/** Before wombat, which rewrites the URL and calls these. `changed` is told of every new address. */
export function letAddressChange(changed) {
  for (const name of ['pushState', 'replaceState']) {
    const native = History.prototype[name]
    History.prototype[name] = function change(state, title, url) {
      const address = url == null ? believed : new URL(url, believed ?? location.href).href
      native.call(this, { polyhistorAddress: address, state }, title)
      believed = address
      changed()
    }
  }
  unwrapState(History.prototype)
  unwrapState(PopStateEvent.prototype)
  addEventListener('popstate', () => {
    believed = nativeState.call(history)?.polyhistorAddress
    changed()
  })
}

let nativeState

function unwrapState(prototype) {
  const { get } = Object.getOwnPropertyDescriptor(prototype, 'state')
  if (prototype === History.prototype) nativeState = get
  Object.defineProperty(prototype, 'state', {
    configurable: true,
    enumerable: true,
    get() {
      const state = get.call(this)
      return state !== null && typeof state === 'object' && 'polyhistorAddress' in state ? state.state : state
    },
  })
}

/** After wombat: its location asks this one, which asks the real one unless the page went elsewhere. */
export function showBelievedAddress(wombatLocation) {
  const real = wombatLocation._orig_loc
  // Not a proxy of the real one: what that has for good, a proxy could not show otherwise.
  const shown = new Proxy(
    {},
    {
      get(_target, name) {
        if (believed !== undefined && (name === 'href' || name === undefined)) return believed
        const value = Reflect.get(real, name, real)
        return typeof value === 'function' ? value.bind(real) : value
      },
      set: (_target, name, value) => Reflect.set(real, name, value, real),
    },
  )
  Object.defineProperty(wombatLocation, '_orig_loc', { value: shown, configurable: true })
}
