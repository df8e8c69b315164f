// The pages of a WACZ: every HTML page that was answered with 200, with its title. Kept in the spool until the WARC file
// before it is written.

import { unlessFails } from '../../errors.ts'
import { fetchedAs } from '../../formats/http/request-query.ts'
import { printWarcDate, printWarcDateMs } from '../../model/timestamp.ts'
import { type ContentKey, printContentKey } from '../contents/content-key.ts'
import type { Spool, SpoolFile } from '../spool.ts'
import { readTitle } from './page-title.ts'
import type { ToldCapture } from './warc-export.ts'

const titlesMax = 10_000
const bufferedCharsMax = 256 * 1024

/** Where titles come from. */
export interface PageReader {
  read(capture: ToldCapture): Promise<{ head: Uint8Array | undefined; payload(): AsyncIterable<Uint8Array> }>
}

export class PageList {
  readonly #answers: PageReader
  readonly #spool: Spool
  /** A page that is visited again and again has its title found once. */
  readonly #titles = new Map<string, string | undefined>()
  #file: SpoolFile | undefined
  #text: string

  constructor(needs: { answers: PageReader; spool: Spool }, title: string) {
    this.#answers = needs.answers
    this.#spool = needs.spool
    this.#text = `${JSON.stringify({ format: 'json-pages-1.0', id: 'pages', title })}\n`
  }

  async add(capture: ToldCapture, content: ContentKey): Promise<void> {
    if (capture.status !== 200 || !/^(?:text\/html|application\/xhtml\+xml)$/.test(capture.mime)) return
    if (fetchedAs(capture.url) !== undefined) return
    const { url, capturedAtMs, recordId: id } = capture
    const ts = capturedAtMs % 1000 === 0 ? printWarcDate(capturedAtMs) : printWarcDateMs(capturedAtMs)
    const title = await this.#title(capture, content)
    this.#text += `${JSON.stringify({ id, url, ts, ...(title && { title }) })}\n`
    if (this.#text.length < bufferedCharsMax) return
    this.#file ??= await this.#spool.open()
    await this.#file.append(Buffer.from(this.#text))
    this.#text = ''
  }

  async *chunks(): AsyncGenerator<Uint8Array> {
    if (this.#file) yield* this.#file.chunks()
    yield Buffer.from(this.#text)
  }

  async discard(): Promise<void> {
    await this.#file?.discard()
  }

  async #title(capture: ToldCapture, content: ContentKey): Promise<string | undefined> {
    const name = printContentKey(content)
    if (this.#titles.has(name)) return this.#titles.get(name)
    const title = await this.#readTitle(capture)
    const [oldest] = this.#titles.keys()
    if (this.#titles.size >= titlesMax) this.#titles.delete(oldest!)
    this.#titles.set(name, title)
    return title
  }

  async #readTitle(capture: ToldCapture): Promise<string | undefined> {
    // It may have been taken down since it was written. A page without title is a page all the same.
    return unlessFails(this.#answers.read(capture).then(readTitle))
  }
}
