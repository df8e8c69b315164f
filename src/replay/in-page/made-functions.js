// Made functions: `new Function('return location')` runs in no scope of ours, so its text gets one.

/** As in rewrite/script-names.ts, which a page cannot load. */
export const scopedNames = [
  'window',
  'globalThis',
  'self',
  'document',
  'location',
  'top',
  'parent',
  'frames',
  'opener',
]

/** After wombat, which uses the browser's own. */
export function scopeMadeFunctions() {
  const native = window.Function
  const made = new Proxy(native, {
    apply: (_target, _this, given) => Reflect.construct(native, scoped(given)),
    construct: (_target, given, asked) =>
      Reflect.construct(native, scoped(given), asked === made ? native : asked),
  })
  Object.defineProperty(native.prototype, 'constructor', { value: made, configurable: true, writable: true })
  window.Function = made
}

function scoped(given) {
  if (given.length === 0) return given
  const parameters = given.slice(0, -1).map(String)
  const body = String(given.at(-1))
  const taken = parameters.join()
  const used = scopedNames.filter((name) => has(body, name) && !has(taken, name) && !has(body, `var ${name}`))
  if (used.length === 0) return given
  const declared = used.map((name) => `${name}=_____WB$wombat$assign$function_____('${name}')`)
  return [...parameters, `let ${declared.join()};{${body}\n}`]
}

function has(text, name) {
  return new RegExp(`(?<![\\w$.])${name}(?![\\w$])`).test(text)
}
