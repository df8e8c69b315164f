// In place of @chainsafe/as-sha256 in the volunteer's bundle, for the same reason as chacha20-poly1305.ts.

import { hash } from 'node:crypto'

export function digest(data: Uint8Array): Uint8Array {
  return hash('sha256', data, 'buffer')
}
