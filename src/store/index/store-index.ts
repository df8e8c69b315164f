// The index: typed tables over one ordered map. Knows how entries are coded, not what they mean for each other.
//
//   captures   ring key, SURT, time, serial → CaptureEntry
//   contents   digest, overflow             → ContentEntry
//   records    record id                    → Location of the record
//   volumes    number                       → VolumeEntry
//   folders    number                       → FolderEntry
//   takedowns  what is hidden for good      → see takedown.ts
//   aliases    SHA-1 in an imported archive → SHA-256 of that content, see import-log.ts
//   waiting    key of a revisit that was imported before what it points at, see revisit-resolver.ts
//   sums       how much lies in which range, where captures are kept in copies: see copying/summing.ts
//   elsewhere  digest, key of a capture whose payload other peers keep: see elsewhere/references.ts
//   unneeded   digest, ring key of a site that needs it no more
//   held       key of a content that other peers' captures need → ring key of the site that it came with
//   missing    record id of a capture that was lost, see capture-accounts.ts
//   unlogged   leaf of a capture that is not in the log of signed captures yet, see leaf-queue.ts
//   notes      name                         → counters and cursors, as JSON
//
// All changes happen inside `change`, whole or not at all. A volume's entry is changed again and again by the records of
// one change, so it is written once, at its end; so are the totals of the ledger, which is told of that end. Record ids
// are written there in their order: what comes in order fills its pages, what almost does leaves them half empty.

import { isAbsolute, relative, resolve } from 'node:path'
import { bufferView } from '../../formats/wire/buffer-view.ts'
import { MessageWriter } from '../../formats/wire/message-bytes.ts'
import { isBucketAddress } from '../../platform/storage/bucket.ts'
import type { Entry, Ground, KeyValue, Range, Table } from '../../platform/storage/key-value.ts'
import type { ContentKey } from '../contents/content-key.ts'
import { type CaptureEntry, decodeCaptureEntry, encodeCaptureEntry, recordIdIn } from './capture-entry.ts'
import {
  type ContentEntry,
  contentTableKey,
  decodeContentEntry,
  encodeContentEntry,
  parseContentTableKey,
} from './content-entry.ts'
import { EntryReader } from './entry-coding.ts'
import { type Location, readLocation, writeLocation } from './location.ts'
import {
  decodeFolderEntry,
  decodeVolumeEntry,
  encodeFolderEntry,
  encodeVolumeEntry,
  type FolderEntry,
  numberKey,
  parseNumberKey,
  type VolumeEntry,
} from './volume-entry.ts'

/** Told of the end of every change, inside it. */
interface ChangeWatcher {
  /** May still put and remove. */
  finish(): void
  /** In any case, at last: also when nothing of the change happened. */
  forget(): void
}

/** Told of every capture that comes or goes, inside the change in which it does. */
interface CaptureWatcher {
  added(key: Uint8Array, recordId: Uint8Array): void
  removed(key: Uint8Array, recordId: Uint8Array): void
}

const overflowNote = 'overflow'

interface Drafts {
  volumes: Map<number, VolumeEntry>
  /** By the hex of their ids. */
  records: Map<string, Location>
}

/** All that it asks its map for. */
export const indexTables: readonly string[] = [
  'captures',
  'contents',
  'records',
  'volumes',
  'folders',
  'notes',
  'aliases',
  'takedowns',
  'waiting',
  'elsewhere',
  'unneeded',
  'held',
  'missing',
  'unlogged',
]

export class StoreIndex {
  readonly #map: KeyValue
  readonly #folder: string
  readonly #watchers: ChangeWatcher[] = []
  #captureWatcher: CaptureWatcher | undefined
  /** What the change under way has put and not yet written; undefined outside of one. */
  #drafts: Drafts | undefined
  #revision = 0
  #mayOverflow: boolean | undefined
  readonly #captures: Table
  readonly #contents: Table
  readonly #records: Table
  readonly #volumes: Table
  readonly #folders: Table
  readonly #notes: Table
  readonly #aliases: Table
  readonly takedowns: Table
  readonly waiting: Table
  readonly elsewhere: Table
  readonly unneeded: Table
  readonly held: Table
  readonly missing: Table
  readonly unlogged: Table

