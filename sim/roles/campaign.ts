// One seed's campaign of roles: a network is cut in two while administrators grant, revoke, approve and set, curators take down and
// release, clocks are wrong, peers crash, and who was revoked goes on acting under old dates. Afterwards all peers have the same state, by
// the rules of docs/decisions/0100:
//
//   - every peer has the same roles, settings, standing of each statement, and hidden sites, and they are those of all statements taken
//     together, in whatever order
//   - who was revoked by the network's key, and was not granted anything by somebody who knew of that, is out
//   - what a peer says by a grant that the network's key or it itself has ended, as if it had not heard, counts nowhere
//
// Real: the announcements with their book on a simulated disk, the history, and the takedowns. Not simulated: the ring.

import assert from 'node:assert/strict'
import { PolyhistorError } from '../../src/errors.ts'
import { networkNumber } from '../../src/network/membership/fixtures/networks.ts'
import type { NamedRole } from '../../src/network/membership/role.ts'
import { roles as roleNames } from '../../src/network/membership/role.ts'
import { AnnouncingPeers } from '../../src/network/replication/fixtures/announcing-peers.ts'
import { NetworkRoles } from '../../src/network/roles/network-roles.ts'
import { RoleHistory } from '../../src/network/roles/role-history.ts'
import {
  type RoleAct,
  type RoleStatement,
  readRoleStatement,
  roleKind,
  writeRoleStatement,
} from '../../src/network/roles/role-statement.ts'
import { StatementCheck } from '../../src/network/roles/statement-check.ts'
import type { CheckedStatement } from '../../src/network/roles/statement-node.ts'
import { NetworkTakedowns } from '../../src/network/takedowns/network-takedowns.ts'
import { takedownKind } from '../../src/network/takedowns/takedown-announcement.ts'
import { silentLog } from '../../src/platform/log.ts'
import type { Takedown, TakedownTarget } from '../../src/store/takedowns/takedowns.ts'
import { Halves } from '../halves.ts'

export interface RolesFigures extends Record<string, number | string> {
  statements: number
  void: number
  pending: number
  cuts: number
  backdated: number
  revoked: number
  hidden: number
}

interface Peer {
  readonly roles: NetworkRoles
  readonly takedowns: NetworkTakedowns
  readonly hidden: Set<string>
}

const names = ['p0', 'p1', 'p2', 'p3', 'p4', 'p5', 'p6']
const founder = 'p0'
const sites = ['a.test', 'b.test', 'c.test']
const steps = 40
const settleMs = 900_000
/** Takedowns from a clock that is further ahead are taken later; role statements never wait for a clock. */
const clockMsMax = 4.5 * 60_000
const { network, seed: networkSeed } = networkNumber(1)
const member: NamedRole = { role: 'member', sites: [] }

class Campaign {
  readonly #announcing: AnnouncingPeers
  readonly #halves: Halves
  readonly #peers = new Map<string, Peer>()
  /** What was said by grants that had ended, and by which statements of the network's key or of the same author they had. */
  readonly #backdated = new Map<string, readonly string[]>()
  #cuts = 0

  constructor(seed: string) {
    this.#announcing = new AnnouncingPeers(Number.parseInt(seed, 10) || 1, { compareMs: 30_000 })
    this.#announcing.kinds = [roleKind, takedownKind]
    this.#halves = new Halves(this.#announcing.world)
  }

  async run(): Promise<RolesFigures> {
    const { world } = this.#announcing
    for (const name of names) {
      await this.#announcing.start(name)
      world.machine(name).faults.clock.offsetMs = this.#random.below(2 * clockMsMax) - clockMsMax
      await this.#open(name)
    }
    const home = this.#peer(founder).roles
    for (const name of ['p1', 'p2', 'p3']) await world.complete(home.grant(name, 'admin'))
    await world.complete(home.grant('p4', 'curator', { sites: ['a.test'] }))
    await world.advance(20_000)
    for (let step = 0; step < steps; step++) {
      await this.#step()
      await world.advance(this.#random.below(8_000))
    }
    this.#halves.heal()
    await world.advance(settleMs)
    return this.#check()
  }

  get #random() {
    return this.#announcing.world.random
  }

