// The HTTP server on real sockets: Node's, with limits on everything that a client could make us wait for or keep.
//
// `localhost` is listened on under both of its addresses, for browsers may try either one first.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import {
  type HttpAnswer,
  type HttpHandler,
  type HttpLimits,
  type HttpServer,
  HttpServerError,
  httpLimitsDefault,
} from '../../network/http-server.ts'
import { HttpConnections } from './connections.ts'
import { refuseBadRequest } from './refusal.ts'
import { RealHttpRequest } from './request.ts'
import { sendAnswer, sendFault } from './response.ts'

export interface HttpServerOptions {
  /** A name or an address; without brackets for IPv6. */
  readonly host: string
  /** 0 for any that is free. */
  readonly port: number
  readonly limits?: HttpLimits | undefined
  /** Told of faults of handlers and bodies: never of clients that went away. */
  readonly whenFault?: ((fault: unknown) => void) | undefined
}

export async function startHttpServer(options: HttpServerOptions, handler: HttpHandler): Promise<HttpServer> {
  const listening = new Listening(options, handler)
  if (options.host !== 'localhost') {
    await listening.add(options.host, options.port)
    return listening
  }
  await listening.add('127.0.0.1', options.port)
  try {
    await listening.add('::1', listening.port)
  } catch (error) {
    // A machine without IPv6 has no ::1; one where another program has that port is no place for us.
    if (!(error instanceof HttpServerError) || error.code !== 'http-address-unusable') {
      await listening.close(0)
      throw error
    }
  }
  return listening
}

class Listening implements HttpServer {
  readonly #options: HttpServerOptions
  readonly #handler: HttpHandler
  readonly #servers: Server[] = []
  readonly #limits: HttpLimits
  readonly #connections: HttpConnections
  readonly #looks: NodeJS.Timeout
  /** How long a connection waits for its next request. */
  #keptMs: number

  constructor(options: HttpServerOptions, handler: HttpHandler) {
    this.#options = options
    this.#handler = handler
    this.#limits = options.limits ?? httpLimitsDefault
    this.#keptMs = this.#limits.idleMsMax
    this.#connections = new HttpConnections(this.#limits)
    this.#looks = setInterval(() => this.#connections.dropSilent(), this.#connections.lookMs).unref()
  }

  get port(): number {
    return (this.#servers[0]!.address() as AddressInfo).port
  }

  async add(host: string, port: number): Promise<void> {
    const server = this.#newServer()
    await new Promise<void>((resolve, reject) => {
      server.once('error', (error) => reject(unusable(host, port, error)))
      server.listen({ host, port }, resolve)
    })
    server.on('error', (fault) => this.#options.whenFault?.(fault))
    this.#servers.push(server)
  }

  async close(graceMs: number): Promise<void> {
    this.#keptMs = 0
    clearInterval(this.#looks)
    const closed = this.#servers.map((server) => new Promise((resolve) => server.close(resolve)))
    for (const server of this.#servers) server.closeIdleConnections()
    const cut = setTimeout(() => {
      for (const server of this.#servers) server.closeAllConnections()
    }, graceMs)
    await Promise.all(closed)
    clearTimeout(cut)
  }

  #newServer(): Server {
    const limits = this.#limits
    const server = createServer(
      {
        maxHeaderSize: limits.headBytesMax,
        headersTimeout: limits.headMsMax,
        // Of the head alone: a body has its time from when it is read, and an upload as long as it comes.
        requestTimeout: 0,
        // A timer that is set twice for each request costs more than all our limits: connections.ts ends idle ones.
        keepAliveTimeout: 0,
        // A request without a body is not made a stream that has to be ended.
        optimizeEmptyRequests: true,
        connectionsCheckingInterval: Math.min(1_000, limits.headMsMax),
      },
      (message, response) => this.#serve(message, response),
    )
    server.maxHeadersCount = limits.headerCountMax
    server.setTimeout(limits.silenceMsMax)
    server.on('connection', (socket: Socket) => this.#connections.opened(socket))
    server.on('clientError', (error, socket) => {
      // In the midst of an answer a refusal would be taken for a part of it.
      if (this.#connections.isBusy(socket as Socket)) socket.destroy()
      else refuseBadRequest(error, socket as Socket)
    })
    // Nobody here speaks anything but plain requests: an upgrade is answered as if it had not been asked for.
    server.on('connect', (_message, socket: Socket) => socket.destroy())
    return server
  }

  #serve(message: IncomingMessage, response: ServerResponse): void {
    const request = new RealHttpRequest(message, response, this.#limits.requestMsMax)
    this.#connections.requestBegan(message.socket, response)
    if (hasSeveralHosts(message)) {
      sendAnswer(request, response, severalHosts, 0)
      return
    }
    const end = (fault: unknown) => this.#fault(request, response, fault)
    try {
      const answer = this.#handler(request)
      if (answer instanceof Promise) {
        answer.then((it) => sendAnswer(request, response, it, this.#keptMs)).catch(end)
      } else sendAnswer(request, response, answer, this.#keptMs)?.catch(end)
    } catch (fault) {
      end(fault)
    }
  }

  #fault(request: RealHttpRequest, response: ServerResponse, fault: unknown): void {
    if (!request.hasGone(fault)) this.#options.whenFault?.(fault)
    sendFault(response)
  }
}

/** Whoever is in front of us may have gone by another one of them than we would. */
function hasSeveralHosts({ rawHeaders }: IncomingMessage): boolean {
  let count = 0
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]!
    if (name.length === 4 && name.toLowerCase() === 'host') count++
  }
  return count > 1
}

const severalHosts: HttpAnswer = {
  status: 400,
  headers: [['Content-Type', 'text/plain; charset=utf-8']],
  body: 'A request has one Host header.\n',
}

function unusable(host: string, port: number, cause: NodeJS.ErrnoException): HttpServerError {
  if (cause.code === 'EADDRINUSE') {
    return new HttpServerError(
      'http-address-in-use',
      `Port ${port} of ${host} is in use by another program. Choose another one with --http ${host}:PORT.`,
      cause,
    )
  }
  const why = reasons[cause.code ?? ''] ?? `${cause.message}.`
  return new HttpServerError('http-address-unusable', `${host}:${port} cannot be listened on: ${why}`, cause)
}

const reasons: Record<string, string> = {
  EADDRNOTAVAIL: 'this machine has no such address.',
  ENOTFOUND: 'the name leads to no address. Choose one of this machine with --http HOST:PORT.',
  EACCES:
    'not permitted. Ports below 1024 are for the administrator: choose a higher one with --http HOST:PORT.',
}
