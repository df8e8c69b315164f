// Known set: the exact set of one job's known URLs of one site, on disk, some dozens of hashes to an entry.
//
// A tree entry per URL would take five times the room on disk and, as the tree is mapped, in memory. So hashes lie in
// buckets, and the buckets grow by linear hashing: with every urlsPerBucket URLs one bucket more, the next in turn is
// split in two. How many there are follows from the count, which is all that is kept beside them.
//
// Invariant: a hash is in the bucket that bucketOf(hash, buckets) names, once. Each may have a value of a fixed length.

import { knownPrefix } from '../sites/site-keys.ts'
import type { BufferedTable } from '../write-buffer.ts'
import { UrlHash, urlHashBytes } from './url-hash.ts'

const urlsPerBucket = 24
const bucketNumberBytes = 4
const countBytes = 6

export class KnownSet {
  readonly #table: BufferedTable
  readonly #prefix: string
  readonly #itemBytes: number
  #count: number

  constructor(table: BufferedTable, site: Buffer, job: number, valueBytes: number) {
    this.#table = table
    this.#prefix = knownPrefix(site, job).toString('latin1')
    this.#itemBytes = urlHashBytes + valueBytes
    this.#count = numberOf(table.getText(this.#prefix) ?? '')
  }

  get count(): number {
    return this.#count
  }

  get buckets(): number {
    return bucketsFor(this.#count)
  }

  has(hash: UrlHash): boolean {
    if (this.#count === 0) return false
    return this.#find(this.#read(bucketOf(hash.c, this.buckets)), hash.toText()) !== -1
  }

  /** The value of a hash that is in the set, a byte a character; undefined of one that is not. */
  get(hash: UrlHash): string | undefined {
    if (this.#count === 0) return undefined
    const bucket = this.#read(bucketOf(hash.c, this.buckets))
    const at = this.#find(bucket, hash.toText())
    return at === -1 ? undefined : bucket.slice(at + urlHashBytes, at + this.#itemBytes)
  }

  /** Adds a hash, or gives it another value. */
  put(hash: UrlHash, value: string): void {
    const number = bucketOf(hash.c, this.buckets)
    const bucket = this.#read(number)
    const name = hash.toText()
    const at = this.#find(bucket, name)
    const item =
      name + value.slice(0, this.#itemBytes - urlHashBytes).padEnd(this.#itemBytes - urlHashBytes, '\0')
    if (at !== -1) {
      this.#write(number, bucket.slice(0, at) + item + bucket.slice(at + this.#itemBytes))
      return
    }
    this.#write(number, bucket + item)
    this.#grow()
  }

  /** Tells all hashes in a bucket, each in the same object. */
  eachIn(bucket: number, hash: UrlHash, tell: () => void): void {
    const text = this.#read(bucket)
    for (let at = 0; at < text.length; at += this.#itemBytes) {
      hash.fromText(text, at)
      tell()
    }
  }

  #grow(): void {
    const before = this.buckets
    this.#count++
    this.#table.putText(this.#prefix, textOf(this.#count, countBytes))
    if (this.buckets > before) this.#split(before)
  }

  /** The bucket of this number comes to be, from half of the one in turn. */
  #split(number: number): void {
    const low = number - 2 ** Math.floor(Math.log2(number))
    const text = this.#read(low)
    const hash = new UrlHash()
    let kept = ''
    let moved = ''
    for (let at = 0; at < text.length; at += this.#itemBytes) {
      const item = text.slice(at, at + this.#itemBytes)
      if (bucketOf(hash.fromText(text, at).c, number + 1) === number) moved += item
      else kept += item
    }
    this.#write(low, kept)
    this.#write(number, moved)
  }

  #find(bucket: string, name: string): number {
    for (let at = bucket.indexOf(name); at !== -1; at = bucket.indexOf(name, at + 1)) {
      if (at % this.#itemBytes === 0) return at
    }
    return -1
  }

  #read(number: number): string {
    return this.#table.getText(this.#prefix + textOf(number, bucketNumberBytes)) ?? ''
  }

  #write(number: number, text: string): void {
    this.#table.putText(this.#prefix + textOf(number, bucketNumberBytes), text)
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

/** A number as so many bytes, highest first, one a character. */
function textOf(number: number, bytes: number): string {
  let text = ''
  for (let rest = number, left = bytes; left > 0; left--, rest = Math.floor(rest / 256)) {
    text = String.fromCharCode(rest % 256) + text
  }
  return text
}

function numberOf(text: string): number {
  let number = 0
  for (let at = 0; at < text.length; at++) number = number * 256 + text.charCodeAt(at)
  return number
}
