// What arrived at a web, and whether it should have: no site is asked by two peers at once, nor sooner after its last
// answer than the delay allows, whoever asks.
//
// Times are taken so that a breach is never an accident of the origin being busy: an answer counts as ended when its end was
// asked for, an arrival as arrived when it was noticed.

export interface Arrival {
  readonly address: string
  readonly path: string
  /** How who asked introduced itself. */
  readonly agent: string
  readonly atMs: number
  /** Infinity while it is being answered. */
  endedAtMs: number
}

/** Clocks tell milliseconds; timers may fire within one. */
const granularityMs = 1.5

/** A sentence each. */
export function breachesOf(arrivals: readonly Arrival[], delayMs: number): string[] {
  const breaches: string[] = []
  for (const ofSite of Map.groupBy(arrivals, ({ address }) => address).values()) {
    let last: Arrival | undefined
    for (const next of ofSite.toSorted((one, other) => one.atMs - other.atMs)) {
      if (last !== undefined) breaches.push(...breachBetween(last, next, delayMs))
      if (last === undefined || next.endedAtMs >= last.endedAtMs) last = next
    }
  }
  return breaches
}

function breachBetween(last: Arrival, next: Arrival, delayMs: number): string[] {
  const gapMs = next.atMs - last.endedAtMs
  if (gapMs >= delayMs - granularityMs) return []
  const who = `${told(next)} after ${told(last)}`
  if (gapMs < 0) {
    const isOther = next.agent !== last.agent
    return [`${isOther ? 'two peers' : 'one peer twice'} at once: ${who}, which was still being answered`]
  }
  return [`too soon: ${who}, ${gapMs.toFixed(1)} ms after its end instead of ${delayMs}`]
}

function told({ address, path, agent, atMs }: Arrival): string {
  return `${agent} asked ${address}${path} at ${new Date(atMs).toISOString().slice(11, 23)}`
}
