// Bridge: keeps tables of the archive in a database in step with the stream of changes.
//
// Promises: what a batch of events says is in the database whole or not at all, together with the cursor behind it; so whatever is
// killed, and whenever, nothing is missing and nothing is there twice. Of every URL that an event names all rows are put anew,
// as the archive has them then: the order of events of one URL does not matter, and an event that comes again changes nothing.
//
// Bounded: `eventsMax` events at a time, and no more is read before they are in the database.

import type { Row } from '../formats/tables/columns.ts'
import type { BridgeDatabase, BridgedTable, StreamEvent } from '../platform/bridge-database.ts'
import type { Clock } from '../platform/clock.ts'

/** A line of the stream: an event, a gap, or a cursor alone. */
export interface StreamLine {
  readonly cursor: string
  readonly event?: StreamEvent | undefined
  /** Events that are not kept any more were left out. */
  readonly hasGap?: boolean | undefined
}

export interface BridgeSource {
  /** From this cursor on, or from the beginning; ends when it is all told, unless it is followed. */
  lines(
    since: string | undefined,
    options: { isFollowing: boolean; signal: AbortSignal },
  ): AsyncIterable<StreamLine>
  /** All rows of these URLs. */
  rowsOf(table: BridgedTable, urls: readonly string[]): AsyncIterable<Row>
  /** All rows that the peer at hand keeps: what a new database begins with. */
  allRows(table: BridgedTable): AsyncIterable<Row>
}

export interface BridgeCounts {
  events: number
  rows: number
  batches: number
  gaps: number
}

const eventsMax = 1_000
/** How long an event waits for others. */
const gatherMs = 200

export class Bridge {
  readonly #needs: { readonly source: BridgeSource; readonly database: BridgeDatabase; readonly clock: Clock }
  readonly counts: BridgeCounts = { events: 0, rows: 0, batches: 0, gaps: 0 }

  constructor(needs: { source: BridgeSource; database: BridgeDatabase; clock: Clock }) {
    this.#needs = needs
  }

  /** Resolves when all there is was bridged, or when it is aborted; rejects with a PolyhistorError when either side fails, and can be
   * run again. */
  async run(options: { isFollowing: boolean; signal: AbortSignal }): Promise<void> {
    const { source, database } = this.#needs
    const { isNew, cursor } = await database.begin()
    if (isNew) this.counts.rows += await database.fill((table) => source.allRows(table))
    let last = cursor
    for await (const lines of gathered(this.#needs.clock, source.lines(last, options), options.signal))
      last = await this.#apply(lines, last)
  }

  async #apply(lines: readonly StreamLine[], cursorBefore: string | undefined): Promise<string | undefined> {
    const { source, database } = this.#needs
    const cursor = lines.at(-1)!.cursor
    const events = lines.flatMap(({ event }) => event ?? [])
    this.counts.gaps += lines.filter(({ hasGap }) => hasGap).length
    if (events.length === 0 && cursor === cursorBefore) return cursorBefore
    const urls = [...new Set(events.map(({ url }) => url))]
    const rowsOf = (table: BridgedTable): AsyncIterable<Row> => source.rowsOf(table, urls)
    this.counts.rows += await database.apply({ cursorBefore, cursor, events, urls, rowsOf })
    this.counts.events += events.length
    this.counts.batches++
    return cursor
  }
}

/** In the order of their coming, as many at a time as have come. */
async function* gathered(
  clock: Clock,
  lines: AsyncIterable<StreamLine>,
  signal: AbortSignal,
): AsyncGenerator<StreamLine[]> {
  const iterator = lines[Symbol.asyncIterator]()
  let batch: StreamLine[] = []
  let next = iterator.next()
  try {
    for (;;) {
      const pause = batch.length === 0 ? undefined : new AbortController()
      const late = pause && clock.sleep(gatherMs, pause.signal).catch(() => {})
      const result = await (late === undefined ? next : Promise.race([next, late]))
      pause?.abort()
      if (result !== undefined && !result.done) {
        batch.push(result.value)
        next = iterator.next()
      }
      const isOver = result?.done === true
      if (batch.length > 0 && (isOver || result === undefined || batch.length >= eventsMax)) {
        yield batch
        batch = []
      }
      if (isOver) return
    }
  } catch (error) {
    if (!signal.aborted) throw error
  } finally {
    next.catch(() => {})
    await iterator.return?.().catch(() => {})
  }
}
