// Ranges of addresses in CIDR notation, as `--allow-address` takes them: `10.0.0.0/8`, `fd00::/8`, or one address.

import { PolyhistorError } from '../../errors.ts'
import { type IpAddress, parseIpAddress } from './ip-address.ts'

export interface AddressRange {
  readonly text: string
  readonly first: IpAddress
  readonly prefixBits: number
}

export class AddressRangeError extends PolyhistorError {
  declare readonly code: 'address-range-malformed'

  constructor(text: string, why: string) {
    super(
      'address-range-malformed',
      `"${text.slice(0, 80)}" is no address range: ${why}. Write it like 10.0.0.0/8 or fd00::/8.`,
    )
  }
}

/** Throws AddressRangeError. */
export function parseAddressRange(text: string): AddressRange {
  const [addressText, bitsText, ...more] = text.trim().split('/')
  const first = parseIpAddress(addressText!)
  if (first === undefined || more.length > 0) throw new AddressRangeError(text, 'it has no IP address')
  const bitsMax = 8 * first.length
  const prefixBits = bitsText === undefined ? bitsMax : prefixOf(bitsText)
  if (!(prefixBits <= bitsMax)) throw new AddressRangeError(text, `its prefix is not from 0 to ${bitsMax}`)
  // A slip such as 10.1.2.3/8 could allow far more than was meant: it is refused, not rounded.
  if (!endsInZeros(first, prefixBits)) {
    throw new AddressRangeError(text, `its address has bits set after the first ${prefixBits}`)
  }
  return { text: text.trim(), first, prefixBits }
}

export function isInRange(address: IpAddress, range: AddressRange): boolean {
  const { first, prefixBits } = range
  if (address.length !== first.length) return false
  const wholeBytes = prefixBits >> 3
  for (let index = 0; index < wholeBytes; index++) if (address[index] !== first[index]) return false
  const restBits = prefixBits & 7
  return restBits === 0 || (address[wholeBytes]! ^ first[wholeBytes]!) >> (8 - restBits) === 0
}

function prefixOf(text: string): number {
  return /^\d{1,3}$/.test(text) ? Number(text) : Number.NaN
}

function endsInZeros(address: IpAddress, prefixBits: number): boolean {
  return address.every((byte, index) => {
    const keptBits = Math.min(8, Math.max(0, prefixBits - 8 * index))
    return (byte & (0xff >> keptBits)) === 0
  })
}
