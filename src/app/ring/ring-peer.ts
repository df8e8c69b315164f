// A peer on the ring: identity and network of a home, the transport, the calls that the parts share, and the ring.
//
// Its life: identity → network (kept, invited to, or made) → listen → ring of one → joined; on leaving it says goodbye to
// its neighbours and remembers whom to begin with next time.

import { isDeepStrictEqual } from 'node:util'
import type { RingKey } from '../../model/ring-key.ts'
import type { AnnouncementSigner } from '../../network/announcements/announcement.ts'
import { type ArchiveNetwork, networkIdOf } from '../../network/membership/archive-network.ts'
import { identitySigner } from '../../network/membership/identity-signer.ts'
import { readInvitation, roleOfGrant } from '../../network/membership/invitation.ts'
import { MemberDirectory } from '../../network/membership/member-directory.ts'
import { NetworkError } from '../../network/membership/network-error.ts'
import type { NetworkFile } from '../../network/membership/network-file.ts'
import { seedOfIdentity } from '../../network/membership/peer-key.ts'
import { mayAsk } from '../../network/membership/service-access.ts'
import type { Seed } from '../../network/membership/signing.ts'
import { TicketChoice } from '../../network/membership/tickets/ticket-choice.ts'
import { TicketWatch } from '../../network/membership/tickets/ticket-watch.ts'
import { placeOf } from '../../network/ring/protocol/place.ts'
import type { LookupResult, Ring, RingView } from '../../network/ring/ring.ts'
import { RingNode } from '../../network/ring/ring-node.ts'
import { type RingOptions, ringOptionsDefault } from '../../network/ring/ring-options.ts'
import { CallBudgets } from '../../platform/calls/call-budgets.ts'
import { CallFaults } from '../../platform/calls/call-faults.ts'
import { CallServices } from '../../platform/calls/call-services.ts'
import { Calls } from '../../platform/calls/calls.ts'
import { type Clock, within } from '../../platform/clock.ts'
import type { Log } from '../../platform/log.ts'
import type { PeerId } from '../../platform/network/network.ts'
import type { PeerNetwork, ReachView } from '../../platform/network/peer-network.ts'
import { PeriodicTask } from '../../platform/periodic-task.ts'
import type { Platform } from '../platform.ts'
import { type KeptRoles, MembershipFiles } from './membership-files.ts'
import { RingJoining } from './ring-joining.ts'
import { startTransport, type TransportOptions, transportCalls } from './ring-transport.ts'
import { placesToBegin, TakenPlaces } from './taken-places.ts'
import { claimTicket } from './ticket-claim.ts'

export type { LookupResult } from '../../network/ring/ring.ts'

export interface RingPeerOptions extends TransportOptions {
  readonly home: string
  /** Addresses of first peers, as people write them. */
  readonly join: readonly string[]
  /** The text of an invitation. */
  readonly invitation?: string | undefined
  /** Of the ring: positions, replicas, and its times. */
  readonly ring: Partial<Omit<RingOptions, 'networkId' | 'kind' | 'places'>>
  /** It begins with the places that it had last; without, with the first of its ticket. */
  readonly keepsPlaces?: boolean | undefined
}

export interface RingPeerView extends RingView {
  readonly network: { readonly id: string; readonly name: string; readonly kind: string }
  readonly addresses: string[]
  /** How long it has to prove itself, while it is on probation and has no place on the ring. */
  readonly probationMs?: number | undefined
  /** How others reach this peer, as far as it was found out. */
  readonly reach?: ReachView | undefined
}

export interface RingPeer {
  readonly peer: PeerId
  readonly network: ArchiveNetwork
  /** The network's secret, where it was made. */
  readonly networkSeed: Seed | undefined
  readonly ring: Ring
  /** Which places of its ticket it has. */
  readonly taken: TakenPlaces
  /** What the other parts of the peer call theirs at other peers with. */
  readonly services: CallServices
  /** What went wrong with the questions of others. */
  readonly faults: CallFaults
  /** Signs what this peer tells all others. */
  readonly signer: AnnouncementSigner
  /** Who holds which ticket. */
  readonly members: MemberDirectory
  addresses(): string[]
  /** Where a connection with this peer leads to; undefined when there is none. */
  addressOf(peer: PeerId): string | undefined
  /** Where a peer was said to be. */
  learn(peer: PeerId, addresses: readonly string[]): void
  view(): RingPeerView
  /** What the owner should know of the network's members, a sentence each. */
  problems(): string[]
  lookup(key: RingKey): Promise<LookupResult>
  /** Whether it is on probation, and has no place on the ring. */
  readonly isSpare: boolean
  /** Where another's first place is, or would be; undefined while its ticket is not known here. */
  firstPlaceOf(peer: PeerId): RingKey | undefined
  /** Roles have changed: who is revoked is put out, and stays out over restarts. */
  enforce(roles: KeptRoles): void
  /** Leaves the ring, remembers whom to begin with, and closes. */
  close(): Promise<void>
}

