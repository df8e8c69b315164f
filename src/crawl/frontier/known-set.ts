// Known set: the exact set of one job's known URLs of one site, on disk, some dozens of hashes to an entry.
//
// A tree entry per URL would take five times the room on disk and, as the tree is mapped, in memory. So hashes lie in
// buckets, and the buckets grow by linear hashing: with every urlsPerBucket URLs one bucket more, the next in turn is
// split in two. How many there are follows from the count, which is all that is kept beside them.
//
// Invariant: a hash is in the bucket that bucketOf(hash, buckets) names, once. Each may have a value of a fixed length.

import { knownPrefix, ownBytes } from './site-keys.ts'
import { type UrlHash, urlHashBytes } from './url-hash.ts'
import type { BufferedTable } from './write-buffer.ts'

const urlsPerBucket = 24
const bucketNumberBytes = 4

export class KnownSet {
  readonly #table: BufferedTable
  readonly #prefix: Buffer
  readonly #itemBytes: number
  readonly #hash = Buffer.alloc(urlHashBytes)
  #count: number

  constructor(table: BufferedTable, site: Buffer, job: number, valueBytes: number) {
    this.#table = table
    this.#prefix = ownBytes(knownPrefix(site, job))
    this.#itemBytes = urlHashBytes + valueBytes
    const stored = table.get(this.#prefix)
    this.#count = stored === undefined ? 0 : Buffer.from(stored).readUIntBE(0, 6)
  }

  get count(): number {
    return this.#count
  }

  get buckets(): number {
    return bucketsFor(this.#count)
  }

  /** The value of a hash that is in the set; undefined of one that is not. */
  get(hash: UrlHash): Buffer | undefined {
    if (this.#count === 0) return undefined
    const bucket = this.#read(bucketOf(hash.c, this.buckets))
    const at = this.#find(bucket, hash)
    return at === -1 ? undefined : bucket.subarray(at + urlHashBytes, at + this.#itemBytes)
  }

  /** Adds a hash, or gives it another value. */
  put(hash: UrlHash, value: Uint8Array): void {
    const number = bucketOf(hash.c, this.buckets)
    const bucket = this.#read(number)
    const at = this.#find(bucket, hash)
    const item = Buffer.alloc(this.#itemBytes)
    hash.writeTo(item, 0)
    item.set(value.subarray(0, this.#itemBytes - urlHashBytes), urlHashBytes)
    if (at !== -1) {
      const changed = Buffer.from(bucket)
      changed.set(item, at)
      this.#write(number, changed)
      return
    }
    this.#write(number, Buffer.concat([bucket, item]))
    this.#grow()
  }

  /** The bytes of all hashes in a bucket. */
  *hashesIn(bucket: number): Generator<Buffer> {
    const bytes = this.#read(bucket)
    for (let at = 0; at < bytes.length; at += this.#itemBytes) yield bytes.subarray(at, at + urlHashBytes)
  }

  #grow(): void {
    const before = this.buckets
    this.#count++
    const count = Buffer.alloc(6)
    count.writeUIntBE(this.#count, 0, 6)
    this.#table.put(this.#prefix, count)
    if (this.buckets > before) this.#split(before)
  }

  /** The bucket of this number comes to be, from half of the one in turn. */
  #split(number: number): void {
    const low = number - 2 ** Math.floor(Math.log2(number))
    const bytes = this.#read(low)
    const kept: Buffer[] = []
    const moved: Buffer[] = []
    for (let at = 0; at < bytes.length; at += this.#itemBytes) {
      const item = bytes.subarray(at, at + this.#itemBytes)
      const goes = bucketOf(item.readUInt32BE(8), number + 1) === number
      ;(goes ? moved : kept).push(item)
    }
    this.#write(low, Buffer.concat(kept))
    this.#write(number, Buffer.concat(moved))
  }

  #find(bucket: Buffer, hash: UrlHash): number {
    hash.writeTo(this.#hash, 0)
    for (let at = bucket.indexOf(this.#hash); at !== -1; at = bucket.indexOf(this.#hash, at + 1)) {
      if (at % this.#itemBytes === 0) return at
    }
    return -1
  }

  #read(number: number): Buffer {
    const bytes = this.#table.get(this.#keyOf(number))
    return bytes === undefined
      ? Buffer.alloc(0)
      : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  }

  #write(number: number, bytes: Buffer): void {
    this.#table.put(this.#keyOf(number), bytes)
  }

  #keyOf(number: number): Buffer {
    const key = Buffer.allocUnsafe(this.#prefix.length + bucketNumberBytes)
    key.set(this.#prefix)
    key.writeUInt32BE(number, this.#prefix.length)
    return key
  }
}

function bucketsFor(count: number): number {
  return Math.max(1, Math.ceil(count / urlsPerBucket))
}

function bucketOf(bits: number, buckets: number): number {
  const size = 2 ** Math.floor(Math.log2(buckets))
  const wide = bits % (2 * size)
  return wide < buckets ? wide : bits % size
}
