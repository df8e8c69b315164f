// Vouches: which of the members on probation have places on the ring, by what other members say of them.
//
// A newcomer has places once `vouchersMin` members vouch for it that have places themselves: who was invited as trusted has, and who has
// them by such words. Those who came with the newcomer's own invitation do not count, nor volunteers and revoked peers. The result
// follows from the announcements, memberships and roles that all peers hold, never from clocks or from what this peer has seen: so
// all come to the same end, and whoever claims a place too early is refused by everybody.
// One exception, for peers that are on probation themselves: see `suspend`.
// Leaves to others: who vouches, and why (probation-watch.ts). Why so: docs/decisions/0126.

import type { PeerId } from '../../platform/network/network.ts'
import type { Announcements } from '../announcements/announcements.ts'
import { bytesToText } from '../membership/fields.ts'
import type { MemberDirectory, PlaceJudge } from '../membership/member-directory.ts'
import { isVouched, vouchKind, vouchValue } from './vouch-announcement.ts'

interface Needs {
  readonly announcements: Pick<Announcements, 'all' | 'get' | 'named' | 'put' | 'onChange'>
  readonly members: Pick<
    MemberDirectory,
    'followScreening' | 'listen' | 'membershipOf' | 'probationMs' | 'roleOf'
  >
  readonly self: PeerId
}

/** One alone could let in whom it likes. */
export const vouchersMin = 2
const { kind } = vouchKind

export class Vouches implements PlaceJudge {
  readonly #needs: Needs
  readonly #listeners = new Set<() => void>()
  readonly #unlisten: () => void
  #placed: ReadonlySet<PeerId> | undefined
  #isSuspended = false

  constructor(needs: Needs) {
    this.#needs = needs
    this.#unlisten = needs.announcements.onChange((announcement) => {
      if (announcement.kind === kind) this.changed()
    })
    needs.members.listen({ claimed: () => this.changed() })
    needs.members.followScreening(this)
  }

  hasPlaces(peer: PeerId): boolean {
    if (this.#isSuspended) return true
    this.#placed ??= this.#weigh()
    return this.#placed.has(peer)
  }

  /** Of those who have to prove themselves. */
  placed(): PeerId[] {
    this.#placed ??= this.#weigh()
    return [...this.#placed].sort()
  }

  /** Those whose word for the peer counts. */
  vouchersOf(peer: PeerId): PeerId[] {
    this.#placed ??= this.#weigh()
    return this.#authorsFor(peer, this.#placed)
  }

  /** Whom this peer vouches for. */
  own(): PeerId[] {
    const { announcements, self } = this.#needs
    return [...announcements.all(kind)]
      .filter((announcement) => announcement.peer === self && isVouched(announcement))
      .map(({ name }) => name)
  }

  async say(peer: PeerId, isSo: boolean): Promise<void> {
    await this.#needs.announcements.put(kind, peer, vouchValue(isSo))
  }

  /** For peers on probation that have found nobody with places for a long time: all who had them are gone, and those who are left take
   * each other for placed. Whoever has places never does so: it knows of one that has them. */
  suspend(isSuspended: boolean): void {
    if (isSuspended === this.#isSuspended) return
    this.#isSuspended = isSuspended
    this.changed()
  }

  get isSuspended(): boolean {
    return this.#isSuspended
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Memberships, roles or words have changed. */
  changed(): void {
    this.#placed = undefined
    for (const listener of [...this.#listeners]) listener()
  }

  close(): void {
    this.#unlisten()
    this.#listeners.clear()
  }

  /** From the trusted ones on, until nobody is added: who vouch for each other in a circle get nothing by it. */
  #weigh(): ReadonlySet<PeerId> {
    const named = new Set(Array.from(this.#needs.announcements.all(kind), ({ name }) => name))
    const left = new Set([...named].filter((peer) => this.#needs.members.probationMs(peer) !== undefined))
    const placed = new Set<PeerId>()
    for (let size = -1; size !== placed.size; ) {
      size = placed.size
      for (const peer of left) {
        if (this.#authorsFor(peer, placed).length < vouchersMin) continue
        placed.add(peer)
        left.delete(peer)
      }
    }
    return placed
  }

  #authorsFor(peer: PeerId, placed: ReadonlySet<PeerId>): PeerId[] {
    const invitation = this.#invitationOf(peer)
    return [...this.#needs.announcements.named(kind, peer)]
      .filter((announcement) => isVouched(announcement))
      .map(({ peer: author }) => author)
      .filter((author) => this.#mayVouch(author, placed) && this.#invitationOf(author) !== invitation)
  }

  #mayVouch(author: PeerId, placed: ReadonlySet<PeerId>): boolean {
    const { members } = this.#needs
    const role = members.roleOf(author)
    if (role === undefined || role === 'volunteer' || members.membershipOf(author) === undefined) return false
    return members.probationMs(author) === undefined || placed.has(author)
  }

  #invitationOf(peer: PeerId): string | undefined {
    const membership = this.#needs.members.membershipOf(peer)
    return membership && bytesToText(membership.grant.key)
  }
}
