// Which payloads of other peers the captures here need, by site: what those who keep them are told, and told again.
//
// In the index: `elsewhere` has a key for every such capture, by digest first; `unneeded` the digest and site of those whose
// last one was taken down, until somebody was told.

import type { Digest } from '../../model/digest.ts'
import { type RingKey, ringKeyBytes, ringKeyFromBytes, ringKeyToBytes } from '../../model/ring-key.ts'
import type { Table } from '../../platform/storage/key-value.ts'
import { afterPrefix } from '../index/capture-key.ts'
import type { StoreIndex } from '../index/store-index.ts'

export interface Reference {
  readonly digest: Digest
  /** Of the site whose captures need it. */
  readonly site: RingKey
}

const digestBytes = 32

export class References {
  readonly #index: StoreIndex

  constructor(needs: { index: StoreIndex }) {
    this.#index = needs.index
  }

  has(reference: Reference): boolean {
    return !isEmpty(this.#index.elsewhere, keyOf(reference))
  }

  /** In the order of digests, after that one; each once. */
  *all(after?: Reference): Generator<Reference> {
    // Captures of one site lie together: one look for each, however many they are.
    for (let from = after && afterPrefix(keyOf(after)); ; ) {
      const [entry] = this.#index.elsewhere.range({ ...(from && { from }), limit: 1 })
      if (entry === undefined) return
      const reference = referenceIn(entry[0])
      yield reference
      from = afterPrefix(keyOf(reference))
      if (from === undefined) return
    }
  }

  /** Those that ended and were not yet forgotten. */
  ended(limit: number): Reference[] {
    return [...this.#index.unneeded.range({ limit })].map(([key]) => referenceIn(key))
  }

  forgetEnded(references: readonly Reference[]): Promise<void> {
    return this.#index.changeForGood(() => {
      for (const reference of references) this.#index.unneeded.remove(keyOf(reference))
    })
  }
}

/** Inside an index change: a capture came that needs this. `key`: of the capture. */
export function addReference(index: StoreIndex, digest: Digest, key: Uint8Array): void {
  index.elsewhere.put(Buffer.concat([digest.bytes, key]), Buffer.from([0]))
  index.unneeded.remove(prefixOf(digest, key))
}

/** Inside an index change. `isForGood`: it was not only dropped here. */
export function removeReference(
  index: StoreIndex,
  digest: Digest,
  key: Uint8Array,
  isForGood: boolean,
): void {
  index.elsewhere.remove(Buffer.concat([digest.bytes, key]))
  const prefix = prefixOf(digest, key)
  if (isForGood && isEmpty(index.elsewhere, prefix)) index.unneeded.put(prefix, Buffer.from([0]))
}

function isEmpty(table: Table, prefix: Buffer): boolean {
  const to = afterPrefix(prefix)
  for (const _ of table.range({ from: prefix, ...(to && { to }), limit: 1 })) return false
  return true
}

function prefixOf(digest: Digest, key: Uint8Array): Buffer {
  return Buffer.concat([digest.bytes, key.subarray(0, ringKeyBytes)])
}

function keyOf({ digest, site }: Reference): Buffer {
  return Buffer.concat([digest.bytes, ringKeyToBytes(site)])
}

function referenceIn(key: Uint8Array): Reference {
  return {
    digest: { algorithm: 'sha256', bytes: Buffer.from(key.subarray(0, digestBytes)) },
    site: ringKeyFromBytes(key.subarray(digestBytes, digestBytes + ringKeyBytes)),
  }
}
