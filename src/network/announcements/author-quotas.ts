// Author quotas: how much each author has in the store, so that no author fills the disks of all peers.
//
// Each author has a quota per kind, and the store has a limit. Once the store is full, authors with little in it may still write:
// a takedown must get through while another author floods the network.

import type { PeerId } from '../../platform/network/network.ts'
import { type Announcement, sizeOf } from './announcement.ts'
import type { AnnouncementKind } from './announcement-kind.ts'

/** An announcement, and what it costs whom. */
export interface ChargedAnnouncement {
  readonly announcement: Announcement
  readonly chargedTo: PeerId
  readonly isActive: boolean
}

interface Usage {
  readonly count: number
  readonly active: number
  readonly bytes: number
}

const noUsage: Usage = { count: 0, active: 0, bytes: 0 }

/** What an author may have although the store is full. */
const littleBytes = 256 * 1024
/** Several kinds together. */
const authorBytesMax = 16 * 1024 * 1024

export class AuthorQuotas {
  readonly #storeBytesMax: number
  readonly #byKind = new Map<string, Usage>()
  readonly #bytesByAuthor = new Map<PeerId, number>()
  #bytes = 0

  constructor(storeBytesMax: number) {
    this.#storeBytesMax = storeBytesMax
  }

  get bytes(): number {
    return this.#bytes
  }

  add(charged: ChargedAnnouncement): void {
    this.#change(charged, 1)
  }

  remove(charged: ChargedAnnouncement): void {
    this.#change(charged, -1)
  }

  /** Which quota it exceeds; what it replaces must be removed before. */
  lackFor(
    { announcement, chargedTo, isActive }: ChargedAnnouncement,
    kind: AnnouncementKind,
  ): string | undefined {
    const size = sizeOf(announcement)
    const { count, active, bytes } = this.#byKind.get(nameOf(announcement, chargedTo)) ?? noUsage
    if (count + 1 > kind.countMax) return `its author has ${count} of its kind, which is the most`
    if (isActive && active + 1 > (kind.activeMax ?? kind.countMax))
      return `its author has ${active} of its kind in force, which is the most`
    if (bytes + size > kind.bytesMax) return `its author has ${bytes} bytes of its kind, which is the most`
    const own = (this.#bytesByAuthor.get(chargedTo) ?? 0) + size
    if (own > authorBytesMax) return `its author has ${own - size} bytes of notices, which is the most`
    if (this.#bytes + size > this.#storeBytesMax && own > littleBytes)
      return 'there is no room for announcements'
    return undefined
  }

  #change({ announcement, chargedTo, isActive }: ChargedAnnouncement, sign: 1 | -1): void {
    const size = sign * sizeOf(announcement)
    const name = nameOf(announcement, chargedTo)
    const before = this.#byKind.get(name) ?? noUsage
    const count = before.count + sign
    const active = before.active + (isActive ? sign : 0)
    if (count > 0) this.#byKind.set(name, { count, active, bytes: before.bytes + size })
    else this.#byKind.delete(name)
    this.#bytes += size
    const bytes = (this.#bytesByAuthor.get(chargedTo) ?? 0) + size
    if (bytes > 0) this.#bytesByAuthor.set(chargedTo, bytes)
    else this.#bytesByAuthor.delete(chargedTo)
  }
}

function nameOf({ kind }: Announcement, chargedTo: PeerId): string {
  return `${kind} ${chargedTo}`
}
