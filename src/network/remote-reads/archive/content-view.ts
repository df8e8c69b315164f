// The store's contents as a view, by digest: for peers whose captures name what is kept here.
//
// Only what is here is given: nobody is sent on, so that no question goes round in circles.

import type { CaptureRecord } from '../../../model/archive.ts'
import { type Digest, digestHex, parseDigest } from '../../../model/digest.ts'
import type { Store } from '../../../store/store.ts'
import { ReadingError } from '../reading-error.ts'
import type { LocalView, NetworkCapture } from '../view.ts'

export class ContentView implements LocalView {
  readonly #store: Store

  constructor(store: Store) {
    this.#store = store
  }

  list(): [] {
    return []
  }

  isComplete(): boolean {
    return false
  }

  async records(): Promise<never> {
    throw new ReadingError('reading-unavailable', 'Contents have no records')
  }

  async read(cursor: string): Promise<CaptureRecord> {
    const digest = parseDigest(`sha256:${cursor}`)
    if (!this.#store.elsewhere.has(digest))
      throw new ReadingError('reading-unavailable', 'That content is not kept here')
    // Whoever asks knows its size.
    return { head: undefined, sizeBytes: 0, payload: () => this.#store.get({ digest, overflow: 0 }) }
  }
}

/** As a capture that is nothing but its payload, for who reads views. `url`: its site's peers have it. */
export function contentAsCapture(url: string, digest: Digest, payloadBytes: number): NetworkCapture {
  const name = digestHex(digest)
  return {
    url,
    surt: '',
    capturedAtMs: 0,
    status: 0,
    mime: '',
    kind: 'plain',
    content: { digest, overflow: 0 },
    payloadBytes,
    storedBytes: 0,
    recordId: name,
    cursor: name,
  }
}
