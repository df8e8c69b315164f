// Feed book: the last events of the sites whose feeds somebody reads, so that a feed is answered without reading the stream again.
//
// A site is remembered when its feed, or that of a prefix on it, is first asked for, and for as long as it is asked for now and then. So
// many sites, so many events of each; those asked for longest ago make room. Events come from the same reading of the stream as those of
// watches.

import type { KeyValue, Table } from '../../platform/storage/key-value.ts'
import { encodeEvent, eventCoding, type StoredEvent } from '../event-coding.ts'
import { readableEntries } from '../watches/readable-entries.ts'

export const feedTables = ['feedSites', 'feedEvents'] as const

export const sitesMax = 1_000
export const eventsPerSite = 200
const patienceMs = 30 * 86_400_000
/** Asking is noted so often. */
const notedMs = 3_600_000
const stampBytes = 6

export class FeedBook {
  readonly #map: KeyValue
  readonly #sites: Table
  readonly #events: Table
  /** When each was asked for last. */
  readonly #askedAtMs = new Map<string, number>()

  constructor(map: KeyValue) {
    this.#map = map
    this.#sites = map.table('feedSites')
    this.#events = map.table('feedEvents')
    for (const [key, value] of this.#sites.range())
      this.#askedAtMs.set(Buffer.from(key).toString('utf8'), Buffer.from(value).readUIntBE(0, stampBytes))
  }

  get size(): number {
    return this.#askedAtMs.size
  }

  has(site: string): boolean {
    return this.#askedAtMs.has(site)
  }

  /** Newest first. */
  events(site: string): Iterable<StoredEvent> {
    return readableEntries(this.#events, eventCoding, { ...below(site), reverse: true })
  }

  /** Somebody asks for it. True when it is new here. */
  async ask(site: string, nowMs: number): Promise<boolean> {
    const before = this.#askedAtMs.get(site)
    if (before !== undefined && nowMs - before < notedMs) return false
    const leaving = this.#outdated(nowMs, site)
    await this.#map.transaction(() => {
      this.#sites.put(Buffer.from(site), stampOf(nowMs))
      for (const old of leaving) {
        this.#sites.remove(Buffer.from(old))
        for (const [key] of [...this.#events.range(below(old))]) this.#events.remove(key)
      }
    })
    for (const old of leaving) this.#askedAtMs.delete(old)
    this.#askedAtMs.set(site, nowMs)
    return before === undefined
  }

  /** Only inside a transaction. Putting one again changes nothing. */
  put(event: StoredEvent): void {
    const key = Buffer.concat([below(event.site).from, stampOf(event.stamp), event.id])
    this.#events.put(key, encodeEvent(event))
    const keys = [...this.#events.range(below(event.site))].map(([one]) => one)
    for (const old of keys.slice(0, Math.max(0, keys.length - eventsPerSite))) this.#events.remove(old)
  }

  #outdated(nowMs: number, coming: string): string[] {
    const oldest = [...this.#askedAtMs].sort(([, one], [, other]) => one - other)
    const tooMany = this.#askedAtMs.has(coming) ? 0 : Math.max(0, oldest.length + 1 - sitesMax)
    return oldest
      .filter(
        ([site, askedAtMs], index) => site !== coming && (index < tooMany || nowMs - askedAtMs > patienceMs),
      )
      .map(([site]) => site)
  }
}

/** No name of a site has a zero in it. */
function below(site: string): { from: Buffer; to: Buffer } {
  return { from: Buffer.from(`${site}\0`), to: Buffer.from(`${site}\x01`) }
}

function stampOf(stamp: number): Buffer {
  const bytes = Buffer.alloc(stampBytes)
  bytes.writeUIntBE(Math.floor(stamp), 0, stampBytes)
  return bytes
}
