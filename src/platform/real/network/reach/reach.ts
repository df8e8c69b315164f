// How others reach this peer: finds out whether they do, and makes a way in where they do not: a port of the router, relays, and direct
// connections with those that were met through a relay.
//
// Its life: somebody elsewhere was met → is asked to dial us → all who were asked reach us: nothing more is done; else the router is asked for a
// port, and relays for a place, until it is so. Asked again when our addresses change, and now and then. Peers on this machine are never
// asked: they say nothing of others. Whom we are connected with is told of our new addresses; the ring tells the rest.

import type { Libp2p } from 'libp2p'
import { LruCache } from '../../../../model/lru-cache.ts'
import type { PeerId } from '../../../network/network.ts'
import type { ReachOptions, ReachView } from '../../../network/peer-network.ts'
import type { Connection } from '../node.ts'
import { CallingBack } from './calling-back.ts'
import { HolePunching } from './hole-punching.ts'
import { byReach, hostPartOf, isLoopback, isRelayed, portOf } from './multiaddress.ts'
import { PortMapping } from './port-mapping.ts'
import { answerReach, askReach } from './reach-calls.ts'
import { addressesMax, portsMax, type ReachAnswer, type ReachQuestion } from './reach-messages.ts'
import { Relays } from './relays.ts'
import { agreedPlaces, testimonyOf } from './testimony.ts'
import type { Transports } from './transports.ts'

const askedMax = 4
const firstLookMs = 300
const tickMs = 5_000
const lookAgainMs = { unknown: 5_000, unreached: 60_000, reached: 300_000 } as const
const mapAgainMs = 600_000
const toldMax = 64
const ownMs = 1_000
const punchFirstMs = 60_000
const punchLongestMs = 3_600_000
const punchesAtOnceMax = 4
const externalMax = 4

interface ReachNeeds {
  readonly node: Libp2p
  readonly transports: Transports
  isAdmitted(connection: Connection): boolean
  learn(peer: PeerId, addresses: string[]): void
  greet(connection: Connection): Promise<void>
  /** How many have a place at this peer's relay. */
  relayedFor(): number
}

interface Punched {
  failures: number
  notBeforeMs: number
}

