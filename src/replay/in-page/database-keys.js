// Keys of databases in memory: which values are keys, their order, and how they are found in records (Indexed Database API,
// section 3.1.3 and 7).
//
// A key is kept as it was given, copied: a number, a date, a string, bytes, or an array of those.

const ranks = ['number', 'date', 'string', 'bytes', 'array']
const depthMax = 100

export function keyError(message, name = 'DataError') {
  return new DOMException(message, name)
}

/** Copies a key; throws where it is none. */
export function keyOf(value, depth = 0) {
  const kind = kindOf(value)
  if (kind === undefined || depth > depthMax) throw keyError('The parameter is not a valid key.')
  if (kind === 'date') return new Date(value.getTime())
  if (kind === 'array') return Array.from(value, (item) => keyOf(item, depth + 1))
  return kind === 'bytes' ? bytesOf(value).slice().buffer : value
}

/** undefined where it is none. */
export function keyOrNone(value) {
  try {
    return keyOf(value)
  } catch {
    return undefined
  }
}

function kindOf(value) {
  if (typeof value === 'number') return Number.isNaN(value) ? undefined : 'number'
  if (typeof value === 'string') return 'string'
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? undefined : 'date'
  if (value instanceof ArrayBuffer || ArrayBuffer.isView(value)) return 'bytes'
  return Array.isArray(value) ? 'array' : undefined
}

function bytesOf(value) {
  return value instanceof ArrayBuffer
    ? new Uint8Array(value)
    : new Uint8Array(value.buffer, value.byteOffset, value.byteLength)
}

export function compareKeys(left, right) {
  const [leftKind, rightKind] = [kindOf(left), kindOf(right)]
  if (leftKind !== rightKind) return Math.sign(ranks.indexOf(leftKind) - ranks.indexOf(rightKind))
  if (leftKind === 'array') return compareItems(left, right, compareKeys)
  if (leftKind === 'bytes') return compareItems(bytesOf(left), bytesOf(right), order)
  return order(leftKind === 'date' ? left.getTime() : left, rightKind === 'date' ? right.getTime() : right)
}

function order(left, right) {
  return left < right ? -1 : left > right ? 1 : 0
}

function compareItems(left, right, compare) {
  for (let at = 0; at < Math.min(left.length, right.length); at++) {
    const found = compare(left[at], right[at])
    if (found !== 0) return found
  }
  return order(left.length, right.length)
}

/** What a query means: a key, a range, or, where nothing is given, everything. Ranges are the browser's own. */
export function rangeOf(query, { isNeeded = false } = {}) {
  if (query instanceof IDBKeyRange) return query
  if (query === undefined || query === null) {
    if (isNeeded) throw keyError('No key or key range specified.')
    return undefined
  }
  return IDBKeyRange.only(keyOf(query))
}

export function isWithin(range, key) {
  if (range === undefined) return true
  const { lower, upper, lowerOpen, upperOpen } = range
  if (lower !== undefined) {
    const found = compareKeys(lower, key)
    if (found > 0 || (found === 0 && lowerOpen)) return false
  }
  if (upper === undefined) return true
  const found = compareKeys(upper, key)
  return found > 0 || (found === 0 && !upperOpen)
}

/** `a.b.c`, or several of those, in a value; undefined where there is nothing. */
export function valueAt(value, path) {
  if (Array.isArray(path)) {
    const found = path.map((one) => valueAt(value, one))
    return found.includes(undefined) ? undefined : found
  }
  if (path === '') return value
  let place = value
  for (const name of path.split('.')) {
    if (place === null || place === undefined) return undefined
    place = place[name]
  }
  return place
}

/** Puts a generated key where the store's path has its place. */
export function putAt(value, path, key) {
  const names = path.split('.')
  const last = names.pop()
  let place = value
  for (const name of names) {
    if (place === null || typeof place !== 'object') break
    place = place[name] ??= {}
  }
  if (place === null || typeof place !== 'object')
    throw keyError('A generated key could not be inserted into the value.')
  place[last] = key
}
