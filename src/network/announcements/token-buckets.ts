// Token buckets: rate limits with bursts, one bucket per name.
//
// Invariant: at most `bucketsMax` are remembered; the one used longest ago is forgotten first, which fills it.

import { LruCache } from '../../model/lru-cache.ts'

interface BucketLimits {
  readonly burst: number
  readonly perMinute: number
}

const bucketsMax = 4_096
const minuteMs = 60_000

export class TokenBuckets {
  readonly #nowMs: () => number
  readonly #buckets = new LruCache<string, { tokens: number; atMs: number }>({ max: bucketsMax })

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs
  }

  /** False when there are not enough left: then none are taken. */
  take(name: string, tokens: number, { burst, perMinute }: BucketLimits): boolean {
    const atMs = this.#nowMs()
    const before = this.#buckets.get(name) ?? { tokens: burst, atMs }
    const filled = Math.min(burst, before.tokens + ((atMs - before.atMs) / minuteMs) * perMinute)
    const isEnough = filled >= tokens
    this.#buckets.set(name, { tokens: isEnough ? filled - tokens : filled, atMs })
    return isEnough
  }
}
