// Chance from the operating system, fit for keys.

import { randomBytes, randomInt, randomUUID } from 'node:crypto'
import type { Random } from '../random.ts'

export class RealRandom implements Random {
  bytes(length: number): Uint8Array {
    return new Uint8Array(randomBytes(length))
  }

  below(limit: number): number {
    // randomInt rejects what would make low numbers likelier, and asserts its own limits.
    return randomInt(limit)
  }

  fraction(): number {
    // 53 bits, as many as a number in [0, 1) can tell apart evenly; randomInt gives at most 48 at a time.
    return (randomInt(2 ** 26) * 2 ** 27 + randomInt(2 ** 27)) / 2 ** 53
  }

  uuid(): string {
    return randomUUID()
  }
}
