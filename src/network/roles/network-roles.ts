// Roles of a network: grants, revocations and settings said on one peer and known to all.
//
// Invariants: the history is that of all statements which this peer holds, and listeners hear whenever it has changed; what was said
// here is on disk before it counts. Where the network was made, the network's key speaks, and begins the history once; elsewhere the
// grant that this peer has. A peer that was invited as an administrator or a curator says so by itself.
// Leaves to others: what follows from a role (role-authority.ts), and putting out who was revoked (src/app/ring/ring-peer.ts).

import type { Clock } from '../../platform/clock.ts'
import type { Log } from '../../platform/log.ts'
import type { PeerId } from '../../platform/network/network.ts'
import { PeriodicTask } from '../../platform/periodic-task.ts'
import { type Announcement, idOf } from '../announcements/announcement.ts'
import type { Announcements } from '../announcements/announcements.ts'
import { type ArchiveNetwork, networkIdOf } from '../membership/archive-network.ts'
import { bytesToText } from '../membership/fields.ts'
import { roleOfGrant } from '../membership/invitation.ts'
import type { MemberDirectory } from '../membership/member-directory.ts'
import { holds, type Membership } from '../membership/membership.ts'
import { isAtLeast, type NamedRole, type Role } from '../membership/role.ts'
import type { Seed } from '../membership/signing.ts'
import { gatedKinds, isGated, rightIn } from './gated-kinds.ts'
import { type RoleAuthority, roleAuthority } from './role-authority.ts'
import { RoleError } from './role-error.ts'
import { RoleHistory, type Standing } from './role-history.ts'
import {
  afterMax,
  keepsMax,
  type RoleAct,
  type RoleSettings,
  type RoleStatement,
  readRoleStatement,
  roleKind,
  textOfAnnouncementId,
  writeRoleStatement,
} from './role-statement.ts'
import { StatementCheck } from './statement-check.ts'
import type { CheckedStatement } from './statement-node.ts'

interface Needs {
  readonly announcements: Announcements
  readonly members: Pick<MemberDirectory, 'followRoles' | 'membershipOf' | 'namedRoleOf' | 'peers' | 'listen'>
  readonly network: ArchiveNetwork
  /** The network's secret, where it was made. */
  readonly networkSeed?: Seed | undefined
  readonly self: PeerId
  readonly clock: Clock
  readonly log: Log
}

/** One statement as people read it. */
export interface ToldStatement {
  readonly id: string
  readonly author: PeerId
  /** Said with the network's key. */
  readonly isFounders: boolean
  readonly atMs: number
  readonly what: RoleAct
  readonly standing: Standing
  /** Administrators who have signed it so far, of those that are pending. */
  readonly signers: readonly PeerId[]
}

export interface PeerRole extends NamedRole {
  readonly peer: PeerId
}

/** What a revoked peer cannot say any more. Its ticket and the heads of its log stay known: they tell on it. */
const endedKinds: ReadonlySet<string> = new Set(['job', 'seed', 'schedule', 'split', 'left', 'peer', 'vouch'])
const beginLookMs = 5_000
const ended = 'the role by which its author said it has ended'
const admittedMax = 1_000
/** An ending of a peer's id that is as long as the status prints it. */
const endingMin = 8
/** As far as those with little power over it have to be heard: with the copies of a capture, as many disks may die at once. */
const spread = { heardMin: 2, withinMs: 5_000 }
/** Whoever brings a copy of what the key has signed looks like one who has it. */
const keyHoldersMax = 5
const { kind } = roleKind

export class NetworkRoles {
  readonly authority: RoleAuthority
  readonly #needs: Needs
  readonly #check: StatementCheck
  readonly #listeners = new Set<() => void>()
  readonly #unlisten: () => void
  #history: RoleHistory | undefined
  #beginning: PeriodicTask | undefined
  #isTelling = false
  #isClosed = false

