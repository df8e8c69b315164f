// What browsers could read of the pages of an archive: from the views that lie beside their captures, in a store or on a network.
//
// Never fails on account of what is kept: a view that is damaged, out of reach, too large or no view at all is as if there were none.

import { PolyhistorError } from '../../errors.ts'
import { decodePageInfo, type PageInfo, pageInfoBytesMax } from '../../formats/warc/page-info.ts'
import { type ViewKind, viewUrl } from '../../formats/warc/page-views.ts'
import type { ArchivedCapture, CaptureRecord } from '../../model/archive.ts'
import { firstOf, type Listed } from '../../model/listed.ts'
import type { RenderedPage, RenderedPages } from '../../model/rendered-page.ts'
import type { TimeRange } from '../../model/time-range.ts'
import type { Url } from '../../model/url/url.ts'

/** A store, or an archive that many keep. */
export interface ViewSource<C> {
  versions(url: Url, options: TimeRange & { reverse?: boolean; limit?: number }): Listed<C>
  read(capture: C): Promise<Pick<CaptureRecord, 'payload'>>
}

const textBytesMax = 4 * 1024 * 1024

export class ArchivedRenderings<C extends Pick<ArchivedCapture, 'capturedAtMs' | 'payloadBytes'>>
  implements RenderedPages
{
  readonly #source: ViewSource<C>

  constructor(source: ViewSource<C>) {
    this.#source = source
  }

  at(page: Url, capturedAtMs: number): Promise<RenderedPage | undefined> {
    return this.#find(page, momentOf(capturedAtMs))
  }

  before(page: Url, capturedAtMs: number): Promise<RenderedPage | undefined> {
    return this.#find(page, { toMs: capturedAtMs })
  }

  /** What could be read of the capture of that time, without its title and links. */
  async textAt(page: Url, capturedAtMs: number): Promise<string | undefined> {
    const text = await this.#view(page, 'text', momentOf(capturedAtMs), textBytesMax)
    return text && textOf(text.bytes)
  }

  /** What became of the parts of the capture of that time. */
  async infoAt(page: Url, capturedAtMs: number): Promise<PageInfo | undefined> {
    const found = await this.#view(page, 'pageinfo', momentOf(capturedAtMs), pageInfoBytesMax)
    return found && decodePageInfo(found.bytes)
  }

  async #find(page: Url, span: TimeRange): Promise<RenderedPage | undefined> {
    const text = await this.#view(page, 'text', span, textBytesMax)
    if (text === undefined) return undefined
    const { capturedAtMs } = text
    const info = await this.infoAt(page, capturedAtMs)
    const { title = '', links = [] } = info ?? {}
    return { capturedAtMs, title, links, text: textOf(text.bytes) }
  }

  async #view(
    page: Url,
    kind: ViewKind,
    span: TimeRange,
    bytesMax: number,
  ): Promise<{ readonly capturedAtMs: number; readonly bytes: Uint8Array } | undefined> {
    const filed = viewUrl(page, kind)
    if (filed === undefined) return undefined
    try {
      const view = await firstOf(this.#source.versions(filed, { ...span, reverse: true, limit: 1 }))
      if (view === undefined || view.payloadBytes > bytesMax) return undefined
      const { payload } = await this.#source.read(view)
      return { capturedAtMs: view.capturedAtMs, bytes: Buffer.concat(await Array.fromAsync(payload())) }
    } catch (error) {
      if (error instanceof PolyhistorError) return undefined
      throw error
    }
  }
}

function momentOf(capturedAtMs: number): TimeRange {
  return { fromMs: capturedAtMs, toMs: capturedAtMs + 1 }
}

function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('utf8')
}
