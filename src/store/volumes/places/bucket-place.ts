// A bucket with volumes in it: read by range through the cache, a block or a run of blocks at a time; filled by uploads in parts
// that go on where they stopped, since the bucket itself tells what it has.
//
// An upload counts when the whole object was read again and has the digest of what was sent. The mark says which store the
// prefix belongs to: names of two stores might be the same.

import { createHash } from 'node:crypto'
import type { Clock } from '../../../platform/clock.ts'
import {
  type Bucket,
  BucketError,
  type ObjectInfo,
  type UploadedPart,
} from '../../../platform/storage/bucket.ts'
import { StoreError } from '../../store-error.ts'
import { type BlockCache, blockBytes } from './block-cache.ts'
import type { ReceiveOptions, VolumeFile, VolumePlace, WholeVolume } from './volume-place.ts'
import { notTheSame, wholeDigest } from './whole-digest.ts'

/** A bucket that could not be asked, since when and why. */
export interface BucketTrouble {
  readonly sinceMs: number
  readonly why: string
}

const markName = 'polyhistor-volumes.json'
const markBytesMax = 4_096
/** Parts are at least so large, and at most so many: some servers take no more. */
const partBytesMin = 8 * 1024 * 1024
const partsMax = 1_000
/** Fetched at once where much is wanted. */
const runBlocksMax = 16
/** After it has failed for all tries, whoever comes within this time is told so at once. */
const pauseMs = 2_000

export class BucketPlace implements VolumePlace {
  readonly path: string
  readonly isWritable = false
  readonly #bucket: Bucket
  readonly #cache: BlockCache
  readonly #clock: Clock
  readonly #partBytesMin: number
  #trouble: (BucketTrouble & { readonly untilMs: number }) | undefined

  constructor(
    needs: { bucket: Bucket; cache: BlockCache; clock: Clock },
    options: { partBytesMin?: number } = {},
  ) {
    this.#bucket = needs.bucket
    this.#cache = needs.cache
    this.#clock = needs.clock
    this.#partBytesMin = options.partBytesMin ?? partBytesMin
    this.path = needs.bucket.address
  }

  get trouble(): BucketTrouble | undefined {
    return this.#trouble && { sinceMs: this.#trouble.sinceMs, why: this.#trouble.why }
  }

  /** Whether it answers, for whoever wants to know now. */
  async look(): Promise<void> {
    await this.#asking(() => this.#bucket.head(markName))
  }

  /** Whoever adds a bucket is told of wrong settings as such: that is no trouble which passes by itself. */
  async prepare(store: string, holdsVolumes: boolean): Promise<void> {
    try {
      await this.#prepare(store, holdsVolumes)
    } catch (error) {
      const { cause } = error as Error
      throw cause instanceof BucketError && settingsFaults.has(cause.code) ? cause : error
    }
  }

