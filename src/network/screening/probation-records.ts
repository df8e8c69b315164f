// What this peer has seen of newcomers that keep a spare copy near it: since when, how often they were asked for it, and how often they
// showed it. Kept over restarts.
//
// A newcomer that was not heard of for `forgottenMs` begins anew when it comes back. At most `recordsMax`: who comes when all are taken waits.

import type { Clock } from '../../platform/clock.ts'
import type { PeerId } from '../../platform/network/network.ts'
import type { KeyValue, Table } from '../../platform/storage/key-value.ts'

export interface ProbationRecord {
  /** When it first showed its copies. */
  readonly sinceMs: number
  readonly heardAtMs: number
  readonly asked: number
  readonly shown: number
}

export const recordsMax = 256
export const forgottenMs = 7 * 86_400_000

export class ProbationRecords {
  readonly #clock: Clock
  readonly #keyValue: KeyValue
  readonly #table: Table
  readonly #records = new Map<PeerId, ProbationRecord>()

  /** A map of its own, closed by whoever opened it. */
  constructor(needs: { readonly clock: Clock; readonly keyValue: KeyValue }) {
    this.#clock = needs.clock
    this.#keyValue = needs.keyValue
    this.#table = needs.keyValue.table('probation')
    for (const [peer, bytes] of this.#table.range({ limit: recordsMax })) {
      const record = readRecord(bytes)
      if (record !== undefined) this.#records.set(Buffer.from(peer).toString(), record)
    }
  }

  all(): [PeerId, ProbationRecord][] {
    return [...this.#records]
  }

  of(peer: PeerId): ProbationRecord | undefined {
    return this.#records.get(peer)
  }

  /** It is there. Resolves when that is on disk. */
  async heard(peer: PeerId): Promise<void> {
    await this.#forgetOld()
    const before = this.#records.get(peer)
    if (before === undefined && this.#records.size >= recordsMax) return
    const heardAtMs = this.#clock.nowMs()
    await this.#keep(peer, { ...(before ?? { sinceMs: 0, asked: 0, shown: 0 }), heardAtMs })
  }

  /** It was asked for its copies. */
  async asked(peer: PeerId, isShown: boolean): Promise<void> {
    const before = this.#records.get(peer)
    if (before === undefined) return
    const nowMs = this.#clock.nowMs()
    // Before it has fetched its copies it cannot show them: that is no fault of it.
    if (before.sinceMs === 0 && !isShown) return
    await this.#keep(peer, {
      sinceMs: before.sinceMs === 0 ? nowMs : before.sinceMs,
      heardAtMs: isShown ? nowMs : before.heardAtMs,
      asked: before.asked + 1,
      shown: before.shown + (isShown ? 1 : 0),
    })
  }

  async forget(peer: PeerId): Promise<void> {
    if (!this.#records.delete(peer)) return
    await this.#keyValue.transaction(() => this.#table.remove(Buffer.from(peer)))
  }

  async #forgetOld(): Promise<void> {
    const beforeMs = this.#clock.nowMs() - forgottenMs
    for (const [peer, { heardAtMs }] of this.#records) if (heardAtMs < beforeMs) await this.forget(peer)
  }

  async #keep(peer: PeerId, record: ProbationRecord): Promise<void> {
    this.#records.set(peer, record)
    const bytes = Buffer.from(JSON.stringify(record))
    await this.#keyValue.transaction(() => this.#table.put(Buffer.from(peer), bytes))
  }
}

function readRecord(bytes: Uint8Array): ProbationRecord | undefined {
  try {
    const { sinceMs, heardAtMs, asked, shown } = JSON.parse(Buffer.from(bytes).toString()) as ProbationRecord
    const isSound = [sinceMs, heardAtMs, asked, shown].every((value) => Number.isFinite(value) && value >= 0)
    return isSound ? { sinceMs, heardAtMs, asked, shown } : undefined
  } catch {
    return undefined
  }
}
