// The live web as the tests have it: a listener that all names lead to, which answers everything and forgets nothing.

import { createSocket, type Socket as UdpSocket } from 'node:dgram'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export class Witness {
  /** `METHOD host/path` of every request. */
  readonly requests: string[] = []
  /** Connections, with and without a request; encrypted ones end here. */
  connections = 0
  datagrams = 0
  readonly #server: Server
  readonly #udp: UdpSocket

  private constructor(server: Server, udp: UdpSocket) {
    this.#server = server
    this.#udp = udp
    server.on('connection', () => this.connections++)
    server.on('request', (request, response) => this.#answer(request, response))
    server.on('upgrade', (request: IncomingMessage, socket) => {
      this.#note(request)
      socket.destroy()
    })
    server.on('clientError', (_error, socket) => socket.destroy())
    udp.on('message', () => this.datagrams++)
  }

  static async start(): Promise<Witness> {
    const server = createServer()
    const udp = createSocket('udp4')
    const witness = new Witness(server, udp)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    await new Promise<void>((resolve) => udp.bind(0, '127.0.0.1', resolve))
    return witness
  }

  get address(): string {
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  get udpAddress(): string {
    return `127.0.0.1:${this.#udp.address().port}`
  }

  /** Whether anything with this text in its URL arrived. */
  saw(text: string): boolean {
    return this.requests.some((request) => request.includes(text))
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
    await new Promise<void>((resolve) => this.#udp.close(resolve))
  }

  #note({ method, headers, url }: IncomingMessage): void {
    this.requests.push(`${method} ${headers.host}${url}`)
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    this.#note(request)
    request.resume()
    response.writeHead(200, {
      'Content-Type': contentType(request.url ?? ''),
      'Access-Control-Allow-Origin': '*',
      'Access-Control-Allow-Headers': '*',
      'Cache-Control': 'no-store',
    })
    response.end(request.url?.includes('.html') ? '<!doctype html><title>live</title>' : '')
  }
}

const types: readonly [RegExp, string][] = [
  [/\.js/, 'text/javascript'],
  [/\.css/, 'text/css'],
  [/\.svg/, 'image/svg+xml'],
  [/\.events/, 'text/event-stream'],
  [/\.bin/, 'application/octet-stream'],
]

function contentType(url: string): string {
  return types.find(([pattern]) => pattern.test(url))?.[1] ?? 'text/html'
}
