// A membership: why a peer belongs to a network, for everybody to check, with nobody else to ask.
//
// The network's key has signed the invitation's key, and the invitation's key this peer's identity. That holds until the
// invitation expires. A member for good that met the peer before then may witness it, and so makes it one for good too.
// Chains of witnesses are bounded, and end at a member whose invitation never expires: the peer where the network was
// made is one. It would not do if the witness had only been a member at the time that it says: whoever has an expired
// invitation could make up a second peer, long ago, to witness the first.
// Trusts: that members for good do not witness falsely. Who has an expired invitation and no witness stays outside.

import type { PeerId } from '../world/network.ts'
import { type ArchiveNetwork, networkIdOf } from './archive-network.ts'
import { bytesToText, type Fields, fieldsOf, numberIn, signatureIn, textIn, Unfit } from './fields.ts'
import { type Grant, type Invitation, isExpired, isGranted, readGrant, writeGrant } from './invitation.ts'
import { publicKeyOfPeer } from './peer-key.ts'
import { isSigned, type Seed, signFor } from './signing.ts'

export interface Membership {
  readonly peer: PeerId
  readonly grant: Grant
  /** By the invitation's key. */
  readonly signature: Uint8Array
  readonly witness: Witness | undefined
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
export function join(invitation: Invitation, peer: PeerId): Membership | undefined {
  const { network, admission } = invitation
  if (admission === undefined) return undefined
  const signature = signFor('membership', [networkIdOf(network), peer], admission.seed)
  return { peer, grant: admission.grant, signature, witness: undefined }
}

/** Whether it holds at this time. */
export function holds(membership: Membership, network: ArchiveNetwork, atMs: number): boolean {
  const { peer, grant, signature } = membership
  if (depthOf(membership) > witnessesMax) return false
  if (!isSigned('membership', [networkIdOf(network), peer], signature, grant.key)) return false
  return isGranted(network, grant) && (!isExpired(grant, atMs) || isWitnessed(membership, network))
}

export function holdsForGood(membership: Membership, network: ArchiveNetwork): boolean {
  return holds(membership, network, Number.POSITIVE_INFINITY)
}

function isWitnessed(membership: Membership, network: ArchiveNetwork): boolean {
  const { grant, witness } = membership
  if (witness === undefined || isExpired(grant, witness.atMs)) return false
  const key = publicKeyOfPeer(witness.membership.peer)
  const fields = witnessFields(membership, network, witness.atMs)
  if (key === undefined || !isSigned('witness', fields, witness.signature, key)) return false
  return holdsForGood(witness.membership, network)
}

/** A member's word that this one was there before its invitation expired; nothing when there is no need for it, or when
 * it would be no better than what there is. */
export function witnessFor(
  membership: Membership,
  network: ArchiveNetwork,
  witness: { membership: Membership; identitySeed: Seed },
  nowMs: number,
): Witness | undefined {
  const { grant } = membership
  if (grant.expiresAtMs === undefined || isExpired(grant, nowMs)) return undefined
  const depth = depthOf(witness.membership) + 1
  if (!holdsForGood(witness.membership, network)) return undefined
  if (depth > witnessesMax || (membership.witness !== undefined && depth >= depthOf(membership)))
    return undefined
  const fields = witnessFields(membership, network, nowMs)
  return {
    atMs: nowMs,
    signature: signFor('witness', fields, witness.identitySeed),
    membership: witness.membership,
  }
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

function witnessFields({ peer, grant }: Membership, network: ArchiveNetwork, atMs: number): string[] {
  return [networkIdOf(network), peer, bytesToText(grant.key), String(atMs)]
}

export function writeMembership({ peer, grant, signature, witness }: Membership): Fields {
  return {
    peer,
    grant: writeGrant(grant),
    signature: bytesToText(signature),
    ...(witness && { witness: writeWitness(witness) }),
  }
}

export function writeWitness({ atMs, signature, membership }: Witness): Fields {
  return { atMs, signature: bytesToText(signature), membership: writeMembership(membership) }
}

export function readMembership(fields: Fields, depthMax = witnessesMax): Membership {
  return {
    peer: textIn(fields, 'peer', peerIdLengthMax),
    grant: readGrant(fieldsOf(fields.grant)),
    signature: signatureIn(fields, 'signature'),
    witness: fields.witness === undefined ? undefined : readWitness(fieldsOf(fields.witness), depthMax),
  }
}

export function readWitness(fields: Fields, depthMax = witnessesMax): Witness {
  if (depthMax === 0) throw new Unfit('too many witnesses')
  return {
    atMs: numberIn(fields, 'atMs'),
    signature: signatureIn(fields, 'signature'),
    membership: readMembership(fieldsOf(fields.membership), depthMax - 1),
  }
}
