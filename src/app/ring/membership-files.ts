// What a home keeps to be the same peer of the same network next time: identity, network, peers remembered.
//
//   identity.key     the peer's secret key; made once, kept for good
//   network.json     the network, the membership with its ticket, and where the network was made its secret
//   peers.json       peers to begin with
//   presence.json    who was near us on the ring, and who is missed since when
//   places.json      which places of its ticket it has on the ring, where they are not the first ones
//   roles.json       our role, who was revoked and who has proved itself, as they were when the peer last heard: for the time before it
//                    knows more
//
// All for the owner's eyes only. Each is written whole or not at all.

import { join } from 'node:path'
import { type ArchiveNetwork, networkIdOf } from '../../network/membership/archive-network.ts'
import { type Grant, type Invitation, invite, isExpired } from '../../network/membership/invitation.ts'
import { confirm, join as joinNetwork, type Membership } from '../../network/membership/membership.ts'
import { NetworkError } from '../../network/membership/network-error.ts'
import {
  type NetworkFile,
  oldMembersMax,
  readNetworkFile,
  writeNetworkFile,
} from '../../network/membership/network-file.ts'
import { type RememberedPresence, readPresence } from '../../network/membership/presence/presence.ts'
import {
  type RememberedPeer,
  readRememberedPeers,
  writeRememberedPeers,
} from '../../network/membership/remembered-peers.ts'
import { isRole, type Role } from '../../network/membership/role.ts'
import { keyBytes, publicKeyOf } from '../../network/membership/signing.ts'
import { withTicket } from '../../network/membership/tickets/ticket-choice.ts'
import type { PeerId } from '../../platform/network/network.ts'
import type { Random } from '../../platform/random.ts'
import { peerOf } from '../../platform/real/network/identity.ts'
import { realPrivateFiles } from '../../platform/real/private-files.ts'
import { RealRandom } from '../../platform/real/random.ts'
import type { PrivateFiles } from '../../platform/storage/private-files.ts'
import { profileOf } from '../profiles/profile-home.ts'
import { homeIdentity } from './home-identity.ts'
import { type KeptPlaces, readKeptPlaces } from './taken-places.ts'

const networkName = 'network.json'
const peersName = 'peers.json'
const presenceName = 'presence.json'
const placesName = 'places.json'
const rolesName = 'roles.json'
const keptMax = 65_536

export interface KeptRoles {
  readonly own: Role | undefined
  readonly revoked: readonly PeerId[]
  /** Of those who had to prove themselves: who has places. */
  readonly placed?: readonly PeerId[]
}

export interface MembershipNeeds {
  readonly files: PrivateFiles
  readonly random: Random
}

/** For the commands of a home. */
const onThisMachine: MembershipNeeds = { files: realPrivateFiles, random: new RealRandom() }

export class MembershipFiles {
  readonly folder: string
  readonly #files: PrivateFiles
  readonly #random: Random

  constructor(folder: string, needs = onThisMachine) {
    this.folder = folder
    this.#files = needs.files
    this.#random = needs.random
  }

