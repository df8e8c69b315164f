// One-time links: whoever opens one becomes the owner in that browser.
//
// Invariants: a code is good once, for `linkLifeMs`, in the process that made it; only its digest is kept; there are at most
// `linksMax` at a time, the oldest gives way. Codes are printed to the owner's terminal and never logged.

import { createHash } from 'node:crypto'
import type { Random } from '../../platform/random.ts'

export const linkLifeMs = 3_600_000
const linksMax = 16
const codeBytes = 24

export class OwnerLinks {
  readonly #random: Random
  readonly #monotonicMs: () => number
  /** When each expires, by the digest of its code; oldest first. */
  readonly #expiresAtMs = new Map<string, number>()

  constructor(needs: { random: Random; monotonicMs: () => number }) {
    this.#random = needs.random
    this.#monotonicMs = needs.monotonicMs
  }

  newCode(): string {
    const code = Buffer.from(this.#random.bytes(codeBytes)).toString('base64url')
    this.#expiresAtMs.set(digestOf(code), this.#monotonicMs() + linkLifeMs)
    const [oldest] = this.#expiresAtMs.keys()
    if (this.#expiresAtMs.size > linksMax) this.#expiresAtMs.delete(oldest!)
    return code
  }

  /** True once for each code. */
  redeem(code: string): boolean {
    const digest = digestOf(code)
    const expiresAtMs = this.#expiresAtMs.get(digest)
    this.#expiresAtMs.delete(digest)
    return expiresAtMs !== undefined && this.#monotonicMs() < expiresAtMs
  }

  /** None is good any more. */
  revoke(): void {
    this.#expiresAtMs.clear()
  }
}

/** Looking up a digest tells nothing by the time it takes. */
function digestOf(code: string): string {
  return createHash('sha256').update(code).digest('base64url')
}
