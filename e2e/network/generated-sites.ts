// A web of many sites, made from a seed: the same on every run, but for pages that tell how often they were asked for.
//
// Each site is a loopback address of its own. A quarter of its pages (the guests) is linked to by other sites only, so that
// nobody sees the whole web who does not exchange links. Some sites share files byte for byte; some close a part by
// robots.txt. All that may be fetched can be reached from the first page of the first site.

import { SimulatedRandom } from '../../src/platform/simulated/random.ts'

export interface SitesShape {
  readonly sites: number
  /** Per site, guests included. */
  readonly pages: number
  /** Per site. */
  readonly images: number
  /** 12,000 unless told. */
  readonly imageBytesMax?: number
  readonly seed: string
}

export interface Resource {
  readonly type: string
  /** What is served the so-and-so-many-th time, from 1. */
  body(visit: number): Buffer
}

const linksAcross = 3
const sharedFiles = 4
const sharedBytes = 9_000
const imageBytesMaxDefault = 12_000
const sentencesMax = 40
const closedPath = '/private/page.html'
const words = 'archive of every page that was ever seen by one peer or kept by another for all to read'.split(
  ' ',
)

export function addressOfSite(site: number): string {
  return `127.1.${1 + Math.floor(site / 250)}.${1 + (site % 250)}`
}

export class GeneratedSites {
  readonly #shape: SitesShape
  readonly #port: number
  readonly #random: SimulatedRandom
  /** By site, by path. */
  readonly #resources: Map<string, Resource>[]

  constructor(shape: SitesShape, port: number) {
    this.#shape = shape
    this.#port = port
    this.#random = new SimulatedRandom(shape.seed)
    const shared = Array.from({ length: sharedFiles }, () => this.#bytes(sharedBytes))
    this.#resources = Array.from({ length: shape.sites }, (_, site) => this.#site(site, shared))
  }

  get start(): string {
    return this.#url(0, pathOf(0))
  }

  /** The first page of every site. */
  get firstPages(): string[] {
    return this.#resources.map((_, site) => this.#url(site, pathOf(0)))
  }

  /** Everything that may be fetched, robots.txt aside. */
  get urls(): string[] {
    return this.#resources.flatMap((resources, site) =>
      [...resources.keys()].filter((path) => isOpen(path)).map((path) => this.#url(site, path)),
    )
  }

  get addresses(): string[] {
    return this.#resources.map((_, site) => addressOfSite(site))
  }

  resource(site: number, path: string): Resource | undefined {
    return this.#resources[site]?.get(path)
  }

  resourceAt(url: string): Resource | undefined {
    const { hostname, pathname } = new URL(url)
    return this.resource(this.addresses.indexOf(hostname), pathname)
  }

  #url(site: number, path: string): string {
    return `http://${addressOfSite(site)}:${this.#port}${path}`
  }

  #site(site: number, shared: readonly Buffer[]): Map<string, Resource> {
    const { pages, images, imageBytesMax = imageBytesMaxDefault } = this.#shape
    const resources = new Map<string, Resource>()
    for (let page = 0; page < pages; page++) resources.set(pathOf(page), this.#page(site, page))
    for (let image = 0; image < images; image++) {
      const body = this.#bytes(1 + this.#random.below(imageBytesMax))
      resources.set(imagePath(image), { type: 'image/png', body: () => body })
    }
    const file = site % sharedFiles
    resources.set(sharedPath(file), { type: 'text/javascript', body: () => shared[file]! })
    if (hasRobots(site)) {
      resources.set(closedPath, { type: 'text/html', body: () => Buffer.from('not for crawlers') })
      const rules = Buffer.from('User-agent: *\nDisallow: /private/\n')
      resources.set('/robots.txt', { type: 'text/plain', body: () => rules })
    }
    return resources
  }

  #page(site: number, page: number): Resource {
    const links = this.#links(site, page).map((link) => `<a href="${link}">${this.#word()}</a>`)
    const { images } = this.#shape
    const picture = images === 0 ? '' : `<img src="${imagePath(page % images)}" alt="">`
    const script = page === 0 ? `<script src="${sharedPath(site % sharedFiles)}"></script>` : ''
    const title = `Page ${page} of site ${site}`
    const text = Array.from({ length: this.#random.below(sentencesMax) }, () => `<p>${this.#sentence()}</p>`)
    const start = `<!doctype html><meta charset="utf-8"><title>${title}</title>${script}<h1>${title}</h1>`
    const end = `${text.join('\n')}${picture}\n${links.join('\n')}\n`
    const isChanging = page % 4 === 1
    const body = (visit: number) =>
      Buffer.from(`${start}${isChanging ? `<p>Asked for ${visit} times.</p>` : ''}${end}`)
    return { type: 'text/html; charset=utf-8', body }
  }

  /** A tree within the site, a tree of sites, a guest elsewhere, and others by chance. */
  #links(site: number, page: number): string[] {
    const { sites, pages } = this.#shape
    const own = pages - guestsOf(pages)
    const links: string[] = []
    if (page < own)
      for (const child of [3 * page + 1, 3 * page + 2, 3 * page + 3])
        if (child < own) links.push(pathOf(child))
    if (page === 0) {
      if (hasRobots(site)) links.push(closedPath)
      for (const next of [2 * site + 1, 2 * site + 2])
        if (next < sites) links.push(this.#url(next, pathOf(0)))
    }
    if (own + page < pages)
      links.push(this.#url((site + 1 + (page % linksAcross)) % sites, pathOf(own + page)))
    for (let count = 0; count < linksAcross; count++)
      links.push(this.#url(this.#random.below(sites), pathOf(this.#random.below(own))))
    return links
  }

  #sentence(): string {
    return `${Array.from({ length: 4 + this.#random.below(16) }, () => this.#word()).join(' ')}.`
  }

  #word(): string {
    return words[this.#random.below(words.length)]!
  }

  #bytes(length: number): Buffer {
    return Buffer.from(this.#random.bytes(length))
  }
}

/** Linked to by other sites only; each by the own page that comes as far from the first. */
function guestsOf(pages: number): number {
  return Math.floor(pages / 4)
}

function pathOf(page: number): string {
  return page === 0 ? '/' : `/page-${page}.html`
}

function imagePath(image: number): string {
  return `/images/${image}.png`
}

function sharedPath(file: number): string {
  return `/shared/library-${file}.js`
}

function hasRobots(site: number): boolean {
  return site % 3 === 0
}

function isOpen(path: string): boolean {
  return path !== closedPath && path !== '/robots.txt'
}
