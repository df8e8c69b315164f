// Which captures an export is about, told for each capture by itself: nothing is remembered of those before. Those of a selection, or
// the ones of a list.

import type { TimeRange } from '../../model/time-range.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Capture } from '../capture.ts'
import { type CaptureFinder, keyOfCursor, type Selection } from '../reading/capture-finder.ts'
import { isSelected } from '../reading/selected-ranges.ts'

/** Read in one go: the index is not held open while records are read and written. */
const batchMax = 500

export class ExportScope {
  readonly #finder: CaptureFinder
  readonly #clock: Clock
  readonly #selection: Selection
  readonly #time: TimeRange
  readonly #listed: readonly Capture[] | undefined
  readonly #listedCursors: ReadonlySet<string>

  constructor(
    needs: { finder: CaptureFinder; clock: Clock },
    selection: Selection,
    time: TimeRange,
    listed?: readonly Capture[],
  ) {
    this.#listed = listed
    this.#listedCursors = new Set(listed?.map(({ cursor }) => cursor))
    this.#finder = needs.finder
    this.#clock = needs.clock
    this.#selection = selection
    this.#time = { fromMs: time.fromMs, toMs: time.toMs }
  }

  includes(capture: Capture): boolean {
    if (this.#listed !== undefined) return this.#listedCursors.has(capture.cursor)
    return this.#isInTime(capture) && isSelected(this.#selection, keyOfCursor(capture.cursor))
  }

  /** In the order of a scan. Others get their turn now and then, even where nothing is found for long. */
  async *captures(): AsyncGenerator<Capture> {
    if (this.#listed !== undefined) {
      yield* this.#listed
      return
    }
    let after: string | undefined
    for (;;) {
      const batch = [...this.#finder.scan(this.#selection, { after, limit: batchMax })]
      for (const capture of batch) if (this.#isInTime(capture)) yield capture
      if (batch.length < batchMax) return
      after = batch.at(-1)!.cursor
      await this.#clock.sleep(0)
    }
  }

  async count(): Promise<number> {
    let count = 0
    for await (const _ of this.captures()) count++
    return count
  }

  #isInTime({ capturedAtMs }: Capture): boolean {
    const { fromMs = Number.NEGATIVE_INFINITY, toMs = Number.POSITIVE_INFINITY } = this.#time
    return capturedAtMs >= fromMs && capturedAtMs < toMs
  }
}
