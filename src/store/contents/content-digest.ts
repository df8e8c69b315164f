// What contents are known by. SHA-256, unless a test wants to see digests collide.

import { type Digest, Digester, digestOf } from '../../model/digest.ts'

export interface ContentDigest {
  of(bytes: Uint8Array): Digest
  /** For content that flows by. */
  start(): { update(chunk: Uint8Array): unknown; finish(): Digest }
}

export const sha256Digest: ContentDigest = {
  of: (bytes) => digestOf('sha256', bytes),
  start: () => new Digester('sha256'),
}
