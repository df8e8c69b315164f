// The address of one part: put to the guard, and asked only when it has a place free, for many hosts may share it.
//
// Invariant: a place that was taken is given back once. Which address it is, is known only when the connection is made; so who finds it
// busy ends the fetch there, and asks again when a place may be free.

import type { Clock } from '../../platform/clock.ts'
import type { AddressRule } from '../../platform/network/web.ts'
import type { AddressTurns } from '../politeness/host-turns.ts'

/** How often an address that is busy is looked at. */
const lookMs = 100

export class PartAddress implements AddressRule {
  readonly #turns: AddressTurns
  readonly #guard: AddressRule
  #address: string | undefined
  isBusy = false

  constructor(needs: { turns: AddressTurns; guard: AddressRule }) {
    this.#turns = needs.turns
    this.#guard = needs.guard
  }

  refusal(address: string): string | undefined {
    const forbidden = this.#guard.refusal(address)
    if (forbidden !== undefined || address === this.#address) return forbidden
    this.leave(false)
    this.isBusy = !this.#turns.enterAddress(address)
    if (this.isBusy) return 'the address is being asked by others'
    this.#address = address
    return undefined
  }

  leave(wasAsked: boolean): void {
    if (this.#address !== undefined) this.#turns.leaveAddress(this.#address, wasAsked)
    this.#address = undefined
  }
}

/** Asks again while the address is busy. undefined when that takes too long. */
export async function askWhenFree<T>(
  { clock, turns, guard }: { clock: Clock; turns: AddressTurns; guard: AddressRule },
  ask: (address: PartAddress) => Promise<T>,
  { waitMsMax, signal }: { waitMsMax: number; signal: AbortSignal },
): Promise<T | undefined> {
  const untilMs = clock.monotonicMs() + waitMsMax
  for (;;) {
    const address = new PartAddress({ turns, guard })
    try {
      const given = await ask(address)
      if (!address.isBusy) return given
    } finally {
      address.leave(false)
    }
    if (clock.monotonicMs() >= untilMs) return undefined
    await clock.sleep(lookMs, signal)
  }
}
