// Content key → bytes: finds the record, undoes the delta, checks the digest.
//
// Invariant: bytes that are not what was stored are never delivered as if they were. What fits in memory is checked
// before the first byte is handed out; what flows ends in an error instead of its end.

import type { FieldList } from '../../formats/http/field-list.ts'
import { decodeZstdFrame } from '../../formats/warc/compression/zstd-frame.ts'
import { WarcDamage } from '../../formats/warc/damage.ts'
import { contentOf, payloadAtEnd } from '../../formats/warc/payload.ts'
import type { UnpackedRecord } from '../../formats/warc/reading/record-decoding.ts'
import { bufferView } from '../../formats/wire/buffer-view.ts'
import { equalDigests } from '../../model/digest.ts'
import { joined } from '../../model/listed.ts'
import type { SideTask, SideWork } from '../../platform/side-work.ts'
import type { ContentEntry } from '../index/content-entry.ts'
import { equalLocations, type Location } from '../index/location.ts'
import type { StoreIndex } from '../index/store-index.ts'
import { type RecordReader, readUnpackedAt } from '../records/record-reader.ts'
import { StoreError } from '../store-error.ts'
import type { ContentCache } from './content-cache.ts'
import { type ContentDigest, sha256Digest } from './content-digest.ts'
import { type ContentKey, printContentKey } from './content-key.ts'

/** A content up to this size is read in one piece. */
export const wholeBytesMax = 4 * 1024 * 1024

/** A delta's base is at most this large, so a chain is undone in bounded memory. */
export const deltaBytesMax = wholeBytesMax

/** A whole record, and where it was read. */
export interface KnownRecord {
  record: { fields: FieldList; block: Uint8Array }
  location: Location
}

/** Told of every content whose bytes turn out to be wrong, and where they lie. */
type WhenDamaged = (key: ContentKey, location: Location, cause: unknown) => Promise<void> | void

export class ContentLoader {
  readonly #index: StoreIndex
  readonly #records: RecordReader
  readonly #cache: ContentCache
  readonly #digest: ContentDigest
  readonly #whenDamaged: WhenDamaged
  #side: SideWork | undefined

  constructor(
    needs: { index: StoreIndex; records: RecordReader; cache: ContentCache; digest: ContentDigest },
    whenDamaged: WhenDamaged,
  ) {
    this.#index = needs.index
    this.#records = needs.records
    this.#cache = needs.cache
    this.#digest = needs.digest
    this.#whenDamaged = whenDamaged
  }

  /** From now on another thread takes part when many read at the same time. */
  shareWith(side: SideWork): void {
    // Another digest is for tests, and threads do not know it.
    if (this.#digest === sha256Digest) this.#side = side
  }

  entry(key: ContentKey): ContentEntry {
    const entry = this.#index.content(key)
    if (entry !== undefined) return entry
    throw missingContent(key)
  }

  has(key: ContentKey): boolean {
    return this.#index.content(key) !== undefined
  }

  /** In memory and verified, whatever its size: for callers that know it is bounded. */
  bytes(key: ContentKey): Promise<Uint8Array> {
    return joined(this.chunks(key))
  }

  /** `known`: a record that was read just now. When the content lies in it, it is not read again. */
  async *chunks(key: ContentKey, known?: KnownRecord): AsyncGenerator<Uint8Array> {
    const entry = this.entry(key)
    if (entry.sizeBytes <= wholeBytesMax) yield this.#whole(key, entry, known)
    else if (entry.isDamaged) throw damaged(key)
    else yield* this.#flowing(key, entry)
  }

  /** Reads it from disk, in quarantine or not, and throws what is wrong with it. */
  async check(key: ContentKey, entry: ContentEntry): Promise<void> {
    if (entry.sizeBytes > wholeBytesMax) for await (const _ of this.#flowing(key, entry));
    else
      await this.#reading(key, entry, async (now) =>
        this.#decoded(key, now, await this.#records.whole(now.location)),
      )
  }

  /** At once where that can be, which is nearly always: every await costs as much as a look into the index. */
  #whole(key: ContentKey, entry: ContentEntry, known?: KnownRecord): Uint8Array | Promise<Uint8Array> {
    const cached = this.#cache.get(key)
    if (cached !== undefined) return cached
    if (entry.isDamaged) throw damaged(key)
    if (known === undefined && this.#side !== undefined) return this.#together(key, entry, this.#side)
    const bytes = known === undefined ? this.#atOnce(key, entry) : undefined
    if (bytes === undefined) return this.#inTime(key, entry, known)
    this.#cache.putRead(key, bytes)
    return bytes
  }

  async #together(key: ContentKey, entry: ContentEntry, side: SideWork): Promise<Uint8Array> {
    const { location, sizeBytes, base } = entry
    const wanted = { digest: key.digest.bytes, sizeBytes }
    const task: SideTask = {
      fill: (memory) => this.#records.fillAtOnce(location, wanted, memory),
      here: () => this.#atOnce(key, entry),
    }
    const bytes = base === undefined ? await side.run(task) : undefined
    if (bytes === undefined) return this.#inTime(key, entry)
    this.#cache.putRead(key, bytes)
    return bytes
  }

