// The volunteers that this peer knows, and the pages that only one or two of them have vouched for: kept on disk, so that whoever is caught
// lying later is caught for what it brought before, too.
//
// Open are those of these pages that came too lately for the volunteer's later work to speak for them: see settle() and spot-checks.ts.
//
// Invariants: volunteersMax records, the one silent for longest forgotten first, but for those that are shut out; brought pages at most
// broughtMax each, the oldest forgotten first; doubted pages at most doubtedMax. What a page was brought by is committed before the page
// is kept.

import { LruCache } from '../../model/lru-cache.ts'
import type { Clock } from '../../platform/clock.ts'
import type { PeerId } from '../../platform/network/network.ts'
import type { KeyValue, Table } from '../../platform/storage/key-value.ts'
import {
  basisOf,
  isProven,
  newRecord,
  readRecord,
  scoreOf,
  stateOf,
  type TrustTerms,
  type VolunteerRecord,
  type VolunteerView,
} from './volunteer-record.ts'

export const volunteerTables = ['volunteers', 'brought', 'doubted']
const volunteersMax = 10_000
const broughtMax = 50_000
const doubtedMax = 1_000_000
const hrefBytesMax = 1_700
const atOnce = 500

interface Counts {
  readonly [field: string]: number | undefined
}

export class VolunteerBook {
  readonly #map: KeyValue
  readonly #clock: Clock
  readonly #terms: TrustTerms
  readonly #records = new Map<PeerId, VolunteerRecord>()
  readonly #dirty = new Set<PeerId>()
  readonly #volunteers: Table
  readonly #brought: Table
  readonly #doubted: Table
  /** Numbers of the first and the next page of each. */
  readonly #spans = new LruCache<PeerId, { first: number; next: number }>({ max: volunteersMax })
  /** Those with open pages, and how many. */
  readonly #open = new Map<PeerId, number>()
  #doubts = 0

