// Whether something could not be opened because its disk is full or read-only, or the place not ours to write to: what is there can
// still be read (localReadingWorld in local-world.ts).

import { PolyhistorError } from '../../errors.ts'

const codes: ReadonlySet<string> = new Set([
  'home-not-lockable',
  'home-full',
  'disk-full',
  'disk-read-only',
  'disk-not-permitted',
  'index-full',
  'index-failure',
])

export function isUnwritable(error: unknown): error is PolyhistorError {
  return error instanceof PolyhistorError && codes.has(error.code)
}
