// A ring that changes, as simulated peers see it: who is on it is told to each of them late, and lookups fail or tell what
// was true a moment ago.

import { PolyhistorError } from '../../src/errors.ts'
import type { OwnArc, Owner, Owners } from '../../src/exchange/owners.ts'
import { type RingKey, ringKeyOf } from '../../src/record/ring-key.ts'
import type { Network, PeerId } from '../../src/world/network.ts'
import type { SimulatedRandom } from '../../src/world/simulated/random.ts'
import type { SimulatedWorld } from '../../src/world/simulated/world.ts'

const newsMsMax = 3_000
const lookupMsMax = 200

interface Member {
  readonly peer: PeerId
  readonly place: RingKey
}

export class ChangingRing {
  readonly #world: SimulatedWorld
  readonly #random: SimulatedRandom
  readonly #places: ReadonlyMap<PeerId, RingKey>
  readonly #views = new Map<PeerId, readonly Member[]>()
  #members: readonly Member[] = []
  /** How often a lookup fails. */
  lookupFailures = 0

  constructor(world: SimulatedWorld, peers: readonly PeerId[]) {
    this.#world = world
    this.#random = world.random.fork('ring')
    this.#places = new Map(peers.map((peer) => [peer, ringKeyOf(`place of ${peer}`)]))
    this.setMembers(peers)
    for (const peer of peers) this.#views.set(peer, this.#members)
  }

  get memberCount(): number {
    return this.#members.length
  }

  isMember(peer: PeerId): boolean {
    return this.#members.some((member) => member.peer === peer)
  }

  /** From now on these are on the ring; each peer hears of it in its own time. */
  setMembers(peers: readonly PeerId[]): void {
    const members = peers.map((peer) => ({ peer, place: this.#places.get(peer)! }))
    this.#members = members.sort((one, other) => (one.place < other.place ? -1 : 1))
    for (const peer of this.#places.keys()) {
      // News do not overtake each other: what comes is what holds by then.
      const hear = (): void => void this.#views.set(peer, this.#members)
      this.#world.simulation.schedule(this.#random.between(0, newsMsMax), hear)
    }
  }

  ownerOf(key: RingKey): PeerId {
    return ownerAmong(this.#members, key).peer
  }

  seenBy(peer: PeerId, network: Network): Owners {
    const view = (): readonly Member[] => this.#views.get(peer)!
    return {
      self: peer,
      isOwner: (key) => ownerAmong(view(), key).peer === peer,
      ownerOf: (key) => this.#lookup(key),
      arcOf: (key) => arcAmong(view(), key, peer),
      likelyOwnerOf: (key) => asOwner(ownerAmong(view(), key)),
      isPlaceOf: (other, place) => this.#places.get(other) === place,
      learn: (other, addresses) => network.learn(other, [...addresses]),
    }
  }

  #lookup(key: RingKey): Promise<Owner> {
    const members = this.#members
    return new Promise((resolve, reject) =>
      this.#world.simulation.schedule(this.#random.between(0, lookupMsMax), () => {
        if (this.#random.chance(this.lookupFailures))
          reject(new PolyhistorError('ring-lookup-failed', 'No owner was found', { retry: 'later' }))
        else resolve(asOwner(ownerAmong(members, key)))
      }),
    )
  }
}

function ownerAmong(members: readonly Member[], key: RingKey): Member {
  return members.find(({ place }) => place >= key) ?? members[0]!
}

function arcAmong(members: readonly Member[], key: RingKey, self: PeerId): OwnArc | undefined {
  const owner = ownerAmong(members, key)
  if (owner.peer !== self) return undefined
  const rank = members.indexOf(owner)
  const before = members.at(rank - 1)!
  const next = members[(rank + 1) % members.length]!
  return { after: before.place, upTo: owner.place, ...(next !== owner && { next: asOwner(next) }) }
}

function asOwner({ peer, place }: Member): Owner {
  return { peer, upTo: place, addresses: [`/simulated/${peer}`] }
}
