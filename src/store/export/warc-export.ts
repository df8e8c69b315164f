// The captures of a selection as one `.warc.gz`: its records in the order of a scan, resolvable within the file.
//
// A revisit stays one only if what it repeats is in the export too, which the selection tells without looking back; else
// it becomes a full response, as do redirects: other tools replay those without the content that they repeat. A 304 has no payload to be made full with: where the capture that holds it is not part of
// the selection, that capture is added. What is damaged or missing is left out and reported.

import type { PolyhistorError } from '../../errors.ts'
import { WarcDamage } from '../../formats/warc/damage.ts'
import { targetOfFiled } from '../../formats/warc/page-views.ts'
import type { Revisited } from '../../formats/warc/record-builder.ts'
import { parseWarcDate } from '../../model/timestamp.ts'
import type { Capture } from '../capture.ts'
import type { ContentKey } from '../contents/content-key.ts'
import type { ContentMatcher } from '../contents/content-matcher.ts'
import type { CaptureEntry } from '../index/capture-entry.ts'
import type { StoreIndex } from '../index/store-index.ts'
import { type CaptureFinder, keyOfCursor } from '../reading/capture-finder.ts'
import { warcDate } from '../records/record-builder.ts'
import type { RecordNaming } from '../records/record-naming.ts'
import type { RecordReader } from '../records/record-reader.ts'
import { revisitedBy } from '../records/revisited.ts'
import { StoreError } from '../store-error.ts'
import type { ExportScope } from './export-scope.ts'
import { inOrder } from './in-order.ts'
import type { ExportedRecords, RecordExport } from './record-export.ts'

/** What a file tells of a capture. */
export type ToldCapture = Pick<Capture, 'url' | 'capturedAtMs' | 'status' | 'mime' | 'recordId' | 'cursor'>

export interface ExportedCapture extends ExportedRecords {
  kind: 'capture'
  capture: ToldCapture
  /** undefined of a revisit of what is not in this archive. */
  content: ContentKey | undefined
  /** What its record says of the payload, where that is not here. */
  payloadDigest?: string | undefined
}

export interface ExportFailure {
  kind: 'failure'
  capture: ToldCapture
  error: PolyhistorError
}

/** What a file is written from, wherever the captures lie. */
export interface ExportedCaptures {
  captures(): AsyncIterable<ExportedCapture | ExportFailure>
}

export interface WarcExportNeeds {
  index: StoreIndex
  finder: CaptureFinder
  matcher: ContentMatcher
  records: RecordReader
  naming: RecordNaming
  recordExport: RecordExport
}

/** Captures read and compressed at once. */
const width = 8
/** Only where compaction is at work just then is a capture looked up again. */
const attemptsMax = 5
/** The 304s of a URL lie together: one that was added so long ago is hardly asked for again. */
const addedMax = 10_000

export class WarcExport implements ExportedCaptures {
  readonly #needs: WarcExportNeeds
  readonly #scope: ExportScope
  readonly #signal: AbortSignal | undefined
  /** Captures outside of the selection that were added for 304s, the latest of them. */
  readonly #added = new Set<string>()

  constructor(needs: WarcExportNeeds, scope: ExportScope, signal: AbortSignal | undefined) {
    this.#needs = needs
    this.#scope = scope
    this.#signal = signal
  }

  async *captures(): AsyncGenerator<ExportedCapture | ExportFailure> {
    for await (const exported of inOrder(this.#scope.captures(), width, (capture) => this.#export(capture))) {
      this.#signal?.throwIfAborted()
      yield* exported
    }
  }

  async #export(capture: Capture): Promise<(ExportedCapture | ExportFailure)[]> {
    try {
      return await this.#attempt(capture)
    } catch (error) {
      if (error instanceof StoreError) return [{ kind: 'failure', capture, error }]
      if (error instanceof WarcDamage) return [{ kind: 'failure', capture, error: damaged(capture, error) }]
      throw error
    }
  }

