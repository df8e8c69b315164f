// Contents by key, without URL or time: Webstore's store, retrieve and delete.

import { type Digest, digestHex } from '../../model/digest.ts'
import type { KeepOptions } from '../capture.ts'
import { isHidden, newContentEntry } from '../index/content-entry.ts'
import type { SharedChanges } from '../index/shared-changes.ts'
import type { KeyedMutex } from '../keyed-mutex.ts'
import { StoreError } from '../store-error.ts'
import type { Repair } from '../upkeep/repair.ts'
import type { WritingParts } from '../writing-parts.ts'
import type { ContentCache } from './content-cache.ts'
import { type ContentKey, printContentKey } from './content-key.ts'
import { type ContentLoader, missingContent } from './content-loader.ts'
import type { PayloadFacts } from './content-matcher.ts'

export interface PutOptions extends KeepOptions {
  contentType?: string | undefined
}

/** Bytes too many for memory. */
export interface LargeContent {
  readonly sizeBytes: number
  /** SHA-256 of the bytes. */
  readonly digest: Digest
  /** Can be asked for again. */
  chunks(): AsyncIterable<Uint8Array>
}

interface Needs extends WritingParts {
  changes: SharedChanges
  loader: ContentLoader
  repair: Repair
  cache: ContentCache
  mutex: KeyedMutex
}

export class Contents {
  readonly #needs: Needs

  constructor(needs: Needs) {
    this.#needs = needs
  }

  /** Resolves when durable. The same bytes put again only count one more reference. */
  async put(content: Uint8Array | LargeContent, options: PutOptions = {}): Promise<ContentKey> {
    const { matcher, repair, mutex } = this.#needs
    const facts = this.#factsOf(content)
    for (;;) {
      const found = matcher.find(facts, options.mode)
      const match = found instanceof Promise ? await found : found
      if (match === undefined) break
      if (await this.#putAgain(match)) return match
    }
    return mutex.run(digestHex(facts.payloadDigest), async () => {
      const found = matcher.find(facts, options.mode) ?? repair.heal(facts, options.mode)
      const meanwhile = found instanceof Promise ? await found : found
      if (meanwhile !== undefined && (await this.#putAgain(meanwhile))) return meanwhile
      return this.#putNew(matcher.free(facts.payloadDigest), content, options)
    })
  }

  /** Its bytes, verified as they flow. */
  get(key: ContentKey): AsyncIterable<Uint8Array> {
    const { index, loader } = this.#needs
    const entry = index.content(key)
    // Where only what was taken down needs it, it is as if it were not here.
    return entry !== undefined && isHidden(entry) ? missing(key) : loader.chunks(key)
  }

  /** Takes one put back; when nothing else needs the content, its bytes go at the next compaction. */
  async delete(key: ContentKey): Promise<void> {
    const { ledger, changes, cache } = this.#needs
    const left = await changes.changeForGood(() => ledger.removePut(key))
    if (left === undefined) throw this.#cannotDelete(key)
    if (left.references === 0) cache.remove(key)
  }

  async #putAgain(key: ContentKey): Promise<boolean> {
    const { ledger, changes } = this.#needs
    return changes.changeForGood(() => {
      const entry = ledger.addReference(key, { isPut: true })
      if (entry !== undefined) ledger.countPut(entry.sizeBytes)
      return entry !== undefined
    })
  }

  #factsOf(content: Uint8Array | LargeContent): PayloadFacts {
    if (!(content instanceof Uint8Array)) {
      return { payload: undefined, payloadBytes: content.sizeBytes, payloadDigest: content.digest }
    }
    return { payload: content, payloadBytes: content.length, payloadDigest: this.#needs.digest.of(content) }
  }

  async #putNew(
    key: ContentKey,
    content: Uint8Array | LargeContent,
    options: PutOptions,
  ): Promise<ContentKey> {
    const { ledger, builder, volumes, random, clock } = this.#needs
    const sizeBytes = content instanceof Uint8Array ? content.length : content.sizeBytes
    const record = await builder.content(key, content, {
      id: random.uuid(),
      nowMs: clock.nowMs(),
      contentType: options.contentType ?? 'application/octet-stream',
    })
    await volumes.append(
      {
        bytes: record,
        commit: (location) => {
          const { checksum } = location
          ledger.addContent(key, { ...newContentEntry(location, sizeBytes), puts: 1, checksum })
          ledger.countPut(sizeBytes)
        },
      },
      { folder: options.folder },
    )
    return key
  }

  #cannotDelete(key: ContentKey): StoreError {
    const held = this.#needs.index.content(key)?.references ?? 0
    const why =
      held === 0 ? 'is not in this store' : `was never put: ${held} captures or deltas need it (see takedown)`
    return new StoreError('store-not-found', `Content ${printContentKey(key)} ${why}.`)
  }
}

// biome-ignore lint/correctness/useYield: it fails when it is read, as all others do.
async function* missing(key: ContentKey): AsyncGenerator<Uint8Array> {
  throw missingContent(key)
}
