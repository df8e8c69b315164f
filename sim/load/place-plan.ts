// Place plan: whether a peer takes another of its places, or gives one up, so that all keep about as much for what they give.
//
// Pure: what it has heard of others in, one step out. Each peer decides for itself alone, and by the same measure: how far those concerned
// are from the median fullness, squared. A step has to make that clearly less, so steps come to an end, and none undoes another that saw
// the same. (D. Karger and M. Ruhl, "Simple efficient load balancing algorithms for peer-to-peer systems": few places that a peer cannot
// choose, and of them those that are best at the time.)
// Who is too full and could not be helped by giving up a place alone takes the other one first: there are always as many copies as before.
// No peer uses it yet (docs/decisions/0135).

import type { PeerId } from '../../src/platform/network/network.ts'
import type { KeptChanges } from './kept-change.ts'

/** What a peer is to keep, and how much it gives: 1 to 16. */
export interface Fill {
  readonly kept: number
  readonly weight: number
}

interface PlaceChange {
  readonly index: number
  readonly changes: KeptChanges
}

export interface PlaceStep {
  readonly kind: 'take' | 'give'
  readonly index: number
}

export interface PlaceTerms {
  /** Of the median fullness: whoever is fuller gives up or exchanges places, whoever is emptier by as much takes one. */
  readonly band: number
  /** By what a step makes the squares smaller at least, of the median squared: less is evener, and moves more. */
  readonly gainMin: number
}

export const placeTermsDefault: PlaceTerms = { band: 0.1, gainMin: 0.005 }

export interface Situation {
  readonly self: PeerId
  /** Of ourselves and of those who were heard. Nobody else counts. */
  readonly fills: ReadonlyMap<PeerId, Fill>
  readonly own: readonly PlaceChange[]
  readonly others: readonly PlaceChange[]
}

export function planStep({ self, fills, own, others }: Situation, terms: PlaceTerms): PlaceStep | undefined {
  const fullness = [...fills.values()].map(fullnessOf)
  const middle = medianOf([...fills.values()])
  const ours = fills.get(self)
  if (ours === undefined || !(middle > 0)) return undefined
  const [low, high] = [(1 - terms.band) * middle, (1 + terms.band) * middle]
  const isFull = fullnessOf(ours) >= high
  const mayHelp = fullnessOf(ours) <= low || fullness.some((one) => one >= high)
  let best: (PlaceStep & { readonly cost: number }) | undefined
  const consider = (kind: PlaceStep['kind'], index: number, ...changes: readonly KeptChanges[]): void => {
    const cost = costOf(joined(changes), fills, middle)
    if (cost < -terms.gainMin && (best === undefined || cost < best.cost)) best = { kind, index, cost }
  }
  if (mayHelp) for (const { index, changes } of others) consider('take', index, changes)
  if (isFull) {
    if (own.length > 1) for (const { index, changes } of own) consider('give', index, changes)
    for (const taken of others)
      for (const given of own) consider('take', taken.index, taken.changes, given.changes)
  }
  return best && { kind: best.kind, index: best.index }
}

/** By how much the squares grow. Who was not heard of counts for nothing. */
function costOf(changes: KeptChanges, fills: ReadonlyMap<PeerId, Fill>, middle: number): number {
  let cost = 0
  for (const [peer, change] of changes) {
    const fill = fills.get(peer)
    if (fill === undefined) continue
    const before = fullnessOf(fill) / middle - 1
    const after = before + change / fill.weight / middle
    cost += after ** 2 - before ** 2
  }
  return cost
}

function joined([first, ...more]: readonly KeptChanges[]): KeptChanges {
  if (more.length === 0) return first!
  const sums = new Map(first)
  for (const changes of more)
    for (const [peer, change] of changes) sums.set(peer, (sums.get(peer) ?? 0) + change)
  return sums
}

function fullnessOf({ kept, weight }: Fill): number {
  return kept / weight
}

/** By weight, half are emptier. Not the mean: one that says it keeps nothing, or everything, hardly moves it. */
function medianOf(fills: readonly Fill[]): number {
  const inOrder = fills.toSorted((one, other) => fullnessOf(one) - fullnessOf(other))
  let left = fills.reduce((sum, { weight }) => sum + weight, 0) / 2
  for (const fill of inOrder) if ((left -= fill.weight) <= 0) return fullnessOf(fill)
  return 0
}
