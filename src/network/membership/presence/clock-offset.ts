// Whether this machine's clock can be right: it is compared with those of the peers that are near on the ring. Captures are
// dated by it, and nobody can tell afterwards that the dates are wrong.

import type { RingView } from '../../ring/ring.ts'

interface Seen {
  readonly neighbours: readonly Pick<RingView['neighbours'][number], 'clockOffsetMs'>[]
}

const toleratedMs = 60_000
const minuteMs = 60_000
const hourMs = 60 * minuteMs

/** How far the clocks of most neighbours are ahead of this machine's; 0 when nobody's is known. */
export function clockOffsetOf({ neighbours }: Seen): number {
  const offsets = neighbours
    .flatMap(({ clockOffsetMs }) => clockOffsetMs ?? [])
    .sort((one, other) => one - other)
  if (offsets.length === 0) return 0
  const middles = [offsets[Math.floor((offsets.length - 1) / 2)]!, offsets[Math.floor(offsets.length / 2)]!]
  // Of two others both must differ.
  return middles.reduce((one, other) => (Math.abs(other) < Math.abs(one) ? other : one))
}

/** A sentence, when it differs from most of the others. */
export function clockLack(seen: Seen): string | undefined {
  const middle = clockOffsetOf(seen)
  if (Math.abs(middle) < toleratedMs) return undefined
  const side = middle < 0 ? 'ahead of' : 'behind'
  return `A right clock: this machine's is ${spanOf(Math.abs(middle))} ${side} those of other peers, and captures are dated by it.`
}

function spanOf(ms: number): string {
  return ms < hourMs ? `${Math.round(ms / minuteMs)} min` : `${Math.round(ms / hourMs)} h`
}
