// Tells the owner of tickets that two identities claim: of others', and of our own when it turns out to be another's, or to count no more
// since this peer was revoked.
//
// Counts all, writes the first of each peer to the log (the rest would flood it), and gives sentences for the status.

import type { Log } from '../../../platform/log.ts'
import type { PeerId } from '../../../platform/network/network.ts'
import type { MemberDirectory, TicketConflict } from '../member-directory.ts'

const loggedMax = 256

export class TicketWatch {
  readonly #self: PeerId
  readonly #members: MemberDirectory
  readonly #log: Log
  readonly #logged = new Set<PeerId>()
  #count = 0
  #last: TicketConflict | undefined
  #isLost = false
  #isOff = false
  /** We were refused as revoked, and nobody has taken us in since. */
  #isRefused = false

  constructor(needs: { members: MemberDirectory; log: Log }, self: PeerId) {
    this.#self = self
    this.#members = needs.members
    this.#log = needs.log
    needs.members.listen({ conflict: (conflict) => this.#see(conflict) })
  }

  /** Claims of tickets that another peer holds, since this peer was started. */
  get count(): number {
    return this.#count
  }

  problems(): string[] {
    const problems: string[] = []
    if (this.#isRefused || this.#members.isRevoked(this.#self)) problems.push(revokedSentence)
    else if (this.#isOff) problems.push(off)
    else if (this.#isLost) problems.push(lost)
    if (this.#last !== undefined) {
      const { refused, holder } = this.#last
      const times = this.#count === 1 ? 'Once' : `${this.#count} times`
      problems.push(
        `${times} a peer was refused because another holds its ticket, last ${refused} (the holder is ${holder}). Somebody uses an invitation again that was used up, or a peer has lost its disk and needs a new one.`,
      )
    }
    return problems
  }

  /** Our ticket is another peer's, as its claim proves: this peer takes part no more. */
  end(): void {
    if (this.#isOff) return
    this.#isOff = true
    this.#log.error({}, off)
  }

  /** Others refuse us as revoked, whether we have heard of that or not. */
  noteRevoked(): void {
    if (this.#isRefused) return
    this.#isRefused = true
    this.#log.error({}, revokedSentence)
  }

  /** Somebody has taken us in: a revocation was taken back, or has not come to it yet. */
  noteTakenIn(): void {
    this.#isRefused = false
  }

  /** Others say that our ticket is another peer's. */
  lose(): void {
    if (this.#isLost) return
    this.#isLost = true
    this.#log.error({}, lost)
  }

  #see(conflict: TicketConflict): void {
    this.#count++
    if (conflict.refused === this.#self) {
      if (!conflict.isChanged) this.lose()
      return
    }
    this.#last = conflict
    if (this.#logged.has(conflict.refused) || this.#logged.size >= loggedMax) return
    this.#logged.add(conflict.refused)
    this.#log.warn(conflict, 'A peer claims a ticket that another holds: it is refused')
  }
}

export const revokedSentence =
  'This peer was revoked: the others do not take it in any more. It only reads what it keeps itself. An administrator can grant it a role again: polyhistor network grant PEER member'

const off =
  'Another peer claimed the ticket with which this one joined before it did. This peer has left the ring, and only reads what it keeps itself. Start it again: it takes another ticket of its invitation, if one is left.'

const lost =
  'Another peer holds the ticket with which this one joined, so the others do not take it in. Start this peer again: it takes another ticket of its invitation, if one is left.'
