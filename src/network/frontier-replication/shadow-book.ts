// Shadow book: copies of sites that other peers crawl, on disk, each at a stage.
//
// Invariants: a shadow is whole and exactly what the steward had at its stage, for changes come in order or not at all, and
// a copy counts when its last part has come. Its stage only goes forward. A fence is an epoch: nothing of a steward of an
// earlier one is taken, also after a crash; fences outlive shadows.
// A shadow lies in one of two slots; a new copy is gathered in the other.

import { readableOr } from '../../formats/wire/message-bytes.ts'
import { ringKeyFromBytes, ringKeyToBytes } from '../../model/ring-key.ts'
import type { KeyValue, Table } from '../../platform/key-value.ts'
import { decodeHead, encodeHead, noShadow, type ShadowHead } from './shadow-head.ts'
import { clearMark, type SiteEntry, type SiteId, type SitePiece } from './site-frontier.ts'
import { compare, notBegun, type Stage } from './stage.ts'
import { asJobOptions, type JobCard, type Parcel, type ParcelAnswer } from './wire/parcel.ts'

interface Gathered {
  readonly copy: number
  readonly slot: number
  parts: number
}

const prefixBytes = 8
/** Entries removed in one transaction. */
const removedAtOnce = 1_000

export class ShadowBook {
  readonly #map: KeyValue
  readonly #heads: Table
  readonly #entries: Table
  readonly #jobs: Table
  /** Copies of which parts are missing. They begin anew after a restart. */
  readonly #gathering = new Map<SiteId, Gathered>()

  constructor(map: KeyValue) {
    this.#map = map
    this.#heads = map.table('heads')
    this.#entries = map.table('entries')
    this.#jobs = map.table('jobs')
  }

  head(site: SiteId): ShadowHead {
    const stored = this.#heads.get(ringKeyToBytes(site))
    return stored === undefined ? noShadow : readableOr(() => decodeHead(stored), noShadow)
  }

  /** In the order of the ring. */
  *sites(): Generator<{ site: SiteId; head: ShadowHead }> {
    for (const [key, value] of this.#heads.range())
      yield { site: ringKeyFromBytes(key), head: readableOr(() => decodeHead(value), noShadow) }
  }

  /** Nothing of earlier epochs is taken from now on. Resolves when that is on disk, with what is there then. `last`: the last
   * epoch that is known to have a steward. A fence behind it was made up, in the days when anybody could. */
  async fence(sites: readonly { site: SiteId; epoch: number; last: number }[]): Promise<ShadowHead[]> {
    if (sites.length === 0) return []
    const heads = await this.#map.transaction(() =>
      sites.map(({ site, epoch, last }) => {
        const head = this.head(site)
        const fence = Math.max(Math.min(head.fence, last), epoch)
        if (head.fence === fence) return head
        const fenced = { ...head, fence }
        this.#heads.put(ringKeyToBytes(site), encodeHead(fenced))
        return fenced
      }),
    )
    await this.#map.flush()
    return heads
  }

