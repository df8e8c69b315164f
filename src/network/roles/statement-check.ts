// Statement check: by which right a role statement was said: the network's key, an invitation, or a grant that role-history.ts looks
// for. Signatures are verified once for each statement that is known.
//
// Invariant: what passes here depends on the statement and the network's key alone. An invitation that expires counts only with a
// witness, so that no clock decides.

import { hash } from 'node:crypto'
import { LruCache } from '../../model/lru-cache.ts'
import type { PeerId } from '../../platform/network/network.ts'
import type { Announcement } from '../announcements/announcement.ts'
import { type ArchiveNetwork, networkIdOf } from '../membership/archive-network.ts'
import { roleOfGrant } from '../membership/invitation.ts'
import { claimedAtMs, holds } from '../membership/membership.ts'
import { isAtLeast } from '../membership/role.ts'
import { isFounders, type RoleStatement, readRoleStatement } from './role-statement.ts'
import type { CheckedStatement } from './statement-node.ts'

const knownMax = 16_384

export class StatementCheck {
  readonly #network: ArchiveNetwork
  readonly #networkId: string
  /** By who brought it and all its bytes: its id does not cover the signature of the network's key, which may be wrong. */
  readonly #known = new LruCache<string, { checked: CheckedStatement | undefined }>({ max: knownMax })

  constructor(network: ArchiveNetwork) {
    this.#network = network
    this.#networkId = networkIdOf(network)
  }

  /** undefined for what nobody had a right to say. */
  check({ peer, value }: Pick<Announcement, 'peer' | 'value'>): CheckedStatement | undefined {
    const key = `${hash('sha256', value, 'base64url')} ${peer}`
    const known = this.#known.get(key)
    if (known !== undefined) return known.checked
    const checked = this.#judge(peer, value)
    this.#known.set(key, { checked })
    return checked
  }

  #judge(author: PeerId, value: Uint8Array): CheckedStatement | undefined {
    const statement = readRoleStatement(author, value)
    if (typeof statement === 'string') return undefined
    if (statement.what.act === 'join') return this.#judgeJoin(statement, statement.what.membership)
    if (statement.founder === undefined) return { statement, right: 'grant' }
    return isFounders(statement, this.#networkId, this.#network.key)
      ? { statement, right: 'founder' }
      : undefined
  }

  #judgeJoin(
    statement: RoleStatement,
    membership: Extract<RoleStatement['what'], { act: 'join' }>['membership'],
  ): CheckedStatement | undefined {
    const network = this.#network
    const isElevated = isAtLeast(roleOfGrant(membership.grant).role, 'curator')
    if (!isElevated || membership.ticket === undefined) return undefined
    if (!holds(membership, network, Number.POSITIVE_INFINITY)) return undefined
    return { statement, right: 'join', claimedAtMs: claimedAtMs(membership, network) }
  }
}
