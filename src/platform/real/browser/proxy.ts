// The proxy of one page: the only way out for its browser, and it leads to the caller.
//
// Nothing is passed through: a tunnel (CONNECT) ends here in TLS of our own, and what is neither TLS nor HTTP in it (TURN, say) is cut
// off. Upgrades, that is WebSockets, are put to the caller like any request, and refused whatever it answers. Listens on loopback, on a port of its own, as long as the page lives; whoever else of
// this machine finds the port is turned away, for want of the page's secret.

import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import {
  createServer,
  type IncomingMessage,
  type Server,
  type ServerResponse,
  validateHeaderName,
  validateHeaderValue,
} from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createSecureContext, type SecureContext, TLSSocket } from 'node:tls'
import { type Field, FieldList } from '../../../formats/http/field-list.ts'
import { parseHttpHead, parseRequestLine } from '../../../formats/http/http-message.ts'
import type { PageAnswer, PageRequest, PageToShow } from '../../network/browser.ts'
import type { ProxyCertificate } from './certificate.ts'
import { listenOnLoopback } from './loopback.ts'

/** The first byte of every TLS connection. */
const tlsHandshake = 0x16
/** The first of a request for a WebSocket in a tunnel without TLS. */
const getLetter = 'G'.charCodeAt(0)
const connectionsMax = 256
/** Of what a page sends. */
const bodyBytesMax = 4 * 1024 * 1024
const userName = 'page'
const challenge = { 'Proxy-Authenticate': 'Basic realm="page"', 'Content-Length': '0' }

/** Between the server and us, or of a connection that the browser does not have. */
const hopByHop = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
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
  /** What the page's browser, and nobody else, says with each request. */
  readonly credentials = { username: userName, password: randomBytes(24).toString('base64url') }
  readonly #secret: Buffer
  #isEntered = false
  #underWay = 0
  readonly #whenChanged: () => void

  /** The first request that has the secret only learns that it is right: with it the browser enters. `whenChanged` is called when a request comes or ends. */
  constructor(certificate: ProxyCertificate, answer: PageToShow['answer'], whenChanged: () => void) {
    const { username, password } = this.credentials
    this.#secret = hashOf(`Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`)
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
    this.#server.on('upgrade', (request, socket) => void this.#refuseUpgrade(request, socket))
  }

  listen(): Promise<number> {
    return listenOnLoopback(this.#server)
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

  #isOurs({ headers }: IncomingMessage): boolean {
    return timingSafeEqual(hashOf(headers['proxy-authorization'] ?? ''), this.#secret)
  }

  #openTunnel(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const { url: authority = '' } = request
    if (!this.#isOurs(request))
      return void socket.end(
        `HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: ${challenge['Proxy-Authenticate']}\r\nContent-Length: 0\r\n\r\n`,
      )
    socket.write('HTTP/1.1 200 Connection Established\r\n\r\n')
    const begin = (first: Buffer): void => {
      if (first[0] === getLetter) return void this.#refuseSocket(authority, first, socket)
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
    if (!this.#authorities.has(request.socket)) {
      if (!this.#isOurs(request)) return void response.writeHead(407, challenge).end()
      if (!this.#isEntered) {
        this.#isEntered = true
        return void response.writeHead(204).end()
      }
    }
    const href = this.#hrefOf(request)
    if (href === undefined) return void response.writeHead(400).end()
    const { method = 'GET' } = request
    // Not ended when the browser goes away: players drop requests at will, and the capture is worth having.
    const { signal } = this.#ending
    this.#count(1)
    try {
      const body = await bodyOf(request)
      const headers = fieldsOf(request.rawHeaders)
      await this.#answer({ method, href, headers, body }, (answer) => send(response, answer), signal)
    } catch {
      // The browser went away in the midst of what it sent: it asked for nothing.
    } finally {
      this.#count(-1)
      if (!response.writableEnded) response.destroy()
    }
  }

  async #refuseUpgrade(request: IncomingMessage, socket: Duplex): Promise<void> {
    const href = this.#hrefOf(request)
    const isOurs = this.#authorities.has(request.socket) || this.#isOurs(request)
    if (href !== undefined && isOurs) await this.#refuse(href, fieldsOf(request.rawHeaders), socket)
    else socket.destroy()
  }

  async #refuseSocket(authority: string, first: Buffer, socket: Duplex): Promise<void> {
    const head = parseHttpHead(first)
    const target = head && parseRequestLine(head.startLine)?.target
    if (target === undefined) return void socket.destroy()
    await this.#refuse(`http://${authority.replace(/:80$/, '')}${target}`, head!.headers, socket)
  }

  async #refuse(href: string, headers: FieldList, socket: Duplex): Promise<void> {
    socket.on('error', () => {})
    const asked = { method: 'GET', href, headers, body: undefined }
    await this.#answer(asked, async () => {}, this.#ending.signal)
    socket.end('HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n')
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

/** Of one length, so that they can be compared in constant time. */
function hashOf(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

async function bodyOf(request: IncomingMessage): Promise<PageRequest['body']> {
  const chunks: Buffer[] = []
  let bytes = 0
  // Read to its end in any case, or the connection could not be used again.
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes <= bodyBytesMax) chunks.push(chunk)
  }
  if (bytes > bodyBytesMax) return 'too-large'
  return bytes === 0 ? undefined : Buffer.concat(chunks)
}

function fieldsOf(raw: readonly string[]): FieldList {
  const fields: Field[] = []
  for (let index = 0; index < raw.length; index += 2)
    if (!/^proxy-/i.test(raw[index]!)) fields.push([raw[index]!, raw[index + 1]!])
  return new FieldList(fields)
}

async function send(
  response: ServerResponse,
  { status, headers, body, bodyBytes }: PageAnswer,
): Promise<void> {
  // Who has gone away already says so no more: it would be waited for without end.
  if (response.destroyed) return
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
