// Announcement store: the announcements that a peer holds, on disk, with range checksums so that two peers find their differences
// cheaply.
//
// Invariants: of each slot the latest version received; only valid announcements of registered kinds, within their authors'
// quotas; what `merge` and `write` returned survives a power cut. Anything else found on disk at start goes to the quarantine
// (store-check.ts). Signatures are verified before announcements come here, and not again when the store is opened: the disk is
// ours.

import { fixedView, flag, printable } from '../../formats/wire/message-fields.ts'
import { record } from '../../formats/wire/message-schema.ts'
import type { KeyValue, Range, Table } from '../../platform/storage/key-value.ts'
import { RangeSums } from '../replication/sums/range-sums.ts'
import type { Roster, RosterEntry } from '../replication/sums/roster.ts'
import {
  type Announcement,
  idOf,
  isLater,
  signedAnnouncement,
  type UnsignedAnnouncement,
} from './announcement.ts'
import { type AnnouncementKinds, kindStart, nameStart } from './announcement-kind.ts'
import { AuthorQuotas, type ChargedAnnouncement } from './author-quotas.ts'
import { Quarantine } from './quarantine.ts'

interface Merged {
  /** The announcements that took effect. */
  readonly news: readonly Announcement[]
  /** Those that exceeded a quota, and why. */
  readonly refused: readonly { readonly announcement: Announcement; readonly reason: string }[]
}

const coveredAtOnce = 1_000
const idBytes = 16
const peerBytesMax = 200

/** As it lies in the table. Throws MessageMalformed for what is none. */
export const storedAnnouncement = record({
  id: fixedView(idBytes),
  chargedTo: printable(peerBytesMax),
  isActive: flag,
  announcement: signedAnnouncement,
})

export class AnnouncementStore implements Roster {
  readonly sums: RangeSums
  readonly kinds: AnnouncementKinds
  readonly usage: AuthorQuotas
  readonly quarantine: Quarantine
  readonly #map: KeyValue
  readonly #table: Table

  /** The map is this store's alone. Before it is used it must be inspected: see store-check.ts. */
  static async open(map: KeyValue, kinds: AnnouncementKinds, bytesMax: number): Promise<AnnouncementStore> {
    const store = new AnnouncementStore(map, kinds, bytesMax)
    while (!(await map.transaction(() => store.sums.change(() => store.sums.cover(coveredAtOnce)))));
    return store
  }

  private constructor(map: KeyValue, kinds: AnnouncementKinds, bytesMax: number) {
    this.#map = map
    this.kinds = kinds
    this.#table = map.table('signed notices')
    this.sums = new RangeSums(map.table('signed notice sums'), this)
    this.usage = new AuthorQuotas(bytesMax)
    this.quarantine = new Quarantine(map.table('quarantine'))
  }

  /** Of several in different slots the latest. */
  get(kind: string, name: string): Announcement | undefined {
    let latest: Announcement | undefined
    for (const announcement of this.named(kind, name))
      if (latest === undefined || isLater(announcement, latest)) latest = announcement
    return latest
  }