  #peer(name: string): Peer {
    return this.#peers.get(name)!
  }

  async #open(name: string): Promise<void> {
    const { world, peers } = this.#announcing
    const announcements = peers.get(name)!
    const { clock } = world.machine(name)
    const opened: { roles?: NetworkRoles } = {}
    const roles = new NetworkRoles({
      announcements,
      network,
      networkSeed: name === founder ? networkSeed : undefined,
      self: name,
      clock,
      log: silentLog,
      members: {
        followRoles: () => {},
        listen: () => {},
        peers: () => names,
        membershipOf: () => ({ grant: { named: member, key: new Uint8Array(32) } }) as never,
        namedRoleOf: (peer) => {
          const said = opened.roles!.history.roleOf(peer)
          return said === 'revoked' ? undefined : (said ?? member)
        },
      },
    })
    opened.roles = roles
    await world.complete(roles.open())
    const hidden = new Set<string>()
    const takedowns = new NetworkTakedowns({
      announcements,
      authority: roles.authority,
      self: name,
      log: silentLog,
      overrule: (others, reason) => roles.overrule(others, reason),
      store: {
        takedown: async (target) => hidden.add(siteIn(target)).size,
        release: async (target) => hidden.delete(siteIn(target)),
        takedowns: (): Takedown[] => [],
      },
    })
    await world.complete(takedowns.open())
    this.#peers.set(name, { roles, takedowns, hidden })
  }

  async #step(): Promise<void> {
    const random = this.#random
    const acting = names.filter(
      (each) => this.#peer(each).roles.history.grantOf(each, 'curator') !== undefined,
    )
    const name = this.#some(random.chance(0.8) ? [founder, ...acting] : names)
    const dice = random.below(100)
    if (dice < 12) return this.#cutOrHeal()
    if (dice < 17) return this.#crash(name)
    if (dice < 30) return this.#actUnderOldDate()
    try {
      await this.#announcing.world.complete(this.#act(name))
    } catch (error) {
      // Without the role it is refused, which is as it should be.
      if (!(error instanceof PolyhistorError)) throw error
    }
  }

  #cutOrHeal(): void {
    if (this.#halves.isCut) {
      this.#halves.heal()
      return
    }
    this.#halves.cut(names)
    this.#cuts++
  }

  async #crash(name: string): Promise<void> {
    this.#peer(name).roles.close()
    this.#announcing.crash(name)
    await this.#announcing.start(name)
    await this.#open(name)
  }

  async #act(name: string): Promise<unknown> {
    const random = this.#random
    const { roles, takedowns } = this.#peer(name)
    const target = { kind: 'site', site: this.#some(sites) } as TakedownTarget
    const about = this.#some(names.filter((other) => other !== founder))
    switch (random.below(9)) {
      case 0:
      case 1:
        return roles.grant(
          about,
          this.#some(roleNames),
          random.chance(0.2) ? { replaces: this.#some(names.slice(1)) } : {},
        )
      case 2:
      case 3:
        return roles.revoke(about, { isUndone: random.chance(0.3) })
      case 4: {
        const pending = roles.statements().filter(({ standing }) => standing === 'pending')
        return pending.length === 0 ? undefined : roles.approve(this.#some(pending).id)
      }
      case 5:
        return roles.set(
          name === founder && random.chance(0.3)
            ? { threshold: 1 + random.below(3) }
            : { takedownSignatures: 1 + random.below(2), jobPagesMax: random.below(500) },
        )
      case 6:
        return takedowns.release(target, 'again')
      default:
        return takedowns.takedown(target, 'asked for')
    }
  }

  /** Who was once revoked by the network's key says something by an ended grant, as if it had not heard: after whatever was before. */
  async #actUnderOldDate(): Promise<void> {
    const { peers, world } = this.#announcing
    const home = this.#peer(founder).roles
    const checked = this.#checked()
    const revocations = checked.flatMap(({ statement: { what }, right }) =>
      right === 'founder' && what.act === 'revoke' ? [what.peer] : [],
    )
    if (revocations.length === 0) return
    const author = this.#some(revocations)
    const announcements = peers.get(author)!
    if (home.history.grantOf(author, 'admin') !== undefined) return
    const ended = checked
      .map(({ statement }) => ({ by: statement, enders: endersOf(statement, author, checked) }))
      .map(({ by, enders }) => ({
        by: by.id,
        enders: enders.filter((id) => home.history.standingOf(id) === 'counts'),
      }))
      .filter(({ enders }) => enders.length > 0)
    if (ended.length === 0) return
    const what: RoleAct = this.#random.chance(0.5)
      ? { act: 'grant', peer: 'p6', role: 'admin', sites: [], keeps: [], reason: 'old' }
      : { act: 'revoke', peer: this.#some(['p1', 'p2', 'p3']), keeps: [], reason: 'old' }
    const { by, enders } = this.#some(ended)
    const value = writeRoleStatement({ after: [by], by, atMs: 1, what })
    const { id } = readRoleStatement(author, value) as RoleStatement
    await world.complete(announcements.put(roleKind.kind, id, value))
    this.#backdated.set(id, enders)
  }

  #check(): RolesFigures {
    const [first, ...others] = names.map((name) => this.#stateOf(name))
    for (const [index, state] of others.entries())
      assert.deepEqual(state, first, `${names[index + 1]} has another state than ${names[0]}`)
    const { roles } = this.#peer(founder)
    const checked = this.#checked()
    const reversed = new RoleHistory([...checked].reverse())
    for (const name of names) assert.deepEqual(reversed.roleOf(name), roles.history.roleOf(name))
    const doesCount = (id: string) => roles.history.standingOf(id) === 'counts'
    for (const [id, enders] of this.#backdated)
      if (enders.some(doesCount)) assert(!doesCount(id), 'somebody acted by a grant that had ended')
    this.#checkRevoked(checked.map(({ statement }) => statement))
    const standings = roles.statements().map(({ standing }) => standing)
    return {
      statements: standings.length,
      void: standings.filter((standing) => standing === 'void').length,
      pending: standings.filter((standing) => standing === 'pending').length,
      cuts: this.#cuts,
      backdated: this.#backdated.size,
      revoked: roles.history.revoked().length,
      hidden: this.#peer(founder).hidden.size,
    }
  }

  /** By a walk of its own: whoever the network's key revoked, and nobody named who knew of it. */
  #checkRevoked(statements: readonly RoleStatement[]): void {
    const knows = knowledgeIn(statements)
    for (const { id, what, founder: signature } of statements) {
      if (signature === undefined || what.act !== 'revoke') continue
      const isNamedAgain = statements.some(
        (later) => later.what.act === 'grant' && later.what.peer === what.peer && knows(later, id),
      )
      if (!isNamedAgain)
        assert.equal(this.#peer(founder).roles.history.roleOf(what.peer), 'revoked', what.peer)
    }
  }

  /** All statements that the founder's peer has. */
  #checked(): CheckedStatement[] {
    const check = new StatementCheck(network)
    const said = [...this.#announcing.peers.get(founder)!.all(roleKind.kind)]
    return said.map((each) => check.check(each)).filter((each) => each !== undefined)
  }

  #stateOf(name: string): object {
    const { roles, hidden } = this.#peer(name)
    return {
      roles: names.map((each) => roles.history.roleOf(each)),
      settings: roles.history.settings,
      standings: roles.statements().map(({ id, standing, signers }) => ({ id, standing, signers })),
      hidden: [...hidden].sort(),
    }
  }

  #some<T>(values: readonly T[]): T {
    return values[this.#random.below(values.length)]!
  }
}

/** By a walk of its own: whether a statement comes after another. */
function knowledgeIn(statements: readonly RoleStatement[]) {
  const byId = new Map(statements.map((statement) => [statement.id, statement]))
  const knows = (statement: RoleStatement, id: string, seen = new Set<string>()): boolean => {
    const { after, by, what } = statement
    const before = [
      ...after,
      ...(by === undefined ? [] : [by]),
      ...(what.act === 'approve' ? [what.statement] : []),
    ]
    return before.some((each) => {
      if (each === id) return true
      const next = seen.has(each) ? undefined : byId.get(each)
      seen.add(each)
      return next !== undefined && knows(next, id, seen)
    })
  }
  return knows
}

/** Of this administrator's grant, if it is one: what the network's key or itself said that ended it, and it did not know of. */
function endersOf(grant: RoleStatement, peer: string, checked: readonly CheckedStatement[]): string[] {
  const { what } = grant
  if (what.act !== 'grant' || what.peer !== peer || what.role !== 'admin') return []
  const knows = knowledgeIn(checked.map(({ statement }) => statement))
  return checked
    .filter(({ statement: ender, right }) => {
      if (ender.id === grant.id || (right !== 'founder' && ender.author !== peer)) return false
      if ((ender.what.act !== 'grant' && ender.what.act !== 'revoke') || ender.what.peer !== peer)
        return false
      return ender.what.act === 'revoke' ? !knows(grant, ender.id) : knows(ender, grant.id)
    })
    .map(({ statement }) => statement.id)
}

function siteIn(target: TakedownTarget): string {
  return target.kind === 'site' ? target.site : target.url
}

export function runRolesCampaign(seed: string): Promise<RolesFigures> {
  return new Campaign(seed).run()
}