  constructor(needs: { keyValue: KeyValue; clock: Clock }, terms: TrustTerms) {
    this.#map = needs.keyValue
    this.#clock = needs.clock
    this.#terms = terms
    this.#volunteers = this.#map.table('volunteers')
    this.#brought = this.#map.table('brought')
    this.#doubted = this.#map.table('doubted')
    for (const [key, value] of this.#volunteers.range({ limit: volunteersMax })) {
      const record = readRecord(value)
      if (record !== undefined) this.#records.set(Buffer.from(key).toString(), record)
    }
    for (const peer of this.#records.keys()) this.#countOpen(peer)
    for (const _ of this.#doubted.range({ limit: doubtedMax })) this.#doubts++
  }

  of(peer: PeerId): VolunteerRecord {
    let record = this.#records.get(peer)
    if (record === undefined) {
      record = newRecord(this.#clock.nowMs())
      this.#records.set(peer, record)
      if (this.#records.size > volunteersMax) this.#forgetSilent()
    }
    return record
  }

  isKnown(peer: PeerId): boolean {
    return this.#records.has(peer)
  }

  add(peer: PeerId, counts: Counts): VolunteerRecord {
    const record: Record<string, unknown> = { ...this.of(peer), lastMs: this.#clock.nowMs() }
    for (const [field, more] of Object.entries(counts))
      record[field] = ((record[field] as number | undefined) ?? 0) + (more ?? 0)
    const changed = record as VolunteerRecord
    this.#set(peer, changed)
    if (changed.agreed - changed.markAgreed >= this.#terms.settlingPages) this.#moveMark(peer)
    return changed
  }

  /** Resolves when it is so, also after a crash. */
  async bar(peer: PeerId, why: string): Promise<void> {
    this.#set(peer, { ...this.of(peer), barred: why.slice(0, 500) })
    await this.write()
    await this.#map.flush()
  }

  views(): VolunteerView[] {
    return [...this.#records].map(([id, record]) => ({
      id,
      fetched: record.fetched,
      bytes: record.bytes,
      score: scoreOf(record),
      state: stateOf(record, this.#terms),
      open: this.#open.get(id) ?? 0,
      presentMs: record.presentMs,
      basis: basisOf(record),
    }))
  }

  /** By pages, among all; 1 is the first. */
  rankOf(peer: PeerId): { readonly rank: number; readonly of: number } {
    const { fetched } = this.of(peer)
    let rank = 1
    for (const record of this.#records.values()) if (record.fetched > fetched) rank++
    return { rank, of: this.#records.size }
  }

  async write(): Promise<void> {
    if (this.#dirty.size === 0) return
    const peers = [...this.#dirty]
    this.#dirty.clear()
    await this.#map.transaction(() => {
      for (const peer of peers) {
        const record = this.#records.get(peer)
        if (record === undefined) this.#volunteers.remove(Buffer.from(peer))
        else this.#volunteers.put(Buffer.from(peer), Buffer.from(JSON.stringify(record)))
      }
    })
  }

  /** Pages that nobody else has seen, or nobody but this other one. */
  async noteBrought(peer: PeerId, hrefs: readonly string[], other?: PeerId): Promise<void> {
    if (hrefs.length === 0) return
    const span = this.#spanOf(peer)
    const seenBy = other === undefined ? '' : `\n${other}`
    await this.#map.transaction(() => {
      for (const href of hrefs) this.#brought.put(broughtKey(peer, span.next++), Buffer.from(href + seenBy))
      while (span.next - span.first > broughtMax) this.#brought.remove(broughtKey(peer, span.first++))
    })
    this.#spans.set(peer, span)
    this.#countOpen(peer)
  }

  /** Who has open pages, and how many. */
  get open(): ReadonlyMap<PeerId, number> {
    return this.#open
  }

  /** Of the open pages those that nobody else has seen, and the number that follows the last of them. */
  openPagesOf(peer: PeerId): { readonly hrefs: string[]; readonly until: number } {
    const until = this.#spanOf(peer).next
    const hrefs: string[] = []
    const range = { from: broughtKey(peer, this.of(peer).settled), to: broughtKey(peer, until) }
    for (const [, value] of this.#brought.range(range)) {
      const [href = '', other] = Buffer.from(value).toString().split('\n')
      if (other === undefined) hrefs.push(href)
    }
    return { hrefs, until }
  }

  /** Its pages before this number stand, and are doubted only if it is shut out. */
  settle(peer: PeerId, until: number): void {
    const { agreed, mark } = this.of(peer)
    this.#set(peer, {
      ...this.of(peer),
      settled: until,
      mark: Math.max(mark, until),
      markAgreed: agreed,
    })
    this.#countOpen(peer)
  }

  /** It has to prove itself anew. */
  restart(peer: PeerId): void {
    this.#set(peer, { ...this.of(peer), agreed: 0, assured: 0, markAgreed: 0 })
  }

  /** Everything that only this one brought is doubted from now on, also what it agreed on with one that is not proven or is shut out too;
   * or only what is open of that, and what had settled is open again. Gives each once, a part at a time. */
  async doubt(peer: PeerId, which: 'all' | 'open', each: (href: string) => void): Promise<number> {
    let total = 0
    const first = which === 'open' ? this.of(peer).settled : 0
    for (;;) {
      const some = await this.#map.transaction(() => {
        const range = { from: broughtKey(peer, first), to: broughtKey(peer, 2 ** 47), limit: atOnce }
        const found = [...this.#brought.range(range)]
        const hrefs: string[] = []
        for (const [key, value] of found) {
          this.#brought.remove(key)
          const [href = '', other] = Buffer.from(value).toString().split('\n')
          if (other !== undefined && isProven(this.of(other), this.#terms)) continue
          hrefs.push(href)
          const name = Buffer.from(href)
          if (name.length > hrefBytesMax || this.#doubts >= doubtedMax) continue
          if (this.#doubted.get(name) === undefined) this.#doubts++
          this.#doubted.put(name, Buffer.from(peer))
        }
        return { count: found.length, hrefs }
      })
      for (const href of some.hrefs) each(href)
      total += some.hrefs.length
      if (some.count < atOnce) break
    }
    this.#spans.delete(peer)
    this.#reopen(peer)
    await this.#map.flush()
    return total
  }

  /** Whether what is kept of it came from one who lied. */
  isDoubted(href: string): boolean {
    return (
      this.#doubts > 0 && href.length <= hrefBytesMax && this.#doubted.get(Buffer.from(href)) !== undefined
    )
  }

  get doubts(): number {
    return this.#doubts
  }

  /** Those that are still to be fetched anew. */
  *doubted(): Generator<string> {
    for (const [key] of this.#doubted.range()) yield Buffer.from(key).toString()
  }

  /** It was fetched anew. */
  async clear(href: string): Promise<void> {
    await this.#map.transaction(() => {
      if (this.#doubted.remove(Buffer.from(href))) this.#doubts--
    })
  }

  async close(): Promise<void> {
    await this.write()
    await this.#map.close()
  }

  #spanOf(peer: PeerId): { first: number; next: number } {
    const known = this.#spans.get(peer)
    if (known !== undefined) return known
    const range = { from: broughtKey(peer, 0), to: broughtKey(peer, 2 ** 47), limit: 1 }
    const [first] = this.#brought.range(range)
    const [last] = this.#brought.range({ ...range, reverse: true })
    // Numbers only grow, whatever was taken out.
    const { settled } = this.of(peer)
    return {
      first: first ? numberOf(first[0]) : settled,
      next: Math.max(last ? numberOf(last[0]) + 1 : 0, settled),
    }
  }

  /** Enough was right since the mark: what came before it stands, and what came after waits for as much again. */
  #moveMark(peer: PeerId): void {
    const { mark, agreed, settled } = this.of(peer)
    const { next } = this.#spanOf(peer)
    this.#set(peer, { ...this.of(peer), settled: Math.max(settled, mark), mark: next, markAgreed: agreed })
    this.#countOpen(peer)
  }

  #reopen(peer: PeerId): void {
    const { first, next } = this.#spanOf(peer)
    const { agreed } = this.of(peer)
    this.#set(peer, { ...this.of(peer), settled: first, mark: next, markAgreed: agreed })
    this.#countOpen(peer)
  }

  #countOpen(peer: PeerId): void {
    const { settled, barred } = this.of(peer)
    const { first, next } = this.#spanOf(peer)
    const count = next - Math.max(first, settled)
    if (count > 0 && barred === undefined) this.#open.set(peer, count)
    else this.#open.delete(peer)
  }

  #set(peer: PeerId, record: VolunteerRecord): void {
    this.#records.set(peer, record)
    this.#dirty.add(peer)
  }

  #forgetSilent(): void {
    let oldest: PeerId | undefined
    let oldestMs = Number.POSITIVE_INFINITY
    for (const [peer, { lastMs, barred }] of this.#records) {
      if (barred !== undefined || lastMs >= oldestMs) continue
      oldest = peer
      oldestMs = lastMs
    }
    if (oldest === undefined) return
    this.#records.delete(oldest)
    this.#open.delete(oldest)
    this.#dirty.add(oldest)
  }
}

function broughtKey(peer: PeerId, number: number): Buffer {
  const key = Buffer.alloc(peer.length + 7)
  key.write(peer, 0, 'latin1')
  key.writeUIntBE(number, peer.length + 1, 6)
  return key
}

function numberOf(key: Uint8Array): number {
  return Buffer.from(key).readUIntBE(key.length - 6, 6)
}
