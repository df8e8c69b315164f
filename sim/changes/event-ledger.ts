// Event ledger: what one consumer got, and whether it may have got that.
//
// Checks with every event: those of a site come in order and without holes, but for repetitions; what has the same place in a site's
// log is the same event; no two places have the same id; the capture is with enough peers.

import assert from 'node:assert/strict'
import type { ChangeEvent } from '../../src/changes/change-event.ts'

export class EventLedger {
  readonly #name: string
  /** By site, their ids in order. */
  readonly #sites = new Map<string, string[]>()
  readonly #events = new Map<string, ChangeEvent>()
  repeated = 0

  constructor(name: string) {
    this.#name = name
  }

  get events(): readonly ChangeEvent[] {
    return [...this.#events.values()]
  }

  get count(): number {
    return this.#events.size
  }

  got(event: ChangeEvent): void {
    const { site, sequence, id } = event
    const ids = this.#sites.get(site) ?? []
    this.#sites.set(site, ids)
    const told = `${this.#name} got event ${sequence} of ${site} (${event.kind} ${event.url}, ${id})`
    if (sequence <= ids.length) {
      assert.equal(ids[sequence - 1], id, `${told}, which was another event before`)
      this.repeated++
      return
    }
    assert.equal(sequence, ids.length + 1, `${told} after ${ids.length}`)
    assert(!this.#events.has(id), `${told}, whose id another event has`)
    ids.push(id)
    this.#events.set(id, event)
  }
}
