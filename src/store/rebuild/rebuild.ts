// Rebuilds the index from the volumes, when it is lost or damaged: WARC records say all that matters.
//
// The new index is made beside the old one and takes its place when it is complete; the old one is kept. Nothing is
// written to volumes. What cannot be had from them: deletes of contents (they come back, each counted as put once), how
// often a content was put, and of one that a capture holds whether it was; which imports were done, and under which SHA-1
// digests imported contents were known. What was taken down is taken down again when the store is opened: takedowns.jsonl
// tells.

import { basename, join } from 'node:path'
import type { Clock } from '../../platform/clock.ts'
import { type Log, silentLog } from '../../platform/log.ts'
import { isBucketAddress, type OpenBucket } from '../../platform/storage/bucket.ts'
import type { Disk } from '../../platform/storage/disk.ts'
import type { KeyValues } from '../../platform/storage/key-value.ts'
import { ContentCache } from '../contents/content-cache.ts'
import { type ContentDigest, sha256Digest } from '../contents/content-digest.ts'
import { ContentLoader } from '../contents/content-loader.ts'
import { ContentMatcher } from '../contents/content-matcher.ts'
import { notedFolders } from '../folder-notes.ts'
import { checkFormat } from '../format-mark.ts'
import { RevisitResolver } from '../import/revisit-resolver.ts'
import { contentTableKey } from '../index/content-entry.ts'
import { Ledger } from '../index/ledger.ts'
import { StoreIndex } from '../index/store-index.ts'
import type { FolderEntry, VolumeEntry } from '../index/volume-entry.ts'
import { CaptureFinder } from '../reading/capture-finder.ts'
import { RecordReader } from '../records/record-reader.ts'
import { TakedownSet } from '../takedowns/takedown-set.ts'
import { bringTakedowns } from '../takedowns/takedowns-in-buckets.ts'
import { FolderPlace } from '../volumes/places/folder-place.ts'
import type { VolumeFile } from '../volumes/places/volume-place.ts'
import { placePath, VolumePlaces } from '../volumes/places/volume-places.ts'
import { VolumeDictionaries } from '../volumes/volume-dictionaries.ts'
import { VolumeFiles } from '../volumes/volume-files.ts'
import { warcinfoIdOf } from '../volumes/volume-head.ts'
import { storeIdNote } from '../volumes/volumes.ts'
import { type FoundVolume, findVolumes, hasVolumes } from './found-volumes.ts'
import { type Group, GroupAdding } from './group-adding.ts'
import { foldersIn, removeFolder, swap } from './index-folders.ts'
import { noteMissing } from './missing-captures.ts'
import { walkVolume } from './volume-walk.ts'

interface RebuildNeeds {
  clock: Clock
  disk: Disk
  openBucket?: OpenBucket | undefined
  log?: Log | undefined
  keyValues: KeyValues
}

interface RebuildProgress {
  doneBytes: number
  totalBytes: number
  captures: number
}

export interface RebuildOptions {
  indexBytesMax: number
  /** A volume at least this long takes no more records. */
  volumeBytesMax: number
  /** All folders with volumes. When not given, the old index is asked, and if that cannot be read: `volumes`. */
  folders?: readonly string[] | undefined
  digest?: ContentDigest | undefined
  /** Captures that earlier versions filed as GETs though they were none are filed as what they are. Not on a network: other peers
   * have them where they were. */
  refilesRequests?: boolean | undefined
  signal?: AbortSignal | undefined
  whenProgress?: ((progress: RebuildProgress) => void) | undefined
}

export interface RebuildReport {
  volumes: number
  captures: number
  distinctPayloads: number
  /** Stretches that could not be read, and deltas without their base. */
  damaged: { path: string; offset: number; message: string }[]
  damagedCount: number
  /** Revisits of captures that are not in these volumes. */
  waiting: number
  /** Captures that the old index knew, and that are in no volume. */
  missing: number
  /** Captures that were filed as GETs before, and are no GETs. */
  refiled: number
  /** Where the old index was put, if there was one. */
  oldIndex: string | undefined
}

