// Is this payload in the store already? Webstore's three modes of answering.

import type { Digest } from '../../model/digest.ts'
import type { StoreMode } from '../capture.ts'
import { type ContentEntry, isHidden } from '../index/content-entry.ts'
import type { StoreIndex } from '../index/store-index.ts'
import { StoreError } from '../store-error.ts'
import { type ContentKey, overflowMax } from './content-key.ts'
import type { ContentLoader } from './content-loader.ts'

export interface PayloadFacts {
  payload: Uint8Array | undefined
  payloadBytes: number
  payloadDigest: Digest
}

export class ContentMatcher {
  readonly #index: StoreIndex
  readonly #loader: ContentLoader
  /** Digests that no content has, with the revision of the index that said so. */
  readonly #missing = new WeakMap<Digest, number>()

  constructor(needs: { index: StoreIndex; loader: ContentLoader }) {
    this.#index = needs.index
    this.#loader = needs.loader
  }

  /** The content that this payload is a duplicate of, if any. A damaged one counts as gone: the payload is at hand. Only
   * comparing takes a promise. */
  find(
    facts: PayloadFacts,
    mode: StoreMode = 'regular',
  ): ContentKey | undefined | Promise<ContentKey | undefined> {
    const { payloadDigest } = facts
    if (mode === 'force-new' || payloadDigest.algorithm !== 'sha256' || this.#isMissing(payloadDigest))
      return undefined
    if (mode === 'compare') return this.#findEqual(facts)
    // Nearly always it is the first with its digest: one look finds it, and a range costs several.
    const first = { digest: payloadDigest, overflow: 0 }
    if (this.#index.mayOverflow && isLike(this.#index.content(first), facts)) return first
    return this.#candidates(payloadDigest).find(([, entry]) => isLike(entry, facts))?.[0]
  }

  /** A content in quarantine whose bytes these are. Not where digests are not believed: there is nothing to compare with. */
  damaged(facts: PayloadFacts, mode: StoreMode = 'regular'): ContentKey | undefined {
    if (mode !== 'regular') return undefined
    for (const [key, entry] of this.#candidates(facts.payloadDigest)) {
      if (entry.isDamaged && entry.sizeBytes === facts.payloadBytes) return key
    }
    return undefined
  }

  /** The first content with this digest. */
  holding(digest: Digest): ContentKey | undefined {
    const wanted = this.digestHere(digest)
    if (wanted !== undefined) for (const [key] of this.#candidates(wanted)) return key
    return undefined
  }

  /** Whether it may be given out. */
  isVisible(digest: Digest): boolean {
    const wanted = this.digestHere(digest)
    return wanted !== undefined && this.#candidates(wanted).some(([, entry]) => !isHidden(entry))
  }

  /** The digest that we would know this content by: SHA-1 digests of imported archives are told by what came with them.
   * undefined when nothing did. */
  digestHere(digest: Digest): Digest | undefined {
    if (digest.algorithm === 'sha256') return digest
    const bytes = this.#index.alias(digest.bytes)
    return bytes && { algorithm: 'sha256', bytes }
  }

  /** The key that a new content with this digest gets. */
  free(digest: Digest): ContentKey {
    if (this.#isMissing(digest)) return { digest, overflow: 0 }
    for (let overflow = 0; overflow <= overflowMax; overflow++) {
      const key = { digest, overflow }
      if (this.#index.content(key) === undefined) return key
    }
    throw new StoreError(
      'store-bad-capture',
      `There are ${overflowMax + 1} contents with one digest already.`,
    )
  }

  /** Overflow numbers have gaps where contents were deleted, so the table is asked for all that there are, if any has one.
   * Whoever has a new payload asks again and again; what was not there still is not while nothing has changed. */
  #candidates(digest: Digest): [ContentKey, ContentEntry][] {
    if (digest.algorithm !== 'sha256' || this.#isMissing(digest)) return []
    const found = this.#index.mayOverflow ? this.#all(digest) : this.#first(digest)
    if (found.length === 0) this.#missing.set(digest, this.#index.revision)
    return found
  }

  #first(digest: Digest): [ContentKey, ContentEntry][] {
    const key = { digest, overflow: 0 }
    const entry = this.#index.content(key)
    return entry === undefined ? [] : [[key, entry]]
  }

  #all(digest: Digest): [ContentKey, ContentEntry][] {
    const to = Buffer.concat([digest.bytes, Buffer.from([0xff, 0xff, 0xff])])
    return [...this.#index.contents({ from: digest.bytes, to })]
  }

  #isMissing(digest: Digest): boolean {
    return this.#missing.get(digest) === this.#index.revision
  }

  async #findEqual(facts: PayloadFacts): Promise<ContentKey | undefined> {
    for (const [key, entry] of this.#candidates(facts.payloadDigest)) {
      if (isLike(entry, facts) && (await this.#isEqual(key, facts))) return key
    }
    return undefined
  }

  async #isEqual(key: ContentKey, facts: PayloadFacts): Promise<boolean> {
    // What is too large for memory was digested by its caller, and is compared by its digest alone.
    if (facts.payload === undefined) return true
    try {
      return Buffer.compare(await this.#loader.bytes(key), facts.payload) === 0
    } catch (error) {
      // Nothing to compare with: kept anew, then.
      if (error instanceof StoreError && error.code === 'store-content-damaged') return false
      throw error
    }
  }
}

function isLike(entry: ContentEntry | undefined, facts: PayloadFacts): boolean {
  return entry !== undefined && entry.sizeBytes === facts.payloadBytes && !entry.isDamaged
}
