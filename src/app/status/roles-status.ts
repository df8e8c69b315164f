// Roles of a network as people read them: who is what, and who has said so.

import type { RolesStatus } from '../../model/peer-status.ts'
import type { NetworkRoles, ToldStatement } from '../../network/roles/network-roles.ts'
import type { RoleAct } from '../../network/roles/role-statement.ts'
import type { RingPeer } from '../ring/ring-peer.ts'

/** Of a large network the first; `network roles` has them all. */
const peersMax = 1_000
const saidMax = 200

export function rolesStatus(
  roles: NetworkRoles,
  { peer: self, networkSeed, members }: Pick<RingPeer, 'peer' | 'networkSeed' | 'members'>,
): RolesStatus {
  const { peers, revoked } = roles.roles()
  return {
    own: members.roleOf(self),
    hasNetworkKey: networkSeed !== undefined,
    peers: peers.slice(0, peersMax).map(({ peer, role, sites }) => ({ peer, role, sites })),
    revoked: revoked.slice(0, peersMax),
    settings: roles.history.settings,
    said: roles.statements().slice(0, saidMax).map(told),
  }
}

function told({ id, atMs, author, isFounders, what, standing }: ToldStatement): RolesStatus['said'][number] {
  const reason = 'reason' in what ? what.reason : ''
  return { id, atMs, author, isFounders, what: wordsOf(what), reason, standing }
}

function wordsOf(what: RoleAct): string {
  const named = (peer: string) => `…${peer.slice(-8)}`
  switch (what.act) {
    case 'begin':
      return 'roles begin'
    case 'grant':
      return `${named(what.peer)} is ${what.role}${what.sites.length > 0 ? ` of ${what.sites.slice(0, 5).join(', ')}` : ''}${what.replaces === undefined ? '' : `, in the place of ${named(what.replaces)}`}`
    case 'revoke':
      return `${named(what.peer)} is revoked`
    case 'join':
      return 'came with its role by invitation'
    case 'settings':
      return 'what holds for the network'
    case 'approve':
      return `approves ${what.statement.slice(0, 8)}`
    case 'overrule':
      return 'overrules others'
  }
}
