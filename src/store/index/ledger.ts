// The ledger: keeps the index's entries true to each other. All its methods run inside an index change.
//
// Invariants:
// - a content's references = captures that name it and have it here + puts + deltas made against it + 1 if it is held for
//   other peers; at 0 it is gone;
// - a delta's base has a reference for it, so that no base goes before its deltas;
// - a content's hidden references = hidden captures that name it and have it here + deltas made against it that are hidden; a
//   content is hidden when all its references are;
// - a content's record is a capture's own, or has its checksum in the content's entry (isOfCapture);
// - a volume's deadBytes = its bytes that neither a capture nor a content entry points at, its warcinfo aside;
// - totals are those of the entries.

import assert from 'node:assert/strict'
import { type RingKey, ringKeyToBytes } from '../../model/ring-key.ts'
import { type ContentKey, printContentKey } from '../contents/content-key.ts'
import { addReference, removeReference } from '../elsewhere/references.ts'
import { CaptureAccounts, type RemovalCause, type RemovedCaptures } from './capture-accounts.ts'
import type { CaptureEntry } from './capture-entry.ts'
import { type ContentEntry, contentTableKey, isHidden } from './content-entry.ts'
import { equalLocations } from './location.ts'
import type { StoreIndex } from './store-index.ts'

export interface Totals {
  captures: number
  /** Those of them that are hidden. */
  hidden: number
  /** Distinct contents. */
  contents: number
  /** Bytes of all payloads as if each capture and put had kept its own. */
  originalBytes: number
  /** Bytes of the distinct payloads. */
  distinctBytes: number
}

const noTotals: Totals = { captures: 0, hidden: 0, contents: 0, originalBytes: 0, distinctBytes: 0 }
const noneRemoved: RemovedCaptures = { dropped: 0, destroyed: 0 }
const totalNames = Object.keys(noTotals) as (keyof Totals)[]

interface Released {
  /** Its bytes must go at the next compaction, if it was the last. */
  readonly isUrgent: boolean
  readonly isHidden: boolean
}

const visible: Released = { isUrgent: false, isHidden: false }

export class Ledger {
  readonly #index: StoreIndex
  /** What the change under way adds to the totals. */
  readonly #change: Totals = { ...noTotals }
  /** What it takes out for good. */
  readonly #removed: RemovedCaptures = { ...noneRemoved }
  readonly accounts: CaptureAccounts

