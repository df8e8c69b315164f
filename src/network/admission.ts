// Who is let into our connections: members of our network that speak a version of the protocol that we speak.
//
// Invariants: whoever is refused learns nothing but that. What a peer says of itself counts only as far as it is proven:
// that it holds its identity by the connection, that it belongs by its membership.

import type { Clock } from '../world/clock.ts'
import type { PeerId } from '../world/network.ts'
import { type ArchiveNetwork, networkIdOf } from './archive-network.ts'
import { Unfit } from './fields.ts'
import { type Hello, readHello, writeHello } from './hello.ts'
import { depthOf, holds, holdsForGood, type Membership, type Witness, witnessFor } from './membership.ts'
import { NetworkError } from './network-error.ts'
import type { Seed } from './signing.ts'

/** Versions of the protocol: a change that an older peer cannot follow makes a new one. */
export const protocolVersions = [1, 1] as const

export interface Ourselves {
  readonly peer: PeerId
  readonly network: ArchiveNetwork
  readonly identitySeed: Seed
  readonly program: string
  /** None in open networks. */
  membership: Membership | undefined
  addresses(): string[]
}

export class Admission {
  readonly #clock: Clock
  readonly #ourselves: Ourselves
  readonly #networkId: string
  readonly #onWitness: (membership: Membership) => void

  /** `onWitness` is told of our membership when it has become a better one, to be kept. */
  constructor(needs: { clock: Clock }, ourselves: Ourselves, onWitness: (membership: Membership) => void) {
    this.#clock = needs.clock
    this.#ourselves = ourselves
    this.#networkId = networkIdOf(ourselves.network)
    this.#onWitness = onWitness
  }

  hello(): Uint8Array {
    return this.#write(undefined)
  }

  answer(_stranger: { peer: PeerId }, hello: Uint8Array): Uint8Array {
    const { membership } = readHello(hello)
    const ours = this.#ourselves.membership
    if (membership === undefined || ours === undefined) return this.#write(undefined)
    const { network, identitySeed } = this.#ourselves
    return this.#write(
      witnessFor(membership, network, { membership: ours, identitySeed }, this.#clock.nowMs()),
    )
  }

  /** Gives where the stranger can be reached, or throws. */
  judge(stranger: { peer: PeerId }, words: Uint8Array): string[] {
    const hello = read(words)
    const { networkId, versions, membership } = hello
    if (networkId !== this.#networkId) throw refusal('it is of another network')
    if (this.#ourselves.network.kind === 'invited') this.#judgeMembership(stranger.peer, membership)
    const [oldest, newest] = protocolVersions
    if (versions[0] > newest || versions[1] < oldest) {
      throw new NetworkError('network-version', `It speaks versions ${versions.join(' to ')} of the protocol`)
    }
    if (hello.witness !== undefined) this.#takeWitness(stranger.peer, hello.witness)
    return [...hello.addresses]
  }

  #judgeMembership(peer: PeerId, membership: Membership | undefined): void {
    if (membership === undefined || membership.peer !== peer) throw refusal('it has no invitation')
    if (!holds(membership, this.#ourselves.network, this.#clock.nowMs()))
      throw refusal('its invitation does not hold')
  }

  #takeWitness(from: PeerId, witness: Witness): void {
    const { membership, network } = this.#ourselves
    if (membership === undefined || membership.witness !== undefined || witness.membership.peer !== from)
      return
    const witnessed = { ...membership, witness }
    if (membership.witness !== undefined && depthOf(witnessed) >= depthOf(membership)) return
    if (!holdsForGood(witnessed, network)) return
    this.#ourselves.membership = witnessed
    this.#onWitness(witnessed)
  }

  #write(witness: Witness | undefined): Uint8Array {
    const { program, membership } = this.#ourselves
    const addresses = this.#ourselves.addresses()
    const hello: Hello = {
      networkId: this.#networkId,
      versions: protocolVersions,
      program,
      addresses,
      membership,
      witness,
    }
    return writeHello(hello)
  }
}

function read(words: Uint8Array): Hello {
  try {
    return readHello(words)
  } catch (error) {
    if (!(error instanceof Unfit)) throw error
    throw refusal('it does not greet')
  }
}

function refusal(reason: string): NetworkError {
  return new NetworkError('network-refused', reason)
}
