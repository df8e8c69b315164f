// Which addresses the crawler may connect to: public ones, and what its owner allows.
//
// Invariant: text that is not surely an address is refused. Whoever resolves and connects asks for every address, at
// the moment of connecting, and connects to the very address that was asked about; so a name that changes its answer
// between two questions (DNS rebinding) gains nothing.

import { type AddressRange, isInRange } from './address-range.ts'
import { embeddedAddressOf } from './embedded-address.ts'
import { addressOfHost, type IpAddress, parseIpAddress } from './ip-address.ts'
import { specialNameOf } from './special-ranges.ts'

export class AddressGuard {
  readonly #allowed: readonly AddressRange[]

  constructor(allowed: readonly AddressRange[] = []) {
    this.#allowed = allowed
  }

  /** Why this address must not be connected to, or undefined when it may be. */
  refusal(text: string): string | undefined {
    const address = parseIpAddress(text)
    if (address === undefined) return `${text} is no IP address`
    const name = this.#forbiddenName(address)
    return name === undefined ? undefined : `${text} is a special address (${name})`
  }

  /** The same for the host of a URL, as far as it can be told without resolving a name. */
  refusalOfHost(host: string): string | undefined {
    const literal = addressOfHost(host)
    return literal === undefined ? undefined : this.refusal(literal)
  }

  #forbiddenName(address: IpAddress): string | undefined {
    if (this.#allowed.some((range) => isInRange(address, range))) return undefined
    const embedded = embeddedAddressOf(address)
    if (embedded === undefined) return specialNameOf(address)
    const inner = this.#forbiddenName(embedded.address)
    if (inner !== undefined) return `${inner}, written as IPv6`
    return embedded.how === 'stands-for' ? undefined : specialNameOf(address)
  }
}
