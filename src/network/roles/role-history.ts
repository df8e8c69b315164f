// Role history: from a set of role statements to who has which role, what holds for the network, and what still counts of those whose
// role has ended.
//
// Invariants: the same statements give the same state, in whatever order they came; clocks play no part. A statement's place in the
// history are the statements before it (`after` and `by`, and theirs). Whoever acts names the grant that it acts by; what it says
// counts unless that grant was ended by a statement that did not know of it. So who was revoked cannot act under an old date: what the
// revoker did not know of is void. Both sides of a partition act, and afterwards:
//
//   - a revocation counts before a grant that did not know of it; of two such grants the lower role, then the one whose id sorts first
//   - of administrators, those whom the network's key named (or invited) are senior to those whom they named, and so on: levels
//   - an administrator is removed by the network's key, by one of a senior level, or by two (or the threshold) that are not junior to it
//   - of removals that contradict each other the one with more signatures counts, then the one whose id sorts first
//   - with a threshold of two or more, naming and removing administrators takes as many of them, or the network's key
//   - of settings that did not know of each other the stricter ones count
//
// Why so: docs/decisions/0100. Leaves to others: signatures (statement-check.ts), and what roles are for (role-authority.ts).

import type { PeerId } from '../../platform/network/network.ts'
import { type NamedRole, type Role, rankOf } from '../membership/role.ts'
import { Ancestors, namedBy } from './ancestors.ts'
import {
  type EffectiveSettings,
  effectiveSettings,
  type IsBefore,
  thresholdFor,
} from './effective-settings.ts'
import {
  byRank,
  byStrictness,
  type CheckedStatement,
  isFirstClaim,
  type Node,
  nodeOf,
  suffices,
} from './statement-node.ts'

/** `pending`: more administrators have to sign it. `void`: its author had no right to it, or it was not known to who ended that. */
export type Standing = 'counts' | 'pending' | 'void'

/** Two, where the network says no more: one alone could undo what another says. */
const togetherMin = 2
const levelsMax = 64

export class RoleHistory {
  /** Whether roles have begun: before that every member may do everything. */
  readonly hasBegun: boolean
  readonly settings: EffectiveSettings
  readonly #nodes = new Map<string, Node>()
  readonly #ancestors: Ancestors
  readonly #isBefore: IsBefore = (one, other) => this.#ancestors.isBefore(one.id, other.id)
  readonly #effective = new Set<Node>()
  /** Of effective grants to administrators; 0 are those of the network's key. */
  readonly #levels = new Map<Node, number>()
  /** Removals that enough administrators have signed, by the level that their signers reach. */
  readonly #joint = new Map<Node, number>()
  readonly #grantsOf = new Map<PeerId, Node[]>()
  readonly #endersOf = new Map<PeerId, Node[]>()
  readonly #approvals = new Map<string, Node[]>()
  readonly #thresholds: Node[] = []
  readonly #kept = new Map<Node, ReadonlySet<string>>()
  readonly #begun: Node[] = []
  readonly #overruled = new Map<string, Node[]>()
  readonly #roles = new Map<PeerId, NamedRole | 'revoked' | undefined>()
  readonly #shut = new Map<string, ReadonlySet<PeerId>[]>()

