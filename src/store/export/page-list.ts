// The pages of a WACZ: every HTML page that was answered with 200, with its title; where a browser showed it, with the title and the
// text after its scripts. Kept in the spool until the WARC file before it is written.
//
// Pages of a network are read from other peers: several are read at once, and listed in the order in which they were added.

import { unlessFails } from '../../errors.ts'
import { fetchedAs } from '../../formats/http/request-query.ts'
import type { CaptureRecord } from '../../model/archive.ts'
import { printWarcDate, printWarcDateMs } from '../../model/timestamp.ts'
import { parseUrl } from '../../model/url/url.ts'
import { type ContentKey, printContentKey } from '../contents/content-key.ts'
import { ArchivedRenderings, type ViewSource } from '../reading/rendered-pages.ts'
import type { Spool } from '../spool.ts'
import { readTitle } from './page-title.ts'
import { SpooledLines } from './spooled-lines.ts'
import type { ToldCapture } from './warc-export.ts'

const titlesMax = 10_000
const titleCharsMax = 500
/** Longer ones are left out: whoever opens the file reads the whole list. */
const textCharsMax = 1024 * 1024
/** Pages read at once. */
const width = 8

type ListedCapture = ToldCapture & { readonly payloadBytes: number }

/** The archive that is exported: titles and what browsers saw come from it. */
export interface PageSource extends ViewSource<ListedCapture> {
  read(capture: ToldCapture): Promise<Pick<CaptureRecord, 'head' | 'payload'>>
}

export class PageList {
  readonly #source: PageSource
  readonly #renderings: ArchivedRenderings<ListedCapture>
  readonly #lines: SpooledLines
  /** A page that is visited again and again has its title found once. */
  readonly #titles = new Map<string, Promise<string | undefined>>()
  /** Pages that are being read, in their order. */
  readonly #underWay: Promise<object>[] = []

  constructor(needs: { source: PageSource; spool: Spool }, title: string) {
    this.#source = needs.source
    this.#renderings = new ArchivedRenderings<ListedCapture>(needs.source)
    this.#lines = new SpooledLines(needs.spool, { format: 'json-pages-1.0', id: 'pages', title })
  }

  async add(capture: ToldCapture, content: ContentKey): Promise<void> {
    if (capture.status !== 200 || !/^(?:text\/html|application\/xhtml\+xml)$/.test(capture.mime)) return
    if (fetchedAs(capture.url) !== undefined) return
    const line = this.#lineOf(capture, content)
    // Whoever writes it gets the failure.
    line.catch(() => {})
    this.#underWay.push(line)
    if (this.#underWay.length >= width) await this.#writeNext()
  }

  async *chunks(): AsyncGenerator<Uint8Array> {
    while (this.#underWay.length > 0) await this.#writeNext()
    yield* this.#lines.chunks()
  }

  async discard(): Promise<void> {
    await Promise.allSettled(this.#underWay)
    await this.#lines.discard()
  }

  async #writeNext(): Promise<void> {
    await this.#lines.add(await this.#underWay.shift()!)
  }

  async #lineOf(capture: ToldCapture, content: ContentKey): Promise<object> {
    const { url, capturedAtMs, recordId: id } = capture
    const ts = capturedAtMs % 1000 === 0 ? printWarcDate(capturedAtMs) : printWarcDateMs(capturedAtMs)
    const page = parseUrl(url)
    const [text = '', info] = await Promise.all([
      this.#renderings.textAt(page, capturedAtMs),
      this.#renderings.infoAt(page, capturedAtMs),
    ])
    const title = info?.title.slice(0, titleCharsMax) || (await this.#title(capture, content))
    const isListed = text !== '' && text.length <= textCharsMax
    return { id, url, ts, ...(title && { title }), ...(isListed && { text }) }
  }

  #title(capture: ToldCapture, content: ContentKey): Promise<string | undefined> {
    const name = printContentKey(content)
    const known = this.#titles.get(name)
    if (known !== undefined) return known
    // It may have been taken down since it was written. A page without title is a page all the same.
    const title = unlessFails(this.#source.read(capture).then(readTitle))
    const [oldest] = this.#titles.keys()
    if (this.#titles.size >= titlesMax) this.#titles.delete(oldest!)
    this.#titles.set(name, title)
    return title
  }
}