const rememberMs = 60_000
/** Whoever is killed in its first minute has to find its network again, too, when the address that it was given is dead. */
const rememberFirstMs = 5_000
/** So long each part of a goodbye may take: others may not answer any more. */
const leaveMsMax = 5_000

export async function openRingPeer(
  needs: { platform: Platform; log: Log },
  options: RingPeerOptions,
): Promise<RingPeer> {
  const { platform, log } = needs
  const { clock, random } = platform
  const lookUpText = (name: string) => platform.lookUpText(name)
  const home = new MembershipFiles(options.home, platform)
  await home.checkNotPrivate()
  const invitation = options.invitation === undefined ? undefined : readInvitation(options.invitation)
  const file = await fileOf(home, options, invitation && (await home.entering(invitation, clock.nowMs())))
  checkKeeps(file)
  const isNew = (await home.network()) === undefined
  const networkId = networkIdOf(file.network)
  const members = new MemberDirectory({ clock }, file.network, new Set(file.oldMembers))
  // Who was revoked is not let in before all is known that was said of roles, either.
  const kept = await home.roles()
  const revoked = new Set(kept?.revoked)
  members.followRoles({
    roleOf: (peer) => (revoked.has(peer) ? 'revoked' : undefined),
    isShut: () => false,
  })
  const placed = new Set(kept?.placed)
  members.followScreening({ hasPlaces: (peer) => placed.has(peer) })
  const transport = await startTransport({ platform, home, members, log }, file, options)
  const { network } = transport
  const tickets = new TicketWatch({ members, log }, network.self)
  const told = [...options.join, ...(invitation?.addresses ?? [])]
  const remembered = await home.rememberedPeers(networkId)
  try {
    const choice = new TicketChoice({ random }, file, network.self, invitation)
    await claimTicket({ transport, choice, clock, log, lookUpText }, { told, remembered, isNew })
    // Not before we could listen: who asked for a port that is taken has not asked for a network yet.
    await keepFile(home, { ...choice.file, membership: transport.membership() }, isNew)
  } catch (error) {
    await network.close()
    throw error
  }
  const faults = new CallFaults({ clock, log })
  const calls = new Calls({ network, clock, random })
  const services = new CallServices(
    platform.traceCalls?.(calls) ?? calls,
    faults,
    new CallBudgets({ clock }),
    (from, service) => mayAsk(members, from, service),
  )
  const ringCalls = transportCalls(network, services, () => tickets.noteTakenIn())
  const ringOptions = { ...ringOptionsDefault, ...options.ring, networkId, kind: file.network.kind }
  const { positions } = ringOptions
  // Who is on probation keeps what lies where its first place would be.
  const isPlaced = options.keepsPlaces === true && !members.isOnProbation(network.self)
  const places = isPlaced ? placesToBegin(await home.places(), positions) : undefined
  const ring = new RingNode({ clock, random, calls: ringCalls, tickets: members }, { ...ringOptions, places })
  const taken = new TakenPlaces({ ring, log, keep: (kept) => home.keepPlaces(kept) }, positions)
  try {
    const joining = new RingJoining(
      {
        ring,
        clock,
        random,
        log,
        meet: (address) => network.meet(address),
        lookUpText,
        mayJoin: () => !members.isOnProbation(network.self),
        ticketTaken: () => tickets.lose(),
        revoked: () => tickets.noteRevoked(),
        takenIn: () => tickets.noteTakenIn(),
      },
      told,
      remembered,
    )
    network.onFound((peer, addresses) => {
      network.learn(peer, addresses)
      joining.find({ peer, addresses })
    })
    members.listen({
      conflict: ({ refused, isChanged }) => {
        if (!isChanged) return
        // It greeted us as the holder of a ticket that was not its own: it has to come again, with one that is.
        if (refused !== network.self) void network.cut(refused)
        else {
          tickets.end()
          void endTakingPart({ ring, joining })
        }
      },
    })
    ring.start()
    await joining.begin()
    const signer = identitySigner(networkId, seedOfIdentity(await home.identity()), platform.threads.isSigned)
    return new OpenRingPeer(
      { clock, log, network, services, faults, signer, members, ring, taken, joining, home, tickets },
      file,
    )
  } catch (error) {
    await ring.leave()
    await network.close()
    throw error
  }
}

/** The others refuse us from now on: places that we hold in vain would be in their way. The program goes on for its owner. */
async function endTakingPart(needs: { ring: Ring; joining: RingJoining }): Promise<void> {
  await needs.joining.end()
  await needs.ring.leave()
}

