// A web that changes all the time, of some sites on this machine, each at an address of its own: a front page that lists the newest
// stories, stories that are corrected for a while, pages that change every half minute, every hour or never, and pictures.
//
// What a page says follows from the seed and the time. ETags tell who comes again when nothing has changed.

import { hash } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Corpus } from '../../bench/search/corpus.ts'
import { SimulatedRandom } from '../../src/platform/simulated/random.ts'

interface Answer {
  readonly type: string
  readonly body: string | Buffer
}

/** A site has a new story this often. */
const storySeconds = 30
/** It is corrected once a minute for so long. */
const correctedSeconds = 600
const storiesListed = 20
const standingPages = 24
const pictures = 4
const pictureBytes = 20_000
const wordsPerPage = 400
const wordsAdded = 40
const wordsOfTitle = 5
const wordsKnown = 20_000
const shortestPeriodSeconds = 30

export class ChangingWeb {
  /** The front pages of all sites. */
  readonly seeds: readonly string[]
  #requests = 0
  readonly #servers: readonly Server[]
  readonly #words: readonly string[]
  readonly #seed: string
  readonly #pictures: readonly Buffer[]
  readonly #startMs = performance.now()

  private constructor(servers: readonly Server[], seed: string) {
    const random = new SimulatedRandom(seed)
    this.#servers = servers
    this.#seed = seed
    // As often as they are in a language.
    const corpus = new Corpus(1)
    this.#words = Array.from({ length: wordsKnown }, () => corpus.word())
    this.#pictures = Array.from({ length: pictures }, () => Buffer.from(random.bytes(pictureBytes)))
    this.seeds = servers.map((server) => {
      const { address, port } = server.address() as AddressInfo
      return `http://${address}:${port}/`
    })
  }

  static async start(sites: number, seed: string): Promise<ChangingWeb> {
    const servers = Array.from({ length: sites }, () => createServer())
    for (const [site, server] of servers.entries()) {
      server.listen(0, `127.3.0.${site + 1}`)
      await once(server, 'listening')
    }
    const web = new ChangingWeb(servers, seed)
    for (const [site, server] of servers.entries())
      server.on('request', (request, response) => web.#answer(site, request, response))
    return web
  }

  get requests(): number {
    return this.#requests
  }

  /** Pages that there are by now, and that a reader could look for. */
  get urls(): string[] {
    const paths = Array.from({ length: standingPages }, (_, page) => `page-${page}.html`)
    const stories = Array.from({ length: this.#stories() }, (_, story) => `story-${story}.html`)
    return this.seeds.flatMap((origin) => [origin, ...[...paths, ...stories].map((path) => origin + path)])
  }

  stop(): void {
    for (const server of this.#servers) {
      server.closeAllConnections()
      server.close()
    }
  }

  #answer(site: number, { url = '/', headers }: IncomingMessage, response: ServerResponse): void {
    this.#requests++
    const answer = this.#resource(site, url)
    if (answer === undefined) {
      response.writeHead(404, { 'Content-Type': 'text/plain' }).end('There is no such page.\n')
      return
    }
    const etag = `"${hash('sha256', answer.body).slice(0, 16)}"`
    const isKnown = headers['if-none-match'] === etag
    response.writeHead(isKnown ? 304 : 200, { 'Content-Type': answer.type, ETag: etag })
    response.end(isKnown ? undefined : answer.body)
  }

  #resource(site: number, path: string): Answer | undefined {
    if (path === '/') return page('Front page', this.#frontPage(site))
    const [, kind, digits = ''] = /^\/(story|page|picture)-(\d+)\.(?:html|png)$/.exec(path) ?? []
    const number = Number(digits)
    if (kind === 'story' && number < this.#stories()) return this.#story(site, number)
    if (kind === 'page' && number < standingPages) return this.#standingPage(site, number)
    if (kind === 'picture' && number < pictures) return { type: 'image/png', body: this.#pictures[number]! }
    return undefined
  }

  #frontPage(site: number): string {
    const newest = this.#stories() - 1
    const links: string[] = []
    for (let story = newest; story >= 0 && story > newest - storiesListed; story--)
      links.push(link(`/story-${story}.html`, this.#text(`title ${site} ${story}`, wordsOfTitle)))
    for (let number = 0; number < standingPages; number++)
      links.push(link(`/page-${number}.html`, `Page ${number}`))
    links.push(link(this.seeds[(site + 1) % this.seeds.length]!, 'The next site'))
    return links.join('\n')
  }

  #story(site: number, story: number): Answer {
    const age = Math.min(this.#seconds() - story * storySeconds, correctedSeconds)
    const title = this.#text(`title ${site} ${story}`, wordsOfTitle)
    const text = this.#text(`story ${site} ${story}`, wordsPerPage)
    return page(title, `<p>${text}<p>Corrected ${Math.floor(age / 60)} times.`)
  }

  /** Of every four one never changes; the others do so ever more rarely. */
  #standingPage(site: number, number: number): Answer {
    const period = number % 4 === 0 ? Number.POSITIVE_INFINITY : shortestPeriodSeconds * 2 ** (number % 8)
    const version = Math.floor(this.#seconds() / period)
    const text = this.#text(`page ${site} ${number}`, wordsPerPage)
    const added = this.#text(`page ${site} ${number} ${version}`, wordsAdded)
    return page(`Page ${number}`, `<img src="/picture-${number % pictures}.png" alt=""><p>${text}<p>${added}`)
  }

  /** The same for the same name. */
  #text(name: string, words: number): string {
    const random = new SimulatedRandom(`${this.#seed} ${name}`)
    return Array.from({ length: words }, () => this.#words[random.below(wordsKnown)]!).join(' ')
  }

  #stories(): number {
    return 1 + Math.floor(this.#seconds() / storySeconds)
  }

  #seconds(): number {
    return (performance.now() - this.#startMs) / 1_000
  }
}

function page(title: string, content: string): Answer {
  return {
    type: 'text/html; charset=utf-8',
    body: `<!doctype html><html lang="en"><title>${title}</title><h1>${title}</h1>${content}`,
  }
}

function link(href: string, words: string): string {
  return `<a href="${href}">${words}</a>`
}