const groupsPerChange = 200
const contentsPerTurn = 1_000
const damagedMax = 1_000
const cacheBytes = 64 * 1024 * 1024
/** Of what is read from buckets: a record is looked at twice, soon after one another. */
const bucketCacheBytes = 256 * 1024 * 1024

/** Nobody else may have the store open. */
export async function rebuildIndex(
  needs: RebuildNeeds,
  folder: string,
  options: RebuildOptions,
): Promise<RebuildReport> {
  await checkFormat(needs, folder)
  const paths = { old: join(folder, 'index'), draft: join(folder, 'index.new') }
  const folders = await foldersOf(needs, folder, options, paths.old)
  await removeFolder(needs.disk, paths.draft)
  const map = await needs.keyValues.open(paths.draft, { sizeBytesMax: options.indexBytesMax })
  const index = new StoreIndex(map, folder)
  const places = new VolumePlaces(
    { log: silentLog, ...needs, openBucket: needs.openBucket },
    join(folder, 'bucket-cache'),
    { bytesMax: bucketCacheBytes, reserveBytes: 0 },
  )
  const rebuild = new Rebuild({ index, places }, options)
  try {
    await bringTakedowns({ disk: needs.disk, places }, join(folder, 'takedowns.jsonl'), folders)
    await rebuild.run(folders)
    rebuild.report.missing = await noteMissing(needs, paths.old, index)
  } finally {
    await rebuild.close()
    await places.close()
  }
  const oldIndex = await swap(needs.disk, folder, paths)
  return { ...rebuild.report, oldIndex }
}

/** As the old index knows them, else as they were noted beside it. */
async function foldersOf(
  needs: RebuildNeeds,
  folder: string,
  { folders }: RebuildOptions,
  oldIndex: string,
): Promise<FolderEntry[]> {
  if (folders !== undefined) {
    const named = folders.map((path): FolderEntry => ({ path: placePath(path), mode: 'writable' }))
    // New captures are written on this machine.
    if (!named.every(({ path }) => isBucketAddress(path))) return named
    const own = join(folder, 'volumes')
    await new FolderPlace(needs, own).prepare('', await hasVolumes(needs.disk, own))
    return [{ path: own, mode: 'writable' }, ...named]
  }
  const known = (await foldersIn(needs, oldIndex)) ?? (await notedFolders(needs.disk, folder))
  return known ?? [{ path: join(folder, 'volumes'), mode: 'writable' }]
}

class Rebuild {
  readonly #places: VolumePlaces
  readonly #index: StoreIndex
  readonly #options: RebuildOptions
  readonly #digest: ContentDigest
  readonly #files: VolumeFiles
  readonly #ledger: Ledger
  readonly #adding: GroupAdding
  readonly #revisitResolver: RevisitResolver
  /** Deltas that came before their base. */
  #deferred: { group: Group; volume: number }[] = []
  /** Groups that are not in the index yet, all of one volume. */
  #pending: Group[] = []
  readonly #liveBytes = new Map<number, number>()
  readonly #headBytes = new Map<number, number>()
  /** Up to the end of the last record that can be read. */
  readonly #soundBytes = new Map<number, number>()
  readonly #progress: RebuildProgress = { doneBytes: 0, totalBytes: 0, captures: 0 }
  readonly report: Omit<RebuildReport, 'oldIndex'> = {
    volumes: 0,
    captures: 0,
    distinctPayloads: 0,
    damaged: [],
    damagedCount: 0,
    waiting: 0,
    missing: 0,
    refiled: 0,
  }

