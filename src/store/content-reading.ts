// Content key → bytes: finds the record, undoes the delta, checks the digest.
//
// Invariant: bytes that are not what was stored are never delivered as if they were. What fits in memory is checked
// before the first byte is handed out; what flows ends in an error instead of its end.

import { equalDigests } from '../record/digest.ts'
import type { FieldList } from '../record/field-list.ts'
import { WarcDamage } from '../record/warc/damage.ts'
import { contentOf } from '../record/warc/payload.ts'
import { decodeZstdFrame } from '../record/warc/zstd-frame.ts'
import type { ContentCache } from './content-cache.ts'
import type { ContentDigest } from './content-digest.ts'
import { type ContentKey, printContentKey } from './content-key.ts'
import type { ContentEntry } from './index/content-entry.ts'
import { equalLocations, type Location } from './index/location.ts'
import type { StoreIndex } from './index/store-index.ts'
import type { RecordReading } from './record-reading.ts'
import { StoreError } from './store-error.ts'

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
export type WhenDamaged = (key: ContentKey, location: Location, cause: unknown) => Promise<void> | void

export class ContentReading {
  readonly #index: StoreIndex
  readonly #records: RecordReading
  readonly #cache: ContentCache
  readonly #digest: ContentDigest
  readonly #whenDamaged: WhenDamaged

  constructor(
    needs: { index: StoreIndex; records: RecordReading; cache: ContentCache; digest: ContentDigest },
    whenDamaged: WhenDamaged,
  ) {
    this.#index = needs.index
    this.#records = needs.records
    this.#cache = needs.cache
    this.#digest = needs.digest
    this.#whenDamaged = whenDamaged
  }

  entry(key: ContentKey): ContentEntry {
    const entry = this.#index.content(key)
    if (entry !== undefined) return entry
    throw new StoreError('store-content-missing', `No content ${printContentKey(key)} is in this store.`)
  }

  has(key: ContentKey): boolean {
    return this.#index.content(key) !== undefined
  }

  /** In memory and verified, whatever its size: for callers that know it is bounded. */
  async bytes(key: ContentKey): Promise<Uint8Array> {
    const parts: Uint8Array[] = []
    for await (const chunk of this.chunks(key)) parts.push(chunk)
    return parts.length === 1 ? parts[0]! : Buffer.concat(parts)
  }

  /** `known`: a record that was read just now. When the content lies in it, it is not read again. */
  async *chunks(key: ContentKey, known?: KnownRecord): AsyncGenerator<Uint8Array> {
    const entry = this.entry(key)
    if (entry.sizeBytes <= wholeBytesMax) yield await this.#whole(key, entry, known)
    else if (entry.isDamaged) throw damaged(key)
    else yield* this.#flowing(key, entry)
  }

  /** Reads it from disk, in quarantine or not, and throws what is wrong with it. */
  async check(key: ContentKey, entry: ContentEntry): Promise<void> {
    if (entry.sizeBytes <= wholeBytesMax) await this.#reading(key, entry)
    else for await (const _ of this.#flowing(key, entry));
  }

  async #whole(key: ContentKey, entry: ContentEntry, known?: KnownRecord): Promise<Uint8Array> {
    const cached = this.#cache.get(key)
    if (cached !== undefined) return cached
    if (entry.isDamaged) throw damaged(key)
    const bytes = await this.#reading(key, entry, known)
    this.#cache.put(key, bytes)
    return bytes
  }

  async #decoded(entry: ContentEntry, known?: KnownRecord): Promise<Uint8Array> {
    const isKnown = known !== undefined && equalLocations(known.location, entry.location)
    const record = isKnown ? known.record : await this.#records.whole(entry.location)
    const { payload } = contentOf(record)
    if (entry.base === undefined) return payload
    const base = await this.#whole(entry.base, this.entry(entry.base))
    return decodeZstdFrame(
      Buffer.from(payload.buffer, payload.byteOffset, payload.byteLength),
      wholeBytesMax,
      base,
    )
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
  async #reading(key: ContentKey, entry: ContentEntry, known?: KnownRecord): Promise<Uint8Array> {
    try {
      const bytes = await this.#decoded(entry, known)
      if (!equalDigests(this.#digest.of(bytes), key.digest))
        throw await this.#report(key, entry, digestMismatch)
      return bytes
    } catch (error) {
      const moved = this.#movedFrom(key, entry)
      if (moved !== undefined) return this.#reading(key, moved)
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
