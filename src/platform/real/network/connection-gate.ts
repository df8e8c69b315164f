// Who waits at the peers' port: connections that others have opened, from the first byte until they have been greeted.
//
// Invariants: at most `connectionsPendingMax` wait, at most `connectionsPendingPerAddressMax` from one address (IPv6: one /64),
// none for longer than `pendingMsMax`. A newcomer is never turned away because others wait: it takes the place of the oldest from
// its own address when that has too many, else of the oldest from the address that has most. So a peer that holds connections
// without a greeting loses them to others. Addresses from which members have come, and this machine's own, lose theirs last.
// Admitted connections are counted apart: when there are too many of them, no more are admitted.

import { clientAddress, isLoopbackAddress } from '../http-server/client-address.ts'
import type { NetworkLimits } from './limits.ts'

/** A connection as the transport gives it, before anything is known of who is at its other end. */
export interface OpenedConnection {
  readonly remoteAddr: { toString(): string }
  abort(error: Error): void
  addEventListener(type: 'close', listener: () => void): void
}

interface Waiting {
  readonly connection: OpenedConnection
  readonly address: string
  readonly timer: NodeJS.Timeout
}

const knownMax = 1_024

export class ConnectionGate {
  readonly #limits: NetworkLimits
  /** By the other end's address and port, the oldest first. */
  readonly #waiting = new Map<string, Waiting>()
  readonly #inside = new Set<string>()
  /** Addresses from which members have come. */
  readonly #known = new Set<string>()

  constructor(limits: NetworkLimits) {
    this.#limits = limits
  }

  get waitingCount(): number {
    return this.#waiting.size
  }

  /** Of the connections that others open; some are kept for those that we open. */
  get isFull(): boolean {
    const { connectionsMax, connectionsOutboundMin } = this.#limits
    return this.#inside.size >= Math.max(1, connectionsMax - connectionsOutboundMin)
  }

  /** Whether admitting a waiting connection would exceed the limit: many at once can pass the first check together. */
  isTooLate(remoteAddr: string): boolean {
    return this.isFull && this.#waiting.has(nameOf(remoteAddr))
  }

  enter(connection: OpenedConnection): void {
    const name = nameOf(connection.remoteAddr.toString())
    const address = addressOf(name)
    this.#makeRoom(address)
    const timer = setTimeout(
      () => connection.abort(new Error('did not say who it is')),
      this.#limits.pendingMsMax,
    )
    timer.unref()
    this.#waiting.set(name, { connection, address, timer })
    connection.addEventListener('close', () => this.#leave(name, connection))
  }

  /** It was greeted, and is welcome. Also of connections that we opened, which have never waited. */
  admit(remoteAddr: string): void {
    const name = nameOf(remoteAddr)
    const waiting = this.#waiting.get(name)
    if (waiting === undefined) return
    clearTimeout(waiting.timer)
    this.#waiting.delete(name)
    this.#inside.add(name)
    this.#known.delete(waiting.address)
    this.#known.add(waiting.address)
    if (this.#known.size > knownMax) this.#known.delete(this.#known.values().next().value!)
  }

  #leave(name: string, connection: OpenedConnection): void {
    const waiting = this.#waiting.get(name)
    this.#inside.delete(name)
    if (waiting?.connection !== connection) return
    clearTimeout(waiting.timer)
    this.#waiting.delete(name)
  }

  #makeRoom(address: string): void {
    const { connectionsPendingMax, connectionsPendingPerAddressMax } = this.#limits
    const counts = new Map<string, number>()
    for (const waiting of this.#waiting.values())
      counts.set(waiting.address, (counts.get(waiting.address) ?? 0) + 1)
    if ((counts.get(address) ?? 0) >= connectionsPendingPerAddressMax) this.#dropOldestOf(address)
    else if (this.#waiting.size >= connectionsPendingMax) this.#dropOldestOf(this.#crowded(counts))
  }

  /** The address with most of those that wait, of those that nobody is known to come from if there are any. */
  #crowded(counts: ReadonlyMap<string, number>): string {
    const byCount = [...counts].sort(([, one], [, other]) => other - one).map(([address]) => address)
    const isKept = (address: string): boolean => isLoopbackAddress(address) || this.#known.has(address)
    return byCount.find((address) => !isKept(address)) ?? byCount[0]!
  }

  #dropOldestOf(address: string): void {
    for (const [name, waiting] of this.#waiting) {
      if (waiting.address !== address) continue
      this.#leave(name, waiting.connection)
      waiting.connection.abort(new Error('others want to come in'))
      return
    }
  }
}

/** Without the peer's name, which an address has as soon as that is known. Through a relay the peer's name is all that tells
 * connections apart. */
function nameOf(remoteAddr: string): string {
  if (remoteAddr.includes('/p2p-circuit')) return remoteAddr
  return /^\/ip[46]\/[^/]+\/tcp\/\d+/.exec(remoteAddr)?.[0] ?? remoteAddr
}

/** `/ip4/192.0.2.1/tcp/7071` → `192.0.2.1` */
function addressOf(name: string): string {
  return clientAddress(/^\/ip[46]\/([^/]+)/.exec(name)?.[1] ?? '')
}
