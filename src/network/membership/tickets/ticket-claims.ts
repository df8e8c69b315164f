// Claims of tickets as all peers know them: ours is announced, and again when it is dated by another member; those of others go
// to the member directory, which decides whose a ticket is.

import { PolyhistorError } from '../../../errors.ts'
import type { Log } from '../../../platform/log.ts'
import type { PeerId } from '../../../platform/network/network.ts'
import type { Announcement } from '../../announcements/announcement.ts'
import type { Announcements } from '../../announcements/announcements.ts'
import type { DirectoryEvents, MemberDirectory } from '../member-directory.ts'
import { ticketKind } from './ticket-announcement.ts'

interface Needs {
  readonly announcements: Pick<Announcements, 'all' | 'get' | 'put' | 'onChange'>
  readonly members: Pick<MemberDirectory, 'learn' | 'proofOf' | 'listen'>
  readonly self: PeerId
  readonly log: Log
}

const { kind } = ticketKind

export class TicketClaims {
  readonly #needs: Needs
  readonly #unlisten: () => void
  #isClosed = false

  constructor(needs: Needs) {
    this.#needs = needs
    for (const announcement of needs.announcements.all(kind)) this.#learn(announcement)
    this.#unlisten = needs.announcements.onChange((announcement) => {
      if (announcement.kind === kind) this.#learn(announcement)
    })
    const events: DirectoryEvents = { claimed: ({ peer }) => void (peer === needs.self && this.announce()) }
    needs.members.listen(events)
  }

  /** Ours, unless all know it. In open networks there is none. */
  announce(): void {
    const { announcements, members, self, log } = this.#needs
    const proof = members.proofOf(self)
    if (this.#isClosed || proof === undefined) return
    const said = announcements.get(kind, self)?.value
    if (said !== undefined && Buffer.compare(said, proof) === 0) return
    announcements.put(kind, self, proof).catch((error: unknown) => {
      log.warn({ err: error }, 'The others could not be told which ticket this peer holds')
    })
  }

  close(): void {
    this.#isClosed = true
    this.#unlisten()
  }

  #learn({ name, value }: Announcement): void {
    const { members, self, log } = this.#needs
    if (name === self) return
    try {
      members.learn(name, value)
    } catch (error) {
      // It has expired, or the ticket is another's, of which the directory has told.
      if (!(error instanceof PolyhistorError)) throw error
      log.debug({ err: error, peer: name }, 'A claim of a ticket does not hold')
    }
  }
}
