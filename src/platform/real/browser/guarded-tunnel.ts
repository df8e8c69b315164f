// The way out of a window in which the owner logs in: a proxy that connects to allowed addresses only, and reads nothing.
//
// Invariants: it connects to the very address that was put to the rule; it answers to who knows its password, for every process of this
// machine can reach its port. What goes through is encrypted between page and server, or plain HTTP as the page sends it.

import { randomBytes } from 'node:crypto'
import { lookup } from 'node:dns/promises'
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http'
import { connect, isIP, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { AddressRule } from '../../network/web.ts'
import { listenOnLoopback } from './loopback.ts'

const connectMsMax = 30_000
const connectionsMax = 256

export class GuardedTunnel {
  readonly credentials = { username: 'window', password: randomBytes(16).toString('hex') }
  readonly #allow: AddressRule
  readonly #server: Server
  readonly #tunnels = new Set<Duplex>()

  constructor(allow: AddressRule) {
    this.#allow = allow
    this.#server = createServer((incoming, answer) => void this.#pass(incoming, answer))
    this.#server.on('connect', (incoming, socket, first) => void this.#tunnel(incoming, socket, first))
    this.#server.maxConnections = connectionsMax
  }

  listen(): Promise<number> {
    return listenOnLoopback(this.#server)
  }

  async close(): Promise<void> {
    for (const socket of this.#tunnels) socket.destroy()
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  async #tunnel(incoming: IncomingMessage, socket: Duplex, first: Buffer): Promise<void> {
    this.#tunnels.add(socket)
    socket.once('close', () => this.#tunnels.delete(socket))
    socket.on('error', () => socket.destroy())
    if (!this.#isKnown(incoming)) return void socket.end(challenge)
    const target = URL.parse(`http://${incoming.url ?? ''}`)
    const address = target && (await this.#addressOf(target.hostname))
    if (!target || !address) return void socket.end('HTTP/1.1 403 Forbidden\r\n\r\n')
    // The URL has no port where that is 80.
    const out: Socket = connect({ host: address, port: Number(target.port || 80), timeout: connectMsMax })
    out.once('connect', () => {
      out.setTimeout(0)
      socket.write('HTTP/1.1 200 OK\r\n\r\n')
      out.write(first)
      socket.pipe(out).pipe(socket)
    })
    out.once('timeout', () => out.destroy())
    out.on('error', () => socket.destroy())
    out.once('close', () => socket.destroy())
    socket.once('close', () => out.destroy())
  }

  async #pass(incoming: IncomingMessage, answer: ServerResponse): Promise<void> {
    incoming.on('error', () => {})
    if (!this.#isKnown(incoming)) return void answer.writeHead(407, challengeHeaders).end()
    const target = URL.parse(incoming.url ?? '')
    const address = target?.protocol === 'http:' ? await this.#addressOf(target.hostname) : undefined
    if (!target || !address) return void answer.writeHead(403).end('This address is not allowed.\n')
    const { 'proxy-authorization': _, 'proxy-connection': __, ...headers } = incoming.headers
    const out = request({
      host: address,
      port: Number(target.port || 80),
      method: incoming.method,
      path: `${target.pathname}${target.search}`,
      headers: { ...headers, host: target.host },
      setHost: false,
    })
    out.once('response', (response) => {
      answer.writeHead(response.statusCode ?? 502, response.headers)
      response.pipe(answer)
    })
    out.on('error', () => answer.destroy())
    answer.once('close', () => out.destroy())
    incoming.pipe(out)
  }

  #isKnown({ headers }: IncomingMessage): boolean {
    const { username, password } = this.credentials
    const expected = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`
    return headers['proxy-authorization'] === expected
  }

  /** The first that is allowed; undefined when there is none. */
  async #addressOf(hostname: string): Promise<string | undefined> {
    const host = hostname.replace(/^\[|\]$/g, '')
    const addresses = isIP(host) ? [{ address: host }] : await lookup(host, { all: true }).catch(() => [])
    return addresses.find(({ address }) => this.#allow.refusal(address) === undefined)?.address
  }
}

const challengeHeaders = { 'Proxy-Authenticate': 'Basic realm="polyhistor"' }
const challenge =
  'HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic realm="polyhistor"\r\nContent-Length: 0\r\n\r\n'