  constructor({ index, places }: { index: StoreIndex; places: VolumePlaces }, options: RebuildOptions) {
    this.#places = places
    this.#index = index
    this.#options = options
    this.#digest = options.digest ?? sha256Digest
    this.#ledger = new Ledger(index)
    this.#files = new VolumeFiles({ index, places })
    const dictionaries = new VolumeDictionaries({ files: this.#files })
    const records = new RecordReader({ files: this.#files, dictionaries })
    const cache = new ContentCache(cacheBytes)
    const loader = new ContentLoader({ index, records, cache, digest: this.#digest }, async () => {})
    const matcher = new ContentMatcher({ index, loader })
    // Empty: what was taken down is taken down again when the store is opened.
    const takedowns = new TakedownSet()
    const finder = new CaptureFinder({ index, takedowns })
    const parts = { index, ledger: this.#ledger, finder, matcher, loader, records, digest: this.#digest }
    this.#adding = new GroupAdding(parts, { refilesRequests: options.refilesRequests === true })
    this.#revisitResolver = new RevisitResolver(parts)
  }

  async run(folders: readonly FolderEntry[]): Promise<void> {
    const volumes = await this.#enter(folders)
    for (const volume of volumes) await this.#walk(volume, folders[volume.folder - 1]!.path)
    await this.#takeDeferred()
    await this.#revisitResolver.settle()
    await this.#dropUnneeded()
    await this.#close(volumes.map(({ number }) => number))
    const { captures, contents } = this.#ledger.totals()
    for (const _ of this.#index.waiting.range()) this.report.waiting++
    const { refiled } = this.#adding
    Object.assign(this.report, { volumes: volumes.length, captures, distinctPayloads: contents, refiled })
  }

  async close(): Promise<void> {
    await this.#files.close()
    await this.#index.close()
  }

  async #enter(folders: readonly FolderEntry[]): Promise<FoundVolume[]> {
    const places = folders.map(({ path }) => this.#places.of(path))
    const volumes = await findVolumes(places)
    const owner = await this.#owner(folders)
    for (const { sizeBytes } of volumes) this.#progress.totalBytes += sizeBytes
    await this.#index.change(() => {
      for (const [place, entry] of folders.entries()) this.#index.putFolder(place + 1, entry)
      this.#index.putNote('nextFolder', folders.length + 1)
      this.#index.putNote('nextVolume', (volumes.at(-1)?.number ?? 0) + 1)
      this.#index.noteNoOverflow()
      if (owner !== undefined) this.#index.putNote(storeIdNote, owner)
      for (const { number, folder, name, sizeBytes } of volumes)
        this.#index.putVolume(number, { ...emptyVolume, folder, name, sizeBytes })
    })
    return volumes
  }

  /** Whose the buckets are, by their marks: this store's from now on. */
  async #owner(folders: readonly FolderEntry[]): Promise<string | undefined> {
    for (const { path } of folders) {
      const owner = isBucketAddress(path) ? await this.#places.bucket(path).owner() : undefined
      if (owner !== undefined) return owner
    }
    return undefined
  }

  async #walk({ number, name }: FoundVolume, place: string): Promise<void> {
    const file = await this.#places.of(place).open(name)
    try {
      await this.#walkFile(number, file)
      await this.#addPending(number)
    } finally {
      await file.close()
    }
  }

  async #walkFile(number: number, file: VolumeFile): Promise<void> {
    const before = this.#progress.doneBytes
    let soundTo = 0
    for await (const item of walkVolume(file, this.#digest)) {
      this.#options.signal?.throwIfAborted()
      if (item.kind === 'damage') this.#damage(file.path, item.offset, item.error.message)
      else {
        const { record } = item
        soundTo = record.offset + record.length + (item.kind === 'group' ? item.companionBytes : 0)
        if (item.kind === 'group') await this.#take(item, number)
        else if (item.isAtStart) await this.#enterHead(number, item)
      }
      this.#progress.doneBytes = before + soundTo
      this.#options.whenProgress?.(this.#progress)
    }
    this.#soundBytes.set(number, soundTo)
    this.#progress.doneBytes = before + (await file.sizeBytes())
  }

  async #take(group: Group, volume: number): Promise<void> {
    this.#progress.captures++
    this.#pending.push(group)
    if (this.#adding.isDelta(group) || this.#pending.length >= groupsPerChange) await this.#addPending(volume)
  }

  async #addPending(volume: number): Promise<void> {
    const groups = this.#pending
    this.#pending = []
    const last = groups.at(-1)
    const delta = last && this.#adding.isDelta(last) ? groups.pop() : undefined
    if (groups.length > 0) {
      await this.#index.change(() => {
        for (const group of groups) this.#live(volume, this.#adding.add(group, volume))
      })
    }
    if (delta !== undefined && !(await this.#addDelta(delta, volume)))
      this.#deferred.push({ group: delta, volume })
  }

  async #addDelta(group: Group, volume: number): Promise<boolean> {
    const facts = await this.#adding.deltaFacts(group)
    if (facts === undefined) return false
    await this.#index.change(() => this.#live(volume, this.#adding.add(group, volume, facts)))
    return true
  }

  async #takeDeferred(): Promise<void> {
    for (let left = Number.POSITIVE_INFINITY; this.#deferred.length < left && this.#deferred.length > 0; ) {
      left = this.#deferred.length
      const waiting = this.#deferred
      this.#deferred = []
      for (const one of waiting) if (!(await this.#addDelta(one.group, one.volume))) this.#deferred.push(one)
    }
    for (const { group, volume } of this.#deferred) {
      this.#damage(
        this.#files.path(volume),
        group.record.offset,
        'a delta whose base is in none of the volumes',
      )
    }
  }

  /** Contents that were kept for captures only, and those are gone. */
  async #dropUnneeded(): Promise<void> {
    for (let from: Uint8Array = Buffer.from([0]); ; ) {
      const entries = [...this.#index.contents({ from, limit: contentsPerTurn })]
      const unneeded = entries.filter(([, { references }]) => references === 0)
      await this.#index.change(() => {
        for (const [key, entry] of unneeded) {
          this.#ledger.dropUnneeded(key, entry)
          this.#live(entry.location.volume, -entry.location.length)
        }
      })
      if (entries.length < contentsPerTurn) return
      from = Buffer.concat([contentTableKey(entries.at(-1)![0]), Buffer.from([0])])
    }
  }

