// SHA-256 of volumes on their way from one place to another.

import { createHash } from 'node:crypto'
import { StoreError } from '../../store-error.ts'
import type { ReceiveOptions, WholeVolume } from './volume-place.ts'

/** In hex. Fails when the volume is not as long as it is to be: its end is lost, and a copy would lack it as well. */
export async function wholeDigest(
  { name, sizeBytes, chunks }: WholeVolume,
  { signal }: ReceiveOptions = {},
): Promise<string> {
  const hash = createHash('sha256')
  let length = 0
  for await (const chunk of chunks(0)) {
    signal?.throwIfAborted()
    hash.update(chunk)
    length += chunk.length
  }
  checkLength(name, length, sizeBytes)
  return hash.digest('hex')
}

export function checkLength(name: string, length: number, sizeBytes: number): void {
  if (length === sizeBytes) return
  throw new StoreError(
    'store-content-damaged',
    `${name} has ${length} bytes instead of ${sizeBytes}. Scrub the store, then move it.`,
  )
}

export function notTheSame(path: string): StoreError {
  return new StoreError(
    'store-copy-differs',
    `${path} was not what was sent when it was read again. The volume stays where it was; try again.`,
  )
}
