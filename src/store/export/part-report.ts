// What a WACZ says about the completeness of its pages: of each that a browser showed, how many of the parts that it asked for were kept,
// and each that was not, with the rule that refused it or the cause of its failure. A line of JSON for each page.
//
// Derived from the records `urn:pageinfo:` in the same file, so that it says nothing that the file does not: whoever imports that
// file has the same records, and exports the same report. Kept in the spool until the WARC file before it is written.

import { unlessFails } from '../../errors.ts'
import { countFates, decodePageInfo, type PageInfo, pageInfoBytesMax } from '../../formats/warc/page-info.ts'
import { viewOf } from '../../formats/warc/page-views.ts'
import { printWarcDateMs } from '../../model/timestamp.ts'
import type { Spool } from '../spool.ts'
import type { PageSource } from './page-list.ts'
import { SpooledLines } from './spooled-lines.ts'
import type { ToldCapture } from './warc-export.ts'

export const partReportPath = 'reports/parts.jsonl'

/** Over all pages that a browser showed. */
export interface PartTotals {
  pages: number
  /** Of these, those that lack nothing. */
  complete: number
  kept: number
  refused: number
  failed: number
}

export class PartReport {
  readonly #source: Pick<PageSource, 'read'>
  readonly #lines: SpooledLines
  readonly totals: PartTotals = { pages: 0, complete: 0, kept: 0, refused: 0, failed: 0 }

  constructor({ source, spool }: { source: Pick<PageSource, 'read'>; spool: Spool }) {
    this.#source = source
    const title = 'What became of the parts that pages asked for'
    this.#lines = new SpooledLines(spool, { format: 'page-parts-1.0', id: 'parts', title })
  }

  /** Whatever is not an account of a page's parts is passed over. */
  async add(capture: ToldCapture): Promise<void> {
    const view = viewOf(capture.url)
    if (view?.kind !== 'pageinfo') return
    // It may have been taken down since it was written, or be anything: it may have been imported.
    const info = await unlessFails(this.#read(capture))
    if (info === undefined) return
    const counts = countFates(info.parts)
    const { totals } = this
    totals.pages++
    if (counts.refused + counts.failed === 0) totals.complete++
    for (const fate of ['kept', 'refused', 'failed'] as const) totals[fate] += counts[fate]
    const missing = info.parts
      .filter(({ fate }) => fate !== 'kept')
      .map(({ name, fate, code, reason }) => ({ url: name, outcome: fate, error: code, reason }))
    const { shownBy } = info
    await this.#lines.add({
      url: view.page,
      ts: printWarcDateMs(capture.capturedAtMs),
      ...counts,
      missing,
      shownBy,
    })
  }

  chunks(): AsyncIterable<Uint8Array> {
    return this.#lines.chunks()
  }

  discard(): Promise<void> {
    return this.#lines.discard()
  }

  async #read(capture: ToldCapture): Promise<PageInfo | undefined> {
    const { payload } = await this.#source.read(capture)
    const chunks: Uint8Array[] = []
    let bytes = 0
    for await (const chunk of payload()) {
      bytes += chunk.length
      if (bytes > pageInfoBytesMax) return undefined
      chunks.push(chunk)
    }
    return decodePageInfo(Buffer.concat(chunks))
  }
}
