// Roles to look at and to change: of made-up peers, with what was said of them, as a network would tell it.

import type { RoleChanges } from '../../src/console/role-actions.ts'
import type { RolesStatus } from '../../src/model/peer-status.ts'

export class MadeUpRoles implements RoleChanges {
  readonly #roles = new Map<string, ReturnType<RoleChanges['roleOf']>['role']>()
  readonly #said: RolesStatus['said'][number][] = []
  readonly #self: string

  /** The first is administrator, and looks at it. */
  constructor(peers: readonly string[]) {
    this.#self = peers[0]!
    for (const [index, peer] of peers.entries())
      this.#roles.set(peer, { role: index === 0 ? 'admin' : 'member', sites: [] })
  }

  get status(): RolesStatus {
    const all = [...this.#roles]
    return {
      own: 'admin',
      hasNetworkKey: true,
      peers: all.flatMap(([peer, role]) => (role === null ? [] : [{ peer, ...role }])),
      revoked: all.flatMap(([peer, role]) => (role === null ? [peer] : [])),
      said: this.#said.toReversed(),
      settings: { threshold: 1, takedownSignatures: 1, takedownDelayMs: 0, jobPagesMax: 0 },
    }
  }

  roleOf(peer: string): ReturnType<RoleChanges['roleOf']> {
    return { peer, role: this.#roles.get(peer) ?? null }
  }

  async grant(peer: string, role: string, sites: readonly string[], reason: string): Promise<'counts'> {
    return this.#say(peer, { role, sites }, `${peer} is ${role}`, reason)
  }

  async revoke(peer: string, reason: string): Promise<'counts'> {
    return this.#say(peer, null, `${peer} is revoked`, reason)
  }

  async approve(): Promise<'counts'> {
    return 'counts'
  }

  #say(
    peer: string,
    role: ReturnType<RoleChanges['roleOf']>['role'],
    what: string,
    reason: string,
  ): 'counts' {
    this.#roles.set(peer, role)
    const id = String(this.#said.length)
    const author = { author: this.#self, isFounders: true, atMs: Date.UTC(2026, 0, 1) }
    this.#said.push({ id, ...author, what, reason, standing: 'counts' })
    return 'counts'
  }
}
