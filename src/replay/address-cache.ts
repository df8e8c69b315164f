// Addresses that were taken apart lately, for the parts of a page are asked for again and again. Bounded by number; the
// oldest half goes at once, which costs less than keeping an order.

import { parseReplayAddress, type ReplayAddress } from './replay-address.ts'

const addressesMax = 4_096
/** Longer ones are rare, and would make the bound a poor one. */
const targetCharsMax = 1_000

export class AddressCache {
  #recent = new Map<string, ReplayAddress>()
  #older = new Map<string, ReplayAddress>()

  known(target: string): ReplayAddress | undefined {
    return this.#recent.get(target) ?? this.#older.get(target)
  }

  parse(target: string): ReplayAddress {
    const known = this.known(target)
    if (known !== undefined) return known
    const address = parseReplayAddress(target)
    if (target.length > targetCharsMax) return address
    if (this.#recent.size >= addressesMax / 2) {
      this.#older = this.#recent
      this.#recent = new Map()
    }
    this.#recent.set(target, address)
    return address
  }
}
