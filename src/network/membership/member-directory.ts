// The members of a network whose claims of tickets are known here, and who holds which ticket.
//
// Invariants: every membership in it was checked; a ticket has one holder, a peer one ticket. A ticket belongs to the first
// identity whose claim we know. Parts of a torn network may have known different ones first: then the claim that a member of
// another invitation dated earlier holds; of two that nobody has dated, the one whose peer's name sorts first. All peers come
// to the same end whatever the order in which they hear of the claims. At the door a second claim that is not dated earlier is
// refused: only claims that others have taken in can compete.
// Old memberships (see membership.ts) count when the network's key has confirmed them, or when their peer was known to this
// home before there were tickets: no new ones can be made.
// Revoked members are refused, and their tickets stay theirs: nobody else can use them.
// Bounded by `membersMax`: of more, those heard of first are forgotten.

import type { Clock } from '../../platform/clock.ts'
import type { PeerId } from '../../platform/network/network.ts'
import type { ArchiveNetwork } from './archive-network.ts'
import { bytesToText, fieldsOf, Unfit } from './fields.ts'
import { roleOfGrant } from './invitation.ts'
import {
  claimedAtMs,
  depthOf,
  holds,
  isConfirmed,
  type Membership,
  placeSaltOf,
  readMembership,
  writeMembership,
} from './membership.ts'
import { NetworkError } from './network-error.ts'
import type { NamedRole, Role } from './role.ts'
import { ticketName } from './tickets/ticket.ts'

/** Two identities claim one ticket. */
export interface TicketConflict {
  readonly holder: PeerId
  readonly refused: PeerId
  /** The holder is another than before. */
  readonly isChanged: boolean
}

/** What was said of roles since members were invited: see src/network/roles/. */
export interface RoleHistory {
  /** 'revoked' for who is out; undefined where nothing was said of the peer: then it is what its invitation says. */
  roleOf(peer: PeerId): NamedRole | 'revoked' | undefined
  /** Whether this invitation lets nobody in any more but those who had come by then, and the peer is none of them. */
  isShut(invitation: string, peer: PeerId): boolean
}

/** Who of those that have to prove themselves has done so: see src/network/screening/. */
export interface PlaceJudge {
  hasPlaces(peer: PeerId): boolean
}

export interface DirectoryEvents {
  /** A claim that was not known here, or that is dated now. */
  claimed?(membership: Membership): void
  conflict?(conflict: TicketConflict): void
}

const membersMax = 65_536

export class MemberDirectory {
  readonly #network: ArchiveNetwork
  readonly #clock: Clock
  readonly #oldMembers: ReadonlySet<PeerId>
  readonly #members = new Map<PeerId, { membership: Membership; salt: string }>()
  /** By ticket. */
  readonly #holders = new Map<string, PeerId>()
  readonly #events: DirectoryEvents[] = []
  #self: PeerId | undefined
  #history: RoleHistory | undefined
  #places: PlaceJudge | undefined

  /** `oldMembers` are peers that this home knew before there were tickets. */
  constructor(needs: { clock: Clock }, network: ArchiveNetwork, oldMembers: ReadonlySet<PeerId> = new Set()) {
    this.#clock = needs.clock
    this.#network = network
    this.#oldMembers = oldMembers
  }

  listen(events: DirectoryEvents): void {
    this.#events.push(events)
  }

  /** Our own claim, which others check. */
  beginAs(membership: Membership): void {
    this.#self = membership.peer
    this.#keep(membership)
  }

  /** From now on what was granted and revoked counts, too. */
  followRoles(history: RoleHistory): void {
    this.#history = history
  }

  /** From now on those on probation get places as this says. */
  followScreening(places: PlaceJudge): void {
    this.#places = places
  }

  /** Which role the peer has now, for any service that wants to know before it answers. undefined: revoked, or no membership of it is
   * known here. In open networks everybody is a member. */
  roleOf(peer: PeerId): Role | undefined {
    return this.namedRoleOf(peer)?.role
  }

  /** The same with the sites of curators. */
  namedRoleOf(peer: PeerId): NamedRole | undefined {
    const said = this.#history?.roleOf(peer)
    if (said === 'revoked') return undefined
    const membership = this.membershipOf(peer)
    if (membership === undefined)
      return this.#network.kind === 'open' ? (said ?? { role: 'member', sites: [] }) : undefined
    return said ?? roleOfGrant(membership.grant)
  }

  isRevoked(peer: PeerId): boolean {
    return this.#history?.roleOf(peer) === 'revoked'
  }