  /** undefined also when something is wrong: who reads in time says what. */
  #atOnce(key: ContentKey, entry: ContentEntry): Uint8Array | undefined {
    if (entry.base !== undefined) return undefined
    const unpacked = this.#records.unpackedAtOnce(entry.location)
    if (unpacked === undefined) return undefined
    try {
      return this.#rightIn(unpacked, key, entry)
    } catch (error) {
      if (error instanceof WarcDamage) return undefined
      throw error
    }
  }

  async #inTime(key: ContentKey, entry: ContentEntry, known?: KnownRecord): Promise<Uint8Array> {
    const bytes = await this.#reading(key, entry, (now) => this.#read(key, now, known))
    this.#cache.putRead(key, bytes)
    return bytes
  }

  /** undefined when the bytes there are not those that were stored. */
  async #read(key: ContentKey, entry: ContentEntry, known?: KnownRecord): Promise<Uint8Array | undefined> {
    if (known !== undefined && equalLocations(known.location, entry.location))
      return this.#decoded(key, entry, known.record)
    const unpacked = await this.#records.unpacked(entry.location)
    if (entry.base === undefined) return this.#rightIn(unpacked, key, entry)
    return this.#decoded(key, entry, readUnpackedAt(entry.location, unpacked))
  }

  /** The payload of a record, if it is the right one. That its digest fits is all the proof it needs: in nearly all records it
   * can be found without a look at what stands before it. */
  #rightIn(unpacked: UnpackedRecord, key: ContentKey, entry: ContentEntry): Uint8Array | undefined {
    const atEnd = payloadAtEnd(unpacked.bytes, entry.sizeBytes)
    if (atEnd !== undefined && this.#isRight(key, atEnd)) return atEnd
    const { payload } = contentOf(readUnpackedAt(entry.location, unpacked))
    return this.#isRight(key, payload) ? payload : undefined
  }

  async #decoded(
    key: ContentKey,
    { base }: ContentEntry,
    record: KnownRecord['record'],
  ): Promise<Uint8Array | undefined> {
    const { payload } = contentOf(record)
    const bytes =
      base === undefined
        ? payload
        : decodeZstdFrame(bufferView(payload), wholeBytesMax, await this.#whole(base, this.entry(base)))
    return this.#isRight(key, bytes) ? bytes : undefined
  }

  #isRight(key: ContentKey, bytes: Uint8Array): boolean {
    return equalDigests(this.#digest.of(bytes), key.digest)
  }

  async *#flowing(key: ContentKey, entry: ContentEntry): AsyncGenerator<Uint8Array> {
    const digest = this.#digest.start()
    let isStarted = false
    try {
      for await (const chunk of this.#records.payload(entry.location)) {
        isStarted = true
        digest.update(chunk)
        yield chunk
      }
    } catch (error) {
      const moved = isStarted ? undefined : this.#movedFrom(key, entry)
      if (moved === undefined)
        throw error instanceof WarcDamage ? await this.#report(key, entry, error) : error
      yield* this.#flowing(key, moved)
      return
    }
    if (!equalDigests(digest.finish(), key.digest)) throw await this.#report(key, entry, digestMismatch)
  }

  /** Reads; when the content was moved by compaction meanwhile, reads it again where it is now. */
  async #reading(
    key: ContentKey,
    entry: ContentEntry,
    read: (entry: ContentEntry) => Promise<Uint8Array | undefined>,
  ): Promise<Uint8Array> {
    try {
      const bytes = await read(entry)
      if (bytes === undefined) throw await this.#report(key, entry, digestMismatch)
      return bytes
    } catch (error) {
      const moved = this.#movedFrom(key, entry)
      if (moved !== undefined) return this.#reading(key, moved, read)
      throw error instanceof WarcDamage ? await this.#report(key, entry, error) : error
    }
  }

  #movedFrom(key: ContentKey, entry: ContentEntry): ContentEntry | undefined {
    const now = this.#index.content(key)
    return now !== undefined && !equalLocations(now.location, entry.location) ? now : undefined
  }

  async #report(key: ContentKey, { location }: ContentEntry, cause: unknown): Promise<StoreError> {
    await this.#whenDamaged(key, location, cause)
    return damaged(key, cause)
  }
}

const digestMismatch = 'the digest does not match'

function damaged(key: ContentKey, cause?: unknown): StoreError {
  const why = cause instanceof WarcDamage ? `: ${cause.message}` : ''
  return new StoreError(
    'store-content-damaged',
    `The stored bytes of ${printContentKey(key)} are damaged${why}. They are not served until they are repaired.`,
    cause,
  )
}

export function missingContent(key: ContentKey): StoreError {
  return new StoreError('store-content-missing', `No content ${printContentKey(key)} is in this store.`)
}
