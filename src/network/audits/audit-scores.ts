// What audits have shown of other peers, and who is not counted on any more. Kept over restarts.
//
// A wrong answer weighs most, a late one less, for honest peers pause, too; a right one takes some of it back. Beyond the limit the peer
// is excluded: this peer does not count it as a holder, and sees to another copy. That ends after a day, twice as long each time, on
// probation. It is this peer's own decision: nobody could tell from a failed audit who of the two lies, so nothing of it is told to others.

import type { Clock } from '../../platform/clock.ts'
import type { PeerId } from '../../platform/network/network.ts'
import type { KeyValue, Table } from '../../platform/storage/key-value.ts'

/** `void`: it says nothing about the other. */
export type AuditOutcome = 'right' | 'wrong' | 'late' | 'lacking' | 'void'

export interface AuditRecord {
  readonly right: number
  readonly wrong: number
  readonly late: number
  readonly lacking: number
  readonly score: number
  readonly exclusions: number
  /** 0: it was never excluded. */
  readonly excludedUntilMs: number
}

export interface AuditedPeer extends AuditRecord {
  readonly peer: PeerId
  readonly isExcluded: boolean
}

const weights: Record<AuditOutcome, number> = { right: -3, wrong: 4, late: 3, lacking: 3, void: 0 }
export const scoreMax = 12
const dayMs = 86_400_000
const exclusionMsMax = 32 * dayMs
const peersMax = 4_096
const nothing: AuditRecord = {
  right: 0,
  wrong: 0,
  late: 0,
  lacking: 0,
  score: 0,
  exclusions: 0,
  excludedUntilMs: 0,
}

export class AuditScores {
  readonly #clock: Clock
  readonly #keyValue: KeyValue
  readonly #table: Table
  readonly #records = new Map<PeerId, AuditRecord>()
  readonly #listeners = new Set<() => void>()

  /** A map of its own, closed by whoever opened it. */
  constructor(needs: { readonly clock: Clock; readonly keyValue: KeyValue }) {
    this.#clock = needs.clock
    this.#keyValue = needs.keyValue
    this.#table = needs.keyValue.table('scores')
    for (const [peer, bytes] of this.#table.range({ limit: peersMax })) {
      const record = readRecord(bytes)
      if (record !== undefined) this.#records.set(Buffer.from(peer).toString(), record)
    }
  }

  isExcluded(peer: PeerId): boolean {
    return (this.#records.get(peer)?.excludedUntilMs ?? 0) > this.#clock.nowMs()
  }

  excluded(): PeerId[] {
    return [...this.#records.keys()].filter((peer) => this.isExcluded(peer))
  }

  all(): AuditedPeer[] {
    return Array.from(this.#records, ([peer, record]) => ({
      peer,
      ...record,
      isExcluded: this.isExcluded(peer),
    }))
  }

  /** Somebody was excluded. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Resolves when it is on disk. */
  async note(peer: PeerId, outcome: AuditOutcome): Promise<void> {
    const before = this.#records.get(peer) ?? nothing
    if (outcome === 'void' || (before === nothing && this.#records.size >= peersMax)) return
    const wasExcluded = this.isExcluded(peer)
    const score = Math.max(0, before.score + weights[outcome])
    const counted = { ...before, [outcome]: before[outcome] + 1, score }
    const isOver = !wasExcluded && score >= scoreMax
    this.#records.set(peer, isOver ? this.#excluded(counted) : counted)
    if (isOver) for (const listener of [...this.#listeners]) listener()
    await this.#keep(peer)
  }

  /** On probation afterwards: half of the limit is left. */
  #excluded(record: AuditRecord): AuditRecord {
    const lengthMs = Math.min(exclusionMsMax, dayMs * 2 ** Math.min(10, record.exclusions))
    const excludedUntilMs = this.#clock.nowMs() + lengthMs
    return { ...record, score: scoreMax / 2, exclusions: record.exclusions + 1, excludedUntilMs }
  }

  async #keep(peer: PeerId): Promise<void> {
    const bytes = Buffer.from(JSON.stringify(this.#records.get(peer)))
    await this.#keyValue.transaction(() => this.#table.put(Buffer.from(peer), bytes))
  }
}

function readRecord(bytes: Uint8Array): AuditRecord | undefined {
  try {
    const fields = JSON.parse(Buffer.from(bytes).toString()) as Record<string, unknown>
    const record = Object.fromEntries(Object.keys(nothing).map((name) => [name, fields[name]]))
    const isSound = Object.values(record).every((value) => Number.isFinite(value) && (value as number) >= 0)
    return isSound ? (record as unknown as AuditRecord) : undefined
  } catch {
    return undefined
  }
}
