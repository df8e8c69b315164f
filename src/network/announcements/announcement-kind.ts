// Announcement kinds: validation and limits of each kind. A peer accepts and stores announcements of registered kinds only: the
// peers of a network run one version, and what cannot be checked must not be passed on.
//
// Invariant: whether an announcement is valid depends on the announcement alone, so that all peers decide alike.

import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import type { PeerId } from '../../platform/network/network.ts'
import {
  type Announcement,
  kindBytesMax,
  nameBytesMax,
  type UnsignedAnnouncement,
  valueBytesMax,
} from './announcement.ts'
import type { ChargedAnnouncement } from './author-quotas.ts'

export interface AnnouncementKind {
  readonly kind: string
  readonly nameBytesMax: number
  readonly valueBytesMax: number
  /** What one author may have stored of this kind. */
  readonly countMax: number
  readonly bytesMax: number
  /** Of these, how many may be in force: see `isActive`. */
  readonly activeMax?: number
  /** How often an author may replace what is known already: so many at once, and so many a minute. */
  readonly changes: { readonly burst: number; readonly perMinute: number }
  /** Why the announcement is refused; undefined when it is sound. Checks the author, too. */
  fault(announcement: UnsignedAnnouncement): string | undefined
  /** Announcements of one name in different slots coexist; in one slot the latest counts. Default: one slot. */
  slot?(announcement: UnsignedAnnouncement): string
  /** A signed statement of another peer that the announcement is based on. That peer's quota is charged for it. */
  endorsement?(announcement: UnsignedAnnouncement): Endorsement | undefined
  /** Versions decide nothing: no later one replaces another. Then a clock that is ahead is no reason to refuse it. */
  readonly isTimeless?: boolean
  /** Whether it keeps all peers busy while it is in force. Default: no. */
  isActive?(announcement: UnsignedAnnouncement): boolean
  /** Migrates an announcement from before they were signed. Default: the same in our name; undefined drops it. */
  adopt?(announcement: UnsignedAnnouncement, identity: Identity): UnsignedAnnouncement | undefined
}

/** This peer, as it signs. */
export interface Identity {
  readonly self: PeerId
  sign(statement: Uint8Array): Uint8Array
}

export interface Endorsement {
  readonly peer: PeerId
  readonly statement: Uint8Array
  readonly signature: Uint8Array
}

export class AnnouncementKinds {
  readonly #kinds: ReadonlyMap<string, AnnouncementKind>

  constructor(kinds: readonly AnnouncementKind[]) {
    this.#kinds = new Map(kinds.map((kind) => [kind.kind, kind]))
    assert.equal(this.#kinds.size, kinds.length, 'a kind of announcements was registered twice')
    for (const kind of kinds) {
      assert(Buffer.byteLength(kind.kind) <= kindBytesMax)
      assert(kind.nameBytesMax <= nameBytesMax && kind.valueBytesMax <= valueBytesMax)
    }
  }

  get(kind: string): AnnouncementKind | undefined {
    return this.#kinds.get(kind)
  }

  /** Why it is refused, whoever brings it; undefined when it is sound. Signatures are not looked at. */
  fault(announcement: UnsignedAnnouncement): string | undefined {
    const kind = this.#kinds.get(announcement.kind)
    if (kind === undefined) return 'its kind is not known'
    if (Buffer.byteLength(announcement.name) > kind.nameBytesMax) return 'its name is too long'
    if (announcement.value.length > kind.valueBytesMax) return 'its value is too long'
    try {
      return kind.fault(announcement)
    } catch (error) {
      // What cannot even be checked is not passed on.
      return `it cannot be checked: ${(error as Error).message}`
    }
  }

  /** Whose quota a valid announcement is charged to, and how. */
  charge(announcement: Announcement): ChargedAnnouncement {
    const kind = this.#kinds.get(announcement.kind)!
    const chargedTo = kind.endorsement?.(announcement)?.peer ?? announcement.peer
    return { announcement, chargedTo, isActive: kind.isActive?.(announcement) ?? false }
  }

  /** The key of a valid announcement: its kind, so that a kind is one range, a digest of its name, and one of its slot. */
  keyOf(announcement: UnsignedAnnouncement): Uint8Array {
    const slot = this.#kinds.get(announcement.kind)!.slot?.(announcement) ?? ''
    const name = nameStart(announcement.kind, announcement.name)
    return slot === '' ? name : Buffer.concat([name, digestOf(slot)])
  }
}

export function kindStart(kind: string): Buffer {
  return Buffer.concat([Buffer.from(kind), Buffer.alloc(1)])
}

/** What the keys of all announcements of a name begin with. */
export function nameStart(kind: string, name: string): Buffer {
  return Buffer.concat([kindStart(kind), digestOf(name)])
}

function digestOf(text: string): Buffer {
  return hash('sha256', text, 'buffer').subarray(0, 20)
}
