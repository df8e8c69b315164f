// "Did you mean …?"

import { createRequire } from 'node:module'

// Loaded when somebody has mistyped something.
const load = createRequire(import.meta.url)

/** A sentence that names the known word nearest to an unknown one, or nothing when none is near. */
export function didYouMean(word: string, known: readonly string[]): string {
  if (known.length === 0) return ''
  const { closest, distance } = load('fastest-levenshtein') as typeof import('fastest-levenshtein')
  const nearest = closest(word, known)
  const isNear = distance(word.toLowerCase(), nearest.toLowerCase()) <= Math.max(2, word.length * 0.4)
  return isNear ? ` Did you mean ${nearest}?` : ''
}
