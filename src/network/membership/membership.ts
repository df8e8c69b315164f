// A membership: why a peer belongs to a network, for everybody to check, with nobody else to ask.
//
// The network's key has signed the invitation's key, and the invitation's key this peer's identity and its ticket. That holds
// until the invitation expires. A member for good that met the peer before then may witness it, and so makes it one for good
// too. Chains of witnesses are bounded, and end at a member whose invitation never expires: the peer where the network was
// made is one. It would not do if the witness had only been a member at the time that it says: whoever has an expired
// invitation could make up a second peer, long ago, to witness the first.
// A witness from another invitation also dates the claim of the ticket: see `claimedAtMs`.
// Memberships from before there were tickets (old ones) place their peer by its identity. New identities cost nothing, so
// such a membership counts only where it is confirmed: by the network's key, or because the peer was known before (see
// member-directory.ts).
// Trusts: that members for good do not witness falsely. Who has an expired invitation and no witness stays outside.

import type { PeerId } from '../../platform/network/network.ts'
import { type ArchiveNetwork, networkIdOf } from './archive-network.ts'
import { bytesToText, type Fields, fieldsOf, numberIn, signatureIn, textIn, Unfit } from './fields.ts'
import {
  type Grant,
  type Invitation,
  isExpired,
  isGranted,
  readGrant,
  usesMax,
  writeGrant,
} from './invitation.ts'
import { publicKeyOfPeer } from './peer-key.ts'
import { isSigned, type Seed, signFor } from './signing.ts'
import { isTicketOf, ticketSalt } from './tickets/ticket.ts'

export interface Membership {
  readonly peer: PeerId
  readonly grant: Grant
  /** The number of its ticket; none in old ones. */
  readonly ticket: number | undefined
  /** By the invitation's key. */
  readonly signature: Uint8Array
  readonly witness: Witness | undefined
  /** By the network's key, of old ones only: that this identity was a member before there were tickets. */
  readonly confirmation: Uint8Array | undefined
}

export interface Witness {
  readonly atMs: number
  /** By the witness's identity. */
  readonly signature: Uint8Array
  readonly membership: Membership
}

export const witnessesMax = 4
export const peerIdLengthMax = 128

/** Not for open networks, where nobody needs one. */
export function join(invitation: Invitation, peer: PeerId, ticket: number): Membership | undefined {
  const { network, admission } = invitation
  if (admission === undefined) return undefined
  const { grant, seed } = admission
  const unsigned = { peer, grant, ticket, witness: undefined, confirmation: undefined }
  return { ...unsigned, signature: signFor('membership', memberFields(unsigned, network), seed) }
}

/** Whether it holds at this time. Says nothing of whose the ticket is when others claim it too. */
export function holds(membership: Membership, network: ArchiveNetwork, atMs: number): boolean {
  const { grant, ticket, signature } = membership
  if (depthOf(membership) > witnessesMax) return false
  if (ticket === undefined ? grant.tickets !== undefined : !isTicketOf(grant, ticket)) return false
  if (!isSigned('membership', memberFields(membership, network), signature, grant.key)) return false
  return isGranted(network, grant) && (!isExpired(grant, atMs) || isWitnessed(membership, network))
}

function holdsForGood(membership: Membership, network: ArchiveNetwork): boolean {
  return holds(membership, network, Number.POSITIVE_INFINITY)
}

/** What the peer's places on the ring are made from. */
export function placeSaltOf({ peer, grant, ticket }: Membership): string {
  return ticket === undefined ? peer : ticketSalt(grant, ticket)
}

/** Whether a member that may do so says that it was there before its invitation expired. */
export function isWitnessed(membership: Membership, network: ArchiveNetwork): boolean {
  const { grant, witness } = membership
  if (witness === undefined || isExpired(grant, witness.atMs)) return false
  const key = publicKeyOfPeer(witness.membership.peer)
  const fields = witnessFields(membership, network, witness.atMs)
  if (key === undefined || !isSigned('witness', fields, witness.signature, key)) return false
  return mayWitness(membership, witness, network)
}

/** When its ticket was claimed, by the word of a member from another invitation. Others with the same invitation have no say:
 * they could date claims of their own before somebody else's. Infinite when nobody has dated it. */
export function claimedAtMs(membership: Membership, network: ArchiveNetwork): number {
  return isDated(membership) && isWitnessed(membership, network)
    ? membership.witness!.atMs
    : Number.POSITIVE_INFINITY
}

function isDated({ grant, witness }: Membership): boolean {
  return witness !== undefined && bytesToText(witness.membership.grant.key) !== bytesToText(grant.key)
}

