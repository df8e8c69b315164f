// Address gate: many host names may lead to one machine, which must not be hit by all of them at once.
//
// Invariants: at most perAddressMax requests are under way to an address, and a new one begins addressDelayMs after the
// last that ended, or later. Only addresses in use or lately used are remembered, at most addressesMax of these.
// In memory only: after a restart every host waits its own pause, which covers this one. Pure but for its state: the time
// is passed in.

import assert from 'node:assert/strict'
import type { PolitenessRules } from './politeness-rules.ts'

const addressesMax = 10_000

interface Use {
  underWay: number
  nextAtMs: number
}

export class AddressGate {
  readonly #rules: PolitenessRules
  readonly #uses = new Map<string, Use>()

  constructor(rules: PolitenessRules) {
    this.#rules = rules
  }

  /** When a request may begin; Infinity while as many as may be are under way. */
  nextAtMs(address: string): number {
    const use = this.#uses.get(address)
    if (use === undefined) return 0
    return use.underWay >= this.#rules.perAddressMax ? Number.POSITIVE_INFINITY : use.nextAtMs
  }

  /** A request begins, whether it may or not: who learns the address late begins late. */
  begin(address: string): void {
    const use = this.#uses.get(address) ?? { underWay: 0, nextAtMs: 0 }
    use.underWay++
    this.#uses.set(address, use)
    if (this.#uses.size > addressesMax) this.#forgetIdle()
  }

  /** `endedAtMs` is undefined when it was not asked after all. */
  end(address: string, endedAtMs: number | undefined): void {
    const use = this.#uses.get(address)
    assert(use !== undefined && use.underWay > 0, `${address} was not in use`)
    use.underWay--
    if (endedAtMs !== undefined) use.nextAtMs = Math.max(use.nextAtMs, endedAtMs + this.#rules.addressDelayMs)
    // Last used, last forgotten.
    this.#uses.delete(address)
    if (use.underWay > 0 || this.#rules.addressDelayMs > 0) this.#uses.set(address, use)
  }

  #forgetIdle(): void {
    for (const [address, use] of this.#uses) {
      if (use.underWay === 0) this.#uses.delete(address)
      if (this.#uses.size <= addressesMax >> 1) return
    }
  }
}
