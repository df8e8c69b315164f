// Compares secrets.

import { timingSafeEqual } from 'node:crypto'

/** Takes as long whether or not they are alike. */
export function isSameSecret(given: string, expected: string): boolean {
  const left = Buffer.from(given)
  const right = Buffer.from(expected)
  return left.length === right.length && timingSafeEqual(left, right)
}