  constructor(statements: Iterable<CheckedStatement>) {
    for (const checked of statements) {
      const node = nodeOf(checked)
      if (!this.#nodes.has(node.id)) this.#nodes.set(node.id, node)
    }
    this.#ancestors = new Ancestors([...this.#nodes.values()].map(({ statement }) => statement))
    this.#weigh()
    this.hasBegun = this.#begun.length > 0
    this.settings = effectiveSettings(this.#effective, this.#isBefore)
    for (const node of this.#effective) this.#note(node)
  }

  /** 'revoked' for who is out; undefined where nothing was said of it: then it is what its invitation says. */
  roleOf(peer: PeerId): NamedRole | 'revoked' | undefined {
    if (!this.#roles.has(peer)) this.#roles.set(peer, this.#findRole(peer))
    return this.#roles.get(peer)
  }

  /** All of whom something was said. */
  peers(): PeerId[] {
    return [...new Set([...this.#grantsOf.keys(), ...this.#endersOf.keys()])].sort()
  }

  revoked(): PeerId[] {
    return [...this.#endersOf.keys()].filter((peer) => this.roleOf(peer) === 'revoked').sort()
  }

  isShut(invitation: string, peer: PeerId): boolean {
    return this.#shut.get(invitation)?.some((admitted) => !admitted.has(peer)) ?? false
  }

  /** The grant that this peer acts by now; of curators. one for this site. */
  grantOf(peer: PeerId, least: Role, site?: string): string | undefined {
    const live = this.#live(peer).filter(({ gives }) => suffices(gives!, least, site))
    return live.sort(byRank)[0]?.id
  }

  /** Whether an announcement counts that its author made by this grant (none: from before there were roles). */
  counts(
    announcement: { readonly id: string; readonly author: PeerId; readonly by: string | undefined },
    least: Role,
    site?: string,
  ): boolean {
    const { id, author, by } = announcement
    if (by === undefined) {
      return !this.#isOverruled(id, undefined) && this.#begun.some((node) => this.#keeps(node).has(id))
    }
    const grant = this.#nodes.get(by)
    if (grant === undefined || !this.#effective.has(grant) || grant.gives?.peer !== author) return false
    return this.#holdsUnder(grant, id, least, site) && !this.#isOverruled(id, grant)
  }

  /** Whether it was made by a grant that has ended, and counts no more: it never will again. */
  isEnded(
    announcement: { readonly id: string; readonly author: PeerId; readonly by: string },
    least: Role,
    site?: string,
  ): boolean {
    const grant = this.#nodes.get(announcement.by)
    if (grant === undefined || !this.#effective.has(grant) || grant.gives?.peer !== announcement.author)
      return false
    return !this.#isLive(grant) && !this.counts(announcement, least, site)
  }

  standingOf(id: string): Standing {
    const node = this.#nodes.get(id)
    if (node === undefined) return 'void'
    if (this.#effective.has(node)) return this.#isWanting(node) ? 'pending' : 'counts'
    return node.right === 'grant' && this.#hasRight(node) ? 'pending' : 'void'
  }

  /** Who has signed it that may: for what is pending. */
  signersOf(id: string): PeerId[] {
    const node = this.#nodes.get(id)
    return node === undefined ? [] : [...this.#signers(node, levelsMax)].sort()
  }

  /** The newest statements that count: what a new one comes after. */
  heads(): string[] {
    const named = new Set([...this.#effective].flatMap(({ statement }) => namedBy(statement)))
    return [...this.#effective]
      .map(({ id }) => id)
      .filter((id) => !named.has(id))
      .sort()
  }

  /** From the network's key down: a statement can be ended by seniors, which were weighed before it. */
  #weigh(): void {
    const nodes = [...this.#nodes.values()].sort((one, other) => (one.id < other.id ? -1 : 1))
    for (const node of nodes)
      if (node.statement.what.act === 'approve') append(this.#approvals, node.statement.what.statement, node)
    for (const node of nodes.filter(({ right }) => right === 'founder')) this.#accept(node, 0)
    const joins = nodes.filter(({ right }) => right === 'join')
    for (const node of joins) if (isFirstClaim(node, joins)) this.#accept(node, 0)
    let left = nodes.filter(({ right }) => right === 'grant')
    for (let level = 0; level < levelsMax && left.length > 0; level++) {
      this.#acceptJointRemovals(left, level)
      // Resignations before all else that their authors said, and of one's own the one that leaves least: whoever has an old key
      // cannot take a resignation back under an old date.
      const resignations = left.filter((node) => node.ends.includes(node.author)).sort(byStrictness)
      for (const node of [...resignations, ...left])
        if (!this.#effective.has(node) && this.#isEnough(node, level)) this.#accept(node, level + 1)
      left = left.filter((node) => !this.#effective.has(node))
      if (![...this.#levels.values()].some((other) => other > level)) break
    }
  }

  /** Removals of administrators of this level by several that are not junior to them: those with most signatures first. */
  #acceptJointRemovals(nodes: readonly Node[], level: number): void {
    const candidates = nodes
      .filter((node) =>
        node.ends.some((peer) => this.#adminGrants(peer).some((grant) => this.#levels.get(grant) === level)),
      )
      .map((node) => ({ node, count: this.#signers(node, level, false).size }))
      .sort((one, other) => other.count - one.count || (one.node.id < other.node.id ? -1 : 1))
    for (const { node } of candidates) {
      if (this.#signers(node, level).size < Math.max(togetherMin, this.#thresholdOf(node))) continue
      this.#joint.set(node, level)
      this.#accept(node, level + 1)
    }
  }

  /** `level`: of the administrators whom it makes. */
  #accept(node: Node, level: number): void {
    this.#effective.add(node)
    const { gives, ends, statement } = node
    if (gives !== undefined) {
      append(this.#grantsOf, gives.peer, node)
      if (gives.role === 'admin') this.#levels.set(node, level)
    }
    for (const peer of ends) append(this.#endersOf, peer, node)
    const { what } = statement
    if (node.right === 'founder' && what.act === 'settings' && what.threshold !== undefined)
      this.#thresholds.push(node)
    if (what.act === 'begin') this.#begun.push(node)
  }

  #note(node: Node): void {
    const { what } = node.statement
    if (what.act === 'revoke' && what.shuts !== undefined && this.roleOf(what.peer) === 'revoked')
      append(this.#shut, what.shuts.invitation, new Set(what.shuts.admitted))
    if (what.act === 'overrule') for (const id of what.ids) append(this.#overruled, id, node)
  }

  /** Whether its author may say it, at the latest by what is known of administrators of this level and their seniors. */
  #isEnough(node: Node, level: number): boolean {
    const { by, what } = node.statement
    const grant = by === undefined ? undefined : this.#nodes.get(by)
    if (grant === undefined || (this.#levels.get(grant) ?? levelsMax) > level || !this.#acts(node))
      return false
    if (what.act === 'settings' && what.threshold !== undefined) return false
    if (node.gives?.role !== 'admin') return true
    const threshold = this.#thresholdOf(node)
    return threshold <= 1 || this.#signers(node, level).size >= threshold
  }

  /** Whether the grant that it was said by is its author's, and was not ended by who did not know of it. */
  #acts(node: Node): boolean {
    const grant = node.statement.by === undefined ? undefined : this.#nodes.get(node.statement.by)
    if (grant === undefined || !this.#levels.has(grant) || grant.gives?.peer !== node.author) return false
    return this.#killersOf(grant).every((ender) => ender === node || this.#isBefore(node, ender))
  }

  #hasRight(node: Node): boolean {
    return this.#acts(node) && node.gives?.role === 'admin'
  }

  /** A removal that lacks signatures: some grant that it would end stands in spite of it. */
  #isWanting(node: Node): boolean {
    if (node.right !== 'grant') return false
    return node.ends.some((peer) =>
      this.#adminGrants(peer).some(
        (grant) =>
          grant !== node &&
          !this.#isBefore(node, grant) &&
          !this.#hasPower(node, grant) &&
          this.#isLive(grant),
      ),
    )
  }

  /** Distinct administrators up to this level who have signed it, without those whom it is about. `isActing`: who may still. */
  #signers(node: Node, level: number, isActing = true): Set<PeerId> {
    const signers = new Set<PeerId>()
    for (const signed of [node, ...(this.#approvals.get(node.id) ?? [])]) {
      const grant = signed.statement.by === undefined ? undefined : this.#nodes.get(signed.statement.by)
      if (grant === undefined || grant.gives?.peer !== signed.author) continue
      if ((this.#levels.get(grant) ?? levelsMax + 1) > level || node.ends.includes(signed.author)) continue
      if (!isActing || this.#acts(signed)) signers.add(signed.author)
    }
    return signers
  }

  #thresholdOf(node: Node): number {
    return thresholdFor(node, this.#thresholds, this.#isBefore)
  }

  #adminGrants(peer: PeerId): Node[] {
    return (this.#grantsOf.get(peer) ?? []).filter(({ gives }) => gives!.role === 'admin')
  }

  #live(peer: PeerId): Node[] {
    return (this.#grantsOf.get(peer) ?? []).filter((grant) => this.#isLive(grant))
  }

  #isLive(grant: Node): boolean {
    return this.#killersOf(grant).length === 0
  }

  #killersOf(grant: Node): Node[] {
    return (this.#endersOf.get(grant.gives!.peer) ?? []).filter((ender) => this.#kills(ender, grant))
  }

  #kills(ender: Node, grant: Node): boolean {
    if (ender === grant || !this.#hasPower(ender, grant)) return false
    // Whatever was said of a peer counts before the invitation that it came with, and it cannot come again.
    if (grant.right === 'join') return true
    if (this.#isBefore(ender, grant)) return false
    const { gives } = ender
    if (gives?.peer !== grant.gives!.peer || this.#isBefore(grant, ender)) return true
    const [one, other] = [rankOf(gives.role), rankOf(grant.gives!.role)]
    return one === other ? ender.id < grant.id : one < other
  }

  /** Whether who said this may end that grant. */
  #hasPower(ender: Node, grant: Node): boolean {
    if (ender.right === 'founder' || ender.author === grant.gives!.peer) return true
    if (grant.gives!.role !== 'admin') return true
    const level = this.#levels.get(grant)!
    const joint = this.#joint.get(ender)
    if (joint !== undefined && joint <= level) return true
    const by = this.#nodes.get(ender.statement.by ?? '')
    return this.#thresholdOf(ender) <= 1 && by !== undefined && (this.#levels.get(by) ?? levelsMax) < level
  }

  #findRole(peer: PeerId): NamedRole | 'revoked' | undefined {
    // Of several that nobody may end, the highest: who gave less had no right to take anything away.
    const [live] = this.#live(peer).sort(byRank)
    if (live !== undefined) return { role: live.gives!.role, sites: live.gives!.sites }
    const isRevoked = (this.#endersOf.get(peer) ?? []).some(({ gives }) => gives?.peer !== peer)
    return isRevoked ? 'revoked' : undefined
  }

  #holdsUnder(grant: Node, id: string, least: Role, site: string | undefined): boolean {
    if (!suffices(grant.gives!, least, site)) return false
    return this.#killersOf(grant).every((ender) => {
      if (this.#keeps(ender).has(id)) return true
      const isMore = ender.gives?.peer === grant.gives!.peer && this.#isBefore(grant, ender)
      return isMore && this.#holdsUnder(ender, id, least, site)
    })
  }

  #keeps(node: Node): ReadonlySet<string> {
    let keeps = this.#kept.get(node)
    if (keeps === undefined) {
      const { what } = node.statement
      keeps = new Set('keeps' in what ? what.keeps : [])
      this.#kept.set(node, keeps)
    }
    return keeps
  }

  /** By a higher role than that of who said it, or by itself. */
  #isOverruled(id: string, grant: Node | undefined): boolean {
    return (this.#overruled.get(id) ?? []).some((node) => grant === undefined || this.#isAbove(node, grant))
  }

  #isAbove(node: Node, grant: Node): boolean {
    if (this.#hasPower(node, grant)) return true
    return (
      this.#signers(node, this.#levels.get(grant)!).size >= Math.max(togetherMin, this.#thresholdOf(node))
    )
  }
}

function append<Key, Value>(map: Map<Key, Value[]>, key: Key, value: Value): void {
  const values = map.get(key)
  if (values === undefined) map.set(key, [value])
  else values.push(value)
}
