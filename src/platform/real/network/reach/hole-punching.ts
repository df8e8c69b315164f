// A connection of their own for two peers that met through a relay: both dial each other at the same moment, each from a port whose way
// through its router the relay has just seen, so that each one's router takes what comes from the other for an answer.
//
// The one that dialled the other through the relay leads: it tries the other's addresses, lets the other try its own, and then
// both dial at once. A way out is a fresh connection to the relay from a port of our own: the relay says where it sees it come from.
// libp2p's DCUtR does not do this with TCP on Node: it dials from any port, to which no router has a mapping.
//
// Invariants: one attempt with a peer at a time, led or asked for; who asks is served once in `pauseMs`, all together `preparingMax` at once,
// as nobody is to knock at many doors by us. Addresses that others give are dialled only if they are direct ones, given as numbers
// and not of this machine (`canBeOffered`), at most `addressesTriedMax` of them, each `triesMax` times. A way out that nobody uses is closed.

import { createServer } from 'node:net'
import { LruCache } from '../../../../model/lru-cache.ts'
import type { PeerId } from '../../../network/network.ts'
import type { Connection } from '../node.ts'
import { canBeOffered, isRelayed, placePartOf, relayOf } from './multiaddress.ts'
import { askReach } from './reach-calls.ts'
import type { ReachAnswer } from './reach-messages.ts'
import type { Transports } from './transports.ts'

const plainMsMax = 3_000
const prepareMsMax = 5_000
/** From the moment at which both begin. */
const punchMsMax = 6_000
const tryMsMax = 3_000
const againMs = 150
const triesMax = 20
const addressesTriedMax = 4
const preparedMax = 64
/** Between being prepared and beginning the other tries our addresses and makes a way out of its own. */
const preparedMsMax = 20_000
const preparingMax = 8
/** Whoever leads waits longer before it asks again. */
const pauseMs = 5_000

interface WayOut {
  readonly localPort: number
  /** Where others see it come from. */
  readonly address: string
  /** Keeps the router's mapping. */
  readonly connection: Connection
  timer?: NodeJS.Timeout
}

interface PunchNeeds {
  readonly self: PeerId
  readonly transports: Transports
  connections(peer: PeerId): Connection[]
  /** Our own direct addresses, best first. */
  ownAddresses(): readonly string[]
  /** Greets on it, as the one that dialled; it is used from then on. */
  greet(connection: Connection): Promise<void>
}

export class HolePunching {
  readonly #needs: PunchNeeds
  readonly #busy = new Set<PeerId>()
  readonly #prepared = new Map<PeerId, WayOut>()
  readonly #preparing = new Set<PeerId>()
  readonly #askedAtMs = new LruCache<PeerId, number>({ max: 1_024 })
  /** Connections that nobody else could have made: they say nothing of how the other is reached. */
  readonly #made = new WeakSet<Connection>()
  /** Since the start. */
  succeeded = 0
  failed = 0

  constructor(needs: PunchNeeds) {
    this.#needs = needs
  }

  isPunched(connection: Connection): boolean {
    return this.#made.has(connection)
  }

