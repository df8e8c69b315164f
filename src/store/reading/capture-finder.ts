// Finding captures: the versions of a URL, the one for a moment, and ordered scans of prefixes, hosts, sites and ranges
// of the ring that go on from a cursor.
//
// What was taken down is not found. Answers come from the index alone; no volume is opened.

import { urlOfTarget } from '../../formats/warc/page-views.ts'
import type { ArchiveSelection } from '../../model/archive.ts'
import type { RingKey } from '../../model/ring-key.ts'
import type { TimeRange } from '../../model/time-range.ts'
import { parseUrl, type Url } from '../../model/url/url.ts'
import type { Range } from '../../platform/storage/key-value.ts'
import { type Capture, captureOf } from '../capture.ts'
import type { CaptureEntry } from '../index/capture-entry.ts'
import type { StoreIndex } from '../index/store-index.ts'
import { StoreError } from '../store-error.ts'
import type { TakedownSet } from '../takedowns/takedown-set.ts'
import { selectedRanges, siteRanges, versionRange } from './selected-ranges.ts'

/** Which captures a scan or an export is about. */
export type Selection =
  | ArchiveSelection
  /** Keys of the ring from `from` (included) to `to` (excluded; the ring's end when not given); only what lies under `domain`,
   * when that is given. */
  | { kind: 'ring'; from: RingKey; to?: RingKey | undefined; domain?: string | undefined }

export interface ScanOptions extends TimeRange {
  /** The cursor of the last capture seen: the scan goes on behind it. */
  after?: string | undefined
  limit?: number | undefined
}

export class CaptureFinder {
  readonly #index: StoreIndex
  readonly #takedowns: Pick<TakedownSet, 'isEmpty' | 'hides'>

  constructor(needs: { index: StoreIndex; takedowns: Pick<TakedownSet, 'isEmpty' | 'hides'> }) {
    this.#index = needs.index
    this.#takedowns = needs.takedowns
  }

  /** Oldest first, or newest first with `reverse`. */
  *versions(
    url: Url,
    options: TimeRange & { reverse?: boolean | undefined; limit?: number | undefined } = {},
  ): Iterable<Capture> {
    if (this.#takedowns.hides(url)) return
    const { reverse = false, limit } = options
    const range: Range = { ...versionRange(url, options), reverse }
    if (limit !== undefined) range.limit = limit
    for (const [key, entry] of this.#index.captures(range)) yield captureOf(key, entry)
  }

  /** Of every URL that is filed there, newest first: for whoever knows the place of a capture and not its URL. */
  *versionsAt(place: Pick<Url, 'ringKey' | 'surt'>, limit: number): Iterable<Capture> {
    let left = limit
    for (const [key, entry] of this.#index.captures({ ...versionRange(place, {}), reverse: true })) {
      if (left <= 0) return
      if (this.#isHidden(entry)) continue
      left--
      yield captureOf(key, entry)
    }
  }

  newestNotNewer(url: Url, atMs: number): Capture | undefined {
    const [capture] = this.versions(url, { toMs: atMs + 1, reverse: true, limit: 1 })
    return capture
  }

  /** The version nearest in time, the earlier one of two that are equally near. */
  nearest(url: Url, atMs: number): Capture | undefined {
    const before = this.newestNotNewer(url, atMs)
    const [after] = this.versions(url, { fromMs: atMs + 1, limit: 1 })
    if (before === undefined || after === undefined) return before ?? after
    return atMs - before.capturedAtMs <= after.capturedAtMs - atMs ? before : after
  }

  /** The capture of exactly this URL and moment, such as a revisit names. Dates of other archives are often cut to the
   * second: then the first capture of that second. */
  exact(url: string, atMs: number): Capture | undefined {
    const parsed = urlOfTarget(url)
    if (parsed === null) return undefined
    const [first] = this.versions(parsed, { fromMs: atMs, toMs: atMs + 1, limit: 1 })
    if (first !== undefined || atMs % 1000 !== 0) return first
    const [inSecond] = this.versions(parsed, { fromMs: atMs, toMs: atMs + 1000, limit: 1 })
    return inSecond
  }

  byCursor(cursor: string): Capture | undefined {
    const entry = this.entry(cursor)
    return entry && captureOf(keyOfCursor(cursor), entry)
  }

  /** What the index says of a capture that may be shown. */
  entry(cursor: string): CaptureEntry | undefined {
    const key = keyOfCursor(cursor)
    const entry = this.#index.capture(key)
    return entry === undefined || this.#isHidden(entry) ? undefined : entry
  }

  /** The same, also of what is hidden and may be brought back. */
  keptEntry(cursor: string): CaptureEntry | undefined {
    const entry = this.#index.capture(keyOfCursor(cursor))
    return entry?.isHidden ? entry : this.entry(cursor)
  }

  /** In the order of ring key, SURT and time. */
  *scan(selection: Selection, options: ScanOptions = {}): Iterable<Capture> {
    let left = options.limit ?? Number.POSITIVE_INFINITY
    const { fromMs = Number.NEGATIVE_INFINITY, toMs = Number.POSITIVE_INFINITY } = options
    const after = options.after === undefined ? undefined : keyOfCursor(options.after)
    for (const range of selectedRanges(this.#index, selection, after)) {
      if (left <= 0) return
      const from =
        after && (!range.from || Buffer.compare(after, range.from) >= 0) ? justAfter(after) : range.from
      if (from && range.to && Buffer.compare(from, range.to) >= 0) continue
      for (const [key, entry] of this.#index.captures({ ...range, ...(from && { from }) })) {
        if (this.#isHidden(entry)) continue
        const capture = captureOf(key, entry)
        if (capture.capturedAtMs < fromMs || capture.capturedAtMs >= toMs) continue
        yield capture
        if (--left <= 0) return
      }
    }
  }

  /** The first capture of each site that has one to show, in the order of the ring: one look into the index for each site. */
  *sites(): Iterable<Capture> {
    for (const { first, from, to } of siteRanges(this.#index)) {
      const shown = this.#isHidden(first[1])
        ? this.#firstShown({ ...(from && { from }), ...(to && { to }) })
        : captureOf(...first)
      if (shown !== undefined) yield shown
    }
  }

  #firstShown(range: Range): Capture | undefined {
    for (const [key, entry] of this.#index.captures(range))
      if (!this.#isHidden(entry)) return captureOf(key, entry)
    return undefined
  }

  #isHidden(entry: CaptureEntry): boolean {
    if (this.#takedowns.isEmpty) return false
    // Not by its key, in which a long URL is cut.
    return this.#takedowns.hides(parseUrl(entry.url))
  }
}

export function keyOfCursor(cursor: string): Buffer {
  if (!/^[\w-]{40,2500}$/.test(cursor)) {
    throw new StoreError(
      'store-bad-cursor',
      `${JSON.stringify(cursor.slice(0, 40))} is not a cursor that this store gave out.`,
    )
  }
  return Buffer.from(cursor, 'base64url')
}

function justAfter(key: Buffer): Buffer {
  return Buffer.concat([key, Buffer.from([0])])
}
