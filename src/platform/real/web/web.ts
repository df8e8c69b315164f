// The real web: kept-alive connections over HTTP/1.1, and HTTP/2 where a server insists on it.
//
// Here a fetch is put together: a connection that is open already (connections.ts) or is opened to an address that
// has been checked (opening.ts), and the exchange on it (exchange.ts).

import { join } from 'node:path'
import { PolyhistorError } from '../../../errors.ts'
import type { Clock } from '../../clock.ts'
import type { Web, WebAnswer, WebRequest } from '../../network/web.ts'
import type { Random } from '../../random.ts'
import type { Disk } from '../../storage/disk.ts'
import { IncomingBody } from './body.ts'
import { Connection } from './connection.ts'
import { Connections } from './connections.ts'
import { Exchange } from './exchange.ts'
import { webFailure } from './failure.ts'
import { Names, type NamesOptions } from './names.ts'
import { Opening } from './opening.ts'

export interface WebOptions {
  /** A folder of our own for bodies too large for memory: what is left in it from an earlier run is removed. */
  readonly spoolFolder: string
  /** Larger bodies go to disk: more is faster, and costs as much times the number of fetches at once. */
  readonly memoryBytesMax: number
  /** Open at once, to all origins together. */
  readonly connectionsMax: number
  /** Unused, before it is closed. Servers may say less. */
  readonly keepAliveMsMax: number
  /** Of one name, that are tried one after the other. */
  readonly addressesTriedMax: number
  /** In PEM, trusted instead of Node's: for networks that have an authority of their own. */
  readonly authorities?: readonly string[] | undefined
  /** Offer it in TLS. HTTP/1.1 is preferred, for its heads are kept as they came. */
  readonly http2: boolean
  readonly names?: Partial<NamesOptions> | undefined
  /** Told of bytes of bodies as they come. Nothing more is read of that body until what it gives has resolved: so a rate is kept. */
  readonly received?: ((bytes: number) => Promise<void> | undefined) | undefined
}

const defaults = {
  memoryBytesMax: 1024 * 1024,
  connectionsMax: 1_024,
  keepAliveMsMax: 60_000,
  addressesTriedMax: 4,
  http2: true,
}

/** Kept-alive connections that turn out to be closed, before it is the server's fault. */
const attemptsMax = 3

interface WebNeeds {
  readonly clock: Clock
  readonly random: Random
  readonly disk: Disk
}

export class WebClosed extends PolyhistorError {
  constructor() {
    super('web-closed', 'The fetch was ended because the program is stopping', { retry: 'later' })
  }
}

/** Makes the spool folder, or empties it. */
export async function startWeb(
  needs: WebNeeds,
  options: Pick<WebOptions, 'spoolFolder'> & Partial<WebOptions>,
): Promise<RealWeb> {
  const { spoolFolder } = options
  await needs.disk.makeFolder(spoolFolder)
  const names = await needs.disk.list(spoolFolder)
  for (const name of names) if (name.endsWith('.spool')) await needs.disk.remove(join(spoolFolder, name))
  return new RealWeb(needs, { ...defaults, ...options })
}

export class RealWeb implements Web {
  readonly #needs: WebNeeds
  readonly #options: WebOptions
  readonly #names: Names
  readonly #connections: Connections
  readonly #opening: Opening
  readonly #exchanges = new Set<Exchange>()
  readonly #closing = new AbortController()

  constructor(needs: WebNeeds, options: WebOptions) {
    this.#needs = needs
    this.#options = options
    this.#names = new Names(needs, options.names)
    this.#connections = new Connections(options.connectionsMax)
    this.#opening = new Opening(
      { clock: needs.clock, names: this.#names, connections: this.#connections },
      options,
    )
  }

  async fetch(request: WebRequest, signal?: AbortSignal): Promise<WebAnswer> {
    const startMs = this.#needs.clock.monotonicMs()
    const key = request.insecure ? `insecure ${request.url.origin}` : request.url.origin
    signal?.throwIfAborted()
    this.#closing.signal.throwIfAborted()
    const signals = [signal, this.#closing.signal]
    const { method = 'GET' } = request
    let idle = method === 'GET' ? this.#connections.take(key, request.allow) : undefined
    for (let attempt = 1; ; attempt++) {
      const connection = idle ?? (await this.#opening.open(key, request, startMs, signals))
      if (!(connection instanceof Connection)) return connection
      if (signals.some((each) => each?.aborted)) void this.#connections.discard(connection)
      for (const each of signals) each?.throwIfAborted()
      const end = await this.#exchange(connection, request, startMs, signal)
      if (end !== 'stale') return end
      if (attempt === attemptsMax) return webFailure('reset', 'other side closed', connection.address)
      idle = undefined
    }
  }

  async close(): Promise<void> {
    if (this.#closing.signal.aborted) return
    const reason = new WebClosed()
    this.#closing.abort(reason)
    for (const exchange of this.#exchanges) exchange.abort(reason)
    this.#names.close()
    await this.#connections.close()
  }

  async #exchange(
    connection: Connection,
    request: WebRequest,
    startMs: number,
    signal: AbortSignal | undefined,
  ): Promise<WebAnswer | 'stale'> {
    const body = new IncomingBody(
      { disk: this.#needs.disk, newSpoolPath: () => this.#newSpoolPath() },
      this.#options.memoryBytesMax,
    )
    const { received } = this.#options
    const exchange = new Exchange({ clock: this.#needs.clock, connection, body, received }, request, startMs)
    const abort = (): void => exchange.abort(signal!.reason)
    signal?.addEventListener('abort', abort, { once: true })
    this.#exchanges.add(exchange)
    try {
      return await exchange.run()
    } finally {
      signal?.removeEventListener('abort', abort)
      this.#exchanges.delete(exchange)
      this.#connections.giveBack(connection)
    }
  }

  #newSpoolPath(): string {
    return join(this.#options.spoolFolder, `${this.#needs.random.uuid()}.spool`)
  }
}
