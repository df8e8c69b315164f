// The peers that pass on to us what others send: as many as `relaysWanted`, chosen among those that we ourselves dialled straight, since these
// can be dialled. A relay that refuses, or is lost, is left alone for a while and another one is asked.

import { LruCache } from '../../../../model/lru-cache.ts'
import type { PeerId } from '../../../network/network.ts'
import type { Connection } from '../node.ts'
import { isLoopback, isRelayed, placePartOf, reachOf } from './multiaddress.ts'
import type { Transports } from './transports.ts'

const relaysWanted = 2
const refusedMs = 60_000

export class Relays {
  readonly #self: PeerId
  readonly #transports: Transports
  /** Where each was dialled. */
  readonly #places = new Map<PeerId, string>()
  readonly #refusedAtMs = new LruCache<PeerId, number>({ max: 256 })
  #isBusy = false

  constructor(self: PeerId, transports: Transports) {
    this.#self = self
    this.#transports = transports
  }

  peers(): PeerId[] {
    for (const relay of [...this.#places.keys()])
      if (!this.#transports.isReserved(relay)) this.#places.delete(relay)
    return [...this.#places.keys()]
  }

  /** Where others find us through them. */
  addresses(): string[] {
    return this.peers().map(
      (relay) => `${this.#places.get(relay)}/p2p/${relay}/p2p-circuit/p2p/${this.#self}`,
    )
  }

  /** Asks for what is missing. Gives whether there is a new one. */
  async fill(candidates: readonly Connection[]): Promise<boolean> {
    if (this.#isBusy) return false
    this.#isBusy = true
    try {
      let isNew = false
      for (const connection of this.#choice(candidates)) {
        if (this.peers().length >= relaysWanted) break
        isNew = (await this.#reserve(connection)) || isNew
      }
      return isNew
    } finally {
      this.#isBusy = false
    }
  }

  drop(): void {
    if (this.#places.size === 0) return
    this.#places.clear()
    this.#transports.cancelReservations()
  }

  #choice(candidates: readonly Connection[]): Connection[] {
    const nowMs = performance.now()
    const isFit = ({ remotePeer, remoteAddr, direction }: Connection): boolean => {
      const peer = remotePeer.toString()
      const address = remoteAddr.toString()
      const refusedAtMs = this.#refusedAtMs.get(peer)
      if (refusedAtMs !== undefined && nowMs - refusedAtMs < refusedMs) return false
      return (
        direction === 'outbound' && !isRelayed(address) && !isLoopback(address) && !this.#places.has(peer)
      )
    }
    return candidates
      .filter(isFit)
      .toSorted((one, other) => reachOf(one.remoteAddr.toString()) - reachOf(other.remoteAddr.toString()))
  }

  async #reserve({ remotePeer, remoteAddr }: Connection): Promise<boolean> {
    const peer = remotePeer.toString()
    const place = placePartOf(remoteAddr.toString())
    if (place === undefined) return false
    try {
      await this.#transports.reserve(peer)
      this.#places.set(peer, place)
      return true
    } catch {
      this.#refusedAtMs.set(peer, performance.now())
      return false
    }
  }
}
