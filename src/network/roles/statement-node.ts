// A statement as the history weighs it: what it gives and to whom, whom it takes something from, and by which right it was said.

import assert from 'node:assert/strict'
import type { PeerId } from '../../platform/network/network.ts'
import { roleOfGrant } from '../membership/invitation.ts'
import { type NamedRole, type Role, rankOf } from '../membership/role.ts'
import { ticketName } from '../membership/tickets/ticket.ts'
import type { RoleStatement } from './role-statement.ts'

/** By which right it was said, as far as its signatures and its form tell. */
export interface CheckedStatement {
  readonly statement: RoleStatement
  readonly right: 'founder' | 'join' | 'grant'
  /** Of a join: since when its peer has its ticket, by the word of a member from another invitation. */
  readonly claimedAtMs?: number | undefined
}

export interface Node extends CheckedStatement {
  readonly id: string
  readonly author: PeerId
  /** What it gives: of grants and joins. */
  readonly gives: (NamedRole & { readonly peer: PeerId }) | undefined
  /** Whom it takes something from, unless it was known to the grant in question. */
  readonly ends: readonly PeerId[]
}

export function nodeOf(checked: CheckedStatement): Node {
  const { statement } = checked
  const { id, author, what } = statement
  const gives =
    what.act === 'grant'
      ? { peer: what.peer, role: what.role, sites: what.sites }
      : what.act === 'join'
        ? { peer: author, ...roleOfGrant(what.membership.grant) }
        : undefined
  const ends =
    what.act === 'revoke'
      ? [what.peer]
      : what.act === 'grant'
        ? [what.peer, ...(what.replaces === undefined ? [] : [what.replaces])]
        : []
  return { ...checked, id, author, gives, ends }
}

/** Of several who claim one ticket: as the member directory decides, by what their statements show. */
export function isFirstClaim(node: Node, joins: readonly Node[]): boolean {
  const claim = claimOf(node)
  return joins.every((other) => {
    if (other === node) return true
    const rival = claimOf(other)
    if (rival.ticket !== claim.ticket || rival.peer === claim.peer) return true
    return claim.atMs === rival.atMs ? claim.peer < rival.peer : claim.atMs < rival.atMs
  })
}

/** The highest first. */
export function byRank(one: Node, other: Node): number {
  return rankOf(other.gives!.role) - rankOf(one.gives!.role) || (one.id < other.id ? -1 : 1)
}

/** What leaves least first: revocations, then grants of low roles. */
export function byStrictness(one: Node, other: Node): number {
  const left = ({ gives }: Node) => (gives === undefined ? -1 : rankOf(gives.role))
  return left(one) - left(other) || (one.id < other.id ? -1 : 1)
}

export function suffices({ role, sites }: NamedRole, least: Role, site: string | undefined): boolean {
  if (rankOf(role) < rankOf(least)) return false
  return role !== 'curator' || site === undefined || sites.length === 0 || sites.includes(site)
}

function claimOf({ statement, claimedAtMs }: Node): { ticket: string; atMs: number; peer: PeerId } {
  const { what, author } = statement
  assert(what.act === 'join')
  const { grant, ticket } = what.membership
  return { ticket: ticketName(grant, ticket!), atMs: claimedAtMs ?? Number.POSITIVE_INFINITY, peer: author }
}
