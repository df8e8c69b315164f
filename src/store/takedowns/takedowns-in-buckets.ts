// A copy of takedowns.jsonl in every bucket: whoever makes a store of a bucket alone is not to bring back what was taken down.

import { createHash } from 'node:crypto'
import type { Log } from '../../platform/log.ts'
import { isBucketAddress } from '../../platform/storage/bucket.ts'
import { type Disk, DiskError } from '../../platform/storage/disk.ts'
import { readWhole } from '../../platform/storage/whole-file.ts'
import type { FolderEntry } from '../index/volume-entry.ts'
import { StoreError } from '../store-error.ts'
import type { VolumePlaces } from '../volumes/places/volume-places.ts'

interface Needs {
  readonly disk: Disk
  readonly places: VolumePlaces
  readonly log: Log
  folders(): Iterable<FolderEntry>
}

const objectName = 'takedowns.jsonl'
/** Some hundred thousand takedowns. */
const bytesMax = 256 * 1024 * 1024

export class TakedownsInBuckets {
  readonly #needs: Needs
  readonly #path: string
  /** What each bucket has, as far as we know. */
  readonly #sent = new Map<string, string>()

  /** `path`: of the list on the local disk. */
  constructor(needs: Needs, path: string) {
    this.#needs = needs
    this.#path = path
  }

  /** Best effort: a bucket that is away gets it next time. */
  async send(): Promise<void> {
    const { disk, places, log, folders } = this.#needs
    const buckets = [...folders()].map(({ path }) => path).filter(isBucketAddress)
    if (buckets.length === 0) return
    const bytes = await readAll(disk, this.#path)
    if (bytes === undefined) return
    const digest = createHash('sha256').update(bytes).digest('hex')
    for (const path of buckets) {
      if (this.#sent.get(path) === digest) continue
      try {
        await places.bucket(path).put(objectName, bytes)
        this.#sent.set(path, digest)
      } catch (error) {
        if (!(error instanceof StoreError)) throw error
        log.warn({ path, error }, 'The list of takedowns cannot be put into the bucket now')
      }
    }
  }
}

/** Where this machine has no list, that of the first bucket that has one. */
export async function bringTakedowns(
  { disk, places }: Pick<Needs, 'disk' | 'places'>,
  path: string,
  folders: Iterable<FolderEntry>,
): Promise<void> {
  if ((await disk.stat(path)) !== undefined) return
  for (const folder of folders) {
    const text = isBucketAddress(folder.path)
      ? await places.bucket(folder.path).text(objectName, bytesMax)
      : undefined
    if (text === undefined) continue
    const file = await disk.open(path, 'create')
    try {
      await file.write(0, Buffer.from(text))
      await file.sync()
    } finally {
      await file.close()
    }
    return
  }
}

async function readAll(disk: Disk, path: string): Promise<Uint8Array | undefined> {
  try {
    return await readWhole(disk, path, bytesMax)
  } catch (error) {
    if (!(error instanceof DiskError)) throw error
    return undefined
  }
}
