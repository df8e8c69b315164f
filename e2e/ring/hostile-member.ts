// A member of the network that means harm: it has an invitation, and speaks the transport as it likes.

import { Admission } from '../../src/network/membership/admission.ts'
import { prologueOf } from '../../src/network/membership/archive-network.ts'
import { readInvitation } from '../../src/network/membership/invitation.ts'
import { MemberDirectory } from '../../src/network/membership/member-directory.ts'
import { join } from '../../src/network/membership/membership.ts'
import { seedOfIdentity } from '../../src/network/membership/peer-key.ts'
import { CallServices } from '../../src/platform/calls/call-services.ts'
import { Calls } from '../../src/platform/calls/calls.ts'
import { RealClock } from '../../src/platform/real/clock.ts'
import { newIdentity, peerOf } from '../../src/platform/real/network/identity.ts'
import { type RealNetwork, startNetwork } from '../../src/platform/real/network/network.ts'
import { RealRandom } from '../../src/platform/real/random.ts'

export interface HostileMember {
  readonly network: RealNetwork
  readonly services: CallServices
  readonly members: MemberDirectory
}

export async function hostileMember(invitationText: string, ticket: number): Promise<HostileMember> {
  const invitation = readInvitation(invitationText)
  const identity = await newIdentity()
  const peer = peerOf(identity)
  const clock = new RealClock()
  const members = new MemberDirectory({ clock }, invitation.network)
  const greeting = new Admission(
    { clock, members },
    {
      peer,
      network: invitation.network,
      identitySeed: seedOfIdentity(identity),
      program: 'hostile',
      membership: join(invitation, peer, ticket),
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
  return { network, services, members }
}