  async #enterHead(
    number: number,
    { record, checksum }: { record: Group['record']; checksum: number },
  ): Promise<void> {
    const headBytes = record.offset + record.length
    this.#headBytes.set(number, headBytes)
    const known = { warcinfoId: warcinfoIdOf(record), headBytes, headChecksum: checksum }
    await this.#index.change(() => {
      this.#index.putVolume(number, { ...this.#index.volume(number)!, ...known })
    })
  }

  /** The last volume of each folder goes on behind its last sound record: opening the store cuts off a torn end. In the
   * others, and where nothing is sound, all bytes stay. What nothing points at is dead. */
  async #close(numbers: readonly number[]): Promise<void> {
    const lastOf = new Map<number, number>()
    for (const number of numbers) {
      const { folder } = this.#index.volume(number)!
      // What lies in a bucket is closed.
      if (!isBucketAddress(this.#index.folders().get(folder)!.path)) lastOf.set(folder, number)
    }
    await this.#index.changeForGood(() => {
      for (const number of numbers) {
        const volume = this.#index.volume(number)!
        const soundBytes = this.#soundBytes.get(number) ?? 0
        const isLast = lastOf.get(volume.folder) === number && soundBytes > 0
        const sizeBytes = isLast ? soundBytes : volume.sizeBytes
        const state = isLast && sizeBytes < this.#options.volumeBytesMax ? 'active' : 'sealed'
        const live = (this.#liveBytes.get(number) ?? 0) + (this.#headBytes.get(number) ?? 0)
        this.#index.putVolume(number, { ...volume, state, sizeBytes, deadBytes: sizeBytes - live })
      }
    })
  }

  #live(volume: number, bytes: number): void {
    this.#liveBytes.set(volume, (this.#liveBytes.get(volume) ?? 0) + bytes)
  }

  #damage(path: string, offset: number, message: string): void {
    this.report.damagedCount++
    if (this.report.damaged.length < damagedMax)
      this.report.damaged.push({ path: basename(path), offset, message })
  }
}

const emptyVolume = {
  state: 'sealed',
  deadBytes: 0,
  isUrgent: false,
  warcinfoId: '',
  headBytes: undefined,
  headChecksum: undefined,
} as const satisfies Partial<VolumeEntry>
