// Place plan: whether a peer takes another of its places, or gives one up, so that all keep about as much for what they give.
//
// Pure: what it has heard of others in, one step out. Each peer decides for itself alone, and by the same measure: how far those concerned
// are from the median fullness, squared. A step has to make that clearly less, so steps come to an end, and none undoes another that saw
// the same. (D. Karger and M. Ruhl, "Simple efficient load balancing algorithms for peer-to-peer systems": few places that a peer cannot
// choose, and of them those that are best at the time.)
// Who is too full and could not be helped by giving up a place alone exchanges one: takes the other first, and gives its own up when that is
// filled. There are always as many copies as before. Who is too full by its own count takes none but in exchange, whatever others say.
// As many places as make up half of what the peer gives always stay, whatever others say; these can be exchanged only.

import type { PeerId } from '../../platform/network/network.ts'
import type { KeptChanges } from './kept-change.ts'

/** What a peer is to keep, and how much it gives: 1 to 16. */
export interface Fill {
  readonly kept: number
  readonly weight: number
}

export interface PlaceChange {
  readonly index: number
  readonly changes: KeptChanges
}

export interface PlaceStep {
  readonly kind: 'take' | 'give'
  readonly index: number
  /** What is to be given up once this one is filled. */
  readonly instead?: number | undefined
}

export interface PlanTerms {
  /** Of the median fullness: whoever is fuller gives up or exchanges places, whoever is emptier by as much takes one. */
  readonly band: number
  /** By what a step makes the squares smaller at least, of the median squared: less is evener, and moves more. */
  readonly gainMin: number
}

export interface Situation {
  readonly self: PeerId
  /** Of ourselves and of those who were heard. Nobody else counts. */
  readonly fills: ReadonlyMap<PeerId, Fill>
  /** Of ours those that may be given up, or exchanged. */
  readonly own: readonly PlaceChange[]
  /** How many we have. */
  readonly taken: number
  readonly others: readonly PlaceChange[]
}

/** Of the median: who says that it is fuller counts as if it were so full. */
const fullnessMax = 4

export function planStep(
  { self, fills, own, others, taken }: Situation,
  terms: PlanTerms,
): PlaceStep | undefined {
  const fullness = [...fills.values()].map(fullnessOf)
  const middle = medianOf(fullness)
  const ours = fills.get(self)
  if (ours === undefined || !(middle > 0)) return undefined
  const [low, high] = [(1 - terms.band) * middle, (1 + terms.band) * middle]
  const isFull = fullnessOf(ours) >= high
  const mayHelp = fullnessOf(ours) <= low || fullness.some((one) => one >= high)
  let best: { readonly step: PlaceStep; readonly cost: number } | undefined
  const consider = (step: PlaceStep, changes: KeptChanges): void => {
    const cost = costOf(changes, fills, middle)
    if (cost < -terms.gainMin && (best === undefined || cost < best.cost)) best = { step, cost }
  }
  if (mayHelp && !isFull) for (const { index, changes } of others) consider({ kind: 'take', index }, changes)
  if (isFull) {
    if (taken > placesMin(ours.weight))
      for (const { index, changes } of own) consider({ kind: 'give', index }, changes)
    for (const other of others)
      for (const given of own)
        consider(
          { kind: 'take', index: other.index, instead: given.index },
          joined(other.changes, given.changes),
        )
  }
  return best?.step
}

/** Of a peer that gives so much: whatever others say. */
export function placesMin(weight: number): number {
  return Math.max(1, Math.ceil(weight / 2))
}

/** By how much the squares grow. Who was not heard of counts for nothing. */
function costOf(changes: KeptChanges, fills: ReadonlyMap<PeerId, Fill>, middle: number): number {
  let cost = 0
  for (const [peer, change] of changes) {
    const fill = fills.get(peer)
    if (fill === undefined) continue
    const before = Math.min(fullnessOf(fill) / middle, fullnessMax) - 1
    const after = before + change / fill.weight / middle
    cost += after ** 2 - before ** 2
  }
  return cost
}

function joined(ones: KeptChanges, others: KeptChanges): KeptChanges {
  const sums = new Map(ones)
  for (const [peer, change] of others) sums.set(peer, (sums.get(peer) ?? 0) + change)
  return sums
}

function fullnessOf({ kept, weight }: Fill): number {
  return kept / weight
}

/** Half of the peers are emptier. Not the mean: one that says it keeps nothing, or everything, hardly moves it; and not by weight, which
 * each says of itself. */
function medianOf(fullness: readonly number[]): number {
  const inOrder = fullness.toSorted((one, other) => one - other)
  const [below, above] = [(inOrder.length - 1) >> 1, inOrder.length >> 1]
  return (inOrder[below]! + inOrder[above]!) / 2
}
