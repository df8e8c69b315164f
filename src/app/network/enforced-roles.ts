// Roles where a peer meets its network: who is revoked is put out of the ring, and what the owner is told of roles.

import type { RingPeer } from '../ring/ring-peer.ts'
import type { RoleParts } from '../ring/role-routes.ts'
import type { SharedCrawl } from './shared-crawl.ts'

/** Who is revoked is put out as soon as it is heard of. */
export function enforceRoles(ring: RingPeer, { roles, vouches }: SharedCrawl): void {
  if (roles === undefined) return
  const enforce = () => {
    const { peer, members } = ring
    const placed = vouches?.placed() ?? []
    ring.enforce({ own: members.roleOf(peer), revoked: roles.history.revoked(), placed })
  }
  // Roles change what vouches come to: it tells of both.
  if (vouches === undefined) roles.onChange(enforce)
  else vouches.onChange(enforce)
  enforce()
}

/** For who asks about roles, where there are any. */
export function rolePartsOf(
  ring: RingPeer,
  { roles, takedowns, rules, invitations, releases }: SharedCrawl,
): RoleParts {
  if (roles === undefined || invitations === undefined || releases === undefined)
    throw new Error('a network without roles')
  return {
    ...{ self: ring.peer, hasNetworkKey: ring.networkSeed !== undefined },
    ...{ roles, takedowns, rules, invitations, releases },
    addresses: () => ring.addresses(),
  }
}
