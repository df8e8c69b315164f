// The web that is archived: sites below localhost, on one port, that can be shut down for good.
//
// What was shut down is still watched: a connection to where it was is counted and cut.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { type AddressInfo, createServer as createTcpServer, type Server as TcpServer } from 'node:net'

export interface Answer {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string | string[]>>
  readonly body?: string | Uint8Array
}

export type Responder = (request: IncomingMessage) => Answer

/** By site and path with query: `museum/index.html?a=1`. */
export type Answers = Readonly<Record<string, Answer | Responder>>

/** The origin of a site: `museum` → `http://museum.localhost:4711`. */
export type OriginOf = (site: string) => string

export class OriginWeb {
  readonly #server: Server
  readonly #port: number
  #answers: Answers = {}
  #guard: TcpServer | undefined
  /** Connections since it was shut down. */
  lateConnections = 0

  private constructor(server: Server) {
    this.#server = server
    this.#port = (server.address() as AddressInfo).port
    server.on('request', (request, response) => this.#answer(request, response))
  }

  static async start(...builders: ((origin: OriginOf) => Answers)[]): Promise<OriginWeb> {
    const server = createServer()
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const web = new OriginWeb(server)
    web.#answers = Object.assign({}, ...builders.map((build) => build((site) => web.origin(site))))
    return web
  }

  origin(site: string): string {
    return `http://${site}.localhost:${this.#port}`
  }

  /** `museum/page` → its URL. */
  url(place: string): string {
    const slash = place.indexOf('/')
    return this.origin(place.slice(0, slash)) + place.slice(slash)
  }

  /** Every URL that it answers. */
  urls(): string[] {
    return Object.keys(this.#answers).map((place) => this.url(place))
  }

  async shutDown(): Promise<void> {
    await close(this.#server)
    const guard = createTcpServer((socket) => {
      this.lateConnections++
      socket.destroy()
    })
    await new Promise<void>((resolve) => guard.listen(this.#port, '127.0.0.1', resolve))
    this.#guard = guard
  }

  async stop(): Promise<void> {
    await close(this.#server)
    if (this.#guard !== undefined) await close(this.#guard)
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const site = request.headers.host?.split('.')[0] ?? ''
    const given = this.#answers[site + request.url]
    if (given === undefined) {
      response.writeHead(404, { 'Content-Type': 'text/plain' }).end('not here')
      return
    }
    const { status = 200, headers = {}, body = '' } = typeof given === 'function' ? given(request) : given
    request.resume()
    response.writeHead(status, { 'Cache-Control': 'no-store', ...headers })
    response.end(body)
  }
}

async function close(server: Server | TcpServer): Promise<void> {
  if ('closeAllConnections' in server) server.closeAllConnections()
  if (server.listening) await new Promise((resolve) => server.close(resolve))
}