  /** `folder`: of the store. */
  constructor(map: KeyValue, folder: string) {
    this.#folder = folder
    this.#map = map
    this.#captures = map.table('captures')
    this.#contents = map.table('contents')
    this.#records = map.table('records')
    this.#volumes = map.table('volumes')
    this.#folders = map.table('folders')
    this.#notes = map.table('notes')
    this.#aliases = map.table('aliases')
    this.takedowns = map.table('takedowns')
    this.waiting = map.table('waiting')
    this.elsewhere = map.table('elsewhere')
    this.unneeded = map.table('unneeded')
    this.held = map.table('held')
    this.missing = map.table('missing')
    this.unlogged = map.table('unlogged')
  }

  /** Commits what the action puts and removes; not durable before `flush`, unless it has a ground. */
  async change<T>(action: () => T, ground?: Ground): Promise<T> {
    try {
      return await this.#map.transaction(() => this.#changing(action), ground)
    } finally {
      // Whoever looks between the commit and this sees the new state under the old number, and soon looks again.
      this.#revision++
    }
  }

  /** Another one after every change. */
  get revision(): number {
    return this.#revision
  }

  watchChanges(watcher: ChangeWatcher): void {
    this.#watchers.push(watcher)
  }

  /** One at a time. */
  watchCaptures(watcher: CaptureWatcher): void {
    this.#captureWatcher = watcher
  }

  flush(): Promise<void> {
    return this.#map.flush()
  }

  /** Commits and makes durable, together with bytes that it speaks of and that are not synced. */
  async changeForGood<T>(action: () => T, ground?: Ground): Promise<T> {
    const result = await this.change(action, ground)
    if (ground === undefined) await this.flush()
    return result
  }

  close(): Promise<void> {
    return this.#map.close()
  }

  capture(key: Uint8Array): CaptureEntry | undefined {
    const bytes = this.#captures.get(key)
    return bytes && decodeCaptureEntry(key, bytes)
  }

  /** One that was not there. */
  addCapture(key: Uint8Array, entry: CaptureEntry): void {
    this.putCapture(key, entry)
    this.#captureWatcher?.added(key, entry.recordId)
  }

  putCapture(key: Uint8Array, entry: CaptureEntry): void {
    this.#captures.put(key, encodeCaptureEntry(key, entry))
  }

  removeCapture(key: Uint8Array, recordId: Uint8Array): void {
    this.#captures.remove(key)
    this.#captureWatcher?.removed(key, recordId)
  }

  /** Its record id. */
  captureId(key: Uint8Array): Uint8Array | undefined {
    const bytes = this.#captures.get(key)
    return bytes && recordIdIn(bytes)
  }

