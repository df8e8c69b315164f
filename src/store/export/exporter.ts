// Exports captures to files that any tool reads: `.warc.gz` and `.wacz`, as streams of bytes.

import type { TimeRange } from '../../model/time-range.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Random } from '../../platform/random.ts'
import type { Capture } from '../capture.ts'
import type { CaptureSigning } from '../capture-signing.ts'
import type { Answers } from '../reading/answer.ts'
import type { Selection } from '../reading/capture-finder.ts'
import type { Spool } from '../spool.ts'
import { type ExportProgress, type ExportResult, noResult } from './export-result.ts'
import { ExportScope } from './export-scope.ts'
import type { PageSource } from './page-list.ts'
import { RecordExport, type RecordExportNeeds } from './record-export.ts'
import { waczFile } from './wacz-file.ts'
import { WarcExport, type WarcExportNeeds } from './warc-export.ts'
import { warcFile } from './warc-file.ts'

export interface ExportOptions extends TimeRange {
  format: 'warc' | 'wacz'
  /** Everything, when not given. */
  selection?: Selection | undefined
  /** These alone, instead of a selection. */
  captures?: readonly Capture[] | undefined
  title?: string | undefined
  description?: string | undefined
  /** The page that a WACZ opens with. */
  mainPageUrl?: string | undefined
  /** The captures that a WACZ lists as pages; all that are, when not given. */
  pages?: readonly Pick<Capture, 'cursor'>[] | undefined
  /** The name of the file, for a WARC file to have in it. */
  filename?: string | undefined
  signal?: AbortSignal | undefined
  whenProgress?: ((progress: ExportProgress) => void) | undefined
}

export interface Export {
  /** The bytes of the file. To be read once. */
  readonly chunks: AsyncIterable<Uint8Array>
  /** Complete once all bytes have been read. */
  readonly result: ExportResult
}

interface Needs extends RecordExportNeeds, Omit<WarcExportNeeds, 'recordExport'> {
  answers: Answers
  spool: Spool
  clock: Clock
  random: Random
  signing: CaptureSigning
}

export class Exporter {
  readonly #needs: Needs
  readonly #software: string

  constructor(needs: Needs, software: string) {
    this.#needs = needs
    this.#software = software
  }

  export(options: ExportOptions): Export {
    const { selection = { kind: 'all' }, captures } = options
    const scope = new ExportScope(this.#needs, selection, options, captures)
    const result = noResult()
    return { chunks: this.#counted(options, scope, result), result }
  }

  #file(options: ExportOptions, scope: ExportScope, result: ExportResult): AsyncIterable<Uint8Array> {
    const needs = this.#needs
    const software = this.#software
    const captures = new WarcExport(
      { ...needs, recordExport: new RecordExport(needs) },
      scope,
      options.signal,
    )
    const { title, filename, description, mainPageUrl, pages } = options
    const whenCounted = () => options.whenProgress?.(result)
    if (options.format === 'warc')
      return warcFile(needs, captures, result, { software, title, filename, whenCounted })
    const source: PageSource = {
      versions: (url, range) => needs.finder.versions(url, range),
      // They are the store's own, handed through.
      read: (capture) => needs.answers.read(capture as Capture),
    }
    return waczFile(
      { ...needs, source },
      (more) => warcFile(needs, captures, result, { software, title, whenCounted, ...more }),
      {
        software,
        title: title ?? 'Web archive',
        description,
        mainPageUrl,
        pages,
      },
    )
  }

  async *#counted(
    options: ExportOptions,
    scope: ExportScope,
    result: ExportResult,
  ): AsyncGenerator<Uint8Array> {
    const { signal, whenProgress } = options
    result.totalCaptures = await scope.count()
    for await (const chunk of this.#file(options, scope, result)) {
      signal?.throwIfAborted()
      result.writtenBytes += chunk.length
      whenProgress?.(result)
      yield chunk
    }
  }
}
