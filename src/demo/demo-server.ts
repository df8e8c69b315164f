// The demo's own page, and what it asks for: states and changes as they come, peers killed and started, words searched.
//
// All of it lies below a token that only the printed address has, as other users of this machine reach the server, too. And only pages
// of this very server can change anything: others have another origin, and browsers say so.

import { randomBytes } from 'node:crypto'
import { isSameSecret } from '../api/owner/same-secret.ts'
import type { HttpAnswer, HttpRequest, HttpServer } from '../platform/network/http-server.ts'
import { startHttpServer } from '../platform/real/http-server/http-server.ts'
import type { PageAssets } from '../ui/archive.ts'
import { localeFor } from '../ui/language/reader-language.ts'
import { Layout } from '../ui/markup/layout.ts'
import { demoScreen } from '../ui/screens/demo/demo-screen.ts'
import type { DemoChanges } from './demo-changes.ts'
import type { DemoNetwork } from './demo-network.ts'
import type { DemoPeer } from './demo-peer.ts'
import type { DemoStates } from './demo-states.ts'

export interface DemoParts {
  readonly network: DemoNetwork
  readonly states: DemoStates
  readonly changes: DemoChanges
  readonly assets: PageAssets
}

const hostNames = ['localhost', '127.0.0.1', '[::1]']
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

interface DemoServer {
  readonly http: HttpServer
  /** Of the page; holds the token. */
  readonly path: string
}

export async function startDemoServer(parts: DemoParts, host: string, port: number): Promise<DemoServer> {
  const token = randomBytes(16).toString('base64url')
  const pages = new DemoPages(parts, token)
  const http = await startHttpServer({ host, port }, (request) => pages.answer(request))
  return { http, path: `/${token}/` }
}

class DemoPages {
  readonly #parts: DemoParts
  readonly #token: string
  readonly #layout: Layout

  constructor(parts: DemoParts, token: string) {
    this.#parts = parts
    this.#token = token
    this.#layout = new Layout(parts.assets)
  }

  async answer(request: HttpRequest): Promise<HttpAnswer> {
    const { method, target } = request
    const host = (request.header('host') ?? '').replace(/:\d+$/, '')
    if (!hostNames.includes(host)) return text(421, 'The demo is at localhost.')
    const [whole = '/', query = ''] = target.split('?', 2)
    const asset = method === 'GET' ? this.#parts.assets.file(whole) : undefined
    if (asset !== undefined)
      return { status: 200, headers: [['Content-Type', asset.type]], body: asset.bytes }
    const [, token = '', path = ''] = /^\/([^/]*)(\/.*)?$/.exec(whole) ?? []
    if (!isSameSecret(token, this.#token))
      return text(403, 'Open the demo by the whole address that `polyhistor demo` printed.')
    if (method === 'POST') return this.#act(request, path)
    if (method !== 'GET') return text(405, 'The demo is read with GET.')
    if (path === '/') return this.#page(request)
    if (path === '/events') return this.#events(request.signal)
    if (path === '/search') return this.#search(query)
    return text(404, 'There is no such page in the demo.')
  }

  #page(request: HttpRequest): HttpAnswer {
    const headers = [
      ['Content-Type', 'text/html; charset=utf-8'],
      ['Content-Security-Policy', policy],
      ['Referrer-Policy', 'no-referrer'],
      ['Cache-Control', 'no-store'],
    ] as const
    const page = this.#layout.page(demoScreen(this.#parts.states.now))
    return { status: 200, headers, body: page.in(localeFor(request)) }
  }

  #events(signal: AbortSignal): HttpAnswer {
    const headers = [
      ['Content-Type', 'text/event-stream'],
      ['Cache-Control', 'no-store'],
    ] as const
    return { status: 200, headers, body: this.#stream(signal) }
  }

  /** A reader that does not read is sent the newest state when it does, and at most so many changes as are kept. */
  async *#stream(signal: AbortSignal): AsyncGenerator<Uint8Array> {
    const { states, changes } = this.#parts
    let waiting = [...changes.kept]
    let isNew = true
    let wake: () => void = () => undefined
    changes.listen((change) => {
      waiting = [...waiting, change].slice(-changes.kept.length)
      wake()
    }, signal)
    states.listen(() => {
      isNew = true
      wake()
    }, signal)
    signal.addEventListener('abort', () => wake())
    while (!signal.aborted) {
      let lines = ''
      for (const change of waiting) lines += event('change', change)
      if (isNew) lines += event('state', states.now)
      waiting = []
      isNew = false
      if (lines !== '') yield Buffer.from(lines)
      if (waiting.length === 0 && !isNew && !signal.aborted)
        await new Promise<void>((resolve) => (wake = resolve))
    }
  }

  async #search(query: string): Promise<HttpAnswer> {
    const peer = this.#parts.network.running.at(-1)
    if (peer?.url === undefined) return json(503, { message: 'No peer runs. Start one.' })
    const words = new URLSearchParams(query).get('q') ?? ''
    const response = await fetch(`${peer.url}/api/v1/search?${new URLSearchParams({ q: words, limit: '5' })}`)
    return json(response.status, { peer: peer.name, at: peer.url, ...((await response.json()) as object) })
  }

  async #act(request: HttpRequest, path: string): Promise<HttpAnswer> {
    const origin = URL.parse(request.header('origin') ?? '')
    if (origin === null || origin.host !== request.header('host'))
      return text(403, 'Only the page of the demo can do that.')
    const [, number, action] = /^\/peers\/(\d)\/(kill|start|wipe)$/.exec(path) ?? []
    const peer = this.#parts.network.peers[Number(number)]
    if (peer === undefined) return text(404, 'There is no such peer.')
    await this.#do(peer, action!)
    return json(200, { state: peer.state })
  }

  async #do(peer: DemoPeer, action: string): Promise<void> {
    if (action === 'kill') await peer.kill()
    else if (action === 'wipe') await peer.wipe()
    // Its state tells when it is up, and whether it could be started.
    else void this.#parts.network.startPeer(peer).catch(() => peer.kill())
  }
}

function event(name: string, data: object): string {
  return `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`
}

function text(status: number, body: string): HttpAnswer {
  return { status, headers: [['Content-Type', 'text/plain; charset=utf-8']], body: `${body}\n` }
}

function json(status: number, body: object): HttpAnswer {
  return { status, headers: [['Content-Type', 'application/json']], body: JSON.stringify(body) }
}
