// What a store holds, in numbers.

import { join } from 'node:path'
import { isBucketAddress } from '../platform/storage/bucket.ts'
import type { Disk } from '../platform/storage/disk.ts'
import type { Ledger } from './index/ledger.ts'
import type { StoreIndex } from './index/store-index.ts'
import type { VolumeState } from './index/volume-entry.ts'
import { volumePath } from './volumes/places/volume-places.ts'

export interface StoreStat {
  /** Those that can be seen. */
  captures: number
  /** Taken down, and kept until they cannot be brought back any more. */
  hiddenCaptures: number
  distinctPayloads: number
  bytes: {
    /** As if every capture had kept its own payload, uncompressed. */
    original: number
    /** The distinct payloads, uncompressed. */
    afterDedup: number
    /** Volumes and index, as they lie on disk. */
    onDisk: number
    /** Volumes in buckets. */
    inBuckets: number
  }
  volumes: VolumeStat[]
  /** What became of captures that are not to be seen any more: see capture-accounts.ts. */
  removed: { droppedForOthers: number; destroyed: number; missing: number }
  /** Stored takedowns that could not be read: they hide nothing, see takedown-quarantine.ts. */
  quarantinedTakedowns: number
}

export interface VolumeStat {
  path: string
  state: VolumeState
  bytes: number
  deadBytes: number
}

export async function statOf(
  {
    index,
    ledger,
    takedowns,
    disk,
  }: { index: StoreIndex; ledger: Ledger; takedowns: { quarantined: number }; disk: Disk },
  folder: string,
): Promise<StoreStat> {
  const totals = ledger.totals()
  const folders = index.folders()
  const volumes = [...index.volumes().values()].map((volume) => ({
    path: volumePath(folders.get(volume.folder)?.path ?? '', volume.name),
    state: volume.state,
    bytes: volume.sizeBytes,
    deadBytes: volume.deadBytes,
  }))
  const indexBytes = await bytesIn(disk, join(folder, 'index'))
  const bytesOf = (some: readonly VolumeStat[]) => some.reduce((sum, { bytes }) => sum + bytes, 0)
  const inBuckets = bytesOf(volumes.filter(({ path }) => isBucketAddress(path)))
  return {
    captures: totals.captures - totals.hidden,
    hiddenCaptures: totals.hidden,
    distinctPayloads: totals.contents,
    bytes: {
      original: totals.originalBytes,
      afterDedup: totals.distinctBytes,
      onDisk: bytesOf(volumes) - inBuckets + indexBytes,
      inBuckets,
    },
    volumes,
    removed: {
      droppedForOthers: ledger.accounts.removed.dropped,
      destroyed: ledger.accounts.removed.destroyed,
      missing: ledger.accounts.missing,
    },
    quarantinedTakedowns: takedowns.quarantined,
  }
}

/** A journal may go while they are counted. */
async function bytesIn(disk: Disk, folder: string): Promise<number> {
  let bytes = 0
  for (const name of await disk.list(folder)) bytes += (await disk.stat(join(folder, name)))?.sizeBytes ?? 0
  return bytes
}