export class Reach {
  readonly #needs: ReachNeeds
  readonly #options: ReachOptions
  readonly #self: PeerId
  readonly #callingBack: CallingBack
  readonly #punching: HolePunching
  readonly #mapping = new PortMapping()
  readonly #relays: Relays
  readonly #punched = new LruCache<PeerId, Punched>({ max: 1_024 })
  readonly #end = new AbortController()
  readonly #tick: NodeJS.Timeout
  #state: 'unknown' | 'reached' | 'unreached' = 'unknown'
  #asked = 0
  #reachedBy = 0
  #seen: string[] = []
  /** Where we were reached that we did not know of ourselves. */
  #external: string[] = []
  #told: string
  #direct: string
  #lookedAtMs = Number.NEGATIVE_INFINITY
  #mappedAtMs = Number.NEGATIVE_INFINITY
  #soon: NodeJS.Timeout | undefined
  #looking: Promise<void> | undefined
  #punches = 0
  #own: { addresses: readonly string[]; readAtMs: number } = {
    addresses: [],
    readAtMs: Number.NEGATIVE_INFINITY,
  }

  constructor(needs: ReachNeeds, options: ReachOptions) {
    this.#needs = needs
    this.#options = options
    this.#self = needs.node.peerId.toString()
    this.#callingBack = new CallingBack(needs.transports)
    this.#relays = new Relays(this.#self, needs.transports)
    this.#punching = new HolePunching({
      self: this.#self,
      transports: needs.transports,
      connections: (peer) => this.#connections().filter(({ remotePeer }) => remotePeer.toString() === peer),
      ownAddresses: () => [...this.#external, ...this.#ownDirect()].filter((address) => !isLoopback(address)),
      greet: (connection) => needs.greet(connection),
    })
    this.#direct = this.#ownDirect().join()
    this.#told = this.addresses().join()
    this.#tick = setInterval(() => this.#beat(), tickMs)
    this.#tick.unref()
  }

  listen(): Promise<void> {
    return answerReach(
      this.#needs.node,
      (peer) => this.isMember(peer),
      (connection, question) => this.#answer(connection, question),
    )
  }

  /** Whether a connection with this peer was admitted. */
  isMember(peer: PeerId): boolean {
    return this.#connections().some(
      (connection) => connection.remotePeer.toString() === peer && this.#needs.isAdmitted(connection),
    )
  }

  /** Where others reach us: what leads here from furthest away first. */
  addresses(): string[] {
    const direct = [...new Set([...this.#external, ...this.#ownDirect()])]
    const relayed = this.#relays.addresses()
    return this.#state === 'unreached'
      ? [...byReach(relayed), ...byReach(direct)]
      : byReach([...direct, ...relayed])
  }

  /** A connection was greeted on, and is welcome. */
  admitted(connection: Connection): void {
    if (isLoopback(connection.remoteAddr.toString())) return
    if (isRelayed(connection.remoteAddr.toString())) this.#punchSoon(connection)
    else if (this.#state === 'unknown' || (this.#state === 'unreached' && this.#relays.peers().length === 0))
      this.#lookSoon()
  }

  view(): ReachView {
    const connections = this.#connections().filter((connection) => this.#needs.isAdmitted(connection))
    const relays = this.#relays.peers()
    return {
      state: this.#state === 'unreached' && relays.length > 0 ? 'relayed' : this.#state,
      asked: this.#asked,
      reachedBy: this.#reachedBy,
      seenAt: this.#seen,
      addresses: this.addresses(),
      router: this.#mapping.result,
      relays,
      relayedFor: this.#needs.relayedFor(),
      connections: {
        direct: connections.filter(({ remoteAddr }) => !isRelayed(remoteAddr.toString())).length,
        relayed: connections.filter(({ remoteAddr }) => isRelayed(remoteAddr.toString())).length,
        punched: connections.filter((connection) => this.#punching.isPunched(connection)).length,
      },
      punches: { succeeded: this.#punching.succeeded, failed: this.#punching.failed },
    }
  }

  async end(): Promise<void> {
    this.#end.abort(new Error('closed'))
    clearInterval(this.#tick)
    clearTimeout(this.#soon)
    this.#punching.end()
    await this.#mapping.close()
  }

  async #answer(connection: Connection, question: ReachQuestion): Promise<Partial<ReachAnswer>> {
    const { signal } = this.#end
    if (question.kind === 'callBack')
      return { ports: await this.#callingBack.answer(connection, question.ports) }
    if (question.kind === 'moved')
      this.#needs.learn(connection.remotePeer.toString(), [...question.addresses])
    if (!this.#options.holePunching) return {}
    if (question.kind === 'prepare') return this.#punching.prepare(connection, question.addresses, signal)
    if (question.kind === 'go') this.#punching.go(connection, question.addresses)
    return {}
  }

  #beat(): void {
    const direct = this.#ownDirect().join()
    if (direct !== this.#direct) {
      this.#direct = direct
      this.#lookSoon()
    } else if (performance.now() - this.#lookedAtMs >= lookAgainMs[this.#state]) this.#lookSoon()
    if (this.#state === 'unreached') void this.#findRelays()
    for (const connection of this.#connections())
      if (isRelayed(connection.remoteAddr.toString())) this.#punchSoon(connection)
    this.#tellIfMoved()
  }

  #lookSoon(): void {
    if (this.#soon !== undefined || this.#end.signal.aborted || this.#ports().length === 0) return
    this.#soon = setTimeout(() => {
      this.#soon = undefined
      this.#looking ??= this.#look()
        .catch(() => {})
        .finally(() => (this.#looking = undefined))
    }, firstLookMs)
    this.#soon.unref()
  }

  async #look(): Promise<void> {
    this.#lookedAtMs = performance.now()
    const ports = this.#ports()
    const answers = await Promise.allSettled(
      this.#witnesses().map(async (connection) =>
        testimonyOf(
          connection.remoteAddr.toString(),
          await askReach(connection, { kind: 'callBack', ports }, this.#end.signal),
          ports,
        ),
      ),
    )
    const heard = answers.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []))
    if (heard.length === 0) return
    const reached = heard.filter(({ places }) => places.length > 0)
    this.#asked = heard.length
    this.#reachedBy = reached.length
    this.#seen = [...new Set(heard.flatMap(({ host }) => host ?? []))]
    const own = this.#ownDirect()
    this.#external = agreedPlaces(heard)
      .map((place) => `${place}/p2p/${this.#self}`)
      .filter((address) => !own.includes(address))
      .slice(0, externalMax)
    this.#state = reached.length === heard.length ? 'reached' : 'unreached'
    if (this.#state === 'reached') this.#relays.drop()
    else {
      await this.#findRelays()
      this.#mapPort()
    }
    this.#tellIfMoved()
  }

  /** Those who can tell how we are reached, of different hosts, the farthest first. */
  #witnesses(): Connection[] {
    const byHost = new Map<string, Connection>()
    const addresses = byReach(this.#connections().map(({ remoteAddr }) => remoteAddr.toString()))
    for (const address of addresses) {
      const host = hostPartOf(address)
      if (host === undefined || isLoopback(address) || byHost.has(host)) continue
      const connection = this.#connections().find(
        (one) => one.remoteAddr.toString() === address && this.#needs.isAdmitted(one),
      )
      if (connection !== undefined && !this.#punching.isPunched(connection)) byHost.set(host, connection)
    }
    return [...byHost.values()].slice(0, askedMax)
  }

  async #findRelays(): Promise<void> {
    if (!this.#options.relays || this.#end.signal.aborted) return
    const candidates = this.#connections().filter(
      (connection) => this.#needs.isAdmitted(connection) && !this.#punching.isPunched(connection),
    )
    if (await this.#relays.fill(candidates)) this.#tellIfMoved()
  }

  #mapPort(): void {
    const nowMs = performance.now()
    const [place] = this.#ownDirect().filter((address) => /^\/ip4\//.test(address) && !isLoopback(address))
    if (!this.#options.portMapping || place === undefined || nowMs - this.#mappedAtMs < mapAgainMs) return
    this.#mappedAtMs = nowMs
    const host = hostPartOf(place)!.slice('/ip4/'.length)
    this.#mapping.open(portOf(place)!, host).then(
      (isMapped) => isMapped && this.#lookSoon(),
      () => {},
    )
  }

  #tellIfMoved(): void {
    const addresses = this.addresses()
    if (addresses.join() === this.#told || this.#end.signal.aborted) return
    this.#told = addresses.join()
    const question = { kind: 'moved', addresses: addresses.slice(0, addressesMax) } as const
    const admitted = this.#connections().filter((connection) => this.#needs.isAdmitted(connection))
    for (const connection of admitted.slice(0, toldMax))
      askReach(connection, question, this.#end.signal).catch(() => {})
  }

  #punchSoon(connection: Connection): void {
    const peer = connection.remotePeer.toString()
    if (!this.#options.holePunching || connection.direction !== 'outbound' || this.#end.signal.aborted) return
    const nowMs = performance.now()
    const before = this.#punched.get(peer)
    if (before !== undefined && nowMs < before.notBeforeMs) return
    if (!this.#needs.isAdmitted(connection) || this.#punches >= punchesAtOnceMax) return
    const failures = before?.failures ?? 0
    const pauseMs = Math.min(punchLongestMs, punchFirstMs * 4 ** failures)
    this.#punched.set(peer, { failures: failures + 1, notBeforeMs: nowMs + pauseMs })
    this.#punches++
    void this.#punching
      .lead(connection, this.#end.signal)
      .then((isDirect) => {
        if (isDirect) this.#punched.delete(peer)
      })
      .finally(() => this.#punches--)
  }

  #connections(): Connection[] {
    return this.#needs.node.getConnections().filter(({ status }) => status === 'open')
  }

  /** Where we listen. The system is asked once in a while only: the ring tells our address all the time. */
  #ownDirect(): readonly string[] {
    const nowMs = performance.now()
    if (nowMs - this.#own.readAtMs > ownMs) {
      const addresses = this.#needs.node.getMultiaddrs().map(String)
      this.#own = { addresses: addresses.filter((address) => !isRelayed(address)), readAtMs: nowMs }
    }
    return this.#own.addresses
  }

  /** That we listen on, or that lead there. */
  #ports(): number[] {
    const own = this.#ownDirect().flatMap((address) => portOf(address) ?? [])
    return [...new Set([...this.#mapping.ports.values(), ...own])].slice(0, portsMax)
  }
}
