// Heard times: when this peer first heard of each takedown, so that one with an old date does not skip the while in which it can be objected
// to.
//
// Invariant: bounded by `heardMax`; kept over restarts, written when there is time. What a home had before it kept such times counts from
// its own date, and so does what a newcomer finds: it was told to the others long ago.

import { LruCache } from '../../model/lru-cache.ts'
import type { Clock } from '../../platform/clock.ts'
import type { KeyValue, Table } from '../../platform/storage/key-value.ts'
import { type Announcement, idOf } from '../announcements/announcement.ts'
import { aheadMsMax } from '../announcements/screening.ts'

const heardMax = 20_000

export class HeardTimes {
  readonly #map: KeyValue
  readonly #table: Table
  readonly #clock: Clock
  readonly #heard = new LruCache<string, number>({ max: heardMax })
  readonly #isNewcomer: () => boolean

  /** `isNewcomer`: nobody has told us yet what was said before we came. */
  constructor(needs: { keyValue: KeyValue; clock: Clock; isNewcomer(): boolean }) {
    this.#map = needs.keyValue
    this.#clock = needs.clock
    this.#isNewcomer = () => needs.isNewcomer()
    this.#table = needs.keyValue.table('takedowns heard')
    for (const [key, value] of this.#table.range({ limit: heardMax }))
      this.#heard.set(nameOf(key), Number(Buffer.from(value).toString()))
  }

  /** Does nothing for what is known. */
  note(announcement: Announcement): void {
    const key = idOf(announcement)
    if (this.#heard.has(nameOf(key))) return
    const nowMs = Math.floor(this.#clock.nowMs())
    const heardMs = this.#isNewcomer() ? announcement.version : nowMs
    this.#heard.set(nameOf(key), heardMs)
    if (this.#heard.size < heardMax)
      // Lost by a crash it counts from its own date: at worst the others were warned before us.
      void this.#map.transaction(() => this.#table.put(key, Buffer.from(String(heardMs)))).catch(() => {})
  }

  /** Clocks differ: a date that is a little older than when we heard of it is its own. */
  beginMs(announcement: Announcement): number {
    const heardMs = this.#heard.get(nameOf(idOf(announcement))) ?? announcement.version
    return Math.max(announcement.version, heardMs - aheadMsMax)
  }
}

function nameOf(id: Uint8Array): string {
  return Buffer.from(id).toString('base64url')
}