  async #prepare(store: string, holdsVolumes: boolean): Promise<void> {
    const owner = await this.owner()
    if (owner === store) return
    const isFree = owner === undefined && !holdsVolumes && (await this.list()).length === 0
    if (!isFree) {
      throw new StoreError(
        'store-bucket-taken',
        owner === undefined
          ? `${this.path} holds other things. Choose a prefix of its own for this store.`
          : `${this.path} belongs to another store. Choose another prefix, or make a store of what lies there: polyhistor store rebuild --from ${this.path}`,
      )
    }
    const mark = { program: 'polyhistor', about: 'WARC volumes of a Polyhistor store.', store }
    await this.put(markName, Buffer.from(`${JSON.stringify(mark)}\n`))
  }

  /** Which store the mark names. */
  async owner(): Promise<string | undefined> {
    const text = await this.text(markName, markBytesMax)
    if (text === undefined) return undefined
    try {
      const { store } = JSON.parse(text) as { store?: unknown }
      return typeof store === 'string' ? store : undefined
    } catch {
      return undefined
    }
  }

  /** A small object. */
  async text(name: string, bytesMax: number): Promise<string | undefined> {
    return this.#asking(async () => {
      const info = await this.#bucket.head(name)
      if (info === undefined) return undefined
      const bytes = await this.#bucket.read(name, 0, Math.min(info.sizeBytes, bytesMax), info.etag)
      return Buffer.from(bytes).toString()
    })
  }

  async put(name: string, bytes: Uint8Array): Promise<void> {
    await this.#asking(() => this.#bucket.put(name, bytes))
  }

  list(): Promise<{ name: string; sizeBytes: number }[]> {
    return this.#asking(() => Array.fromAsync(this.#bucket.list()))
  }

  async open(name: string): Promise<VolumeFile> {
    const info = await this.#info(name)
    const path = `${this.path}/${name}`
    return {
      path,
      sizeBytes: async () => info.sizeBytes,
      read: (position, length, memory) => this.#read(name, info, position, length, memory),
      close: async () => {},
    }
  }

  async sizeOf(name: string): Promise<number | undefined> {
    return (await this.#asking(() => this.#bucket.head(name)))?.sizeBytes
  }

  async isAway(name: string): Promise<boolean> {
    try {
      await this.sizeOf(name)
      return false
    } catch (error) {
      if (error instanceof StoreError && error.code === 'store-bucket-unavailable') return true
      throw error
    }
  }

  async remove(name: string): Promise<void> {
    await this.#asking(async () => {
      await this.#bucket.remove(name)
      for (const upload of await this.#bucket.uploads(name)) await this.#bucket.abortUpload(name, upload)
    })
  }

  async whole(name: string, sizeBytes: number): Promise<WholeVolume> {
    const info = await this.#info(name)
    return {
      name,
      sizeBytes,
      sha256: info.sha256,
      chunks: (start) => this.#chunks(name, info, start, sizeBytes),
    }
  }

  async receive(volume: WholeVolume, options: ReceiveOptions = {}): Promise<void> {
    const { name, sizeBytes } = volume
    const sha256 = await wholeDigest(volume, options)
    const isThere =
      (await this.sizeOf(name)) === sizeBytes && (await this.#isSame(name, sizeBytes, sha256, options))
    if (isThere) return options.received?.(sizeBytes)
    await this.#upload(volume, sha256, options)
    if (await this.#isSame(name, sizeBytes, sha256, options)) return
    // Nobody is to take it for a good one.
    await this.remove(name)
    throw notTheSame(`${this.path}/${name}`)
  }

  async #isSame(name: string, sizeBytes: number, sha256: string, options: ReceiveOptions): Promise<boolean> {
    const copy = await this.whole(name, sizeBytes)
    if ((await this.sizeOf(name)) !== sizeBytes) return false
    return (await wholeDigest(copy, options)) === sha256
  }

  async #upload(volume: WholeVolume, sha256: string, { signal, received }: ReceiveOptions): Promise<void> {
    const { name, sizeBytes } = volume
    const { upload, parts: begun } = await this.#resume(name, sha256)
    const partBytes = Math.max(this.#partBytesMin, Math.ceil(sizeBytes / partsMax))
    const parts: UploadedPart[] = []
    for await (const bytes of pieces(volume.chunks(0), partBytes)) {
      signal?.throwIfAborted()
      const number = parts.length + 1
      const there = begun.find((part) => part.number === number)
      const isSame = there?.sizeBytes === bytes.length && there.etag === md5(bytes)
      parts.push(isSame ? there : await this.#asking(() => this.#bucket.putPart(name, upload, number, bytes)))
      received?.(bytes.length)
    }
    await this.#asking(() => this.#bucket.completeUpload(name, upload, parts))
  }

  /** The newest upload of that name that is not completed, or a new one. Earlier ones only take room. */
  async #resume(name: string, sha256: string): Promise<{ upload: string; parts: UploadedPart[] }> {
    return this.#asking(async () => {
      const uploads = await this.#bucket.uploads(name)
      const newest = uploads.pop()
      for (const old of uploads) await this.#bucket.abortUpload(name, old)
      if (newest === undefined) return { upload: await this.#bucket.beginUpload(name, { sha256 }), parts: [] }
      return { upload: newest, parts: await this.#bucket.parts(name, newest) }
    })
  }

  async #info(name: string): Promise<ObjectInfo> {
    const info = await this.#asking(() => this.#bucket.head(name))
    if (info !== undefined) return info
    throw new StoreError(
      'store-volume-missing',
      `${this.path}/${name} is missing: it was removed from the bucket.`,
    )
  }

  async #read(
    name: string,
    info: ObjectInfo,
    position: number,
    length: number,
    memory: Uint8Array | undefined,
  ): Promise<Uint8Array> {
    const end = Math.max(position, Math.min(position + length, info.sizeBytes))
    const wanted = end - position
    const bytes = memory && memory.length >= wanted ? memory.subarray(0, wanted) : Buffer.allocUnsafe(wanted)
    for (let block = Math.floor(position / blockBytes); block * blockBytes < end; ) {
      const start = block * blockBytes
      const known = await this.#cache.get(keyOf(name, info, block))
      const found = known ?? (await this.#fetch(name, info, block, this.#missing(name, info, block, end)))
      const from = Math.max(position, start)
      bytes.set(found.subarray(from - start, end - start), from - position)
      block += Math.ceil(found.length / blockBytes)
    }
    return bytes
  }

  /** How many blocks from this one on are wanted and not there. */
  #missing(name: string, info: ObjectInfo, first: number, end: number): number {
    let count = 1
    while (
      count < runBlocksMax &&
      (first + count) * blockBytes < end &&
      !this.#cache.has(keyOf(name, info, first + count))
    )
      count++
    return count
  }

  readonly #fetching = new Map<string, Promise<Uint8Array>>()

  /** Those who want the same at the same time share one request. */
  #fetch(name: string, info: ObjectInfo, first: number, count: number): Promise<Uint8Array> {
    const run = `${keyOf(name, info, first)}+${count}`
    const begun = this.#fetching.get(run)
    if (begun !== undefined) return begun
    const fetching = this.#fetchNow(name, info, first, count).finally(() => this.#fetching.delete(run))
    this.#fetching.set(run, fetching)
    return fetching
  }

  async #fetchNow(name: string, info: ObjectInfo, first: number, count: number): Promise<Uint8Array> {
    const start = first * blockBytes
    const length = Math.min(count * blockBytes, info.sizeBytes - start)
    const bytes = await this.#asking(() => this.#bucket.read(name, start, length, info.etag))
    for (let at = 0; at < bytes.length; at += blockBytes)
      await this.#cache.put(keyOf(name, info, first + at / blockBytes), bytes.subarray(at, at + blockBytes))
    return bytes
  }

  async *#chunks(name: string, info: ObjectInfo, start: number, end: number): AsyncGenerator<Uint8Array> {
    const runBytes = runBlocksMax * blockBytes
    const last = Math.min(end, info.sizeBytes)
    for (let at = start; at < last; at += runBytes)
      yield await this.#asking(() => this.#bucket.read(name, at, Math.min(runBytes, last - at), info.etag))
  }

  /** What the bucket cannot do becomes an error of the store, and is remembered. */
  async #asking<T>(work: () => Promise<T>): Promise<T> {
    const trouble = this.#trouble
    if (trouble !== undefined && this.#clock.monotonicMs() < trouble.untilMs) throw unavailable(trouble.why)
    try {
      const found = await work()
      this.#trouble = undefined
      return found
    } catch (error) {
      if (!(error instanceof BucketError)) throw error
      if (error.code === 'bucket-object-missing') {
        this.#trouble = undefined
        throw new StoreError(
          'store-volume-missing',
          `${error.message}. It was removed from the bucket.`,
          error,
        )
      }
      const sinceMs = this.#trouble?.sinceMs ?? this.#clock.nowMs()
      this.#trouble = { sinceMs, why: error.message, untilMs: this.#clock.monotonicMs() + pauseMs }
      throw unavailable(error.message, error)
    }
  }
}

