// Sites whose pages change at known times: each version of a page has a content of its own, so that a digest tells which it was.

import type { SimulatedRandom } from '../../src/platform/simulated/random.ts'
import type { OriginPage, OriginWeb } from '../peer/origin-web.ts'

export interface ChangingOptions {
  readonly sites: number
  readonly pages: number
}

type Version = number | 'gone' | 'moved'

export class ChangingSites {
  readonly #options: ChangingOptions
  readonly #random: SimulatedRandom
  readonly #versions = new Map<string, Version>()
  #count = 0

  constructor(options: ChangingOptions, random: SimulatedRandom) {
    this.#options = options
    this.#random = random
  }

  get start(): string {
    return `http://${this.host(0)}/0`
  }

  host(site: number): string {
    return `site-${site}.example`
  }

  serveOn(web: OriginWeb): void {
    for (let site = 0; site < this.#options.sites; site++)
      web.serve(this.host(site), (path) => this.#page(site, path))
  }

  /** Some page is another from now on. Few go: who finds a page gone leaves it alone for an hour. */
  change(): void {
    const { sites, pages } = this.#options
    // The first pages lead to all others.
    const name = `${this.#random.below(sites)} /${1 + this.#random.below(pages - 1)}`
    const chance = this.#random.below(50)
    this.#versions.set(name, chance === 0 ? 'gone' : chance < 5 ? 'moved' : ++this.#count)
  }

  #page(site: number, path: string): OriginPage | undefined {
    const { sites, pages } = this.#options
    const page = /^\/(\d+)$/.exec(path)?.[1]
    if (page === undefined || Number(page) >= pages) return undefined
    const version = this.#versions.get(`${site} ${path}`) ?? 0
    if (version === 'gone') return undefined
    if (version === 'moved')
      return { status: 301, headers: [['Location', `http://${this.host(site)}/0`]], body: 'moved' }
    const links = Array.from({ length: pages }, (_, to) => `<a href="/${to}">${to}</a>`)
    const next = `<a href="http://${this.host((site + 1) % sites)}/0">next</a>`
    return {
      body: `<!doctype html><title>${site}</title>${links.join(' ')} ${next} version ${version} of ${site}${path}`,
    }
  }
}
