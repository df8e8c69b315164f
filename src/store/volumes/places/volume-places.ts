// Every place that volumes lie in, by its path: an absolute path of this machine, or `s3://bucket/prefix`.

import { join, resolve } from 'node:path'
import type { Clock } from '../../../platform/clock.ts'
import type { Log } from '../../../platform/log.ts'
import {
  BucketError,
  bucketAddress,
  isBucketAddress,
  type OpenBucket,
} from '../../../platform/storage/bucket.ts'
import type { Disk } from '../../../platform/storage/disk.ts'
import { StoreError } from '../../store-error.ts'
import { BlockCache, type BlockCacheOptions } from './block-cache.ts'
import { BucketPlace } from './bucket-place.ts'
import { FolderPlace } from './folder-place.ts'
import type { VolumePlace } from './volume-place.ts'

interface Needs {
  readonly disk: Disk
  readonly clock: Clock
  readonly log: Log
  readonly openBucket: OpenBucket | undefined
}

export interface VolumePlacesOptions extends BlockCacheOptions {
  readonly partBytesMin?: number | undefined
}

export class VolumePlaces {
  readonly #needs: Needs
  readonly #options: VolumePlacesOptions
  readonly #cache: BlockCache
  readonly #places = new Map<string, VolumePlace>()
  readonly #buckets = new Map<string, BucketPlace>()

  /** `cachePath`: a file for what was read from buckets. */
  constructor(needs: Needs, cachePath: string, options: VolumePlacesOptions) {
    this.#needs = needs
    this.#options = options
    this.#cache = new BlockCache(needs, cachePath, options)
  }

  of(path: string): VolumePlace {
    const known = this.#places.get(path)
    if (known !== undefined) return known
    const place = isBucketAddress(path) ? this.bucket(path) : new FolderPlace(this.#needs, path)
    this.#places.set(path, place)
    return place
  }

  bucket(address: string): BucketPlace {
    const known = this.#buckets.get(address)
    if (known !== undefined) return known
    const { openBucket, clock } = this.#needs
    if (openBucket === undefined)
      throw new StoreError('store-bucket-unavailable', `${address}: buckets cannot be reached from here.`)
    const place = new BucketPlace(
      { bucket: openBucket(address), cache: this.#cache, clock },
      { ...(this.#options.partBytesMin !== undefined && { partBytesMin: this.#options.partBytesMin }) },
    )
    this.#buckets.set(address, place)
    return place
  }

  async close(): Promise<void> {
    await this.#cache.close()
  }
}

/** One way to write each. Throws 'store-bad-target'. */
export function placePath(path: string): string {
  if (!isBucketAddress(path)) return resolve(path)
  try {
    return bucketAddress(path)
  } catch (error) {
    if (!(error instanceof BucketError)) throw error
    throw new StoreError('store-bad-target', error.message, error)
  }
}

export function volumePath(place: string, name: string): string {
  return isBucketAddress(place) ? `${place}/${name}` : join(place, name)
}
