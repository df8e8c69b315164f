// Notice book: the notices that a peer holds, on disk, with sums over them so that two peers find out cheaply what they differ in.
//
// Invariants: of each slot the latest that was heard of; only sound notices of registered kinds, within the budgets of their
// authors; what `merge` and `write` have given back survives a power cut. Whatever else lies on the disk when it is opened
// goes to the quarantine (book-inspection.ts).
// Signatures are verified before notices come here, and not again when the book is opened: the disk is ours.

import { fixedView, flag, printable } from '../../formats/wire/message-fields.ts'
import { record } from '../../formats/wire/message-schema.ts'
import type { KeyValue, Range, Table } from '../../platform/key-value.ts'
import { RangeSums } from '../replication/sums/range-sums.ts'
import type { Roster, RosterEntry } from '../replication/sums/roster.ts'
import { AuthorUsage, type ChargedNotice } from './author-usage.ts'
import { idOf, isLater, type Notice, signedNotice, type UnsignedNotice } from './notice.ts'
import { kindStart, type NoticeKinds, nameStart } from './notice-kind.ts'
import { Quarantine } from './quarantine.ts'

export interface Merged {
  /** What counts from now on. */
  readonly news: readonly Notice[]
  /** What there was no room for, and why. */
  readonly refused: readonly { readonly notice: Notice; readonly reason: string }[]
}

const coveredAtOnce = 1_000
const idBytes = 16
const peerBytesMax = 200

/** As it lies in the table. Throws MessageMalformed for what is none. */
export const storedNotice = record({
  id: fixedView(idBytes),
  chargedTo: printable(peerBytesMax),
  isActive: flag,
  notice: signedNotice,
})

export class NoticeBook implements Roster {
  readonly sums: RangeSums
  readonly kinds: NoticeKinds
  readonly usage: AuthorUsage
  readonly quarantine: Quarantine
  readonly #map: KeyValue
  readonly #table: Table

  /** The map is this book's alone. Before it is used it must be inspected: see book-inspection.ts. */
  static async open(map: KeyValue, kinds: NoticeKinds, bytesMax: number): Promise<NoticeBook> {
    const book = new NoticeBook(map, kinds, bytesMax)
    while (!(await map.transaction(() => book.sums.change(() => book.sums.cover(coveredAtOnce)))));
    return book
  }

  private constructor(map: KeyValue, kinds: NoticeKinds, bytesMax: number) {
    this.#map = map
    this.kinds = kinds
    this.#table = map.table('signed notices')
    this.sums = new RangeSums(map.table('signed notice sums'), this)
    this.usage = new AuthorUsage(bytesMax)
    this.quarantine = new Quarantine(map.table('quarantine'))
  }

  /** Of several in different slots the latest. */
  get(kind: string, name: string): Notice | undefined {
    let latest: Notice | undefined
    for (const notice of this.named(kind, name))
      if (latest === undefined || isLater(notice, latest)) latest = notice
    return latest
  }

  /** One for each slot. */
  *named(kind: string, name: string): Iterable<Notice> {
    for (const [, stored] of this.#table.range(startingWith(nameStart(kind, name))))
      yield storedNotice.decode(stored).notice
  }

  *all(kind: string): Iterable<Notice> {
    for (const [, stored] of this.#table.range(startingWith(kindStart(kind))))
      yield storedNotice.decode(stored).notice
  }

  /** As they lie on the disk. */
  stored(range: Range): Iterable<readonly [key: Uint8Array, stored: Uint8Array]> {
    return this.#table.range(range)
  }

  *entries(range: Range): Iterable<RosterEntry> {
    for (const [key, stored] of this.#table.range(range)) yield { key, id: stored.slice(0, idBytes) }
  }

  /** The notices of these entries, as far as they are still there. */
  *noticesOf(entries: Iterable<RosterEntry>): Iterable<Notice> {
    for (const { key } of entries) {
      const stored = this.#table.get(key)
      if (stored !== undefined) yield storedNotice.decode(stored).notice
    }
  }

  /** The notice that this sound one would replace. */
  standing(notice: UnsignedNotice): Notice | undefined {
    const stored = this.#table.get(this.kinds.keyOf(notice))
    return stored && storedNotice.decode(stored).notice
  }

  isNews(notice: Notice): boolean {
    const standing = this.standing(notice)
    return standing === undefined || isLater(notice, standing)
  }

  /** Of sound notices. Resolves once those that count are safe. */
  async merge(notices: readonly ChargedNotice[]): Promise<Merged> {
    const undo: (() => void)[] = []
    const merged = await this.#change(undo, () => {
      const news: Notice[] = []
      const refused: { notice: Notice; reason: string }[] = []
      for (const stored of notices) {
        const { notice } = stored
        if (!this.isNews(notice)) continue
        const reason = this.#keep(stored, undo)
        if (reason === undefined) news.push(notice)
        else refused.push({ notice, reason })
      }
      return { news, refused }
    })
    if (merged.news.length > 0) await this.#map.flush()
    return merged
  }

  /** Gives the notice, made when its turn has come, once it is safe; or why there is no room for it. */
  async write(make: () => ChargedNotice): Promise<Notice | string> {
    const undo: (() => void)[] = []
    const written = await this.#change(undo, () => {
      const stored = make()
      return this.#keep(stored, undo) ?? stored.notice
    })
    await this.#map.flush()
    return written
  }

  /** It counts no more, here. `isCharged`: somebody's budget is charged for it. */
  async setAside(
    key: Uint8Array,
    { reason, atMs, isCharged }: { reason: string; atMs: number; isCharged: boolean },
  ): Promise<void> {
    const undo: (() => void)[] = []
    await this.#change(undo, () => {
      const stored = this.#table.get(key)
      if (stored === undefined) return
      this.#table.remove(key)
      if (isCharged) this.#refund(storedNotice.decode(stored), undo)
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

  #refund(charged: ChargedNotice, undo: (() => void)[]): void {
    this.usage.remove(charged)
    undo.push(() => this.usage.add(charged))
  }

  /** Inside a change. Gives why it could not be kept. */
  #keep(stored: ChargedNotice, undo: (() => void)[]): string | undefined {
    const { notice } = stored
    const { usage } = this
    const key = this.kinds.keyOf(notice)
    const bytes = this.#table.get(key)
    const before = bytes && storedNotice.decode(bytes)
    if (before !== undefined) usage.remove(before)
    const restore = (): void => before && usage.add(before)
    const lack = usage.lackFor(stored, this.kinds.get(notice.kind)!)
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
    const id = idOf(notice)
    this.#table.put(key, storedNotice.encode({ id, ...stored }))
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