/** A member's word that this one was there at this time; nothing when it would be no better than what there is. */
export function witnessFor(
  membership: Membership,
  network: ArchiveNetwork,
  witness: { membership: Membership; identitySeed: Seed },
  nowMs: number,
): Witness | undefined {
  const draft = {
    atMs: nowMs,
    signature: new Uint8Array(),
    membership: withoutNeedlessWitness(witness.membership),
  }
  if (isExpired(membership.grant, nowMs) || !isBetterWith(membership, draft)) return undefined
  if (!mayWitness(membership, draft, network)) return undefined
  const fields = witnessFields(membership, network, nowMs)
  return { ...draft, signature: signFor('witness', fields, witness.identitySeed) }
}

/** Old memberships count for old ones only, unless they are confirmed: whoever has an old invitation can make up any number. */
function mayWitness({ ticket }: Membership, witness: Witness, network: ArchiveNetwork): boolean {
  const by = witness.membership
  if (ticket !== undefined && by.ticket === undefined && !isConfirmed(by, network)) return false
  return holdsForGood(by, network)
}

/** Whether this witness makes it hold for longer, by fewer words, or dates it for the first time. */
export function isBetterWith(membership: Membership, witness: Witness): boolean {
  const witnessed = { ...membership, witness }
  if (depthOf(witnessed) > witnessesMax) return false
  if (membership.ticket !== undefined && isDated(witnessed) !== isDated(membership)) return isDated(witnessed)
  if (membership.grant.expiresAtMs === undefined) return false
  return membership.witness === undefined || depthOf(witnessed) < depthOf(membership)
}

/** Who has an invitation that never expires needs no witness to be one. */
function withoutNeedlessWitness(membership: Membership): Membership {
  return membership.grant.expiresAtMs === undefined ? { ...membership, witness: undefined } : membership
}

/** How many witnesses stand behind it, each for the one before. */
export function depthOf(membership: Membership): number {
  let depth = 0
  let witness = membership.witness
  while (witness !== undefined) {
    depth++
    witness = witness.membership.witness
  }
  return depth
}

/** For an old membership, by whoever holds the network's key: its places stay where they are. */
export function confirm({ peer }: Membership, network: ArchiveNetwork, networkSeed: Seed): Uint8Array {
  return signFor('confirmation', [networkIdOf(network), peer], networkSeed)
}

export function isConfirmed({ peer, confirmation }: Membership, network: ArchiveNetwork): boolean {
  return (
    confirmation !== undefined &&
    isSigned('confirmation', [networkIdOf(network), peer], confirmation, network.key)
  )
}

function memberFields(
  { peer, ticket }: Pick<Membership, 'peer' | 'ticket'>,
  network: ArchiveNetwork,
): string[] {
  return [networkIdOf(network), peer, ...ticketField(ticket)]
}

function witnessFields({ peer, grant, ticket }: Membership, network: ArchiveNetwork, atMs: number): string[] {
  return [networkIdOf(network), peer, bytesToText(grant.key), String(atMs), ...ticketField(ticket)]
}

function ticketField(ticket: number | undefined): string[] {
  return ticket === undefined ? [] : [String(ticket)]
}

export function writeMembership(membership: Membership): Fields {
  const { peer, grant, ticket, signature, witness, confirmation } = membership
  return {
    peer,
    grant: writeGrant(grant),
    ...(ticket !== undefined && { ticket }),
    signature: bytesToText(signature),
    ...(witness && { witness: writeWitness(witness) }),
    ...(confirmation && { confirmation: bytesToText(confirmation) }),
  }
}

export function writeWitness({ atMs, signature, membership }: Witness): Fields {
  return { atMs, signature: bytesToText(signature), membership: writeMembership(membership) }
}

export function readMembership(fields: Fields, depthMax = witnessesMax): Membership {
  return {
    peer: textIn(fields, 'peer', peerIdLengthMax),
    grant: readGrant(fieldsOf(fields.grant)),
    ticket: fields.ticket === undefined ? undefined : ticketIn(fields),
    signature: signatureIn(fields, 'signature'),
    witness: fields.witness === undefined ? undefined : readWitness(fieldsOf(fields.witness), depthMax),
    confirmation: fields.confirmation === undefined ? undefined : signatureIn(fields, 'confirmation'),
  }
}

function ticketIn(fields: Fields): number {
  const ticket = numberIn(fields, 'ticket')
  if (ticket >= usesMax) throw new Unfit('ticket')
  return ticket
}

export function readWitness(fields: Fields, depthMax = witnessesMax): Witness {
  if (depthMax === 0) throw new Unfit('too many witnesses')
  return {
    atMs: numberIn(fields, 'atMs'),
    signature: signatureIn(fields, 'signature'),
    membership: readMembership(fieldsOf(fields.membership), depthMax - 1),
  }
}
