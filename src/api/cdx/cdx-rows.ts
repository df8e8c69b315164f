// From captures to rows of a result: filters, collapsing, counts, offset and limit, in the order in which the Internet
// Archive applies them. Keeps a few rows at most, whatever comes through.

import { hash } from 'node:crypto'
import { type ArchivedCapture, isRevisit } from '../../model/archive.ts'
import { digestHex } from '../../model/digest.ts'
import { type CdxRow, fieldValue } from './cdx-fields.ts'
import type { CdxQuery } from './cdx-query.ts'

/** Contents of one URL that are remembered for counting and resolving. */
const contentsMax = 10_000

interface Content {
  readonly original: ArchivedCapture | undefined
  count: number
}

export class CdxRows {
  readonly #query: CdxQuery
  readonly #limit: number
  #skipped = 0
  #emitted = 0
  /** Of the last row let through. */
  #collapsed: string | undefined
  #isResuming: boolean
  /** Waits for what is skipped behind it. */
  #waiting: CdxRow | undefined
  #urlkey = ''
  readonly #contents = new Map<string, Content>()
  /** Where a query that goes on starts; set once the limit is reached. */
  #resumeKey = ''
  #hasMore = false

  constructor(query: CdxQuery, limit: number = query.limit ?? Number.POSITIVE_INFINITY) {
    this.#query = query
    this.#limit = limit
    this.#isResuming = query.resume?.collapsed !== undefined
    this.#collapsed = query.resume?.collapsed
  }

  get isFull(): boolean {
    return this.#emitted >= this.#limit
  }

  /** Set once a capture has come that the limit left no room for. */
  get resumeKey(): string | undefined {
    return this.#hasMore ? this.#resumeKey : undefined
  }

  /** The rows that are complete with this batch. */
  take(captures: readonly ArchivedCapture[]): CdxRow[] {
    const rows: CdxRow[] = []
    for (const capture of captures) {
      if (this.isFull) {
        this.#hasMore = true
        break
      }
      const row = this.#rowOf(capture)
      if (!this.#passes(row)) {
        this.#skip(capture)
        continue
      }
      if (this.#skipped < this.#query.offset) {
        this.#skipped++
        continue
      }
      if (this.#query.countsSkips) {
        this.#release(rows)
        if (this.isFull) {
          this.#hasMore = true
          break
        }
        this.#waiting = row
      } else this.#emit(row, rows)
    }
    return rows
  }

  /** The last row, which had waited for more to skip. */
  end(): CdxRow[] {
    const rows: CdxRow[] = []
    if (!this.isFull) this.#release(rows)
    return rows
  }

  #release(rows: CdxRow[]): void {
    const row = this.#waiting
    this.#waiting = undefined
    if (row !== undefined) this.#emit(row, rows)
  }

  #emit(row: CdxRow, rows: CdxRow[]): void {
    rows.push(row)
    this.#emitted++
    if (!this.isFull) return
    // What was let through last decides about what comes next, also for a query that goes on.
    const collapsed = this.#query.collapses.length === 0 ? '' : `.${shortHash(this.#collapseKey(row))}`
    this.#resumeKey = `${row.capture.cursor}${collapsed}`
  }

  #passes(row: CdxRow): boolean {
    for (const filter of this.#query.filters) if (!filter(row)) return false
    if (this.#query.collapses.length === 0) return true
    const key = this.#collapseKey(row)
    const isSame = this.#isResuming ? shortHash(key) === this.#collapsed : key === this.#collapsed
    if (isSame) return false
    this.#isResuming = false
    this.#collapsed = key
    return true
  }

  #collapseKey(row: CdxRow): string {
    return this.#query.collapses
      .map(({ field, length }) => fieldValue(field, row).slice(0, length))
      .join('\n')
  }

  #skip({ capturedAtMs }: ArchivedCapture): void {
    if (this.#waiting === undefined) return
    this.#waiting.skipCount++
    this.#waiting.skippedAtMs = capturedAtMs
  }

  #rowOf(capture: ArchivedCapture): CdxRow {
    const { resolvesRevisits, countsDupes } = this.#query
    const content = resolvesRevisits || countsDupes ? this.#contentOf(capture) : undefined
    return {
      capture,
      isResolved: resolvesRevisits,
      original: isRevisit(capture) ? content?.original : undefined,
      dupeCount: content === undefined ? 0 : content.count++,
      skipCount: 0,
      skippedAtMs: undefined,
    }
  }

  #contentOf(capture: ArchivedCapture): Content | undefined {
    if (capture.surt !== this.#urlkey) {
      this.#contents.clear()
      this.#urlkey = capture.surt
    }
    if (capture.content === undefined) return undefined
    const digest = digestHex(capture.content.digest)
    const known = this.#contents.get(digest)
    if (known !== undefined) return known
    const content = { original: isRevisit(capture) ? undefined : capture, count: 0 }
    if (this.#contents.size < contentsMax) this.#contents.set(digest, content)
    return content
  }
}

function shortHash(text: string): string {
  return hash('sha256', text, 'hex').slice(0, 16)
}