  constructor(index: StoreIndex) {
    this.#index = index
    this.accounts = new CaptureAccounts(index)
    index.watchChanges({
      finish: () => this.#writeTotals(),
      forget: () => {
        Object.assign(this.#change, noTotals)
        Object.assign(this.#removed, noneRemoved)
      },
    })
  }

  totals(): Totals {
    const totals = { ...noTotals, ...this.#index.note<Totals>('totals') }
    for (const name of totalNames) totals[name] += this.#change[name]
    return totals
  }

  addCapture(key: Uint8Array, entry: CaptureEntry): void {
    this.#index.addCapture(key, entry)
    this.accounts.added(entry.recordId)
    this.#index.putRecord(entry.recordId, entry.location)
    if (entry.isElsewhere) addReference(this.#index, entry.content!.digest, key)
    this.#count({ captures: 1, originalBytes: entry.payloadBytes })
  }

  /** It was taken down: kept whole, and shown to nobody. */
  hideCapture(key: Uint8Array, entry: CaptureEntry): void {
    assert(!entry.isHidden, 'hidden twice')
    this.#index.putCapture(key, { ...entry, isHidden: true })
    this.#count({ hidden: 1 })
    if (entry.content !== undefined && !entry.isElsewhere) this.#hideReference(entry.content)
  }

  /** The takedown was taken back. */
  showCapture(key: Uint8Array, entry: CaptureEntry): void {
    assert(entry.isHidden, 'not hidden')
    this.#index.putCapture(key, { ...entry, isHidden: false })
    this.#count({ hidden: -1 })
    if (entry.content !== undefined && !entry.isElsewhere) this.#showReference(entry.content)
  }

  /** Gives a capture the content that it came without. The caller has seen that the content is there. */
  settleCapture(key: Uint8Array, entry: CaptureEntry): void {
    assert(entry.content !== undefined && this.addReference(entry.content), 'settled without its content')
    this.#index.putCapture(key, entry)
    if (entry.isHidden) this.#hideReference(entry.content)
    this.#count({ originalBytes: entry.payloadBytes })
  }

  /** Forgets a capture; what only it needed is dead from now on. `destroyed`: those bytes must go at the next compaction,
   * wherever they lie. */
  removeCapture(key: Uint8Array, entry: CaptureEntry, cause: RemovalCause): void {
    const isUrgent = cause === 'destroyed'
    this.#removed[cause]++
    const { location, companionBytes, recordId } = entry
    this.#index.removeCapture(key, recordId)
    const record = this.#index.record(recordId)
    if (record !== undefined && equalLocations(record, location)) this.#index.removeRecord(recordId)
    this.#count({ captures: -1, hidden: entry.isHidden ? -1 : 0, originalBytes: -entry.payloadBytes })
    if (entry.isElsewhere) removeReference(this.#index, entry.content!.digest, key, isUrgent)
    const content = entry.isElsewhere ? undefined : entry.content && this.#index.content(entry.content)
    const isHolder = content !== undefined && equalLocations(content.location, location)
    this.markDead(location.volume, companionBytes + (isHolder ? 0 : location.length))
    if (isUrgent) this.markUrgent(location.volume)
    if (content === undefined) return
    if (isHolder) content.isOrphaned = true
    this.#release(entry.content!, content, { isUrgent, isHidden: entry.isHidden })
  }

  /** The capture's records now lie elsewhere, and its content with them if it lay there. */
  moveCapture(
    key: Uint8Array,
    entry: CaptureEntry,
    to: Pick<CaptureEntry, 'location' | 'companionBytes' | 'checksum'>,
  ): void {
    const { location, companionBytes, recordId } = entry
    this.markDead(location.volume, location.length + companionBytes)
    this.#index.putCapture(key, { ...entry, ...to })
    const record = this.#index.record(recordId)
    if (record !== undefined && equalLocations(record, location)) this.#index.putRecord(recordId, to.location)
    const content = entry.content && this.#index.content(entry.content)
    if (content === undefined || !equalLocations(content.location, location)) return
    this.#index.putContent(entry.content!, { ...content, location: to.location })
  }

  /** The content now lies in another record. Its old one is dead, unless a capture has it for its own. `isWhole`: it is no
   * delta there, whatever it was before. */
  moveContent(
    key: ContentKey,
    entry: ContentEntry,
    to: Pick<ContentEntry, 'location' | 'checksum' | 'isDamaged'> & { isWhole: boolean },
  ): void {
    const { isWhole, ...rest } = to
    const { base, isOrphaned, location } = entry
    if (!isOfCapture(entry)) this.markDead(location.volume, location.length)
    const moved: ContentEntry = { ...entry, ...rest, isOrphaned: false }
    this.#index.putContent(key, isWhole ? { ...moved, base: undefined, depth: 0 } : moved)
    if (isWhole && base !== undefined)
      this.#releaseBase(base, { isUrgent: isOrphaned, isHidden: isHidden(entry) })
  }

  addContent(key: ContentKey, entry: ContentEntry): void {
    if (this.#index.content(key) !== undefined)
      assert.fail(`content ${printContentKey(key)} is there already`)
    this.#index.putContent(key, entry)
    this.#count({ contents: 1, distinctBytes: entry.sizeBytes })
    if (entry.base !== undefined) assert(this.addReference(entry.base), 'a delta without its base')
  }

  /** Gives the content as it is now; undefined when it is gone. */
  addReference(key: ContentKey, { isPut = false } = {}): ContentEntry | undefined {
    const entry = this.#index.content(key)
    if (entry === undefined) return undefined
    if (isHidden(entry) && entry.base !== undefined) this.#showReference(entry.base)
    entry.references++
    if (isPut) entry.puts++
    this.#index.putContent(key, entry)
    return entry
  }

  /** Takes out a content that nothing needs: one that was added before whoever needs it, and they never came. */
  dropUnneeded(key: ContentKey, entry: ContentEntry): void {
    assert(entry.references === 0 && entry.base === undefined)
    this.#index.removeContent(key)
    this.#count({ contents: -1, distinctBytes: -entry.sizeBytes })
  }

  countPut(sizeBytes: number): void {
    this.#count({ originalBytes: sizeBytes })
  }

  /** Takes one put back, and tells what is left: without references it is gone. undefined when there was none. */
  removePut(key: ContentKey): ContentEntry | undefined {
    const entry = this.#index.content(key)
    if (entry === undefined || entry.puts === 0) return undefined
    entry.puts--
    this.#count({ originalBytes: -entry.sizeBytes })
    this.#release(key, entry, visible)
    return entry
  }

  /** Other peers need it: it stays, whatever becomes of what needs it here. False when it is gone. */
  hold(key: ContentKey, place: RingKey): boolean {
    const { held } = this.#index
    const name = contentTableKey(key)
    if (held.get(name) !== undefined) return true
    if (this.addReference(key) === undefined) return false
    held.put(name, ringKeyToBytes(place))
    return true
  }

  /** What nothing else needs here was taken down or dropped: its bytes must go at the next compaction. */
  letGo(key: ContentKey): void {
    if (!this.#index.held.remove(contentTableKey(key))) return
    const entry = this.#index.content(key)
    assert(entry !== undefined, 'a content that is held has gone')
    this.#release(key, entry, { isUrgent: true, isHidden: false })
  }

  markDead(volume: number, bytes: number): void {
    const entry = this.#index.volume(volume)
    if (entry === undefined || bytes === 0) return
    entry.deadBytes += bytes
    this.#index.putVolume(volume, entry)
  }

  /** The volume is compacted next time, however little of it is dead. */
  markUrgent(volume: number): void {
    const entry = this.#index.volume(volume)
    if (entry !== undefined && !entry.isUrgent) this.#index.putVolume(volume, { ...entry, isUrgent: true })
  }

  /** One reference less: a hidden one, or one of those that are not. */
  #release(key: ContentKey, entry: ContentEntry, released: Released): void {
    const wasHidden = isHidden(entry)
    entry.references--
    if (released.isHidden) entry.hidden--
    if (entry.references < 0 || entry.hidden < 0)
      assert.fail(`content ${printContentKey(key)} released too often`)
    if (entry.references > 0) {
      this.#index.putContent(key, entry)
      if (isHidden(entry) && !wasHidden && entry.base !== undefined) this.#hideReference(entry.base)
      return
    }
    this.#index.removeContent(key)
    this.#count({ contents: -1, distinctBytes: -entry.sizeBytes })
    this.markDead(entry.location.volume, entry.location.length)
    if (released.isUrgent || entry.isOrphaned) this.markUrgent(entry.location.volume)
    if (entry.base !== undefined)
      this.#releaseBase(entry.base, { isUrgent: released.isUrgent, isHidden: wasHidden })
  }

  /** At most as deep as a chain of deltas is long; so are those below. */
  #releaseBase(key: ContentKey, released: Released): void {
    const base = this.#index.content(key)
    assert(base !== undefined, 'a delta outlived its base')
    this.#release(key, base, released)
  }

  #hideReference(key: ContentKey): void {
    const entry = this.#index.content(key)
    assert(entry !== undefined && entry.hidden < entry.references, 'a reference is hidden that is not there')
    entry.hidden++
    this.#index.putContent(key, entry)
    if (isHidden(entry) && entry.base !== undefined) this.#hideReference(entry.base)
  }

  #showReference(key: ContentKey): void {
    const entry = this.#index.content(key)
    assert(entry !== undefined && entry.hidden > 0, 'a reference is shown that was not hidden')
    if (isHidden(entry) && entry.base !== undefined) this.#showReference(entry.base)
    entry.hidden--
    this.#index.putContent(key, entry)
  }

  #count({
    captures = 0,
    hidden = 0,
    contents = 0,
    originalBytes = 0,
    distinctBytes = 0,
  }: Partial<Totals>): void {
    const change = this.#change
    change.captures += captures
    change.hidden += hidden
    change.contents += contents
    change.originalBytes += originalBytes
    change.distinctBytes += distinctBytes
  }

  #writeTotals(): void {
    if (totalNames.some((name) => this.#change[name] !== 0)) this.#index.putNote('totals', this.totals())
    if (this.#removed.dropped + this.#removed.destroyed > 0) this.accounts.countRemoved(this.#removed)
  }
}

/** Whether the record that holds the content is a capture's own, and that capture is still there. */
export function isOfCapture(entry: ContentEntry): boolean {
  return entry.checksum === undefined && !entry.isOrphaned
}
