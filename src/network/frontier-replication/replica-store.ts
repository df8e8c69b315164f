// Replica store: copies of sites that other peers crawl, on disk, each at a log position.
//
// Invariants: a replica is exactly what the lease holder had at its log position: changes are applied in order or not at all, and
// a copy counts when its last part has come. Its log position only goes forward. A fence is an epoch: changes from lease holders
// of earlier epochs are refused, also after a crash; fences outlive replicas. A replica is in one of two slots of its own; a new
// copy is collected in the other.
//
// An entry's key is the first 8 bytes of the site's id, the slot, the other 12, and the entry's name. Others can name ids that begin
// like a real site's, so all of it counts. The slots of older versions lack the 12 bytes, and are left with the next copy.

import { readableOr } from '../../formats/wire/message-bytes.ts'
import { ringKeyFromBytes, ringKeyToBytes } from '../../model/ring-key.ts'
import type { KeyValue, Table } from '../../platform/storage/key-value.ts'
import { compare, isPossible, type LogPosition, logStart } from './log-position.ts'
import { decodeHead, encodeHead, noReplica, type ReplicaHead, slots } from './replica-head.ts'
import { clearMark, type SiteEntry, type SiteId, type SitePiece } from './site-frontier.ts'
import { asJobOptions, type JobDefinition, type SiteBatch, type SiteBatchAnswer } from './wire/site-batch.ts'

interface Gathered {
  readonly copy: number
  readonly slot: number
  parts: number
}

const prefixBytes = 8
/** Entries removed in one transaction. */
const removedAtOnce = 1_000

export class ReplicaStore {
  readonly #map: KeyValue
  readonly #heads: Table
  readonly #entries: Table
  readonly #jobs: Table
  /** Copies that are not complete yet. They start over after a restart. */
  readonly #gathering = new Map<SiteId, Gathered>()
  /** Copies whose slot is being cleared. */
  readonly #beginning = new Map<SiteId, Promise<void>>()

  constructor(map: KeyValue) {
    this.#map = map
    this.#heads = map.table('heads')
    this.#entries = map.table('entries')
    this.#jobs = map.table('jobs')
  }

  head(site: SiteId): ReplicaHead {
    const stored = this.#heads.get(ringKeyToBytes(site))
    return stored === undefined ? noReplica : readableOr(() => decodeHead(stored), noReplica)
  }

  /** In the order of the ring. */
  *sites(): Generator<{ site: SiteId; head: ReplicaHead }> {
    for (const [key, value] of this.#heads.range())
      yield { site: ringKeyFromBytes(key), head: readableOr(() => decodeHead(value), noReplica) }
  }

  /** Refuses changes of earlier epochs from now on. Resolves with the heads when that is on disk. `last`: the last epoch that is
   * known to have a lease. A stored fence beyond it is not genuine (older versions took fences from anybody), and is reset; so is a copy of a later
   * epoch. */
  async fence(sites: readonly { site: SiteId; epoch: number; last: number }[]): Promise<ReplicaHead[]> {
    if (sites.length === 0) return []
    const heads = await this.#map.transaction(() =>
      sites.map(({ site, epoch, last }) => {
        const head = this.head(site)
        const fence = Math.max(Math.min(head.fence, last), epoch)
        if (head.fence === fence) return head
        const isGenuine = head.position !== undefined && isPossible(head.position, fence)
        const fenced = { ...head, fence, position: isGenuine ? head.position : undefined }
        this.#heads.put(ringKeyToBytes(site), encodeHead(fenced))
        return fenced
      }),
    )
    await this.#map.flush()
    return heads
  }

