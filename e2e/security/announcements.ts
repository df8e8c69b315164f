// Announcements with any content, as a hostile member sends them: signed with its own key, whoever they are said to be by.

import { statementOf } from '../../src/network/announcements/announcement.ts'
import type { Identity } from '../../src/network/announcements/announcement-kind.ts'
import { announcementsQuestion } from '../../src/network/announcements/questions.ts'
import type { PeerId } from '../../src/platform/network/network.ts'

export interface Announcement {
  readonly kind: string
  readonly name: string
  readonly value: Uint8Array
  /** By the clock, unless told. */
  readonly version?: number
  /** Whose it is said to be; its own unless told. */
  readonly author?: PeerId
}

/** The message that tells somebody of them. */
export function tellOf({ self, sign }: Identity, announcements: readonly Announcement[]): Uint8Array {
  const signed = announcements.map(({ version, author, ...rest }) => {
    const unsigned = { ...rest, version: version ?? Date.now(), peer: author ?? self }
    return { ...unsigned, signature: sign(statementOf(unsigned)) }
  })
  return announcementsQuestion.encode({ kind: 'tell', announcements: signed })
}
