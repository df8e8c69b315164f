// The proxy of one page: the only way out for its browser, and it leads to the caller.
//
// Nothing is passed through: a tunnel (CONNECT) ends here in TLS of our own, and what is neither TLS nor HTTP in it (TURN, say) is cut
// off. Upgrades, that is WebSockets, are refused. Listens on loopback, on a port of its own, as long as the page lives.

import {
  createServer,
  type IncomingMessage,
  type Server,
  type ServerResponse,
  validateHeaderName,
  validateHeaderValue,
} from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createSecureContext, type SecureContext, TLSSocket } from 'node:tls'
import { type Field, FieldList } from '../../../formats/http/field-list.ts'
import type { PageAnswer, PageToShow } from '../../browser.ts'
import type { ProxyCertificate } from './certificate.ts'

/** The first byte of every TLS connection. */
const tlsHandshake = 0x16
const connectionsMax = 256

/** Between the server and us, or of a connection that the browser does not have. */
const hopByHop = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'x-orig-transfer-encoding',
  'upgrade',
  'content-length',
  'alt-svc',
])

export class PageProxy {
  readonly #answer: PageToShow['answer']
  readonly #context: SecureContext
  readonly #server: Server
  readonly #sockets = new Set<Duplex>()
  /** Where a tunnel leads. */
  readonly #authorities = new WeakMap<object, string>()
  readonly #ending = new AbortController()
  #underWay = 0
  readonly #whenChanged: () => void

  /** `whenChanged` is called when a request comes or ends. */
  constructor(certificate: ProxyCertificate, answer: PageToShow['answer'], whenChanged: () => void) {
    this.#answer = answer
    this.#whenChanged = whenChanged
    this.#context = createSecureContext({
      key: certificate.key.export({ type: 'pkcs8', format: 'pem' }),
      cert: certificate.pem,
    })
    // A request waits for its host's turn, however long that takes: the page's own time ends it.
    this.#server = createServer({ requestTimeout: 0, headersTimeout: 0, keepAliveTimeout: 0 })
    this.#server.maxConnections = connectionsMax
    this.#server.on('connection', (socket: Duplex) => this.#hold(socket))
    this.#server.on('request', (request, response) => void this.#handle(request, response))
    this.#server.on('connect', (request, socket, head) => this.#openTunnel(request, socket, head))
    this.#server.on('upgrade', (_request, socket) =>
      socket.end('HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n'),
    )
  }

  async listen(): Promise<number> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject)
      this.#server.listen(0, '127.0.0.1', resolve)
    })
    return (this.#server.address() as AddressInfo).port
  }

  get underWay(): number {
    return this.#underWay
  }

  async close(): Promise<void> {
    this.#ending.abort(new Error('the page has ended'))
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()))
    for (const socket of this.#sockets) socket.destroy()
    await closed
  }

  #hold(socket: Duplex): void {
    this.#sockets.add(socket)
    socket.on('error', () => {})
    socket.once('close', () => this.#sockets.delete(socket))
  }

  #openTunnel({ url: authority = '' }: IncomingMessage, socket: Duplex, head: Buffer): void {
    socket.write('HTTP/1.1 200 Connection Established\r\n\r\n')
    const begin = (first: Buffer): void => {
      if (first[0] !== tlsHandshake) return void socket.destroy()
      socket.pause()
      socket.unshift(first)
      const secure = new TLSSocket(socket as Socket, {
        isServer: true,
        secureContext: this.#context,
        ALPNProtocols: ['http/1.1'],
      })
      this.#authorities.set(secure, authority)
      this.#server.emit('connection', secure)
    }
    if (head.length > 0) begin(head)
    else socket.once('data', begin)
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const href = this.#hrefOf(request)
    if (href === undefined) return void response.writeHead(400).end()
    const { method = 'GET' } = request
    // Not ended when the browser goes away: players drop requests at will, and the capture is worth having.
    const { signal } = this.#ending
    this.#count(1)
    // What the page sends is read and dropped, or the connection could not be used again.
    request.resume()
    try {
      await this.#answer(
        { method, href, headers: fieldsOf(request.rawHeaders) },
        (answer) => send(response, answer),
        signal,
      )
    } finally {
      this.#count(-1)
      if (!response.writableEnded) response.destroy()
    }
  }

  #count(change: number): void {
    this.#underWay += change
    this.#whenChanged()
  }

  #hrefOf({ url = '', socket }: IncomingMessage): string | undefined {
    const authority = this.#authorities.get(socket)
    if (authority === undefined) return url.startsWith('http://') ? url : undefined
    return url.startsWith('/') ? `https://${authority.replace(/:443$/, '')}${url}` : undefined
  }
}

function fieldsOf(raw: readonly string[]): FieldList {
  const fields: Field[] = []
  for (let index = 0; index < raw.length; index += 2) fields.push([raw[index]!, raw[index + 1]!])
  return new FieldList(fields)
}

async function send(
  response: ServerResponse,
  { status, headers, body, bodyBytes }: PageAnswer,
): Promise<void> {
  const fields = [...headers].filter(isSendable).flat()
  if (bodyBytes !== undefined) fields.push('Content-Length', String(bodyBytes))
  try {
    response.writeHead(status, fields)
    if (body instanceof Uint8Array) {
      await new Promise<void>((resolve) => response.once('close', resolve).end(body, resolve))
    } else await pipeline(body, response)
  } catch {
    // The browser went away, or the body broke off: either way there is nobody to tell.
    response.destroy()
  }
}

function isSendable([name, value]: Field): boolean {
  if (hopByHop.has(name.toLowerCase())) return false
  try {
    validateHeaderName(name)
    validateHeaderValue(name, value)
    return true
  } catch {
    return false
  }
}
