// From a request to a connection that may carry it: its name resolved, every address put to the request's rule, the
// allowed ones tried one after the other. All within the request's time.

import type { Url } from '../../../model/url/url.ts'
import type { Clock } from '../../clock.ts'
import type { WebFailure, WebRequest } from '../../network/web.ts'
import { openSocket, type TlsTarget } from './connect.ts'
import { Connection } from './connection.ts'
import type { Connections } from './connections.ts'
import { webFailure } from './failure.ts'
import type { Names } from './names.ts'
import type { WebOptions } from './web.ts'
import { WholeTime } from './whole-time.ts'

type OpeningOptions = Pick<WebOptions, 'keepAliveMsMax' | 'addressesTriedMax' | 'authorities' | 'http2'>

interface OpeningNeeds {
  readonly clock: Clock
  readonly names: Names
  readonly connections: Connections
}

export class Opening {
  readonly #needs: OpeningNeeds
  readonly #options: OpeningOptions

  constructor(needs: OpeningNeeds, options: OpeningOptions) {
    this.#needs = needs
    this.#options = options
  }

  /** Rejects with the reason of whichever signal is aborted. */
  async open(
    key: string,
    request: WebRequest,
    startMs: number,
    signals: readonly (AbortSignal | undefined)[],
  ): Promise<Connection | WebFailure> {
    const { clock, connections } = this.#needs
    const { totalMsMax } = request.limits
    const time = new WholeTime(clock, startMs + totalMsMax, signals)
    try {
      const addresses = await time.within(this.#addressesOf(request))
      if ('outcome' in addresses) return addresses
      const free = await connections.enter(key, request.allow, time.signal)
      return free ?? (await this.#connect(key, request, addresses, time.signal))
    } catch (error) {
      if (!time.isOver(error)) throw error
      return webFailure('timeout', `no connection within ${totalMsMax} ms`)
    } finally {
      time.end()
    }
  }

  async #addressesOf({ url, allow }: WebRequest): Promise<readonly string[] | WebFailure> {
    const literal = literalOf(url)
    const answer = literal === undefined ? await this.#needs.names.resolve(url.host) : [literal]
    if ('outcome' in answer) return answer
    const refusals = answer.map((address) => allow.refusal(address))
    const allowed = answer.filter((_, index) => refusals[index] === undefined)
    if (allowed.length > 0) return allowed.slice(0, this.#options.addressesTriedMax)
    const name = literal === undefined ? `${url.host}: ` : ''
    return webFailure('address-forbidden', name + refusals.join('; '))
  }

  /** Has room, and either fills it or leaves it. */
  async #connect(
    key: string,
    request: WebRequest,
    addresses: readonly string[],
    signal: AbortSignal,
  ): Promise<Connection | WebFailure> {
    const { url, allow } = request
    const { connections } = this.#needs
    let connection: Connection | undefined
    try {
      const open = await this.#openFirst(request, addresses, signal)
      if ('outcome' in open) return open
      connection = new Connection(key, url.origin, open, allow, this.#options.keepAliveMsMax)
      connections.add(connection)
      return connection
    } finally {
      if (connection === undefined) connections.leave()
    }
  }

  async #openFirst(
    request: WebRequest,
    addresses: readonly string[],
    signal: AbortSignal,
  ): ReturnType<typeof openSocket> {
    const { url, limits } = request
    let failure: WebFailure | undefined
    for (const address of addresses) {
      const target = { address, port: url.port, tls: this.#tlsTarget(request) }
      const open = await openSocket(this.#needs.clock, target, limits.connectMsMax, signal)
      // What the certificate says of the name, it says at every address.
      if ('socket' in open || open.code === 'tls-failed') return open
      failure = open
    }
    return failure!
  }

  #tlsTarget({ url, insecure = false }: WebRequest): TlsTarget | undefined {
    if (url.scheme === 'http') return undefined
    const { authorities, http2 } = this.#options
    const protocols = http2 ? ['http/1.1', 'h2'] : ['http/1.1']
    return { name: literalOf(url) ?? url.host, insecure, authorities, protocols }
  }
}

/** The address that the host is, if it is one. */
function literalOf(url: Url): string | undefined {
  if (url.host.startsWith('[')) return url.host.slice(1, -1)
  return /^\d+\.\d+\.\d+\.\d+$/.test(url.host) ? url.host : undefined
}