  /** Leads. Gives whether there is a direct connection now. */
  async lead(relayed: Connection, signal: AbortSignal): Promise<boolean> {
    const peer = relayed.remotePeer.toString()
    if (this.#isDirect(peer)) return true
    if (this.#busy.has(peer)) return false
    this.#busy.add(peer)
    let way: WayOut | undefined
    try {
      const begunMs = performance.now()
      const prepared = await askReach(relayed, this.#prepare(), signal)
      const roundTripMs = Math.min(performance.now() - begunMs, prepareMsMax)
      if (prepared.isDirect || this.#isDirect(peer)) return true
      if (await this.#tryPlain(peer, prepared.addresses, signal)) return true
      way = await this.#wayOut(relayed, signal)
      if (way === undefined) return false
      return await this.#punchTogether(relayed, way, { prepared, roundTripMs }, signal)
    } catch {
      return false
    } finally {
      this.#busy.delete(peer)
      if (this.#isDirect(peer)) this.succeeded++
      else this.failed++
      way?.connection.close().catch(() => {})
    }
  }

  /** The other leads, and asks us to be ready. Throws when it asks too often. */
  async prepare(
    relayed: Connection,
    addresses: readonly string[],
    signal: AbortSignal,
  ): Promise<Partial<ReachAnswer>> {
    const peer = relayed.remotePeer.toString()
    if (!isRelayed(relayed.remoteAddr.toString()) || this.#isDirect(peer)) return { isDirect: true }
    this.#mustBeSeldom(peer)
    this.#preparing.add(peer)
    try {
      return await this.#makeReady(relayed, addresses, signal)
    } finally {
      this.#preparing.delete(peer)
    }
  }

  #mustBeSeldom(peer: PeerId): void {
    const nowMs = performance.now()
    const isSoon = nowMs - (this.#askedAtMs.get(peer) ?? Number.NEGATIVE_INFINITY) < pauseMs
    if (isSoon || this.#preparing.has(peer) || this.#preparing.size >= preparingMax)
      throw new Error('too many questions')
    this.#askedAtMs.set(peer, nowMs)
  }

  async #makeReady(
    relayed: Connection,
    addresses: readonly string[],
    signal: AbortSignal,
  ): Promise<Partial<ReachAnswer>> {
    const peer = relayed.remotePeer.toString()
    if (await this.#tryPlain(peer, addresses, signal)) return { isDirect: true }
    const way = await this.#wayOut(relayed, signal).catch(() => undefined)
    if (way === undefined) return { addresses: [...this.#needs.ownAddresses()].slice(0, addressesTriedMax) }
    this.#forget(peer)
    if (this.#prepared.size >= preparedMax) this.#forget(this.#prepared.keys().next().value!)
    this.#prepared.set(peer, way)
    way.timer = setTimeout(() => {
      if (this.#prepared.get(peer) === way) this.#forget(peer)
    }, preparedMsMax)
    way.timer.unref()
    return { addresses: [way.address, ...this.#needs.ownAddresses()].slice(0, addressesTriedMax) }
  }

  /** The other leads, and dials at this moment. */
  go(relayed: Connection, addresses: readonly string[]): void {
    const peer = relayed.remotePeer.toString()
    const way = this.#prepared.get(peer)
    if (way === undefined) return
    this.#prepared.delete(peer)
    clearTimeout(way.timer)
    this.#punch(peer, addresses, way.localPort, false, AbortSignal.timeout(punchMsMax))
      .catch(() => {})
      .finally(() => way.connection.close().catch(() => {}))
  }

  end(): void {
    for (const peer of [...this.#prepared.keys()]) this.#forget(peer)
  }

  #prepare() {
    return {
      kind: 'prepare',
      addresses: [...this.#needs.ownAddresses()].slice(0, addressesTriedMax),
    } as const
  }

  async #punchTogether(
    relayed: Connection,
    way: WayOut,
    { prepared, roundTripMs: first }: { prepared: ReachAnswer; roundTripMs: number },
    signal: AbortSignal,
  ): Promise<boolean> {
    const askedMs = performance.now()
    await askReach(relayed, { kind: 'seen' }, signal)
    const roundTripMs = Math.min(first, performance.now() - askedMs)
    const going = askReach(relayed, { kind: 'go', addresses: [way.address] }, signal)
    going.catch(() => {})
    await new Promise((resolve) => setTimeout(resolve, roundTripMs / 2))
    const peer = relayed.remotePeer.toString()
    const [theirs] = prepared.addresses
    if (theirs === undefined) return false
    const until = AbortSignal.any([signal, AbortSignal.timeout(punchMsMax)])
    const connection = await this.#punch(peer, [theirs], way.localPort, true, until)
    if (connection === undefined) return this.#isDirect(peer)
    await this.#needs.greet(connection)
    return true
  }

  /** Dials from this port until the other's dialling meets ours. */
  async #punch(
    peer: PeerId,
    addresses: readonly string[],
    localPort: number,
    isFirst: boolean,
    signal: AbortSignal,
  ): Promise<Connection | undefined> {
    const [address] = dialable(peer, addresses)
    for (let tries = 0; tries < triesMax; tries++) {
      if (address === undefined || signal.aborted || this.#isDirect(peer)) return undefined
      try {
        const within = AbortSignal.any([signal, AbortSignal.timeout(tryMsMax)])
        const connection = await this.#needs.transports.dialDirect(address, {
          signal: within,
          localPort,
          isFirst,
        })
        this.#made.add(connection)
        return connection
      } catch {
        await new Promise((resolve) => setTimeout(resolve, againMs))
      }
    }
    return undefined
  }

  /** Where one of the two can be dialled as it is. */
  async #tryPlain(peer: PeerId, addresses: readonly string[], signal: AbortSignal): Promise<boolean> {
    const within = AbortSignal.any([signal, AbortSignal.timeout(plainMsMax)])
    const tries = dialable(peer, addresses).map(async (address) => {
      const connection = await this.#needs.transports.dialDirect(address, { signal: within })
      await this.#needs.greet(connection)
    })
    return Promise.any(tries).then(
      () => true,
      () => false,
    )
  }

  async #wayOut(relayed: Connection, signal: AbortSignal): Promise<WayOut | undefined> {
    const relay = relayOf(relayed.remoteAddr.toString())
    if (relay === undefined) return undefined
    const towards = this.#needs
      .connections(relay)
      .find(({ remoteAddr, direction }) => direction === 'outbound' && !isRelayed(remoteAddr.toString()))
    const place = placePartOf(towards?.remoteAddr.toString() ?? '')
    if (place === undefined) return undefined
    const within = AbortSignal.any([signal, AbortSignal.timeout(prepareMsMax)])
    const localPort = await freePort()
    const connection = await this.#needs.transports.dialDirect(`${place}/p2p/${relay}`, {
      signal: within,
      localPort,
    })
    try {
      const { seen } = await askReach(connection, { kind: 'seen' }, within)
      const address = placePartOf(seen)
      if (address === undefined) throw new Error('the relay does not say where it sees us')
      return { localPort, address, connection }
    } catch (error) {
      connection.abort(error as Error)
      throw error
    }
  }

  #isDirect(peer: PeerId): boolean {
    return this.#needs
      .connections(peer)
      .some(({ status, remoteAddr }) => status === 'open' && !isRelayed(remoteAddr.toString()))
  }

  #forget(peer: PeerId): void {
    const way = this.#prepared.get(peer)
    clearTimeout(way?.timer)
    way?.connection.close().catch(() => {})
    this.#prepared.delete(peer)
  }
}

function dialable(peer: PeerId, addresses: readonly string[]): string[] {
  return addresses
    .filter(canBeOffered)
    .flatMap((address) => placePartOf(address) ?? [])
    .slice(0, addressesTriedMax)
    .map((place) => `${place}/p2p/${peer}`)
}

/** Libuv lets several sockets have it, as long as none of them listens. */
async function freePort(): Promise<number> {
  const server = createServer()
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, () => {
      const { port } = server.address() as { port: number }
      server.close(() => resolve(port))
    })
  })
}