const settingsFaults: ReadonlySet<string> = new Set<BucketError['code']>([
  'bucket-no-credentials',
  'bucket-not-permitted',
  'bucket-missing',
])

function unavailable(why: string, cause?: unknown): StoreError {
  return new StoreError('store-bucket-unavailable', why, cause)
}

/** Another object of the same name has other blocks. */
function keyOf(name: string, { etag }: ObjectInfo, block: number): string {
  return `${name} ${etag} ${block}`
}

/** The same bytes in pieces of one length, the last one as long as it is; at least one. */
async function* pieces(chunks: AsyncIterable<Uint8Array>, length: number): AsyncGenerator<Buffer> {
  let waiting: Uint8Array[] = []
  let waitingBytes = 0
  for await (const chunk of chunks) {
    let rest = chunk
    while (waitingBytes + rest.length >= length) {
      const taken = length - waitingBytes
      yield Buffer.concat([...waiting, rest.subarray(0, taken)])
      rest = rest.subarray(taken)
      waiting = []
      waitingBytes = 0
    }
    if (rest.length > 0) waiting.push(rest)
    waitingBytes += rest.length
  }
  if (waitingBytes > 0) yield Buffer.concat(waiting)
}

function md5(bytes: Uint8Array): string {
  return createHash('md5').update(bytes).digest('hex')
}
