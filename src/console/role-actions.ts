// Roles from the console: given, taken and approved, and taken back. Who may is for the network's roles to say (src/network/roles).
//
// To undo is another statement, which says what was so before: what was said of roles stays in their history.

import { isDeepStrictEqual } from 'node:util'
import { ActionError } from './action-error.ts'
import type { UndoPlan } from './action-record.ts'
import type { ActionRequest } from './action-request.ts'

/** A role as the log has it; null: it was revoked. */
type KnownRole = { readonly role: string; readonly sites: readonly string[] } | null

/** It may need more signatures, or not count because somebody senior said otherwise. */
type Standing = 'counts' | 'pending' | 'void'

/** Changes reject where this peer may not. */
export interface RoleChanges {
  /** Of a peer that is named by its id or the end of it. */
  roleOf(peer: string): { readonly peer: string; readonly role: KnownRole }
  grant(peer: string, role: string, sites: readonly string[], reason: string): Promise<Standing>
  revoke(peer: string, reason: string): Promise<Standing>
  approve(statement: string): Promise<Standing>
}

type RoleUndo = Extract<UndoPlan, { kind: 'role' }>

export async function changeRoles(
  roles: RoleChanges,
  { kind, peer, role, statement, reason }: ActionRequest,
): Promise<{ readonly message: string; readonly undo?: UndoPlan }> {
  // It may have been what somebody else waited for: they cannot be made to wait again.
  if (kind === 'approve') return { message: wordsOf(await roles.approve(statement ?? '')) }
  if (peer === undefined) throw new ActionError('action-malformed', 'Say whom it is about: "peer".')
  const before = roles.roleOf(peer)
  const standing =
    kind === 'revoke'
      ? await roles.revoke(before.peer, reason)
      : await roles.grant(before.peer, role ?? '', [], reason)
  const after = roles.roleOf(before.peer)
  const isChanged = standing === 'counts' && !isDeepStrictEqual(before, after)
  const undo: RoleUndo = {
    kind: 'role',
    peer: before.peer,
    before: plain(before.role),
    after: plain(after.role),
  }
  return { message: wordsOf(standing), ...(isChanged && { undo }) }
}

export async function takeBackRole(roles: RoleChanges, { peer, before, after }: RoleUndo): Promise<string> {
  if (!isDeepStrictEqual(plain(roles.roleOf(peer).role), after))
    throw new ActionError('action-superseded', 'Its role was changed again since.')
  const standing =
    before === null
      ? await roles.revoke(peer, 'undone')
      : await roles.grant(peer, before.role, before.sites, 'undone')
  const words = before === null ? 'revoked again' : `${before.role} again`
  return standing === 'counts' ? `It is ${words}.` : wordsOf(standing)
}

function plain(role: KnownRole): RoleUndo['before'] {
  return role && { role: role.role, sites: [...role.sites] }
}

function wordsOf(standing: Standing): string {
  switch (standing) {
    case 'counts':
      return 'All peers that can be reached know it now.'
    case 'pending':
      return 'It waits for more administrators to approve it.'
    case 'void':
      return 'It does not count: an administrator with more to say has said otherwise.'
  }
}
