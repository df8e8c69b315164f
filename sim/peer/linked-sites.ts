// Sites made up for simulated peers to crawl: every page can be reached from the first page of its site, and every site from the
// first one.

import type { OriginWeb } from './origin-web.ts'

export interface LinkedSitesOptions {
  readonly sites: number
  readonly pages: number
  /** Text of each page beyond its links. */
  readonly textBytes?: number
}

export class LinkedSites {
  readonly #options: LinkedSitesOptions

  constructor(options: LinkedSitesOptions) {
    this.#options = options
  }

  get start(): string {
    return this.url(0, 0)
  }

  host(site: number): string {
    return `site-${site}.example`
  }

  url(site: number, page: number): string {
    return `http://${this.host(site)}/${page}`
  }

  /** Every page that there is. */
  get urls(): string[] {
    const { sites, pages } = this.#options
    return Array.from({ length: sites * pages }, (_, index) =>
      this.url(Math.floor(index / pages), index % pages),
    )
  }

  serveOn(web: OriginWeb): void {
    for (let site = 0; site < this.#options.sites; site++) {
      web.serve(this.host(site), (path) => {
        const page = /^\/(\d+)$/.exec(path)?.[1]
        const isThere = page !== undefined && Number(page) < this.#options.pages
        return isThere ? { body: this.body(site, Number(page)) } : undefined
      })
    }
  }

  body(site: number, page: number): string {
    const { sites, pages, textBytes = 200 } = this.#options
    const targets = [this.url(site, page + 1), this.url(site, (page * 7 + 3) % pages)]
    if (page === 0) targets.push(this.url((site + 1) % sites, 0))
    else targets.push(this.url((site * 3 + page) % sites, (page * 5 + 1) % pages))
    const links = targets
      .filter((url) => Number(/\d+$/.exec(url)?.[0]) < pages)
      .map((url) => `<a href="${url}">${url}</a>`)
    return `<!doctype html><title>${site} ${page}</title>${links.join(' ')}<p>${textOf(site, page, textBytes)}`
  }
}

/** Of each page its own, so that no two have the same content. */
function textOf(site: number, page: number, bytes: number): string {
  let text = ''
  for (let word = 0; text.length < bytes; word++)
    text += `word${(site * 7_919 + page * 104_729 + word * 31) % 99_991} `
  return text
}