  /** A majority of the members is known to have the site as of this epoch. */
  async establish(site: SiteId, epoch: number): Promise<void> {
    await this.#map.transaction(() => {
      const head = this.head(site)
      if (head.established < epoch)
        this.#heads.put(ringKeyToBytes(site), encodeHead({ ...head, established: epoch }))
    })
  }

  /** Resolves when what was taken is on disk. */
  async take(jobs: readonly JobDefinition[], batches: readonly SiteBatch[]): Promise<SiteBatchAnswer[]> {
    for (const { site, load } of batches) {
      if (load.kind === 'copy' && load.index === 0) await this.#beginCopy(site, load.copy)
    }
    const left: { site: SiteId; slot: number }[] = []
    const answers = await this.#map.transaction(() => {
      for (const { id, options } of jobs)
        this.#jobs.put(Buffer.from(id), Buffer.from(JSON.stringify(options)))
      return batches.map((siteBatch) => this.#takeOne(siteBatch, left))
    })
    await this.#map.flush()
    for (const { site, slot } of left) void (isOld(slot) ? this.#clearOld(site) : this.#clear(site, slot))
    return answers
  }

  optionsOfJob(id: string): object | undefined {
    const stored = this.#jobs.get(Buffer.from(id))
    return stored && readableOr(() => asJobOptions(Buffer.from(stored).toString()), undefined)
  }

  /** Some of a replica's entries, in order. */
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
    const { slot } = this.head(site)
    await this.#map.transaction(() => {
      const { fence, established } = this.head(site)
      this.#heads.put(ringKeyToBytes(site), encodeHead({ ...noReplica, fence, established }))
    })
    await this.#clear(site, slots.first)
    await this.#clear(site, slots.second)
    if (isOld(slot)) await this.#clearOld(site)
  }

  #takeOne(siteBatch: SiteBatch, left: { site: SiteId; slot: number }[]): SiteBatchAnswer {
    const { site, epoch, load } = siteBatch
    const head = this.head(site)
    if (epoch < head.fence) return { kind: 'superseded', epoch: head.fence }
    if (load.kind === 'changes') return this.#takeChanges(siteBatch, head, load)
    const gathered = this.#gathering.get(site)
    if (gathered?.copy !== load.copy || load.index > gathered.parts) return { kind: 'behind' }
    this.#putEntries(site, gathered.slot, siteBatch.entries)
    gathered.parts = Math.max(gathered.parts, load.index + 1)
    if (load.upTo === undefined) return { kind: 'taken' }
    this.#gathering.delete(site)
    // A part of an older copy, in a message that came late.
    if (head.position !== undefined && compare(head.position, load.upTo) > 0) return { kind: 'behind' }
    this.#putHead(siteBatch, load.upTo, gathered.slot)
    if (head.position !== undefined || isOld(head.slot)) left.push({ site, slot: head.slot })
    return { kind: 'taken' }
  }

  #takeChanges(
    siteBatch: SiteBatch,
    head: ReplicaHead,
    { after, upTo }: { after: LogPosition; upTo: LogPosition },
  ): SiteBatchAnswer {
    const slot = head.position === undefined ? slots.first : head.slot
    const position = head.position ?? (this.#isEmpty(siteBatch.site, slot) ? logStart : undefined)
    if (position === undefined) return { kind: 'behind' }
    // Repeated changes do no harm, as long as our copy is of the same line of epochs.
    const isWithin =
      position.epoch >= siteBatch.since && compare(position, after) >= 0 && compare(position, upTo) <= 0
    if (!isWithin && compare(position, after) !== 0) return { kind: 'behind' }
    this.#putEntries(siteBatch.site, slot, siteBatch.entries)
    this.#putHead(siteBatch, upTo, slot)
    return { kind: 'taken' }
  }

  #putHead({ site, epoch, established }: SiteBatch, position: LogPosition, slot: number): void {
    const head = this.head(site)
    const fence = Math.max(head.fence, epoch)
    const next = { position, slot, fence, established: Math.max(head.established, established) }
    this.#heads.put(ringKeyToBytes(site), encodeHead(next))
  }

  #isEmpty(site: SiteId, slot: number): boolean {
    if (this.#gathering.has(site)) return false
    for (const _ of this.#entries.range({ from: slotPrefix(site, slot), to: slotEnd(site, slot), limit: 1 }))
      return false
    return true
  }

  #putEntries(site: SiteId, slot: number, entries: SiteBatch['entries']): void {
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

  /** One at a time for each site: two that clear the same slot would leave entries of both in it. */
  async #beginCopy(site: SiteId, copy: number): Promise<void> {
    const before = this.#beginning.get(site)
    const begun = (async () => {
      await before?.catch(() => {})
      await this.#clearForCopy(site, copy)
    })()
    this.#beginning.set(site, begun)
    try {
      await begun
    } finally {
      if (this.#beginning.get(site) === begun) this.#beginning.delete(site)
    }
  }

  async #clearForCopy(site: SiteId, copy: number): Promise<void> {
    if (this.#gathering.get(site)?.copy === copy) return
    this.#gathering.delete(site)
    for (;;) {
      const slot = this.#freeSlot(site)
      await this.#clear(site, slot)
      // The last part of another copy may have come into this slot just before: then it is in use.
      if (this.#freeSlot(site) !== slot) continue
      this.#gathering.set(site, { copy, slot, parts: 0 })
      return
    }
  }

  #freeSlot(site: SiteId): number {
    const { position, slot } = this.head(site)
    return position === undefined || slot !== slots.first ? slots.first : slots.second
  }

  async #clearOld(site: SiteId): Promise<void> {
    await this.#clear(site, 0)
    await this.#clear(site, 1)
  }

  /** Clears the slot, unless it has come into use meanwhile. */
  async #clear(site: SiteId, slot: number): Promise<void> {
    const to = slotEnd(site, slot)
    // From where it was: what is removed already would be looked past again and again.
    for (let from: Buffer | undefined = slotPrefix(site, slot); from !== undefined; ) {
      const range = { from, to, limit: removedAtOnce }
      from = await this.#map.transaction((): Buffer | undefined => {
        const head = this.head(site)
        const isUsed = head.position !== undefined && head.slot === slot
        if (isUsed || this.#gathering.get(site)?.slot === slot) return undefined
        const keys = [...this.#entries.range(range)].map(([key]) => Buffer.from(key))
        for (const key of keys) this.#entries.remove(key)
        return keys.length < removedAtOnce ? undefined : keys.at(-1)
      })
    }
  }
}

function slotPrefix(site: SiteId, slot: number): Buffer {
  const id = ringKeyToBytes(site)
  const start = [id.subarray(0, prefixBytes), Uint8Array.of(slot)]
  return Buffer.concat(isOld(slot) ? start : [...start, id.subarray(prefixBytes)])
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
  return behind(slotPrefix(site, slot))
}

function isOld(slot: number): boolean {
  return slot < slots.first
}
