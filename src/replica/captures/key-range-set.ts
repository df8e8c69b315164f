// A set of keys as ranges.
//
// Invariant: in order, none empty, none that touches another.

import { isBefore, isEmptyRange, type KeyRange } from '../sums/key-range.ts'

export class KeyRangeSet {
  #ranges: KeyRange[]

  constructor(ranges: readonly KeyRange[] = []) {
    this.#ranges = []
    for (const range of ranges) this.add(range)
  }

  get ranges(): readonly KeyRange[] {
    return this.#ranges
  }

  add(range: KeyRange): void {
    if (isEmptyRange(range)) return
    let { from, to } = range
    const apart: KeyRange[] = []
    for (const other of this.#ranges) {
      if (isApart(other, { from, to })) apart.push(other)
      else {
        if (isBefore(other.from, from)) from = other.from
        if (to !== undefined && isBefore(to, other.to)) to = other.to
      }
    }
    apart.push({ from, to })
    this.#ranges = apart.sort((one, other) => Buffer.compare(one.from, other.from))
  }

  remove(range: KeyRange): void {
    this.#ranges = this.#ranges.flatMap((other) => without(other, range))
  }

  /** Forgets all that is not in these. */
  keepOnly(ranges: readonly KeyRange[]): void {
    const kept = this.#ranges.flatMap((own) => ranges.map((range) => intersection(own, range)))
    this.#ranges = new KeyRangeSet(kept.filter((range) => !isEmptyRange(range))).#ranges
  }

  covers(range: KeyRange): boolean {
    if (isEmptyRange(range)) return true
    return this.#ranges.some(({ from, to }) => !isBefore(range.from, from) && isNotBehind(range.to, to))
  }

  has(key: Uint8Array): boolean {
    return this.#ranges.some(({ from, to }) => !isBefore(key, from) && isBefore(key, to))
  }
}

/** Whether the one ends no later. */
function isNotBehind(end: Uint8Array | undefined, other: Uint8Array | undefined): boolean {
  if (other === undefined) return true
  return end !== undefined && Buffer.compare(end, other) <= 0
}

/** Without so much as touching. */
function isApart(one: KeyRange, other: KeyRange): boolean {
  const endsBefore = ({ to }: KeyRange, { from }: KeyRange): boolean => to !== undefined && isBefore(to, from)
  return endsBefore(one, other) || endsBefore(other, one)
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
