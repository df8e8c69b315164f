// Whereabouts: who owns a key, by what owners have said of themselves, and by asking the ring where nothing is known.

import { PolyhistorError } from '../../errors.ts'
import type { RingKey } from '../../model/ring-key.ts'
import type { PeerId } from '../../platform/network/network.ts'
import { type Arc, Arcs } from './arcs.ts'
import type { OwnArc, Owner, Owners } from './owners.ts'

const arcsMax = 4_096

export class OwnerCache {
  readonly #owners: Owners
  readonly #arcs = new Arcs(arcsMax)
  #lookups = 0

  constructor(owners: Owners) {
    this.#owners = owners
  }

  /** How often the ring was asked. */
  get lookups(): number {
    return this.#lookups
  }

  /** How many owners are known. */
  get ownerCount(): number {
    return this.#arcs.peerCount
  }

  /** Without asking anybody. */
  known(key: RingKey): Arc | undefined {
    const arc = this.#arcs.at(key)
    if (arc !== undefined) return arc
    const own = this.#owners.arcOf(key)
    if (own === undefined) return undefined
    this.learn(this.#owners.self, own)
    return this.#arcs.at(key)
  }

  /** undefined when the ring knows no owner now. */
  async find(key: RingKey): Promise<Arc | undefined> {
    try {
      this.#lookups++
      this.#learnFrom(key, await this.#owners.ownerOf(key))
      return this.#arcs.at(key)
    } catch (error) {
      if (!(error instanceof PolyhistorError)) throw error
      return undefined
    }
  }

  /** The arcs of the same owner further on, up to the ring's end. */
  furtherOf(arc: Arc): Arc[] {
    return this.#arcs.furtherOf(arc)
  }

  /** Where the next arc begins that is known; undefined when none does before the ring's end. */
  startAfter(key: RingKey): string | undefined {
    return this.#arcs.startAfter(key)
  }

  /** What an owner says of itself and of those that follow it. Places are checked: nobody can claim another's. */
  learn(peer: PeerId, { after, upTo, following }: OwnArc): void {
    if (!this.#owners.isPlaceOf(peer, upTo)) return
    this.#arcs.addAfter(after, peer, upTo)
    let before = upTo
    for (const next of following) {
      // Round the ring once, and no further.
      if (next.upTo === upTo || !this.#owners.isPlaceOf(next.peer, next.upTo)) return
      this.#owners.learn(next.peer, next.addresses)
      this.#arcs.addNext(before, next.peer, next.upTo)
      before = next.upTo
    }
  }

  /** It is not who we thought; perhaps this one. */
  correct(key: RingKey, owner: Owner | undefined): void {
    this.#arcs.forgetKey(key)
    if (owner !== undefined && this.#owners.isPlaceOf(owner.peer, owner.upTo)) this.#learnFrom(key, owner)
  }

  forgetPeer(peer: PeerId): void {
    this.#arcs.forgetPeer(peer)
  }

  #learnFrom(key: RingKey, { peer, upTo, addresses }: Owner): void {
    this.#owners.learn(peer, addresses)
    this.#arcs.addFrom(key, peer, upTo)
  }
}
