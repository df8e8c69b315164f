// Full pages: where to end a value that is gathered from many small ones. LMDB gives a value of more than about a kilobyte pages of its
// own, so what does not fill the last of them is lost: of 8 kB that end anywhere, a third.

import { sealBytes } from './sealed-bytes.ts'

const pageBytes = 4_096
/** Of the first page, what LMDB and the checksum take. */
const headBytes = 32 + sealBytes
/** So that little is read for what is wanted of it. */
export const enoughBytes = 6 * 1_024

/** Whether `bytes` are enough, and `more` of them would begin another page. */
export function isFull(bytes: number, more: number): boolean {
  return bytes >= enoughBytes && pagesOf(bytes + more) > pagesOf(bytes)
}

function pagesOf(bytes: number): number {
  return Math.ceil((headBytes + bytes) / pageBytes)
}
