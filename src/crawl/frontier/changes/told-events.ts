// Told events: which captures of a site became events, by the site's log.

import { decodeEvent, type StoredEvent } from '../../../changes/event-coding.ts'
import { type ToldIds, textOf } from '../../../changes/late-captures.ts'
import { readableOr } from '../../../formats/wire/message-bytes.ts'
import type { BufferedTable } from '../write-buffer.ts'
import type { ChangeLog } from './change-log.ts'
import { eventKey } from './event-keys.ts'

/** By so much a capture's time may be ahead of the clock of whoever writes its event. */
const skewMsMax = 10 * 60_000
/** Ids of events that are looked at for one site, some megabytes, and at a time. */
const idsMax = 50_000
const idsAtOnce = 500

export class ToldEvents {
  readonly #needs: { readonly sites: BufferedTable; readonly log: ChangeLog }

  constructor(needs: { readonly sites: BufferedTable; readonly log: ChangeLog }) {
    this.#needs = needs
  }

  /** The ids of a site's events that were written since then, the newest first, so many at a time. */
  *toldSince(site: Buffer, sinceMs: number): Generator<undefined, ToldIds> {
    const { sequence: last, droppedUpTo } = this.#needs.log.headOf(site)
    const ids = new Set<string>()
    let fromMs = droppedUpTo
    for (let sequence = last; sequence > 0; sequence--) {
      const event = this.#event(site, sequence)
      if (event === undefined) break
      ids.add(textOf(event.id))
      if (event.stamp < sinceMs - skewMsMax || ids.size >= idsMax) {
        fromMs = Math.max(fromMs, event.stamp + skewMsMax)
        break
      }
      if (ids.size % idsAtOnce === 0) yield
    }
    return { fromMs, sequence: last, has: (id) => ids.has(textOf(id)) }
  }

  /** The same at once. */
  told(site: Buffer, sinceMs: number): ToldIds {
    const looking = this.toldSince(site, sinceMs)
    for (;;) {
      const { done, value } = looking.next()
      if (done) return value
    }
  }

  /** Whether an event of the site behind that number has the id. */
  isTold(site: Buffer, id: Uint8Array, after: number): boolean {
    const { sequence: last } = this.#needs.log.headOf(site)
    for (let sequence = last; sequence > after; sequence--) {
      const event = this.#event(site, sequence)
      if (event !== undefined && Buffer.compare(event.id, id) === 0) return true
    }
    return false
  }

  #event(site: Buffer, sequence: number): StoredEvent | undefined {
    const stored = this.#needs.sites.get(eventKey(site, sequence))
    return stored && readableOr(() => decodeEvent(stored), undefined)
  }
}
