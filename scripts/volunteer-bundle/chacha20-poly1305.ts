// In place of @chainsafe/as-chacha20poly1305 in the volunteer's bundle: what Noise uses of it, by Node's own cipher. The package is
// WebAssembly, and to compile it takes memory that an idle volunteer would keep.

import { createCipheriv, createDecipheriv } from 'node:crypto'

const cipherName = 'chacha20-poly1305'
const tagBytes = 16

export function newInstance(): undefined {}

export class ChaCha20Poly1305 {
  seal(key: Uint8Array, nonce: Uint8Array, plain: Uint8Array, associated: Uint8Array): Uint8Array {
    const cipher = createCipheriv(cipherName, key, nonce, { authTagLength: tagBytes })
    cipher.setAAD(associated, { plaintextLength: plain.length })
    return Buffer.concat([cipher.update(plain), cipher.final(), cipher.getAuthTag()])
  }

  /** Undefined where it is not what was sealed. */
  open(
    key: Uint8Array,
    nonce: Uint8Array,
    sealed: Uint8Array,
    associated: Uint8Array,
  ): Uint8Array | undefined {
    const end = sealed.length - tagBytes
    if (end < 0) return undefined
    const decipher = createDecipheriv(cipherName, key, nonce, { authTagLength: tagBytes })
    decipher.setAAD(associated, { plaintextLength: end })
    decipher.setAuthTag(sealed.subarray(end))
    const plain = decipher.update(sealed.subarray(0, end))
    try {
      decipher.final()
      return plain
    } catch {
      return undefined
    }
  }
}
