// A small web of sites that link to each other, and its log of who asked what and when: the judge of who crawls.
//
// Every page is reachable from the first page of its site, and every site from the first one.

import assert from 'node:assert/strict'
import { parseUrl, type Url } from '../../src/model/url/url.ts'
import type { PeerId } from '../../src/platform/network/network.ts'

interface Request {
  readonly peer: PeerId
  readonly site: string
  readonly host: string
  endedMs: number | undefined
}

export class Web {
  readonly sites: number
  readonly pages: number
  readonly delayMs: number
  readonly #underWay = new Set<Request>()
  /** By host: when the last request ended. */
  readonly #endedMs = new Map<string, number>()
  readonly #more: Url[] = []
  readonly fetched = new Map<string, number>()

  constructor(options: { sites: number; pages: number; delayMs: number }) {
    this.sites = options.sites
    this.pages = options.pages
    this.delayMs = options.delayMs
  }

  url(site: number, page: number): Url {
    const host = page % 3 === 2 ? 'www.' : ''
    return parseUrl(`http://${host}site-${site}.example/${page}`)
  }

  /** Every URL that there is so far. */
  get all(): Url[] {
    const linked = Array.from({ length: this.sites * this.pages }, (_, index) =>
      this.url(Math.floor(index / this.pages), index % this.pages),
    )
    return [...linked, ...this.#more]
  }

  /** A page that no other leads to. */
  add(site: number): Url {
    const url = parseUrl(`http://site-${site}.example/more/${this.#more.length}`)
    this.#more.push(url)
    return url
  }

  linksOf(url: Url): Url[] {
    const found = /site-(\d+)\.example\/(\d+)$/.exec(url.href)
    if (found === null) return []
    const [, site, page] = found.map(Number) as number[]
    const targets = [
      [site, page! + 1],
      [site, (page! * 7 + 3) % this.pages],
      [(site! + 1) % this.sites, page! === 0 ? 0 : (page! * 5) % this.pages],
      [(site! * 3 + page!) % this.sites, (page! * 11 + 1) % this.pages],
    ] as [number, number][]
    return targets.filter(([, target]) => target < this.pages).map(([one, other]) => this.url(one, other))
  }

  /** Fails when the site is being asked by another peer, or the host was asked a moment ago. */
  ask(peer: PeerId, url: Url, nowMs: number): Request {
    const { site, host } = url
    for (const other of this.#underWay)
      assert(
        other.site !== site || other.peer === peer,
        `${peer} asks ${url.href} while ${other.peer} asks ${site}`,
      )
    const pausedMs = nowMs - (this.#endedMs.get(host) ?? Number.NEGATIVE_INFINITY)
    assert(
      pausedMs >= this.delayMs * 0.99,
      `${peer} asks ${host} ${pausedMs.toFixed(0)} ms after it was last asked`,
    )
    const request = { peer, site, host, endedMs: undefined }
    this.#underWay.add(request)
    this.fetched.set(url.href, (this.fetched.get(url.href) ?? 0) + 1)
    return request
  }

  /** The connections of a process that ends are closed. */
  hangUp(peer: PeerId, nowMs: number): void {
    for (const request of this.#underWay) if (request.peer === peer) this.end(request, nowMs)
  }

  end(request: Request, nowMs: number): void {
    if (!this.#underWay.delete(request)) return
    request.endedMs = nowMs
    this.#endedMs.set(request.host, nowMs)
  }
}