  /** One for each slot. */
  *named(kind: string, name: string): Iterable<Announcement> {
    for (const [, stored] of this.#table.range(startingWith(nameStart(kind, name))))
      yield storedAnnouncement.decode(stored).announcement
  }

  *all(kind: string): Iterable<Announcement> {
    for (const [, stored] of this.#table.range(startingWith(kindStart(kind))))
      yield storedAnnouncement.decode(stored).announcement
  }

  /** As they lie on the disk. */
  stored(range: Range): Iterable<readonly [key: Uint8Array, stored: Uint8Array]> {
    return this.#table.range(range)
  }

  *entries(range: Range): Iterable<RosterEntry> {
    for (const [key, stored] of this.#table.range(range)) yield { key, id: stored.slice(0, idBytes) }
  }

  /** The announcements of these entries, as far as they are still there. */
  *announcementsOf(entries: Iterable<RosterEntry>): Iterable<Announcement> {
    for (const { key } of entries) {
      const stored = this.#table.get(key)
      if (stored !== undefined) yield storedAnnouncement.decode(stored).announcement
    }
  }

  /** The announcement that this one would replace. */
  standing(announcement: UnsignedAnnouncement): Announcement | undefined {
    const stored = this.#table.get(this.kinds.keyOf(announcement))
    return stored && storedAnnouncement.decode(stored).announcement
  }

  isNews(announcement: Announcement): boolean {
    const standing = this.standing(announcement)
    return standing === undefined || isLater(announcement, standing)
  }

  /** Merges valid announcements. Resolves once those that took effect are on disk. */
  async merge(announcements: readonly ChargedAnnouncement[]): Promise<Merged> {
    const undo: (() => void)[] = []
    const merged = await this.#change(undo, () => {
      const news: Announcement[] = []
      const refused: { announcement: Announcement; reason: string }[] = []
      for (const stored of announcements) {
        const { announcement } = stored
        if (!this.isNews(announcement)) continue
        const reason = this.#keep(stored, undo)
        if (reason === undefined) news.push(announcement)
        else refused.push({ announcement, reason })
      }
      return { news, refused }
    })
    if (merged.news.length > 0) await this.#map.flush()
    return merged
  }

  /** Makes the announcement when its turn has come, and gives it once it is on disk; or why it exceeds a quota. */
  async write(make: () => ChargedAnnouncement): Promise<Announcement | string> {
    const undo: (() => void)[] = []
    const written = await this.#change(undo, () => {
      const stored = make()
      return this.#keep(stored, undo) ?? stored.announcement
    })
    await this.#map.flush()
    return written
  }

  /** Moves it to the quarantine. `isCharged`: an author's quota is charged for it. */
  async setAside(
    key: Uint8Array,
    { reason, atMs, isCharged }: { reason: string; atMs: number; isCharged: boolean },
  ): Promise<void> {
    const undo: (() => void)[] = []
    await this.#change(undo, () => {
      const stored = this.#table.get(key)
      if (stored === undefined) return
      this.#table.remove(key)
      if (isCharged) this.#refund(storedAnnouncement.decode(stored), undo)
      const id = stored.slice(0, idBytes)
      if (id.length === idBytes) this.sums.remove(key, id)
      this.quarantine.add(id, { atMs, reason, bytes: stored.subarray(idBytes) })
    })
    await this.#map.flush()
  }

  #change<T>(undo: (() => void)[], action: () => T): Promise<T> {
    const takeBack = (): void => {
      for (const step of undo.splice(0).reverse()) step()
    }
    const run = (): T => {
      // It may run again.
      takeBack()
      return this.sums.change(action)
    }
    return this.#map.transaction(run).catch((error: unknown) => {
      takeBack()
      throw error
    })
  }

  #refund(charged: ChargedAnnouncement, undo: (() => void)[]): void {
    this.usage.remove(charged)
    undo.push(() => this.usage.add(charged))
  }

  /** Inside a change. Gives why it could not be kept. */
  #keep(stored: ChargedAnnouncement, undo: (() => void)[]): string | undefined {
    const { announcement } = stored
    const { usage } = this
    const key = this.kinds.keyOf(announcement)
    const bytes = this.#table.get(key)
    const before = bytes && storedAnnouncement.decode(bytes)
    if (before !== undefined) usage.remove(before)
    const restore = (): void => before && usage.add(before)
    const lack = usage.lackFor(stored, this.kinds.get(announcement.kind)!)
    if (lack !== undefined) {
      restore()
      return lack
    }
    usage.add(stored)
    undo.push(() => {
      usage.remove(stored)
      restore()
    })
    if (bytes !== undefined) this.sums.remove(key, bytes.slice(0, idBytes))
    const id = idOf(announcement)
    this.#table.put(key, storedAnnouncement.encode({ id, ...stored }))
    this.sums.add(key, id)
    return undefined
  }
}

function startingWith(start: Buffer): { from: Uint8Array; to: Uint8Array } {
  const to = Buffer.from(start)
  // Kinds are text and end in a zero, digests are followed by digests: there is always a byte that can be counted up.
  for (let last = to.length - 1; ; last--) {
    if (to[last] === 255) continue
    to[last]!++
    return { from: start, to: to.subarray(0, last + 1) }
  }
}
