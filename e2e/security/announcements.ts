// Announcements with any content, as a hostile member sends them.

import { writeQuestion } from '../../src/replica/notices/questions.ts'
import type { PeerId } from '../../src/world/network.ts'

export interface Announcement {
  readonly kind: string
  readonly name: string
  readonly value: Uint8Array
  /** By the clock, unless told. */
  readonly version?: number
  /** Whose it is said to be. */
  readonly author?: PeerId
}

/** The message that tells somebody of them. */
export function tellOf(announcements: readonly Announcement[]): Uint8Array {
  const notices = announcements.map(({ kind, name, value, version, author }) => ({
    kind,
    name,
    value,
    version: version ?? Date.now(),
    peer: author ?? 'hostile',
  }))
  return writeQuestion({ kind: 'tell', notices })
}
