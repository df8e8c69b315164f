// Sets of documents as ascending numbers: joined, met and left out.

/** Of both; the lists may be of very different length. */
export function intersection(one: Int32Array, other: Int32Array): Int32Array {
  const [short, long] = one.length <= other.length ? [one, other] : [other, one]
  const found = new Int32Array(short.length)
  let count = 0
  let at = 0
  for (let index = 0; index < short.length; index++) {
    const wanted = short[index]!
    at = seek(long, wanted, at)
    if (at === long.length) break
    if (long[at] === wanted) found[count++] = wanted
  }
  return found.subarray(0, count)
}

export function union(lists: readonly Int32Array[]): Int32Array {
  if (lists.length === 1) return lists[0]!
  let joined = lists[0] ?? new Int32Array(0)
  for (const list of lists.slice(1)) joined = unionOfTwo(joined, list)
  return joined
}

export function without(list: Int32Array, excluded: Int32Array): Int32Array {
  const left = new Int32Array(list.length)
  let count = 0
  let at = 0
  for (let index = 0; index < list.length; index++) {
    const document = list[index]!
    at = seek(excluded, document, at)
    if (excluded[at] !== document) left[count++] = document
  }
  return left.subarray(0, count)
}

/** Where the first number stands that is not below the wanted one, from `start` on: in ever longer steps, then by halves. */
export function seek(list: Int32Array, wanted: number, start: number): number {
  if (start >= list.length || list[start]! >= wanted) return start
  let step = 1
  let low = start
  while (low + step < list.length && list[low + step]! < wanted) {
    low += step
    step *= 2
  }
  let high = Math.min(list.length, low + step)
  low++
  while (low < high) {
    const middle = (low + high) >>> 1
    if (list[middle]! < wanted) low = middle + 1
    else high = middle
  }
  return low
}

function unionOfTwo(one: Int32Array, other: Int32Array): Int32Array {
  const joined = new Int32Array(one.length + other.length)
  let [count, left, right] = [0, 0, 0]
  while (left < one.length || right < other.length) {
    const [a, b] = [one[left] ?? Infinity, other[right] ?? Infinity]
    joined[count++] = Math.min(a, b)
    if (a <= b) left++
    if (b <= a) right++
  }
  return joined.subarray(0, count)
}
