// Addresses of any kind, against Node's own parser.

import assert from 'node:assert/strict'
import { BlockList, isIP } from 'node:net'
import fc from 'fast-check'
import { AddressGuard } from './address-guard.ts'
import { parseIpAddress } from './ip-address.ts'

const special = new BlockList()
for (const [address, bits] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['224.0.0.0', 3],
] as const) {
  special.addSubnet(address, bits)
}

const guard = new AddressGuard()
const addressLike = fc.oneof(
  fc.ipV4(),
  fc.ipV6(),
  fc.string({ unit: fc.constantFrom(...'0123456789abcdef:.:%'), maxLength: 45 }),
  fc.string(),
)

export const properties = [
  {
    name: 'text is an address where Node says so, zones apart',
    property: fc.property(addressLike, (text) => {
      assert.equal(parseIpAddress(text) !== undefined, isIP(text) !== 0 && !text.includes('%'), text)
    }),
  },
  {
    name: 'no special IPv4 address is allowed in any form',
    property: fc.property(fc.ipV4(), (text) => {
      if (!special.check(text)) return
      for (const form of [text, `::ffff:${text}`, `::${text}`, `64:ff9b::${text}`, `2600::5efe:${text}`]) {
        assert.notEqual(guard.refusal(form), undefined, form)
      }
    }),
  },
  {
    name: 'no IPv6 address outside of global unicast is allowed unless it stands for IPv4',
    property: fc.property(fc.uint8Array({ minLength: 16, maxLength: 16 }), (bytes) => {
      const groups = Array.from({ length: 8 }, (_, index) =>
        ((bytes[2 * index]! << 8) | bytes[2 * index + 1]!).toString(16),
      )
      if (bytes[0]! >> 5 === 1 || (bytes[0] === 0 && bytes[1]! <= 0x64)) return
      assert.notEqual(guard.refusal(groups.join(':')), undefined)
    }),
  },
]
