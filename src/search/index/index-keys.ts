// Keys of the search index.

import { hash } from 'node:crypto'

/** As latin1. */
export function pageKey(href: string): string {
  return hash('sha256', href, 'latin1').slice(0, 12)
}

/** The same on every peer: results are told apart, and put in order where they score alike, by it. */
export function pageNumber(href: string): number {
  return Buffer.from(pageKey(href), 'latin1').readUIntBE(0, 6)
}

export function documentKey(id: number): Buffer {
  const key = Buffer.allocUnsafe(6)
  key.writeUIntBE(id, 0, 6)
  return key
}
