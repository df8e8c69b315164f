// A web server for the tests of the crawler: a table of pages, and a log of what arrived when.

import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import { createServer as createSecureServer, type ServerOptions } from 'node:https'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

export interface Arrival {
  readonly path: string
  readonly headers: IncomingMessage['headers']
  readonly atMs: number
  /** When the last byte was handed over; undefined while it was not. */
  endedAtMs: number | undefined
}

export type Handler = (request: IncomingMessage, response: ServerResponse) => void
export type Pages = Record<string, string | Handler>

export class TestOrigin {
  readonly origin: string
  readonly arrivals: Arrival[] = []
  pages: Pages

  constructor(origin: string, pages: Pages) {
    this.origin = origin
    this.pages = pages
  }

  url(path: string): string {
    return this.origin + path
  }

  /** How often each path was asked for, robots.txt aside. */
  counts(): Record<string, number> {
    const counts: Record<string, number> = {}
    for (const { path } of this.arrivals) {
      if (path !== '/robots.txt') counts[path] = (counts[path] ?? 0) + 1
    }
    return counts
  }

  answer(request: IncomingMessage, response: ServerResponse): void {
    const path = request.url ?? ''
    const arrival: Arrival = { path, headers: request.headers, atMs: performance.now(), endedAtMs: undefined }
    this.arrivals.push(arrival)
    response.once('finish', () => {
      arrival.endedAtMs = performance.now()
    })
    const page = Object.hasOwn(this.pages, path) ? this.pages[path] : undefined
    if (typeof page === 'function') page(request, response)
    else if (page === undefined) response.writeHead(404, { 'Content-Type': 'text/plain' }).end('none\n')
    else response.writeHead(200, { 'Content-Type': 'text/html; charset=utf-8' }).end(page)
  }
}

/** Listens on loopback, on a free port, until the running test has ended. */
export async function startOrigin(
  pages: Pages,
  { address = '127.0.0.1', tls }: { address?: string; tls?: ServerOptions } = {},
): Promise<TestOrigin> {
  let origin: TestOrigin
  const listener: RequestListener = (request, response) => origin.answer(request, response)
  const server = tls === undefined ? createServer(listener) : createSecureServer(tls, listener)
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, address, resolve)
  })
  const { port } = server.address() as AddressInfo
  origin = new TestOrigin(`${tls === undefined ? 'http' : 'https'}://${address}:${port}`, pages)
  return origin
}

/** A page with these links. */
export function page(...links: string[]): string {
  return `<!doctype html><title>page</title>${links.map((link) => `<a href="${link}">x</a>`).join('\n')}`
}
