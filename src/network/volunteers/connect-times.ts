// Connect times: how long a connection takes from whom to where, as it was measured in passing, and what follows from that for pairs
// that nobody has measured.
//
// A table of networks of servers (/24, in IPv6 /48) by networks of those who fetch. What is not in it is predicted from servers that
// look alike to those who have asked both, and from fetchers to whom servers look alike. Decision 0120 says why it is no coordinates.
//
// Pure. Bounded: rowsMax servers' networks, the one unused for longest forgotten first, and columnsMax fetchers' networks of each.

/** What is known of the way to one server. */
export interface ServerTimes {
  /** Of all that were measured; undefined when none was. */
  readonly leastMs: number | undefined
  of(from: string): TimeEstimate | undefined
}

export interface TimeEstimate {
  readonly ms: number
  /** Not only predicted. */
  readonly isMeasured: boolean
}

interface Cell {
  ms: number
  count: number
}

type Row = Map<string, Cell>

const rowsMax = 512
const columnsMax = 64
/** Servers that are alike, and fetchers that have asked a server, as far as predictions go by them. */
const alikeMax = 16
const askersMax = 8
/** How fast likeness falls with the difference: times that differ by an eighth count half. */
const steepness = 6
/** A connection never takes less than the way does, and often more: a lower time says more than a higher one. */
const lowerWeight = 0.5
const higherWeight = 0.1
/** Measured once may have been bad luck. */
const sureCount = 2
const msMin = 1

export class ConnectTimes {
  /** The one unused for longest first. */
  readonly #rows = new Map<string, Row>()
  #leastMs = Number.POSITIVE_INFINITY

  note(from: string, address: string, ms: number): void {
    const name = serverNetworkOf(address)
    const measured = Math.max(msMin, ms)
    const row: Row = this.#rows.get(name) ?? new Map<string, Cell>()
    this.#rows.delete(name)
    this.#rows.set(name, row)
    if (this.#rows.size > rowsMax) this.#rows.delete(this.#rows.keys().next().value!)
    const cell = row.get(from)
    row.delete(from)
    row.set(from, next(cell, measured))
    if (row.size > columnsMax) row.delete(row.keys().next().value!)
    this.#leastMs = Math.min(measured, this.#leastMs * 1.01)
  }

  /** Somebody there was wrong about its times: what it said counts no more. */
  forget(from: string): void {
    for (const row of this.#rows.values()) row.delete(from)
  }

  /** For whoever chooses among many that could ask a server. */
  to(address: string): ServerTimes {
    const row = this.#rows.get(serverNetworkOf(address))
    if (row === undefined || row.size === 0) return { leastMs: undefined, of: () => undefined }
    const alike = this.#rowsLike(row)
    const askers = [...row].sort(([, a], [, b]) => a.ms - b.ms).slice(0, askersMax)
    const of = (from: string): TimeEstimate | undefined => {
      const cell = row.get(from)
      if (cell !== undefined) return { ms: cell.ms, isMeasured: cell.count >= sureCount }
      const ms = this.#predict(from, row, alike, askers)
      return ms === undefined ? undefined : { ms, isMeasured: false }
    }
    return { leastMs: askers[0]![1].ms, of }
  }

  /** Of all that is known: nobody is much nearer to anything. */
  get leastMs(): number {
    return Number.isFinite(this.#leastMs) ? this.#leastMs : msMin
  }

  #rowsLike(row: Row): readonly (readonly [Row, number])[] {
    const found: [Row, number][] = []
    for (const other of this.#rows.values()) {
      if (other === row) continue
      const likeness = likenessOf(row, (from) => other.get(from))
      if (likeness > 0) found.push([other, likeness])
    }
    return found.sort(([, a], [, b]) => b - a).slice(0, alikeMax)
  }

  #predict(
    from: string,
    row: Row,
    alike: readonly (readonly [Row, number])[],
    askers: readonly (readonly [string, Cell])[],
  ): number | undefined {
    const mean = new LogMean()
    for (const [other, likeness] of alike) {
      const cell = other.get(from)
      if (cell !== undefined) mean.add(cell.ms, likeness)
    }
    const own = new Map<Row, Cell>()
    for (const other of this.#rows.values()) {
      const cell = other === row ? undefined : other.get(from)
      if (cell !== undefined) own.set(other, cell)
    }
    for (const [asker, cell] of askers)
      mean.add(
        cell.ms,
        likenessOf(own, (other) => other.get(asker)),
      )
    return mean.value
  }
}

/** Of two lists of times with the same keys: 0 when they have none in common, more for each that is nearly the same. */
function likenessOf<Key>(one: ReadonlyMap<Key, Cell>, other: (key: Key) => Cell | undefined): number {
  let difference = 0
  let shared = 0
  for (const [key, { ms }] of one) {
    const cell = other(key)
    if (cell === undefined) continue
    difference += Math.abs(Math.log(ms / cell.ms))
    shared++
  }
  return shared === 0 ? 0 : shared * Math.exp((-steepness * difference) / shared)
}

/** Times differ by factors, not by milliseconds. */
class LogMean {
  #sum = 0
  #weight = 0

  add(ms: number, weight: number): void {
    this.#sum += weight * Math.log(ms)
    this.#weight += weight
  }

  get value(): number | undefined {
    return this.#weight === 0 ? undefined : Math.exp(this.#sum / this.#weight)
  }
}

function next(cell: Cell | undefined, ms: number): Cell {
  if (cell === undefined) return { ms, count: 1 }
  const weight = ms < cell.ms ? lowerWeight : higherWeight
  return { ms: cell.ms + weight * (ms - cell.ms), count: cell.count + 1 }
}

/** Servers of one are taken to be in one place. */
export function serverNetworkOf(address: string): string {
  if (!address.includes(':')) return address.slice(0, address.lastIndexOf('.'))
  return address.split(':').slice(0, 3).join(':')
}