  /** What a walk over many needs. */
  *captureIds(range: Range): Iterable<[key: Uint8Array, recordId: Uint8Array]> {
    for (const [key, value] of this.#captures.range(range)) yield [key, recordIdIn(value)]
  }

  *captures(range: Range): Iterable<[key: Uint8Array, entry: CaptureEntry]> {
    for (const [key, value] of this.#captures.range(range)) yield [key, decodeCaptureEntry(key, value)]
  }

  content(key: ContentKey): ContentEntry | undefined {
    const bytes = this.#contents.get(contentTableKey(key))
    return bytes && decodeContentEntry(bytes)
  }

  putContent(key: ContentKey, entry: ContentEntry): void {
    if (key.overflow > 0) this.#noteOverflow()
    this.#contents.put(contentTableKey(key), encodeContentEntry(entry))
  }

  /** False: every content is the first with its digest, and one look tells whether it is there. Of stores that were begun
   * before this was noted nobody knows. */
  get mayOverflow(): boolean {
    this.#mayOverflow ??= this.note<boolean>(overflowNote) ?? true
    return this.#mayOverflow
  }

  /** While there are no contents. */
  noteNoOverflow(): void {
    this.putNote(overflowNote, false)
  }

  removeContent(key: ContentKey): void {
    this.#contents.remove(contentTableKey(key))
  }

  *contents(range: Range = {}): Iterable<[key: ContentKey, entry: ContentEntry]> {
    for (const [key, value] of this.#contents.range(range)) {
      yield [parseContentTableKey(key), decodeContentEntry(value)]
    }
  }

  record(id: Uint8Array): Location | undefined {
    const draft = this.#drafts?.records.get(hexOf(id))
    if (draft !== undefined) return draft
    const bytes = this.#records.get(id)
    return bytes && readLocation(new EntryReader(bytes))
  }

  putRecord(id: Uint8Array, location: Location): void {
    if (this.#drafts === undefined) this.#records.put(id, encodeLocation(location))
    else this.#drafts.records.set(hexOf(id), location)
  }

  *records(range: Range = {}): Iterable<[id: Uint8Array, location: Location]> {
    this.#writeDrafts()
    for (const [id, value] of this.#records.range(range)) yield [id, readLocation(new EntryReader(value))]
  }

  removeRecord(id: Uint8Array): void {
    this.#drafts?.records.delete(hexOf(id))
    this.#records.remove(id)
  }

  volume(number: number): VolumeEntry | undefined {
    const draft = this.#drafts?.volumes.get(number)
    if (draft !== undefined) return { ...draft }
    const bytes = this.#volumes.get(numberKey(number))
    return bytes && decodeVolumeEntry(bytes)
  }

  putVolume(number: number, entry: VolumeEntry): void {
    if (this.#drafts === undefined) this.#volumes.put(numberKey(number), encodeVolumeEntry(entry))
    else this.#drafts.volumes.set(number, { ...entry })
  }

  removeVolume(number: number): void {
    this.#drafts?.volumes.delete(number)
    this.#volumes.remove(numberKey(number))
  }

  volumes(): Map<number, VolumeEntry> {
    this.#writeDrafts()
    return numbered(this.#volumes.range(), decodeVolumeEntry)
  }

  putFolder(number: number, entry: FolderEntry): void {
    const path = storedPath(this.#folder, entry.path)
    this.#folders.put(numberKey(number), encodeFolderEntry({ ...entry, path }))
  }

  removeFolder(number: number): void {
    this.#folders.remove(numberKey(number))
  }

  folders(): Map<number, FolderEntry> {
    const folders = numbered(this.#folders.range(), decodeFolderEntry)
    for (const folder of folders.values())
      if (!isBucketAddress(folder.path)) folder.path = resolve(this.#folder, folder.path)
    return folders
  }

  alias(sha1: Uint8Array): Uint8Array | undefined {
    return this.#aliases.get(sha1)
  }

  putAlias(sha1: Uint8Array, sha256: Uint8Array): void {
    this.#aliases.put(sha1, sha256)
  }

  note<T>(name: string): T | undefined {
    const bytes = this.#notes.get(Buffer.from(name))
    return bytes && (JSON.parse(bufferView(bytes).toString()) as T)
  }

  putNote(name: string, value: unknown): void {
    this.#notes.put(Buffer.from(name), Buffer.from(JSON.stringify(value)))
  }

  removeNote(name: string): void {
    this.#notes.remove(Buffer.from(name))
  }

  /** Made when first asked for: few stores need it. */
  sumTable(): Table {
    return this.#map.table('sums')
  }

  /** Written again if need be: an earlier change that did so may have been taken back. */
  #noteOverflow(): void {
    this.#mayOverflow = true
    if (this.note<boolean>(overflowNote) === false) this.putNote(overflowNote, true)
  }

  #changing<T>(action: () => T): T {
    this.#drafts = { volumes: new Map(), records: new Map() }
    try {
      const result = action()
      for (const watcher of this.#watchers) watcher.finish()
      this.#writeDrafts()
      return result
    } finally {
      this.#drafts = undefined
      for (const watcher of this.#watchers) watcher.forget()
    }
  }

  #writeDrafts(): void {
    if (this.#drafts === undefined) return
    const { volumes, records } = this.#drafts
    for (const [number, entry] of volumes) this.#volumes.put(numberKey(number), encodeVolumeEntry(entry))
    for (const id of [...records.keys()].sort()) {
      this.#records.put(Buffer.from(id, 'hex'), encodeLocation(records.get(id)!))
    }
    volumes.clear()
    records.clear()
  }
}

function numbered<T>(entries: Iterable<Entry>, decode: (bytes: Uint8Array) => T): Map<number, T> {
  const map = new Map<number, T>()
  for (const [key, value] of entries) map.set(parseNumberKey(key), decode(value))
  return map
}

function encodeLocation(location: Location): Uint8Array {
  const writer = new MessageWriter()
  writeLocation(writer, location)
  return writer.finish()
}

function hexOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex')
}

/** Volume folders within the store are kept by their place in it, so that a store can be moved as a whole. */
function storedPath(storeFolder: string, path: string): string {
  if (isBucketAddress(path)) return path
  const inside = relative(storeFolder, path)
  return inside === '' || inside.startsWith('..') || isAbsolute(inside) ? path : inside
}
