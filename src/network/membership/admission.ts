// Admission of connections: members of our network with a protocol version that we speak.
//
// Invariants: a refused peer learns nothing but that. What a peer says of itself counts only as far as it is proven: that it
// holds its identity by the connection, that it belongs by its membership, where it lies on the ring by its ticket
// (member-directory.ts). Who has an invitation and a ticket that another holds is told so, to take another one.

import type { Clock } from '../../platform/clock.ts'
import type { PeerId } from '../../platform/network/network.ts'
import { type ArchiveNetwork, networkIdOf } from './archive-network.ts'
import { Unfit } from './fields.ts'
import { type Hello, readHello, writeHello } from './hello.ts'
import type { MemberDirectory } from './member-directory.ts'
import {
  confirm,
  isBetterWith,
  isConfirmed,
  isWitnessed,
  type Membership,
  type Witness,
  witnessFor,
} from './membership.ts'
import { NetworkError } from './network-error.ts'
import { commonVersion, type ProtocolVersions, protocolVersions } from './protocol-versions.ts'
import type { Seed } from './signing.ts'

interface Ourselves {
  readonly peer: PeerId
  readonly network: ArchiveNetwork
  readonly identitySeed: Seed
  readonly program: string
  /** Those of this program, unless it stands in for another. */
  readonly versions?: ProtocolVersions | undefined
  /** None in open networks. */
  membership: Membership | undefined
  /** The network's secret, where it was made. */
  readonly networkSeed?: Seed | undefined
  addresses(): string[]
}

export class Admission {
  readonly #clock: Clock
  readonly #ourselves: Ourselves
  readonly #networkId: string
  readonly #members: MemberDirectory
  readonly #onBetter: (membership: Membership) => void

  /** `onBetter` is told of our membership when it has become a better one, to be kept. */
  constructor(
    needs: { clock: Clock; members: MemberDirectory },
    ourselves: Ourselves,
    onBetter: (membership: Membership) => void,
  ) {
    this.#clock = needs.clock
    this.#members = needs.members
    this.#ourselves = ourselves
    this.#networkId = networkIdOf(ourselves.network)
    this.#onBetter = onBetter
  }

  get #versions(): ProtocolVersions {
    return this.#ourselves.versions ?? protocolVersions
  }

  hello(): Uint8Array {
    return this.#write({})
  }

  answer(_stranger: { peer: PeerId }, hello: Uint8Array): Uint8Array {
    const { membership } = readHello(hello)
    const ours = this.#ourselves.membership
    if (membership === undefined || ours === undefined) return this.#write({})
    const { network, identitySeed } = this.#ourselves
    const witness = witnessFor(membership, network, { membership: ours, identitySeed }, this.#clock.nowMs())
    if (witness !== undefined) this.#members.greet({ ...membership, witness })
    return this.#write({ witness, confirmation: this.#confirmationOf(membership) })
  }

  /** What one that is refused may know: that its ticket is taken or that it was revoked, since only who has an invitation gets that
   * far. */
  explain({ code }: { code: string }): string {
    return code === 'network-ticket-taken' || code === 'network-revoked' ? code : ''
  }

  /** Gives where the stranger can be reached, or throws. */
  judge(stranger: { peer: PeerId }, words: Uint8Array): string[] {
    const hello = read(words)
    const { networkId, versions, membership } = hello
    if (networkId !== this.#networkId) throw refusal('it is of another network')
    if (commonVersion(this.#versions, versions) === undefined)
      throw new NetworkError('network-version', `It speaks versions ${versions.join(' to ')} of the protocol`)
    if (this.#ourselves.network.kind === 'invited') this.#judgeMembership(stranger.peer, membership)
    if (hello.witness !== undefined) this.#takeWitness(stranger.peer, hello.witness)
    if (hello.confirmation !== undefined) this.#takeConfirmation(hello.confirmation)
    return [...hello.addresses]
  }

  #judgeMembership(peer: PeerId, membership: Membership | undefined): void {
    if (membership === undefined || membership.peer !== peer) throw refusal('it has no invitation')
    this.#members.greet(membership)
  }

  #takeWitness(from: PeerId, witness: Witness): void {
    const { membership, network } = this.#ourselves
    if (membership === undefined || witness.membership.peer !== from || !isBetterWith(membership, witness))
      return
    const witnessed = { ...membership, witness }
    if (isWitnessed(witnessed, network)) this.#better(witnessed)
  }

  #takeConfirmation(confirmation: Uint8Array): void {
    const { membership, network } = this.#ourselves
    if (membership === undefined || membership.ticket !== undefined || isConfirmed(membership, network))
      return
    const confirmed = { ...membership, confirmation }
    if (isConfirmed(confirmed, network)) this.#better(confirmed)
  }

  #better(membership: Membership): void {
    this.#ourselves.membership = membership
    this.#members.beginAs(membership)
    this.#onBetter(membership)
  }

  /** For old members, whom we know from before there were tickets. */
  #confirmationOf(membership: Membership): Uint8Array | undefined {
    const { network, networkSeed } = this.#ourselves
    if (networkSeed === undefined || membership.ticket !== undefined) return undefined
    return isConfirmed(membership, network) ? undefined : confirm(membership, network, networkSeed)
  }

  #write({ witness, confirmation }: Partial<Pick<Hello, 'witness' | 'confirmation'>>): Uint8Array {
    const { program, membership } = this.#ourselves
    const addresses = this.#ourselves.addresses()
    const hello: Hello = {
      networkId: this.#networkId,
      versions: this.#versions,
      program,
      addresses,
      membership,
      witness,
      confirmation,
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