  constructor(needs: Needs) {
    this.#needs = needs
    const { members, self, announcements } = needs
    this.#check = new StatementCheck(needs.network)
    members.followRoles({
      roleOf: (peer) => this.history.roleOf(peer),
      isShut: (invitation, peer) => this.history.isShut(invitation, peer),
    })
    this.authority = roleAuthority({
      self,
      isFromBefore: members.membershipOf(self)?.grant.named === undefined,
      history: () => this.history,
      roleOf: (peer) => members.namedRoleOf(peer),
      onChange: (listener) => this.onChange(listener),
    })
    this.#unlisten = announcements.onChange((announcement) => {
      if (announcement.kind === kind) this.#changed()
    })
    members.listen({ claimed: ({ peer }) => void (peer === self && this.#join()) })
    announcements.screenWith((announcement) => this.#refusalOf(announcement))
  }

  get history(): RoleHistory {
    this.#history ??= new RoleHistory(this.#checked())
    return this.#history
  }

  /** Begins the history, where the network was made; elsewhere says what our invitation made us. */
  async open(): Promise<void> {
    const { networkSeed, self, members } = this.#needs
    if (networkSeed === undefined) return this.#join()
    if (this.history.hasBegun) return
    if (members.membershipOf(self)?.grant.named !== undefined) return this.#begin()
    this.#beginning = new PeriodicTask(this.#needs, beginLookMs, () => this.#beginWhenInformed())
  }

  /** In a network from before there were roles: not before all is known that was said without them, and goes on counting. */
  async #beginWhenInformed(): Promise<void> {
    const { announcements } = this.#needs
    if (!this.history.hasBegun && !announcements.isSynced) return
    if (!this.history.hasBegun) await this.#begin()
    void this.#beginning?.close()
  }

  async #begin(): Promise<void> {
    const keeps = this.#idsOf(() => true)
    await this.#say({ act: 'begin', keeps })
    const { self } = this.#needs
    await this.#say({ act: 'grant', peer: self, role: 'admin', sites: [], keeps: [], reason: '' })
  }

  /** Why an announcement of somebody else is not taken: its author is out, or has no right to what it says. */
  #refusalOf(announcement: Announcement): string | undefined {
    const { kind: of, peer, value } = announcement
    const { history } = this
    if (isGated(of)) {
      const right = rightIn(of, value)
      if (right === undefined || !history.hasBegun) return undefined
      const said = { id: textOfAnnouncementId(idOf(announcement)), author: peer, by: right.by }
      if (isByGrant(said)) return history.isEnded(said, 'curator', right.site) ? ended : undefined
      return history.counts(said, 'curator', right.site) ? undefined : 'its author has no right to it'
    }
    if (!endedKinds.has(of) || history.roleOf(peer) !== 'revoked') return undefined
    return 'its author was revoked'
  }

  /** Everybody whose role is known here, and who was revoked. */
  roles(): { readonly peers: PeerRole[]; readonly revoked: PeerId[] } {
    const { members } = this.#needs
    const known = new Set([...members.peers(), ...this.history.peers()])
    const peers = [...known].sort().flatMap((peer) => {
      const named = members.namedRoleOf(peer)
      return named === undefined ? [] : [{ peer, ...named }]
    })
    return { peers, revoked: this.history.revoked() }
  }

  /** Of a peer that is named by its id or the end of it; null when it was revoked. */
  named(text: string): { readonly peer: PeerId; readonly role: NamedRole | null } {
    const peer = this.#peerNamed(text)
    const said = this.history.roleOf(peer)
    if (said === 'revoked') return { peer, role: null }
    return { peer, role: said ?? this.#needs.members.namedRoleOf(peer) ?? null }
  }

  /** What was said, the latest first. */
  statements(): ToldStatement[] {
    const { history } = this
    const told = Array.from(this.#checked(), ({ statement, right }): ToldStatement => {
      const { id, author, atMs, what } = statement
      const standing = history.standingOf(id)
      const signers = standing === 'pending' ? history.signersOf(id) : []
      return { id, author, isFounders: right === 'founder', atMs, what, standing, signers }
    })
    const byId = new Map(told.map((each) => [each.id, each]))
    return [...byId.values()].sort((one, other) => other.atMs - one.atMs || (one.id < other.id ? -1 : 1))
  }

  /** Who has said something with the network's key, the latest first. */
  keyHolders(): PeerId[] {
    const said = this.statements().filter(({ isFounders }) => isFounders)
    return [...new Set(said.map(({ author }) => author))].slice(0, keyHoldersMax)
  }

  /** Gives the statement, as it stands: it may need more signatures. */
  async grant(
    peer: string,
    role: Role,
    more: { sites?: readonly string[]; replaces?: string; reason?: string } = {},
  ): Promise<ToldStatement> {
    const granted = this.#peerNamed(peer)
    const { sites = [], reason = '' } = more
    if (sites.length > 0 && role !== 'curator')
      throw new RoleError('role-refused', 'Only curators have sites.')
    const replaces = more.replaces === undefined ? undefined : this.#peerNamed(more.replaces)
    const keeps = this.#idsOf((author) => author === granted || author === replaces)
    const named = { peer: granted, role, sites: [...sites] }
    const act: RoleAct = {
      act: 'grant',
      ...named,
      keeps,
      reason,
      ...(replaces !== undefined && { replaces }),
    }
    return this.#sayTold(`make somebody ${role}`, act)
  }

  /** Back to a member. */
  async takeAway(peer: string, role: Role, reason = ''): Promise<ToldStatement> {
    const { members } = this.#needs
    const named = this.#peerNamed(peer)
    if (members.namedRoleOf(named)?.role !== role)
      throw new RoleError(
        'role-refused',
        `${named} is no ${role}: polyhistor network roles lists who is what.`,
      )
    return this.grant(named, 'member', { reason })
  }

  /** Out, from now on. `isUndone`: nothing that it has said counts any more. `isShut`: nor does its invitation let in others. */
  async revoke(
    peer: string,
    more: { reason?: string; isUndone?: boolean; isShut?: boolean } = {},
  ): Promise<ToldStatement> {
    const revoked = this.#peerNamed(peer)
    const { members, self, networkSeed } = this.#needs
    if (revoked === self && networkSeed !== undefined)
      throw new RoleError(
        'role-refused',
        'The peer where the network was made holds its key: it cannot be revoked.',
      )
    const { reason = '', isUndone = false, isShut = false } = more
    const keeps = isUndone ? [] : this.#idsOf((author) => author === revoked)
    const key = members.membershipOf(revoked)?.grant.key
    const invitation = key && bytesToText(key)
    const shuts =
      isShut && invitation !== undefined
        ? { invitation, admitted: this.#admittedBy(invitation, revoked) }
        : undefined
    return this.#sayTold('revoke a peer', {
      act: 'revoke',
      peer: revoked,
      keeps,
      reason,
      ...(shuts !== undefined && { shuts }),
    })
  }

  async set(settings: RoleSettings): Promise<ToldStatement> {
    if (settings.threshold !== undefined && this.#needs.networkSeed === undefined)
      throw new RoleError(
        'role-lacking',
        'How many administrators it takes is for the network’s key: say it in the home where the network was made.',
      )
    return this.#sayTold('change what holds for the network', { act: 'settings', ...settings })
  }

  async approve(id: string): Promise<ToldStatement> {
    const found = this.statements().filter((each) => each.id.startsWith(id))
    if (found.length !== 1)
      throw new RoleError(
        'role-statement-unknown',
        `There is no statement ${id} to approve, or there are several.`,
      )
    await this.#sayTold('approve', { act: 'approve', statement: found[0]!.id })
    return this.statements().find((each) => each.id === found[0]!.id)!
  }

  /** Announcements of lower roles that count no more. */
  async overrule(announcements: readonly Announcement[], reason: string): Promise<ToldStatement> {
    const ids = announcements.map((announcement) => textOfAnnouncementId(idOf(announcement)))
    return this.#sayTold('overrule others', { act: 'overrule', ids, reason })
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  close(): void {
    this.#isClosed = true
    void this.#beginning?.close()
    this.#unlisten()
    this.#listeners.clear()
  }

  /** What was said by a grant that has ended goes, so that it does not stand in the way of what the same author had said before and what
   * goes on counting: of each slot the latest is kept. */
  #dropEnded(): void {
    const { announcements } = this.#needs
    const { history } = this
    for (const of of gatedKinds) {
      for (const announcement of [...announcements.all(of)]) {
        const right = rightIn(of, announcement.value)
        const said = {
          id: textOfAnnouncementId(idOf(announcement)),
          author: announcement.peer,
          by: right?.by,
        }
        if (isByGrant(said) && history.isEnded(said, 'curator', right!.site))
          announcements.remove(announcement, ended)
      }
    }
  }

  *#checked(): Iterable<CheckedStatement> {
    for (const announcement of this.#needs.announcements.all(kind)) {
      const checked = this.#check.check(announcement)
      if (checked !== undefined) yield checked
    }
  }

  /** Listeners are told once for many that came together. */
  #changed(): void {
    this.#history = undefined
    if (this.#isTelling) return
    this.#isTelling = true
    queueMicrotask(() => {
      this.#isTelling = false
      if (this.#isClosed) return
      this.#dropEnded()
      for (const listener of [...this.#listeners]) listener()
    })
  }

  #join(): void {
    const { members, self, network, networkSeed, log } = this.#needs
    const membership = members.membershipOf(self)
    if (this.#isClosed || networkSeed !== undefined || membership === undefined) return
    if (!isElevated(membership) || !holds(membership, network, Number.POSITIVE_INFINITY)) return
    const isSaid = [...this.#checked()].some(
      ({ right, statement }) => right === 'join' && statement.author === self,
    )
    if (isSaid) return
    this.#say({ act: 'join', membership }).catch((error: unknown) => {
      log.warn({ err: error }, 'The others could not be told which role this peer was invited to')
    })
  }

  async #sayTold(what: string, act: RoleAct): Promise<ToldStatement> {
    const { networkSeed, self } = this.#needs
    if (networkSeed === undefined && this.history.grantOf(self, 'admin') === undefined) {
      this.authority.checkNow(what, 'admin')
      throw new RoleError(
        'role-lacking',
        'The home in which the network was made has not begun its roles yet: start it there.',
      )
    }
    if (networkSeed !== undefined && !this.history.hasBegun) await this.#begin()
    const id = await this.#say(act, spread)
    return this.statements().find((each) => each.id === id)!
  }

  /** `far`: and has come that far. */
  async #say(what: RoleAct, far?: typeof spread): Promise<string> {
    const { announcements, networkSeed, network, self, clock } = this.#needs
    const founder = networkSeed && { networkId: networkIdOf(network), seed: networkSeed }
    const by = founder === undefined && what.act !== 'join' ? this.history.grantOf(self, 'admin') : undefined
    const draft = {
      after: this.history.heads().slice(0, afterMax),
      by,
      atMs: Math.floor(clock.nowMs()),
      what,
    }
    const value = writeRoleStatement(draft, founder)
    const statement = readRoleStatement(self, value) as RoleStatement
    if (far === undefined) await announcements.put(kind, statement.id, value)
    else await announcements.putWithOthers(kind, statement.id, value, far)
    return statement.id
  }

  /** Of announcements that count by their authors' role and were made by these: they go on counting. */
  #idsOf(isWanted: (author: PeerId) => boolean): string[] {
    const { announcements } = this.#needs
    const found = gatedKinds
      .flatMap((each) => [...announcements.all(each)])
      .filter(({ peer }) => isWanted(peer))
      .sort((one, other) => other.version - one.version)
    return found.slice(0, keepsMax).map((announcement) => textOfAnnouncementId(idOf(announcement)))
  }

  #admittedBy(invitation: string, except: PeerId): PeerId[] {
    const { members } = this.#needs
    const admitted = members.peers().filter((peer) => {
      const key = members.membershipOf(peer)?.grant.key
      return peer !== except && key !== undefined && bytesToText(key) === invitation
    })
    return admitted.slice(0, admittedMax)
  }

  /** A peer's id, or the end of it. Whole ids are taken as they are: it may not have come yet. */
  #peerNamed(text: string): PeerId {
    const { members } = this.#needs
    const known = [...new Set([...members.peers(), ...this.history.peers()])]
    if (known.includes(text)) return text
    const found = text.length >= endingMin ? known.filter((peer) => peer.endsWith(text)) : []
    if (found.length === 1) return found[0]!
    const why = found.length > 1 ? `Several peers end in ${text}` : `No peer ${text} is known here`
    throw new RoleError('role-peer-unknown', `${why}: polyhistor network roles lists them.`)
  }
}

function isByGrant(said: {
  readonly id: string
  readonly author: PeerId
  readonly by: string | undefined
}): said is { id: string; author: PeerId; by: string } {
  return said.by !== undefined
}

function isElevated({ grant }: Membership): boolean {
  return isAtLeast(roleOfGrant(grant).role, 'curator')
}
