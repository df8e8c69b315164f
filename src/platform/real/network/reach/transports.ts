// The two ways to another peer: straight, by TCP, and through a third peer that passes bytes on (circuit relay). libp2p chooses
// among them by address; here they are also dialled by hand, past its queue, from a port of our choice.
//
// libp2p's relay client asks for its identify service, to find relays by itself. It is not given one: relays.ts chooses them.

import { circuitRelayTransport } from '@libp2p/circuit-relay-v2'
import { peerIdFromString } from '@libp2p/peer-id'
import { tcp } from '@libp2p/tcp'
import { multiaddr } from '@multiformats/multiaddr'
import type { PeerId } from '../../../network/network.ts'
import type { Connection } from '../node.ts'

type TcpFactory = ReturnType<typeof tcp>
type Tcp = ReturnType<TcpFactory>
type CircuitFactory = ReturnType<typeof circuitRelayTransport>
type Circuit = ReturnType<CircuitFactory>
type Components = Parameters<CircuitFactory>[0]

type Upgrader = Components['upgrader']

const serviceDependencies = Symbol.for('@libp2p/service-dependencies')

/** Of the relay client that we know of: what it has that its type does not tell. */
interface Reservations {
  addRelay(peer: ReturnType<typeof peerIdFromString>, type: 'configured'): Promise<unknown>
  hasReservation(peer: ReturnType<typeof peerIdFromString>): boolean
  cancelReservations(): void
}

export interface DirectDial {
  readonly signal: AbortSignal
  /** From this port of ours. */
  readonly localPort?: number
  /** Who speaks first, where both have dialled at once; we do unless told. */
  readonly isFirst?: boolean
}

export class Transports {
  #tcp: Tcp | undefined
  #circuit: Circuit | undefined
  #components: Components | undefined
  readonly #relayed = new Map<PeerId, Promise<Connection>>()

  /** What libp2p is made with. */
  readonly factories: [TcpFactory, CircuitFactory] = [
    (components) => {
      const made = tcp({ dialOpts: { noDelay: true }, listenOpts: { noDelay: true } })(components)
      this.#tcp = made
      return made
    },
    (components) => {
      const made = circuitRelayTransport()(components)
      Object.defineProperty(made, serviceDependencies, { value: [] })
      this.#components = components
      this.#circuit = made
      return made
    },
  ]

  /** Straight to this address, and to nobody else than it names. */
  async dialDirect(address: string, { signal, localPort, isFirst = true }: DirectDial): Promise<Connection> {
    // Node ends the socket when the signal it was opened with fires, also long after: ours must not.
    const giveUp = new AbortController()
    const pass = (): void => giveUp.abort(signal.reason)
    if (signal.aborted) pass()
    signal.addEventListener('abort', pass)
    try {
      const options = {
        signal: giveUp.signal,
        upgrader: isFirst ? this.#components!.upgrader : this.#secondUpgrader,
        initiator: isFirst,
        ...(localPort !== undefined && { localPort }),
      }
      return await this.#tcp!.dial(multiaddr(address), options)
    } finally {
      signal.removeEventListener('abort', pass)
    }
  }

  /** libp2p takes whoever dials for the one that speaks first, down to the numbers of streams. */
  get #secondUpgrader(): Upgrader {
    const { upgrader } = this.#components!
    return Object.assign(Object.create(upgrader), {
      upgradeOutbound: (...[connection, options]: Parameters<Upgrader['upgradeOutbound']>) => {
        Object.assign(connection, { direction: 'inbound' })
        return upgrader.upgradeOutbound(connection, options)
      },
    })
  }

  /** Through the relay that the address names. Who dials twice at once gets the same connection. */
  dialRelayed(peer: PeerId, addresses: readonly string[], signal: AbortSignal): Promise<Connection> {
    let dialling = this.#relayed.get(peer)
    if (dialling === undefined) {
      dialling = this.#dialRelayed(addresses, signal).finally(() => this.#relayed.delete(peer))
      this.#relayed.set(peer, dialling)
    }
    return dialling
  }

  async #dialRelayed(addresses: readonly string[], signal: AbortSignal): Promise<Connection> {
    let failure: unknown
    for (const address of addresses) {
      try {
        const upgrader = this.#components!.upgrader
        return await this.#circuit!.dial(multiaddr(address), { signal, upgrader })
      } catch (error) {
        failure = error
        if (signal.aborted) break
      }
    }
    throw failure ?? new Error('it has no relayed address')
  }

  /** Asks a connected peer to pass on to us what others send us through it. Rejects when it does not. */
  async reserve(relay: PeerId): Promise<void> {
    await this.#reservations.addRelay(peerIdFromString(relay), 'configured')
  }

  isReserved(relay: PeerId): boolean {
    return this.#reservations.hasReservation(peerIdFromString(relay))
  }

  cancelReservations(): void {
    this.#reservations.cancelReservations()
  }

  get #reservations(): Reservations {
    return (this.#circuit as unknown as { readonly reservationStore: Reservations }).reservationStore
  }
}