  /** Of this epoch it is known that a majority of its members have the site. */
  async establish(site: SiteId, epoch: number): Promise<void> {
    await this.#map.transaction(() => {
      const head = this.head(site)
      if (head.established < epoch)
        this.#heads.put(ringKeyToBytes(site), encodeHead({ ...head, established: epoch }))
    })
  }

  /** Resolves when what was taken is on disk. */
  async take(jobs: readonly JobCard[], parcels: readonly Parcel[]): Promise<ParcelAnswer[]> {
    for (const { site, load } of parcels) {
      if (load.kind === 'copy' && load.index === 0) await this.#beginCopy(site, load.copy)
    }
    const left: { site: SiteId; slot: number }[] = []
    const answers = await this.#map.transaction(() => {
      for (const { id, options } of jobs)
        this.#jobs.put(Buffer.from(id), Buffer.from(JSON.stringify(options)))
      return parcels.map((parcel) => this.#takeOne(parcel, left))
    })
    await this.#map.flush()
    for (const { site, slot } of left) void this.#clear(site, slot)
    return answers
  }

  optionsOfJob(id: string): object | undefined {
    const stored = this.#jobs.get(Buffer.from(id))
    return stored && readableOr(() => asJobOptions(Buffer.from(stored).toString()), undefined)
  }

  /** Some of a shadow's entries, in order. */
  read(site: SiteId, from: string | undefined, bytesMax: number): SitePiece {
    const { slot } = this.head(site)
    const prefix = slotPrefix(site, slot)
    const entries: SiteEntry[] = []
    let bytes = 0
    const range = {
      from: Buffer.concat([prefix, Buffer.from(from ?? '', 'latin1')]),
      to: slotEnd(site, slot),
    }
    for (const [key, value] of this.#entries.range(range)) {
      const name = Buffer.from(key.buffer, key.byteOffset, key.byteLength).toString('latin1', prefix.length)
      if (bytes >= bytesMax) return { entries, next: name }
      entries.push([name, value])
      bytes += name.length + value.length
    }
    return { entries, next: undefined }
  }

  /** The fence stays. */
  async drop(site: SiteId): Promise<void> {
    this.#gathering.delete(site)
    await this.#map.transaction(() => {
      const { fence, established } = this.head(site)
      this.#heads.put(ringKeyToBytes(site), encodeHead({ ...noShadow, fence, established }))
    })
    await this.#clear(site, 0)
    await this.#clear(site, 1)
  }

  #takeOne(parcel: Parcel, left: { site: SiteId; slot: number }[]): ParcelAnswer {
    const { site, epoch, load } = parcel
    const head = this.head(site)
    if (epoch < head.fence) return { kind: 'superseded', epoch: head.fence }
    if (load.kind === 'changes') return this.#takeChanges(parcel, head, load)
    const gathered = this.#gathering.get(site)
    if (gathered?.copy !== load.copy || load.index > gathered.parts) return { kind: 'behind' }
    this.#putEntries(site, gathered.slot, parcel.entries)
    gathered.parts = Math.max(gathered.parts, load.index + 1)
    if (load.upTo === undefined) return { kind: 'taken' }
    this.#gathering.delete(site)
    // A copy that was overtaken, by a message that came late.
    if (head.stage !== undefined && compare(head.stage, load.upTo) > 0) return { kind: 'behind' }
    this.#putHead(parcel, load.upTo, gathered.slot)
    if (head.stage !== undefined) left.push({ site, slot: head.slot })
    return { kind: 'taken' }
  }

  #takeChanges(
    parcel: Parcel,
    head: ShadowHead,
    { after, upTo }: { after: Stage; upTo: Stage },
  ): ParcelAnswer {
    const { slot } = head
    const stage = head.stage ?? (this.#isEmpty(parcel.site, slot) ? notBegun : undefined)
    if (stage === undefined) return { kind: 'behind' }
    // What comes twice, or again together with more, does no harm, as long as what we have is of the same line.
    const isWithin = stage.epoch >= parcel.since && compare(stage, after) >= 0 && compare(stage, upTo) <= 0
    if (!isWithin && compare(stage, after) !== 0) return { kind: 'behind' }
    this.#putEntries(parcel.site, slot, parcel.entries)
    this.#putHead(parcel, upTo, slot)
    return { kind: 'taken' }
  }

  #putHead({ site, epoch, established }: Parcel, stage: Stage, slot: number): void {
    const head = this.head(site)
    const fence = Math.max(head.fence, epoch)
    const next = { stage, slot, fence, established: Math.max(head.established, established) }
    this.#heads.put(ringKeyToBytes(site), encodeHead(next))
  }

  #isEmpty(site: SiteId, slot: number): boolean {
    if (this.#gathering.has(site)) return false
    for (const _ of this.#entries.range({ from: slotPrefix(site, slot), to: slotEnd(site, slot), limit: 1 }))
      return false
    return true
  }

  #putEntries(site: SiteId, slot: number, entries: Parcel['entries']): void {
    const prefix = slotPrefix(site, slot)
    for (const [name, value] of entries) {
      const key = Buffer.concat([prefix, Buffer.from(name, 'latin1')])
      if (name.startsWith(clearMark)) this.#removeAll(prefix, name.slice(clearMark.length))
      else if (value === null) this.#entries.remove(key)
      else this.#entries.put(key, typeof value === 'string' ? Buffer.from(value, 'latin1') : value)
    }
  }

  #removeAll(slot: Buffer, beginning: string): void {
    const from = Buffer.concat([slot, Buffer.from(beginning, 'latin1')])
    for (const [key] of [...this.#entries.range({ from, to: behind(from) })]) this.#entries.remove(key)
  }

  async #beginCopy(site: SiteId, copy: number): Promise<void> {
    if (this.#gathering.get(site)?.copy === copy) return
    const head = this.head(site)
    const slot = head.stage === undefined ? head.slot : 1 - head.slot
    this.#gathering.delete(site)
    await this.#clear(site, slot)
    this.#gathering.set(site, { copy, slot, parts: 0 })
  }

  /** What is in the slot, unless it has come into use meanwhile. */
  async #clear(site: SiteId, slot: number): Promise<void> {
    const range = { from: slotPrefix(site, slot), to: slotEnd(site, slot), limit: removedAtOnce }
    for (let isDone = false; !isDone; ) {
      isDone = await this.#map.transaction(() => {
        const head = this.head(site)
        const isUsed = head.stage !== undefined && head.slot === slot
        if (isUsed || this.#gathering.get(site)?.slot === slot) return true
        let count = 0
        for (const [key] of [...this.#entries.range(range)]) {
          this.#entries.remove(key)
          count++
        }
        return count < removedAtOnce
      })
    }
  }
}

function slotPrefix(site: SiteId, slot: number): Buffer {
  return Buffer.concat([ringKeyToBytes(site).subarray(0, prefixBytes), Uint8Array.of(slot)])
}

/** The first key behind all that begin like this; none is all 0xff, for a slot is not. */
function behind(beginning: Buffer): Buffer {
  const end = Buffer.from(beginning)
  let at = end.length - 1
  while (end[at] === 0xff) at--
  end[at]!++
  return end.subarray(0, at + 1)
}

function slotEnd(site: SiteId, slot: number): Buffer {
  return slotPrefix(site, slot + 1)
}
