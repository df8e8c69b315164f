// Peers that were our neighbours or let us in: whom to ask after a restart, and whom a partition may have taken from us.
//
// Invariant: at most `peersMax`; of those lost, the one lost longest ago goes first, and only then one that is here.

import type { PeerId } from '../../platform/network/network.ts'
import type { Random } from '../../platform/random.ts'
import type { KnownPeer } from './ring.ts'

interface Remembered {
  addresses: string[]
  isLost: boolean
  /** When it was last tried in vain, counted in such tries; nought when it has never failed to answer. */
  triedAt: number
  /** How often it was tried in a row since it was last heard. */
  tries: number
}

const addressesMax = 4

export class RememberedPeers {
  readonly #peers = new Map<PeerId, Remembered>()
  readonly #peersMax: number
  readonly #random: Random
  #lostCount = 0
  #tries = 0

  constructor(random: Random, peersMax: number) {
    this.#random = random
    this.#peersMax = peersMax
  }

  add(peer: PeerId, addresses: readonly string[]): void {
    const known = this.#peers.get(peer)
    if (known !== undefined) {
      for (const address of addresses) {
        if (address === '' || known.addresses[0] === address) continue
        known.addresses = [address, ...known.addresses.filter((other) => other !== address)]
        known.addresses.length = Math.min(known.addresses.length, addressesMax)
      }
      return
    }
    if (this.#peers.size >= this.#peersMax) this.#forgetOne()
    this.#peers.set(peer, {
      addresses: addresses.filter((address) => address !== '').slice(0, addressesMax),
      isLost: false,
      triedAt: 0,
      tries: 0,
    })
  }

  /** It does not answer any more. */
  lost(peer: PeerId): void {
    this.#mark(peer, true)
    const known = this.#peers.get(peer)
    if (known !== undefined) known.triedAt = ++this.#tries
  }

  /** It answers, but is not on our ring. */
  notHere(peer: PeerId): void {
    this.#mark(peer, true)
  }

  found(peer: PeerId): void {
    this.#mark(peer, false)
    const known = this.#peers.get(peer)
    if (known === undefined) return
    known.triedAt = 0
    known.tries = 0
  }

  /** Nobody else is on our ring: the others are lost, though none of them failed to answer us. */
  onlyPresent(peers: ReadonlySet<PeerId>): void {
    for (const [peer, { isLost }] of [...this.#peers]) if (!isLost && !peers.has(peer)) this.#mark(peer, true)
  }

  forget(peer: PeerId): void {
    if (this.#peers.get(peer)?.isLost) this.#lostCount--
    this.#peers.delete(peer)
  }

  /** Of those that are lost and were tried less often than `triesMax`, the one to try next: each in its turn, first those that may
   * only be on another ring. */
  nextLost(triesMax = Number.POSITIVE_INFINITY): KnownPeer | undefined {
    if (this.#lostCount === 0) return undefined
    let next: [PeerId, Remembered] | undefined
    for (const one of this.#peers) {
      const { isLost, tries, triedAt } = one[1]
      if (isLost && tries < triesMax && (next === undefined || triedAt < next[1].triedAt)) next = one
    }
    if (next === undefined) return undefined
    const [peer, known] = next
    known.triedAt = ++this.#tries
    known.tries++
    return { peer, addresses: known.addresses }
  }

  /** One that is not lost, by chance. */
  somePresent(): KnownPeer | undefined {
    const count = this.#peers.size - this.#lostCount
    if (count === 0) return undefined
    let chosen = this.#random.below(count)
    for (const [peer, { isLost, addresses }] of this.#peers) {
      if (!isLost && chosen-- === 0) return { peer, addresses }
    }
    return undefined
  }

  /** Those that are here first. */
  list(): KnownPeer[] {
    const all = [...this.#peers].map(([peer, { addresses, isLost }]) => ({ peer, addresses, isLost }))
    return [...all.filter(({ isLost }) => !isLost), ...all.filter(({ isLost }) => isLost)].map(
      ({ peer, addresses }) => ({ peer, addresses }),
    )
  }

  #mark(peer: PeerId, isLost: boolean): void {
    const known = this.#peers.get(peer)
    if (known === undefined || known.isLost === isLost) return
    known.isLost = isLost
    this.#lostCount += isLost ? 1 : -1
    // Last marked, last forgotten among its like.
    this.#peers.delete(peer)
    this.#peers.set(peer, known)
  }

  #forgetOne(): void {
    let oldest = this.#peers.keys().next().value!
    for (const [peer, { isLost }] of this.#peers) {
      if (!isLost) continue
      oldest = peer
      break
    }
    this.forget(oldest)
  }
}
