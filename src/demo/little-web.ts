// The little web of the demo: four sites on this machine that change while one watches. Names below `localhost` lead to it, for the
// crawlers and for browsers; nothing else does.

import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { application } from './sites/application.ts'
import { blog } from './sites/blog.ts'
import { newspaper } from './sites/newspaper.ts'
import { shop } from './sites/shop.ts'
import type { LittleSite } from './sites/site.ts'

export const littleSites: readonly LittleSite[] = [newspaper, shop, blog, application]

export class LittleWeb {
  readonly #server: Server
  readonly #startedAtMs = performance.now()
  readonly #port: number

  private constructor(server: Server, port: number) {
    this.#server = server
    this.#port = port
  }

  static async start(): Promise<LittleWeb> {
    const server = createServer((request, response) => web.#answer(request, response))
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const web = new LittleWeb(server, (server.address() as AddressInfo).port)
    return web
  }

  origin(site: string): string {
    return `http://${site}.localhost:${this.#port}`
  }

  get seeds(): string[] {
    return littleSites.map(({ name }) => `${this.origin(name)}/`)
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections()
    this.#server.close()
    await once(this.#server, 'close')
  }

  #answer({ headers, url = '/', method }: IncomingMessage, response: ServerResponse): void {
    const name = (headers.host ?? '').split('.', 1)[0]
    const seconds = (performance.now() - this.#startedAtMs) / 1_000
    const moment = { seconds, origin: (site: string) => this.origin(site) }
    const found = littleSites.find((site) => site.name === name)?.answer(url.split('?', 1)[0]!, moment)
    const answer = found ?? { status: 404, type: 'text/plain', body: 'There is no such page.\n' }
    response.writeHead(answer.status, { 'Content-Type': answer.type, 'Cache-Control': 'no-cache' })
    response.end(method === 'HEAD' ? undefined : answer.body)
  }
}