  /** The key that makes us the same peer as last time. */
  async identity(): Promise<Uint8Array> {
    return homeIdentity(this.folder, { files: this.#files, random: this.#random })
  }

  async peer(): Promise<PeerId> {
    return peerOf(await this.identity())
  }

  async network(): Promise<NetworkFile | undefined> {
    // Whoever takes part in a network asks here first, and so learns that this home must not.
    if ((await profileOf(this.folder, this.#files)) !== undefined) return undefined
    const text = await this.#readText(networkName)
    return text === undefined ? undefined : readNetworkFile(text, join(this.folder, networkName))
  }

  /** Throws where this home must be of no network. */
  async checkNotPrivate(): Promise<void> {
    if ((await profileOf(this.folder, this.#files)) === undefined) return
    throw new NetworkError(
      'network-private',
      'What is archived with a profile is private: its home can be part of no network.',
    )
  }

  /** A new network, of which this peer is the first. */
  async create(name: string, kind: ArchiveNetwork['kind']): Promise<NetworkFile> {
    const file = await this.draft(name, kind)
    await this.keepNew(file)
    return file
  }

  /** The same, but not kept yet. */
  async draft(name: string, kind: ArchiveNetwork['kind']): Promise<NetworkFile> {
    const seed = this.#random.bytes(keyBytes)
    const network: ArchiveNetwork = { name, kind, key: publicKeyOf(seed) }
    const membership = joinNetwork(
      invite(network, seed, this.#random, { role: 'admin' }),
      await this.peer(),
      0,
    )
    return { network, membership, seed, oldMembers: [] }
  }

  /** For a home without a network. */
  async keepNew(file: NetworkFile): Promise<void> {
    if (!(await this.#write(networkName, writeNetworkFile(file), { once: true }))) {
      const { network: present } = (await this.network())!
      throw new NetworkError(
        'network-other',
        `This home is of the network ${JSON.stringify(present.name)} (${networkIdOf(present)}) already. Give the new one a home of its own with --home.`,
      )
    }
  }

  /** Enters the network of an invitation. Entering the same one again does nothing, except with a fresher invitation. */
  async enter(invitation: Invitation, nowMs: number): Promise<NetworkFile> {
    const file = await this.entering(invitation, nowMs)
    await this.keep(file)
    return file
  }

  /** The same, but not kept yet. */
  async entering(invitation: Invitation, nowMs: number): Promise<NetworkFile> {
    const { network, admission } = invitation
    const present = await this.network()
    if (present !== undefined) {
      const [ours, theirs] = [networkIdOf(present.network), networkIdOf(network)]
      if (ours !== theirs) {
        throw new NetworkError(
          'network-other',
          `This home is of the network ${JSON.stringify(present.network.name)} (${ours}), and the invitation is to ${JSON.stringify(network.name)} (${theirs}). A home has one network: use another with --home.`,
        )
      }
      if (isSettled(present) || !admission?.grant.tickets || isExpired(admission.grant, nowMs)) return present
    } else if (admission !== undefined) checkUsable(admission.grant, nowMs)
    const file = present ?? { network, membership: undefined, seed: undefined, oldMembers: [] }
    if (admission === undefined) return file
    const ticket = this.#random.below(admission.grant.tickets!.count)
    return withTicket(file, admission, await this.peer(), ticket)!
  }

  async keep(file: NetworkFile): Promise<void> {
    await this.#write(networkName, writeNetworkFile(file))
  }

  /** A home from before there were tickets: whom it knows now are the old members that it takes in from now on. Where the
   * network was made, its own place is confirmed. */
  async migrate(file: NetworkFile): Promise<NetworkFile> {
    if (file.oldMembers !== undefined) return file
    const { network, membership, seed } = file
    const known = [...(await this.presence()), ...(await this.rememberedPeers(networkIdOf(network)))]
    const oldMembers = [...new Set(known.map(({ peer }) => peer))].slice(0, oldMembersMax)
    const isOurs = seed !== undefined && membership !== undefined
    const migrated = {
      ...file,
      oldMembers,
      membership: isOurs ? { ...membership, confirmation: confirm(membership, network, seed) } : membership,
    }
    await this.keep(migrated)
    return migrated
  }

  async keepMembership(membership: Membership): Promise<void> {
    const file = await this.network()
    if (file !== undefined) await this.#write(networkName, writeNetworkFile({ ...file, membership }))
  }

  async rememberedPeers(networkId: string): Promise<RememberedPeer[]> {
    const text = await this.#readText(peersName)
    return text === undefined ? [] : readRememberedPeers(networkId, text)
  }

  async remember(networkId: string, peers: readonly RememberedPeer[]): Promise<void> {
    await this.#write(peersName, writeRememberedPeers(networkId, peers))
  }

  /** It is alone from now on. What made it a member is put aside: where the network was made, it is all that can invite. */
  async leaveNetwork(): Promise<void> {
    const file = await this.network()
    if (file === undefined) return
    const aside = `left-${networkIdOf(file.network).slice(0, 12)}.json`
    await this.#files.rename(join(this.folder, networkName), join(this.folder, aside))
    for (const name of [peersName, presenceName, placesName, rolesName, 'network'])
      await this.#files.remove(join(this.folder, name))
  }

  async presence(): Promise<RememberedPresence[]> {
    const text = await this.#readText(presenceName)
    return text === undefined ? [] : readPresence(text)
  }

  async keepPresence(presence: readonly RememberedPresence[]): Promise<void> {
    await this.#write(presenceName, JSON.stringify({ peers: presence }))
  }

  /** undefined where it has the first ones, or what is kept cannot be read. */
  async places(): Promise<KeptPlaces | undefined> {
    const text = await this.#readText(placesName)
    return text === undefined ? undefined : readKeptPlaces(text)
  }

  async keepPlaces(places: KeptPlaces): Promise<void> {
    await this.#write(placesName, JSON.stringify(places))
  }

  /** What was known of roles; undefined before the first time. What cannot be read is as if it were not there: it is only a copy. */
  async roles(): Promise<KeptRoles | undefined> {
    const text = await this.#readText(rolesName)
    if (text === undefined) return undefined
    try {
      const { own, revoked, placed } = JSON.parse(text) as Partial<KeptRoles>
      return { own: isRole(own) ? own : undefined, revoked: peersIn(revoked), placed: peersIn(placed) }
    } catch (error) {
      if (!(error instanceof SyntaxError) && !(error instanceof TypeError)) throw error
      return undefined
    }
  }

  async keepRoles(kept: KeptRoles): Promise<void> {
    const { own, revoked, placed = [] } = kept
    const some = { own, revoked: revoked.slice(0, keptMax), placed: placed.slice(0, keptMax) }
    await this.#write(rolesName, JSON.stringify(some))
  }

  #read(name: string): Promise<Uint8Array | undefined> {
    return this.#files.read(join(this.folder, name))
  }

  async #readText(name: string): Promise<string | undefined> {
    const bytes = await this.#read(name)
    return bytes && Buffer.from(bytes).toString('utf8')
  }

  /** With `once`, false when it is there already. */
  async #write(
    name: string,
    content: string | Uint8Array,
    options: { once?: boolean } = {},
  ): Promise<boolean> {
    if (name === networkName) await this.checkNotPrivate()
    return this.#files.write(join(this.folder, name), content, options)
  }
}

function peersIn(value: unknown): PeerId[] {
  return Array.isArray(value) ? value.filter((peer) => typeof peer === 'string').slice(0, keptMax) : []
}

/** It would be no better a member with another invitation. */
function isSettled({ membership, seed }: NetworkFile): boolean {
  if (membership === undefined || seed !== undefined) return true
  const { ticket, grant, witness } = membership
  return ticket !== undefined && (grant.expiresAtMs === undefined || witness !== undefined)
}

function checkUsable(grant: Grant, nowMs: number): void {
  if (isExpired(grant, nowMs))
    throw new NetworkError('network-invitation-expired', 'This invitation has expired. Ask for another.')
  if (grant.tickets === undefined) {
    throw new NetworkError(
      'network-invitation-old',
      'This invitation is from an earlier version, in which members could choose where they lie on the ring. Ask for another: polyhistor network invite',
    )
  }
}
