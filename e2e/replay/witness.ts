// The live web as the tests have it: a listener that all names lead to, which answers everything and forgets nothing.

import { createSocket, type Socket as UdpSocket } from 'node:dgram'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { type AddressInfo, createServer as createTcpServer, type Server as TcpServer } from 'node:net'

export class Witness {
  /** `METHOD host/path`, and the beginning of the body, of every request. */
  readonly requests: string[] = []
  /** Connections, with and without a request; encrypted ones end here. */
  connections = 0
  port = 0
  /** Ports that heard a datagram. */
  readonly datagramPorts = new Set<number>()
  /** Ports of their own that somebody connected to, whatever was said there. */
  readonly connectionPorts = new Set<number>()
  readonly #host: string
  readonly #server: Server
  readonly #sockets: UdpSocket[] = []
  readonly #listeners: TcpServer[] = []

  private constructor(server: Server, host: string) {
    this.#server = server
    this.#host = host
    server.on('connection', () => this.connections++)
    server.on('request', (request, response) => this.#answer(request, response))
    server.on('upgrade', (request: IncomingMessage, socket) => {
      this.#note(request)
      socket.destroy()
    })
    server.on('clientError', (_error, socket) => socket.destroy())
  }

  static async start(port = 0, host = '127.0.0.1'): Promise<Witness> {
    const server = createServer()
    const witness = new Witness(server, host)
    await new Promise<void>((resolve) => server.listen(port, host, resolve))
    witness.port = (server.address() as AddressInfo).port
    return witness
  }

  /** One more port that hears datagrams. */
  async listenForDatagrams(): Promise<number> {
    const socket = createSocket('udp4')
    this.#sockets.push(socket)
    await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve))
    const { port } = socket.address()
    socket.on('message', () => this.datagramPorts.add(port))
    return port
  }

  /** One more port that counts connections. */
  async listenForConnections(): Promise<number> {
    const server = createTcpServer((socket) => {
      this.connectionPorts.add(port)
      socket.on('error', () => {})
      socket.destroy()
    })
    this.#listeners.push(server)
    await new Promise<void>((resolve) => server.listen(0, this.#host, resolve))
    const { port } = server.address() as AddressInfo
    return port
  }

  get address(): string {
    return `${this.#host}:${this.port}`
  }

  forget(): void {
    this.requests.length = 0
    this.connections = 0
    this.datagramPorts.clear()
    this.connectionPorts.clear()
  }

  /** Everything that came, in words. */
  arrivals(): string[] {
    const { requests, connections, datagramPorts, connectionPorts } = this
    return [
      ...requests,
      ...(connections > 0 ? [`${connections} connections`] : []),
      ...[...datagramPorts].map((port) => `a datagram to ${port}`),
      ...[...connectionPorts].map((port) => `a connection to ${port}`),
    ]
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
    for (const server of this.#listeners) server.close()
    for (const socket of this.#sockets) await new Promise<void>((resolve) => socket.close(resolve))
  }

  #note({ method, headers, url }: IncomingMessage, body = ''): void {
    this.requests.push(`${method} ${headers.host}${url} ${body.slice(0, 1_000)}`)
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = ''
    for await (const piece of request.setEncoding('utf8')) body += piece
    this.#note(request, body)
    response.writeHead(200, {
      'Content-Type': contentType(request.url ?? ''),
      'Access-Control-Allow-Origin': request.headers.origin ?? '*',
      'Access-Control-Allow-Credentials': 'true',
      'Access-Control-Allow-Headers': 'Content-Type',
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
