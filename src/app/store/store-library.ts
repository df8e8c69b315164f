// `polyhistor/store`: the store as a library, on the real disk. See docs/store.md.

import { hostname } from 'node:os'
import { resolve } from 'node:path'
import { PolyhistorError } from '../../errors.ts'
import { type Log, silentLog } from '../../platform/log.ts'
import { RealDisk } from '../../platform/real/disk/disk.ts'
import { RealHomeLock } from '../../platform/real/disk/home-lock.ts'
import { localReadingWorld, localWorld } from '../../platform/real/local-world.ts'
import { isUnwritable } from '../../platform/real/unwritable.ts'
import { HomeError } from '../../platform/storage/home-lock.ts'
import { KeyValueError } from '../../platform/storage/key-value.ts'
import { type RebuildOptions, type RebuildReport, rebuildIndex } from '../../store/rebuild/rebuild.ts'
import { Store, type StoreNeeds, type StoreOptions } from '../../store/store.ts'
import { version } from '../../version.ts'
import { contentSideWork } from '../threads/content-threads.ts'

export { type Digest, digestOf, parseDigest, printDigest } from '../../model/digest.ts'
export type { LargeBlock } from '../../model/large-block.ts'
export type { TimeRange } from '../../model/time-range.ts'
export { parseUrl, type Url } from '../../model/url/url.ts'
export { DiskError } from '../../platform/storage/disk.ts'
export type { Capture, KeepOptions, NewCapture, Receipt, StoreMode } from '../../store/capture.ts'
export { type ContentKey, parseContentKey, printContentKey } from '../../store/contents/content-key.ts'
export type { LargeContent, PutOptions } from '../../store/contents/contents.ts'
export type { ExportResult } from '../../store/export/export-result.ts'
export type { Export, ExportOptions } from '../../store/export/exporter.ts'
export type { ImportProgress, ImportResult } from '../../store/import/import-result.ts'
export type { ImportOptions } from '../../store/import/importer.ts'
export type { RandomAccess } from '../../store/import/source.ts'
export type { Answer } from '../../store/reading/answer.ts'
export type { ScanOptions, Selection } from '../../store/reading/capture-finder.ts'
export { StoreError, type StoreErrorCode } from '../../store/store-error.ts'
export type { StoreStat, VolumeStat } from '../../store/store-stat.ts'
export type { Takedown, TakedownTarget } from '../../store/takedowns/takedowns.ts'
export type { CompactOptions, CompactReport, WorkProgress } from '../../store/upkeep/compaction.ts'
export type { MoveOffOptions } from '../../store/upkeep/folder-evacuation.ts'
export type { RepairSource } from '../../store/upkeep/repair.ts'
export type { Damage, ScrubOptions, ScrubReport } from '../../store/upkeep/scrub.ts'
export type { TransferOptions, TransferReport } from '../../store/upkeep/volume-transfer.ts'
export { KeyValueError, PolyhistorError, type RebuildReport, Store, type StoreOptions }

export const storeOptionsDefault: StoreOptions = {
  compression: { kind: 'gzip', level: 4 },
  volumeBytesMax: 1_000_000_000,
  reserveBytes: 1_000_000_000,
  indexBytesMax: 256_000_000_000,
  deltaChainMax: 16,
  takedownUndoMs: 30 * 86_400_000,
  host: hostname().replace(/[^\w.-]/g, '-') || 'localhost',
  software: `polyhistor ${version}`,
}

/** Opens the store in a folder, made when there is none, for this process alone. */
export async function openStore(
  folder: string,
  options: Partial<StoreOptions> & { log?: Log } = {},
): Promise<Store> {
  const { log, ...chosen } = options
  const place = resolve(folder)
  const lock = await new RealHomeLock().hold(place)
  try {
    const needs = { ...localWorld(), whenClosed: () => lock.release(), ...(log && { log }) }
    const store = await openSound(needs, place, { ...storeOptionsDefault, ...chosen })
    const side = contentSideWork()
    if (side !== undefined) store.readWith(side)
    return store
  } catch (error) {
    await lock.release()
    throw error
  }
}

/** An index that has rotted is made anew first, for the volumes have all that matters. */
async function openSound(needs: StoreNeeds, folder: string, options: StoreOptions): Promise<Store> {
  try {
    return await Store.open(needs, folder, options)
  } catch (error) {
    if (!(error instanceof KeyValueError) || error.code !== 'index-damaged') throw error
    const { log = silentLog } = needs
    log.warn({ why: error.message }, 'The index is damaged, and is made anew from the volumes')
    const report = await rebuildIndex(needs, folder, options)
    const { captures, missing, damagedCount, oldIndex } = report
    log.warn({ captures, missing, damagedCount, oldIndex }, 'The index was made anew from the volumes')
    return await Store.open(needs, folder, options)
  }
}

/** The same for looking at it: where its disk is full or read-only, it is opened without writing anything, and takes nothing. */
export async function openStoreToRead(
  folder: string,
  options: Partial<StoreOptions> & { log?: Log } = {},
): Promise<Store> {
  try {
    return await openStore(folder, options)
  } catch (error) {
    if (!isUnwritable(error)) throw error
    if ((await new RealDisk().stat(resolve(folder))) === undefined) throw error
    const store = await openUnwritten(folder, options).catch((further: unknown) => {
      // It was not for want of writing.
      throw further instanceof HomeError ? further : error
    })
    options.log?.warn({ why: error.message }, 'The disk cannot be written to: the archive is only read')
    return store
  }
}

async function openUnwritten(
  folder: string,
  { log, ...chosen }: Partial<StoreOptions> & { log?: Log },
): Promise<Store> {
  const place = resolve(folder)
  const lock = await new RealHomeLock().holdToRead(place)
  try {
    const needs = {
      ...localReadingWorld(),
      isReadOnly: true,
      whenClosed: () => lock.release(),
      ...(log && { log }),
    }
    return await Store.open(needs, place, { ...storeOptionsDefault, ...chosen })
  } catch (error) {
    await lock.release()
    throw error
  }
}

/** Builds the index of a store anew from its volumes. The old index, if there is one, is put aside. */
export async function rebuildStoreIndex(
  folder: string,
  options: Partial<RebuildOptions> = {},
): Promise<RebuildReport> {
  const place = resolve(folder)
  const lock = await new RealHomeLock().hold(place)
  try {
    const { indexBytesMax, volumeBytesMax } = storeOptionsDefault
    return await rebuildIndex(localWorld(), place, { indexBytesMax, volumeBytesMax, ...options })
  } finally {
    await lock.release()
  }
}
