// Which services of a peer another may ask, by the role that it has now.
//
// Members and all above them may ask everything. A volunteer gets what it needs to fetch for others, and nothing else: a new service
// is closed to volunteers until it is named here. Who was revoked gets no answer, also over a connection that is about to be cut.

import type { ServiceName } from '../../platform/calls/call-services.ts'
import type { PeerId } from '../../platform/network/network.ts'
import type { MemberDirectory } from './member-directory.ts'

/** The ring answers where a key lies; a volunteer's own places are refused there. */
const forVolunteers: ReadonlySet<ServiceName> = new Set<ServiceName>(['ring', 'volunteers'])

export function mayAsk(
  members: Pick<MemberDirectory, 'isRevoked' | 'roleOf'>,
  peer: PeerId,
  service: ServiceName,
): boolean {
  if (members.isRevoked(peer)) return false
  return members.roleOf(peer) !== 'volunteer' || forVolunteers.has(service)
}
