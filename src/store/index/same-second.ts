// Whether a URL was captured in the same second before: of two such captures the one that was known first stays the one that their
// time means.

import { captureKey, parseCaptureKey, timeBytes } from './capture-key.ts'
import type { StoreIndex } from './store-index.ts'

const secondMs = 1_000
/** Other spellings of the URL lie between. */
const looksMax = 64

/** `key`: of the capture that is about to be entered. */
export function hasSameSecond(index: StoreIndex, key: Uint8Array, href: string): boolean {
  const prefix = Buffer.from(key.subarray(0, -timeBytes - 1))
  const { capturedAtMs } = parseCaptureKey(key)
  const fromMs = Math.floor(capturedAtMs / secondMs) * secondMs
  const range = { from: captureKey(prefix, fromMs, 0), to: captureKey(prefix, fromMs + secondMs, 0) }
  for (const [, entry] of index.captures({ ...range, limit: looksMax })) if (entry.url === href) return true
  return false
}