  async #attempt(capture: Capture): Promise<ExportedCapture[]> {
    const key = keyOfCursor(capture.cursor)
    for (let attempt = 1; ; attempt++) {
      const entry = this.#needs.index.capture(key)
      if (entry === undefined) return []
      try {
        return await this.#decided(capture, entry)
      } catch (error) {
        const now = this.#needs.index.capture(key)
        const isMoved = now !== undefined && now.location.volume !== entry.location.volume
        if (!isMoved || attempt === attemptsMax) throw error
      }
    }
  }

  async #decided(capture: Capture, entry: CaptureEntry): Promise<ExportedCapture[]> {
    const { recordExport } = this.#needs
    if (entry.kind !== 'same' && entry.kind !== 'not-modified') {
      return [exported(capture, entry.content!, await recordExport.full(capture, entry, entry.content!))]
    }
    const { content, original, payloadDigest } = await this.#revisited(capture, entry)
    if (content === undefined) {
      // Another archive may have what it repeats.
      const records = await recordExport.revisitOfUnknown(entry)
      return [{ kind: 'capture', capture, content, payloadDigest, ...records }]
    }
    const isInside = original !== undefined && this.#scope.includes(original)
    if (entry.kind === 'not-modified') return this.#notModified(capture, entry, content, original, isInside)
    // What others keep is in no other record of the file for sure.
    const isRevisit =
      isInside && !entry.isElsewhere && isExportedAsRevisit(entry.status) && holdsItself(original)
    const records = isRevisit
      ? await recordExport.revisit(capture, entry, content)
      : await recordExport.full(capture, entry, content)
    return [exported(capture, content, records)]
  }

  async #revisited(
    capture: Capture,
    entry: CaptureEntry,
  ): Promise<{
    content: ContentKey | undefined
    original: Capture | undefined
    payloadDigest: string | undefined
  }> {
    const start = await this.#needs.records.startOfCapture(entry)
    const revisited = revisitedBy(this.#needs, start)
    const content = entry.content ?? revisited.content
    if (content !== undefined && this.#needs.index.content(content)?.isDamaged)
      throw new StoreError('store-content-damaged', `The payload of ${capture.url} is damaged.`)
    return { content, original: revisited.original, payloadDigest: start.fields.get('WARC-Payload-Digest') }
  }

  async #notModified(
    capture: Capture,
    entry: CaptureEntry,
    content: ContentKey,
    original: Capture | undefined,
    isInside: boolean,
  ): Promise<ExportedCapture[]> {
    const { recordExport, index, naming, finder } = this.#needs
    if (isInside) {
      // Its own record says that others keep the payload, which is in the file.
      const refersTo = entry.isElsewhere ? nameOf(original!) : undefined
      return [exported(capture, content, await recordExport.revisit(capture, entry, content, refersTo))]
    }
    const location = entry.isElsewhere ? undefined : index.content(content)?.location
    const name = entry.isElsewhere ? original && nameOf(original) : location && (await naming.of(location))
    const holder = name && finder.exact(name.targetUri, parseWarcDate(name.date))
    if (name === undefined || holder === undefined) {
      throw new StoreError('store-content-missing', `The capture that ${capture.url} repeats is gone.`)
    }
    const records = await recordExport.revisit(capture, entry, content, name)
    const added = this.#isNewHere(holder) ? await this.#holder(holder) : []
    return [...added, exported(capture, content, records)]
  }

  async #holder(holder: Capture): Promise<ExportedCapture[]> {
    const entry = this.#needs.index.capture(keyOfCursor(holder.cursor))!
    return [
      exported(holder, entry.content!, await this.#needs.recordExport.full(holder, entry, entry.content!)),
    ]
  }

  #isNewHere(holder: Capture): boolean {
    if (this.#scope.includes(holder) || this.#added.has(holder.cursor)) return false
    const [oldest] = this.#added
    if (this.#added.size >= addedMax) this.#added.delete(oldest!)
    this.#added.add(holder.cursor)
    return true
  }
}

/** Whether other tools replay a revisit with this status as they would replay a response. What came without HTTP (0) has no
 * revisits. Of a redirect that is a revisit pywb and wabac.js do not look up the content. */
export function isExportedAsRevisit(status: number): boolean {
  return status !== 0 && (status < 300 || status >= 400)
}

/** How another record calls it. */
function nameOf({ recordId, url, capturedAtMs }: Capture): Revisited {
  return { id: recordId, targetUri: targetOfFiled(url), date: warcDate(capturedAtMs) }
}

/** Whether the capture is exported with its payload, whatever else is. */
function holdsItself({ kind }: Capture): boolean {
  return kind === 'full' || kind === 'plain' || kind === 'delta'
}

function exported(capture: Capture, content: ContentKey, records: ExportedRecords): ExportedCapture {
  return { kind: 'capture', capture, content, ...records }
}

function damaged(capture: Capture, cause: WarcDamage): StoreError {
  return new StoreError(
    'store-content-damaged',
    `The stored record of ${capture.url} is damaged: ${cause.message}.`,
    cause,
  )
}