  /** Whether the peer must have no place on the ring: volunteers, who was revoked, and who is on probation. */
  isBarred(peer: PeerId): boolean {
    if (this.isRevoked(peer)) return true
    if (!this.#members.has(peer)) return false
    return this.roleOf(peer) === 'volunteer' || this.isOnProbation(peer)
  }

  isOnProbation(peer: PeerId): boolean {
    return this.probationMs(peer) !== undefined && !this.#places?.hasPlaces(peer)
  }

  /** How long the peer has to prove itself, by its invitation; undefined for who is trusted: so is everybody of whom an administrator has
   * said something since. */
  probationMs(peer: PeerId): number | undefined {
    const membership = this.membershipOf(peer)
    if (membership?.grant.probationMs === undefined || this.#history?.roleOf(peer) !== undefined)
      return undefined
    return membership.grant.probationMs
  }

  saltOf(peer: PeerId): string | undefined {
    return this.#members.get(peer)?.salt
  }

  /** All that are known here. */
  peers(): PeerId[] {
    return [...this.#members.keys()]
  }

  membershipOf(peer: PeerId): Membership | undefined {
    return this.#members.get(peer)?.membership
  }

  proofOf(peer: PeerId): Uint8Array | undefined {
    const membership = this.membershipOf(peer)
    return membership && Buffer.from(JSON.stringify(writeMembership(membership)))
  }

  /** From a peer that knows this one. */
  learn(peer: PeerId, proof: Uint8Array): void {
    const membership = readProof(proof)
    if (membership.peer !== peer) throw refusal('the ticket is of another peer')
    this.hear(membership)
  }

  /** Of a peer that wants to be let in. Throws a NetworkError when it is not. */
  greet(membership: Membership): void {
    this.#check(membership)
    const rival = this.#rivalOf(membership)
    if (rival !== undefined && this.#claimedAtMs(membership) >= this.#claimedAtMs(rival)) {
      this.#report({ holder: rival.peer, refused: membership.peer, isChanged: false })
      throw taken()
    }
    this.#take(membership, rival)
  }

  /** Of somebody that others have taken in. Throws a NetworkError when it does not hold, or the ticket is another's. */
  hear(membership: Membership): void {
    this.#check(membership)
    const rival = this.#rivalOf(membership)
    if (rival !== undefined && !this.#isBefore(membership, rival)) {
      this.#report({ holder: rival.peer, refused: membership.peer, isChanged: false })
      throw taken()
    }
    this.#take(membership, rival)
  }

  #check(membership: Membership): void {
    const { peer, grant } = membership
    if (this.isRevoked(peer)) throw new NetworkError('network-revoked', 'it was revoked')
    if (!this.#members.has(peer) && this.#history?.isShut(bytesToText(grant.key), peer))
      throw new NetworkError('network-revoked', 'its invitation was revoked')
    if (!holds(membership, this.#network, this.#clock.nowMs())) throw refusal('its invitation does not hold')
    if (membership.ticket === undefined && !this.#isAdmittedOld(membership))
      throw refusal('its invitation is from before there were tickets')
    const known = this.membershipOf(membership.peer)
    if (known !== undefined && !this.#mayChange(known, membership))
      throw new NetworkError('network-ticket-changed', 'It holds another ticket already')
  }

  #isAdmittedOld(membership: Membership): boolean {
    return this.#oldMembers.has(membership.peer) || isConfirmed(membership, this.#network)
  }

  /** From an old membership to a ticket, or from a ticket that was lost or has expired to another. */
  #mayChange(known: Membership, next: Membership): boolean {
    if (known.ticket === undefined || nameOf(known) === nameOf(next)) return true
    if (next.ticket === undefined) return false
    return this.#holderOf(known) !== known.peer || !holds(known, this.#network, this.#clock.nowMs())
  }

  #rivalOf(membership: Membership): Membership | undefined {
    const holder = this.#holderOf(membership)
    return holder === undefined || holder === membership.peer ? undefined : this.membershipOf(holder)
  }

  #holderOf(membership: Membership): PeerId | undefined {
    const name = nameOf(membership)
    return name === undefined ? undefined : this.#holders.get(name)
  }

  #isBefore(one: Membership, other: Membership): boolean {
    const [oneMs, otherMs] = [this.#claimedAtMs(one), this.#claimedAtMs(other)]
    return oneMs === otherMs ? one.peer < other.peer : oneMs < otherMs
  }

  #claimedAtMs(membership: Membership): number {
    return claimedAtMs(membership, this.#network)
  }

  #take(membership: Membership, rival: Membership | undefined): void {
    const known = this.membershipOf(membership.peer)
    if (known !== undefined && nameOf(known) === nameOf(membership) && !this.#isNews(known, membership))
      return
    if (rival !== undefined) this.#forget(rival.peer)
    this.#keep(membership)
    if (rival !== undefined) this.#report({ holder: membership.peer, refused: rival.peer, isChanged: true })
    for (const { claimed } of this.#events) claimed?.(membership)
  }

  #isNews(known: Membership, next: Membership): boolean {
    if (known.confirmation === undefined && next.confirmation !== undefined) return true
    if (next.witness === undefined) return false
    return (
      known.witness === undefined ||
      depthOf(next) < depthOf(known) ||
      this.#claimedAtMs(next) < this.#claimedAtMs(known)
    )
  }

  #keep(membership: Membership): void {
    const { peer } = membership
    this.#forget(peer)
    this.#members.set(peer, { membership, salt: placeSaltOf(membership) })
    const name = nameOf(membership)
    if (name !== undefined) this.#holders.set(name, peer)
    for (const oldest of this.#members.keys()) {
      if (this.#members.size <= membersMax) break
      if (oldest !== this.#self) this.#forget(oldest)
    }
  }

  #forget(peer: PeerId): void {
    const known = this.membershipOf(peer)
    if (known === undefined) return
    this.#members.delete(peer)
    const name = nameOf(known)
    if (name !== undefined && this.#holders.get(name) === peer) this.#holders.delete(name)
  }

  #report(conflict: TicketConflict): void {
    for (const { conflict: listener } of this.#events) listener?.(conflict)
  }
}

function nameOf({ grant, ticket }: Membership): string | undefined {
  return ticket === undefined ? undefined : ticketName(grant, ticket)
}

export function readProof(proof: Uint8Array): Membership {
  try {
    return readMembership(fieldsOf(JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(proof))))
  } catch (error) {
    if (error instanceof Unfit || error instanceof SyntaxError || error instanceof TypeError)
      throw refusal('what should be its ticket cannot be read')
    throw error
  }
}

function refusal(reason: string): NetworkError {
  return new NetworkError('network-refused', reason)
}

function taken(): NetworkError {
  return new NetworkError('network-ticket-taken', 'its ticket is another peer’s')
}