/** What the home keeps of its network, brought up to date; where there is none and nobody is to be joined, the draft of one. */
async function fileOf(
  home: MembershipFiles,
  options: RingPeerOptions,
  entering: NetworkFile | undefined,
): Promise<NetworkFile> {
  const kept = entering ?? (await home.network())
  if (kept !== undefined) return home.migrate(kept)
  if (options.join.length > 0) {
    throw new NetworkError(
      'network-none',
      'To join others this home needs their invitation: polyhistor peer --invite … (they make one with: polyhistor network invite)',
    )
  }
  return home.draft('home', 'invited')
}

/** A volunteer has no place on the ring. */
function checkKeeps({ membership }: NetworkFile): void {
  if (membership === undefined || roleOfGrant(membership.grant).role !== 'volunteer') return
  throw new NetworkError(
    'network-volunteer',
    'This invitation is for a volunteer, which keeps nothing. Start it with: polyhistor volunteer --invite …',
  )
}

async function keepFile(home: MembershipFiles, file: NetworkFile, isNew: boolean): Promise<void> {
  if (isNew) await home.keepNew(file)
  else await home.keep(file)
}

interface Parts extends Pick<RingPeer, 'services' | 'faults' | 'signer' | 'members' | 'ring' | 'taken'> {
  readonly clock: Clock
  readonly log: Log
  readonly network: PeerNetwork
  readonly joining: RingJoining
  readonly home: MembershipFiles
  readonly tickets: TicketWatch
}

class OpenRingPeer implements RingPeer {
  readonly network: ArchiveNetwork
  readonly networkSeed: Seed | undefined
  readonly ring: Ring
  readonly taken: TakenPlaces
  readonly services: CallServices
  readonly faults: CallFaults
  readonly signer: AnnouncementSigner
  readonly members: MemberDirectory
  readonly #parts: Parts
  readonly #remembering: PeriodicTask
  #enforced: KeptRoles | undefined
  #keeping: Promise<void> = Promise.resolve()

  constructor(parts: Parts, { network, seed }: Pick<NetworkFile, 'network' | 'seed'>) {
    this.#parts = parts
    this.network = network
    this.networkSeed = seed
    this.ring = parts.ring
    this.taken = parts.taken
    this.services = parts.services
    this.faults = parts.faults
    this.signer = parts.signer
    this.members = parts.members
    this.#remembering = new PeriodicTask(this.#parts, rememberMs, () => this.#remember(), {
      firstMs: rememberFirstMs,
    })
  }

  get peer(): PeerId {
    return this.#parts.network.self
  }

  get isSpare(): boolean {
    return this.members.isOnProbation(this.peer)
  }

  firstPlaceOf(peer: PeerId): RingKey | undefined {
    const salt = this.members.saltOf(peer)
    return salt === undefined ? undefined : placeOf(networkIdOf(this.network), salt, 0)
  }

  addresses(): string[] {
    return this.#parts.network.addresses()
  }

  addressOf(peer: PeerId): string | undefined {
    return this.#parts.network.connected().find((connected) => connected.peer === peer)?.address
  }

  learn(peer: PeerId, addresses: readonly string[]): void {
    this.#parts.network.learn(peer, [...addresses])
  }

  view(): RingPeerView {
    const { name, kind } = this.network
    return {
      network: { id: networkIdOf(this.network), name, kind },
      addresses: this.addresses(),
      reach: this.#parts.network.reach?.(),
      ...(this.isSpare && { probationMs: this.members.probationMs(this.peer) }),
      ...this.ring.view(),
    }
  }

  problems(): string[] {
    return [...this.#parts.tickets.problems(), ...this.#parts.joining.problems()]
  }

  lookup(key: RingKey): Promise<LookupResult> {
    return this.ring.lookup(key)
  }

  enforce(roles: KeptRoles): void {
    const { network, home, log, tickets } = this.#parts
    const isKnown = isDeepStrictEqual(roles, this.#enforced)
    if (isKnown) return
    const before = new Set(this.#enforced?.revoked)
    this.#enforced = roles
    if (!this.isSpare) this.#parts.joining.look()
    for (const peer of roles.revoked) {
      if (before.has(peer)) continue
      // Ourselves: the others shut us out. We wait at their doors, so that we are on the ring again when it is taken back.
      if (peer === network.self) tickets.noteRevoked()
      else void network.cut(peer)
    }
    if (before.has(network.self) && !roles.revoked.includes(network.self)) tickets.noteTakenIn()
    this.#keeping = this.#keeping
      .then(() => home.keepRoles(roles))
      .catch((error) => log.error({ err: error }, 'Who was revoked could not be written down'))
  }

  async close(): Promise<void> {
    const { clock, joining } = this.#parts
    await this.#keeping
    await this.taken.close()
    await this.#remembering.close()
    await within(clock, leaveMsMax, joining.end())
    await this.#remember()
    await within(clock, leaveMsMax, this.ring.leave())
    await this.#parts.network.close()
  }

  async #remember(): Promise<void> {
    const peers = this.ring.remembered()
    // Alone we would forget whom we knew.
    if (peers.length > 0) await this.#parts.home.remember(networkIdOf(this.network), peers)
  }
}
