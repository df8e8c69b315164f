// An archive that is only told of: events, and rows of the URLs that they name, served as a peer serves them. For tests and benchmarks
// of the bridge, which know the truth.

import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface ToldArchiveOptions {
  readonly events: number
  readonly urls: number
  readonly linksPerPage: number
}

/** Events before a cursor that are told again, as after a crash. */
const toldAgain = 50

export class ToldArchive {
  readonly #options: ToldArchiveOptions
  readonly #server: Server
  /** Called before the second half of an answer with rows is sent. */
  whenHalf: (() => Promise<void>) | undefined

  private constructor(options: ToldArchiveOptions) {
    this.#options = options
    this.#server = createServer(
      (request, response) => void this.#answer(request, response).catch(() => response.destroy()),
    )
  }

  static async start(options: ToldArchiveOptions): Promise<ToldArchive> {
    const archive = new ToldArchive(options)
    archive.#server.listen(0, '127.0.0.1')
    await once(archive.#server, 'listening')
    return archive
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections()
    this.#server.close()
    await once(this.#server, 'close')
  }

  get urls(): string[] {
    return Array.from({ length: this.#options.urls }, (_, number) => this.#url(number))
  }

  event(number: number): object {
    const url = this.#url(number % this.#options.urls)
    const time = new Date(Date.UTC(2026, 0) + 1_000 * number).toISOString()
    const kind = number < this.#options.urls ? 'new' : 'changed'
    const about = { id: `event-${number}`, kind, url, site: 'a.test', time, cosmetic: false }
    return { ...about, digest: `sha256:${number}`, bytes: number, status: 200, mime: 'text/html' }
  }

  rows(table: string, url: string): object[] {
    const number = Number(/\d+$/.exec(url)![0])
    const time = new Date(Date.UTC(2026, 0) + 1_000 * number).toISOString()
    const about = {
      url,
      site: 'a.test',
      host: 'a.test',
      status: 200,
      mime: 'text/html',
      digest: null,
      bytes: number,
    }
    if (table === 'pages') return [{ ...about, first_time: time, last_time: time, captures: 2, versions: 1 }]
    if (table === 'captures')
      return [0, 1].map((capture) => ({
        ...about,
        time,
        stored_bytes: 5,
        kind: 'full',
        record: `${number}-${capture}`,
      }))
    return Array.from({ length: this.#options.linksPerPage }, (_, link) => ({
      ...{ from_url: url, from_site: 'a.test', to_url: `http://b.test/${number}/${link}`, to_site: 'b.test' },
      // What COPY must not stumble over.
      ...{ relation: 'a href', nofollow: false, text: `Tab\tline\nback\\slash ${link}`, gone: null },
      ...{ first_seen: time, last_seen: time },
    }))
  }

  #url(number: number): string {
    return `http://a.test/page-${number}`
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url!, this.url)
    response.setHeader('Content-Type', 'application/x-ndjson')
    if (pathname === '/api/v1/changes') return this.#stream(response, searchParams)
    const table = pathname.split('/').at(-1)!
    if (request.method === 'GET') {
      for (const url of this.urls) await write(response, this.rows(table, url))
    } else {
      const body = await Array.fromAsync(request)
      const { urls } = JSON.parse(Buffer.concat(body).toString()) as { urls: string[] }
      for (const [place, url] of urls.entries()) {
        if (place === urls.length >> 1) await this.whenHalf?.()
        await write(response, this.rows(table, url))
      }
    }
    response.end()
  }

  async #stream(response: ServerResponse, query: URLSearchParams): Promise<void> {
    const since = query.get('since')
    const first = since === null ? 0 : Math.max(0, Number(since.slice(3)) - toldAgain)
    for (let number = first; number < this.#options.events; number++)
      await write(response, [{ ...this.event(number), cursor: `c1-${number + 1}` }])
    await write(response, [{ cursor: `c1-${this.#options.events}` }])
    if (query.get('follow') === 'false') response.end()
  }
}

async function write(response: ServerResponse, objects: readonly object[]): Promise<void> {
  if (response.destroyed) throw new Error('nobody reads')
  const text = objects.map((object) => `${JSON.stringify(object)}\n`).join('')
  if (response.write(text)) return
  const settled = new AbortController()
  const { signal } = settled
  const whenEither = [once(response, 'drain', { signal }), once(response, 'close', { signal })]
  for (const each of whenEither) each.catch(() => {})
  await Promise.race(whenEither)
  settled.abort()
}
