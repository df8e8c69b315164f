// Notice book: the notices that a peer holds, on disk, with sums over them so that two peers find out cheaply what they differ in.
//
// Invariants: of each name the latest that was heard of; what `merge` and `write` have given back survives a power cut.

import { MessageReader } from '../../record/message-bytes.ts'
import type { KeyValue, Range, Table } from '../../world/key-value.ts'
import { RangeSums } from '../sums/range-sums.ts'
import type { Roster, RosterEntry } from '../sums/roster.ts'
import { idOf, isLater, kindStart, type Notice, noticeBytes, noticeKey, readNotice } from './notice.ts'

const coveredAtOnce = 1_000
const idBytes = 16

export class NoticeBook implements Roster {
  readonly sums: RangeSums
  readonly #map: KeyValue
  readonly #table: Table

  /** The map is this book's alone. */
  static async open(map: KeyValue): Promise<NoticeBook> {
    const book = new NoticeBook(map)
    while (!(await map.transaction(() => book.sums.change(() => book.sums.cover(coveredAtOnce)))));
    return book
  }

  private constructor(map: KeyValue) {
    this.#map = map
    this.#table = map.table('notices')
    this.sums = new RangeSums(map.table('sums'), this)
  }

  get(kind: string, name: string): Notice | undefined {
    return this.#at(noticeKey(kind, name))
  }

  *all(kind: string): Iterable<Notice> {
    const from = kindStart(kind)
    const to = Buffer.from(from)
    to[to.length - 1] = 1
    for (const [, stored] of this.#table.range({ from, to })) yield noticeIn(stored)
  }

  *entries(range: Range): Iterable<RosterEntry> {
    for (const [key, stored] of this.#table.range(range)) yield { key, id: stored.slice(0, idBytes) }
  }

  /** The notices of these entries, as far as they are still there. */
  *noticesOf(entries: Iterable<RosterEntry>): Iterable<Notice> {
    for (const { key } of entries) {
      const notice = this.#at(key)
      if (notice !== undefined) yield notice
    }
  }

  /** Gives those that count from now on, once they are safe. */
  async merge(notices: readonly Notice[]): Promise<Notice[]> {
    if (!notices.some((notice) => this.#isNews(notice))) return []
    const news = await this.#map.transaction(() =>
      this.sums.change(() => notices.filter((notice) => this.#isNews(notice) && this.#keep(notice))),
    )
    if (news.length > 0) await this.#map.flush()
    return news
  }

  /** Gives the notice, made of the one that stands, once it is safe. */
  async write(kind: string, name: string, make: (before: Notice | undefined) => Notice): Promise<Notice> {
    const notice = await this.#map.transaction(() =>
      this.sums.change(() => {
        const made = make(this.get(kind, name))
        this.#keep(made)
        return made
      }),
    )
    await this.#map.flush()
    return notice
  }

  #at(key: Uint8Array): Notice | undefined {
    const stored = this.#table.get(key)
    return stored && noticeIn(stored)
  }

  #isNews(notice: Notice): boolean {
    const known = this.get(notice.kind, notice.name)
    return known === undefined || isLater(notice, known)
  }

  /** Inside a change. */
  #keep(notice: Notice): boolean {
    const key = noticeKey(notice.kind, notice.name)
    const before = this.#table.get(key)
    if (before !== undefined) this.sums.remove(key, before.slice(0, idBytes))
    const written = noticeBytes(notice)
    const id = idOf(written)
    this.#table.put(key, Buffer.concat([id, written]))
    this.sums.add(key, id)
    return true
  }
}

function noticeIn(stored: Uint8Array): Notice {
  return readNotice(new MessageReader(stored.subarray(idBytes)))
}
