// A set of keys as ranges.
//
// Invariant: in order, none empty, none that touches another.

import { compareKeys, isBefore, isEmptyRange, type KeyRange, lowestBound } from '../sums/key-range.ts'

export class KeyRangeSet {
  /** Replaced by every change, never changed: who has it may go on reading it. */
  #ranges: readonly KeyRange[] = []

  constructor(ranges: readonly KeyRange[] = []) {
    const sorted = ranges.toSorted((one, other) => compareKeys(one.from, other.from))
    const merged: KeyRange[] = []
    for (const range of sorted) {
      const last = merged.at(-1)
      if (isEmptyRange(range)) continue
      if (last === undefined || (last.to !== undefined && isBefore(last.to, range.from))) merged.push(range)
      else merged[merged.length - 1] = { from: last.from, to: laterEnd(last.to, range.to) }
    }
    this.#ranges = merged
  }

  get ranges(): readonly KeyRange[] {
    return this.#ranges
  }

  add(range: KeyRange): void {
    // Mostly it is there: what is known is said again and again. An empty one is everywhere.
    if (this.covers(range)) return
    let { from, to } = range
    // Those that it meets or touches become one with it.
    const start = this.#firstIndex(({ to: end }) => !isBeforeEnd(end, from))
    const end = this.#firstIndex(({ from: begin }) => to !== undefined && isBefore(to, begin))
    if (start < end) {
      const [first, last] = [this.#ranges[start]!, this.#ranges[end - 1]!]
      if (isBefore(first.from, from)) from = first.from
      to = laterEnd(to, last.to)
    }
    this.#ranges = this.#ranges.toSpliced(start, Math.max(0, end - start), { from, to })
  }

  remove(range: KeyRange): void {
    if (isEmptyRange(range)) return
    const start = this.#firstIndex(({ to }) => isBefore(range.from, to))
    const end = this.#firstIndex(({ from }) => !isBefore(from, range.to))
    if (start >= end) return
    const left = this.#ranges.slice(start, end).flatMap((other) => without(other, range))
    this.#ranges = this.#ranges.toSpliced(start, end - start, ...left)
  }

  /** Many at once, in one go over both. */
  removeAll(ranges: readonly KeyRange[]): void {
    const gaps: KeyRange[] = []
    let from: Uint8Array | undefined = lowestBound
    for (const range of new KeyRangeSet(ranges).#ranges) {
      gaps.push({ from, to: range.from })
      from = range.to
      if (from === undefined) break
    }
    if (from !== undefined) gaps.push({ from, to: undefined })
    this.keepOnly(gaps.filter((gap) => !isEmptyRange(gap)))
  }

  /** Forgets all that is not in these. */
  keepOnly(keys: readonly KeyRange[] | KeyRangeSet): void {
    if (this.#ranges.length === 0) return
    const kept: KeyRange[] = []
    const all = keys instanceof KeyRangeSet ? keys : new KeyRangeSet(keys)
    if (this.#ranges.every((range) => all.covers(range))) return
    const others = all.#ranges
    for (let own = 0, other = 0; own < this.#ranges.length && other < others.length; ) {
      const [one, two] = [this.#ranges[own]!, others[other]!]
      const common = intersection(one, two)
      if (!isEmptyRange(common)) kept.push(common)
      if (isNotBehind(one.to, two.to)) own++
      else other++
    }
    this.#ranges = kept
  }

  covers(range: KeyRange): boolean {
    if (isEmptyRange(range)) return true
    const around = this.#lastFrom(range.from)
    return around !== undefined && isBefore(range.from, around.to) && isNotBehind(range.to, around.to)
  }

  has(key: Uint8Array): boolean {
    const around = this.#lastFrom(key)
    return around !== undefined && isBefore(key, around.to)
  }

  /** The last one that begins there or before. */
  #lastFrom(key: Uint8Array): KeyRange | undefined {
    return this.#ranges[this.#firstIndex(({ from }) => isBefore(key, from)) - 1]
  }

  /** Of a condition that holds from some range on. */
  #firstIndex(holds: (range: KeyRange) => boolean): number {
    let [low, high] = [0, this.#ranges.length]
    while (low < high) {
      const middle = (low + high) >>> 1
      if (holds(this.#ranges[middle]!)) high = middle
      else low = middle + 1
    }
    return low
  }
}

/** Whether a range ends before the bound, without touching it. */
function isBeforeEnd(end: Uint8Array | undefined, bound: Uint8Array): boolean {
  return end !== undefined && isBefore(end, bound)
}

function laterEnd(one: Uint8Array | undefined, other: Uint8Array | undefined): Uint8Array | undefined {
  return isNotBehind(one, other) ? other : one
}

/** Whether the one ends no later. */
function isNotBehind(end: Uint8Array | undefined, other: Uint8Array | undefined): boolean {
  if (other === undefined) return true
  return end !== undefined && compareKeys(end, other) <= 0
}

function intersection(one: KeyRange, other: KeyRange): KeyRange {
  return {
    from: isBefore(one.from, other.from) ? other.from : one.from,
    to: isNotBehind(one.to, other.to) ? one.to : other.to,
  }
}

function without(range: KeyRange, { from, to }: KeyRange): KeyRange[] {
  const before = intersection(range, { from: new Uint8Array(), to: from })
  const behind = to === undefined ? [] : [intersection(range, { from: to, to: undefined })]
  return [before, ...behind].filter((part) => !isEmptyRange(part))
}
