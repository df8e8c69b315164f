// A browser of a simulated machine: no proof of capture, but all that peers say to each other about pages in browsers.
//
// Its pages are plain: each `data-part="URL"` of the document is asked for, one after the other, and what comes is what the page reads;
// each `link:URL` in that is a link. A page takes a second more.

import { FieldList } from '../../src/formats/http/field-list.ts'
import { tryParseLink } from '../../src/model/url/url.ts'
import type { Clock } from '../../src/platform/clock.ts'
import type { PageAnswer, PageBrowser, PageToShow, ShownPage } from '../../src/platform/network/browser.ts'

const pageMs = 1_000
/** Enough to be taken for a picture. */
const jpegStart = Buffer.of(0xff, 0xd8, 0xff)

export class SimulatedBrowser implements PageBrowser {
  readonly #clock: Clock
  readonly #whenShown: (href: string) => void

  constructor(needs: { clock: Clock; whenShown(href: string): void }) {
    this.#clock = needs.clock
    this.#whenShown = needs.whenShown
  }

  async ready(): Promise<void> {}

  async show(page: PageToShow, signal?: AbortSignal): Promise<ShownPage> {
    this.#whenShown(page.href)
    const ended = new AbortController()
    const stop = signal === undefined ? ended.signal : AbortSignal.any([signal, ended.signal])
    try {
      const document = await this.#ask(page, page.href, 'document', stop)
      const texts: string[] = []
      for (const [, written] of document.matchAll(/data-part="([^"]+)"/g)) {
        const url = tryParseLink(written!, tryParseLink(page.href) ?? undefined)
        if (url !== null) texts.push(await this.#ask(page, url.href, 'empty', stop))
      }
      await this.#clock.sleep(pageMs, stop)
      const text = texts.join('\n')
      const links = [...text.matchAll(/link:(\S+)/g)].map(([, href]) => ({
        ...{ href: href!, text: 'written by a script', isNoFollow: false },
      }))
      const thumbnail = Buffer.concat([jpegStart, Buffer.from(page.href)])
      return { ending: 'settled', title: `Shown ${page.href}`, text, links, thumbnail }
    } finally {
      signal?.throwIfAborted()
      ended.abort()
    }
  }

  async close(): Promise<void> {}

  async #ask(page: PageToShow, href: string, destination: string, signal: AbortSignal): Promise<string> {
    let text = ''
    const headers = new FieldList([['Sec-Fetch-Dest', destination]])
    const send = async ({ status, body }: PageAnswer): Promise<void> => {
      const chunks = body instanceof Uint8Array ? [body] : await Array.fromAsync(body)
      if (status === 200) text = Buffer.concat(chunks).toString('utf8')
    }
    await page.answer({ method: 'GET', href, headers, body: undefined }, send, signal)
    signal.throwIfAborted()
    return text
  }
}
