// A member of the network that means harm: it has an invitation, and speaks the transport as it likes.

import type { Announcer } from '../../sim/hostile/sample-announcements.ts'
import type { AnnouncementSigner } from '../../src/network/announcements/announcement.ts'
import { Admission } from '../../src/network/membership/admission.ts'
import { networkIdOf, prologueOf } from '../../src/network/membership/archive-network.ts'
import { identitySigner } from '../../src/network/membership/identity-signer.ts'
import { readInvitation } from '../../src/network/membership/invitation.ts'
import { MemberDirectory } from '../../src/network/membership/member-directory.ts'
import { join, writeMembership } from '../../src/network/membership/membership.ts'
import { seedOfIdentity } from '../../src/network/membership/peer-key.ts'
import { isSigned } from '../../src/network/membership/signing.ts'
import { CallServices } from '../../src/platform/calls/call-services.ts'
import { Calls } from '../../src/platform/calls/calls.ts'
import { RealClock } from '../../src/platform/real/clock.ts'
import { newIdentity, peerOf } from '../../src/platform/real/network/identity.ts'
import { type RealNetwork, startNetwork } from '../../src/platform/real/network/network.ts'
import { RealRandom } from '../../src/platform/real/random.ts'
import { SigningKey } from '../../src/proof/ed25519.ts'

export interface HostileMember {
  readonly network: RealNetwork
  readonly services: CallServices
  readonly members: MemberDirectory
  /** Who it is: its key, its ticket, and how it signs. */
  readonly announcer: Announcer
  readonly signer: AnnouncementSigner
}

export async function hostileMember(invitationText: string, ticket: number): Promise<HostileMember> {
  const invitation = readInvitation(invitationText)
  const identity = await newIdentity()
  const peer = peerOf(identity)
  const clock = new RealClock()
  const members = new MemberDirectory({ clock }, invitation.network)
  const membership = join(invitation, peer, ticket)
  const greeting = new Admission(
    { clock, members },
    {
      peer,
      network: invitation.network,
      identitySeed: seedOfIdentity(identity),
      program: 'hostile',
      membership,
      addresses: () => [],
    },
    () => {},
  )
  const network = await startNetwork({
    identity,
    greeting,
    listen: ['/ip4/127.0.0.1/tcp/0'],
    prologue: prologueOf(invitation.network),
    queueBytesMax: 1e9,
  })
  const limits = { inFlightMax: 1e6 }
  const services = new CallServices(new Calls({ network, clock, random: new RealRandom() }, limits))
  const seed = seedOfIdentity(identity)
  const signer = identitySigner(networkIdOf(invitation.network), seed, isSigned)
  const sign = signer.sign.bind(signer)
  const announcer = {
    self: peer,
    sign,
    key: new SigningKey(seed),
    ticket: membership && Buffer.from(JSON.stringify(writeMembership(membership))),
  }
  return { network, services, members, announcer, signer }
}
