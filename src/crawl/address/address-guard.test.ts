import assert from 'node:assert/strict'
import { BlockList } from 'node:net'
import fc from 'fast-check'
import { describe, test } from 'vitest'
import { testProperties } from '../../model/fixtures/property-tests.ts'
import { parseUrl } from '../../model/url/url.ts'
import { properties } from './address-guard.fuzz.ts'
import { AddressGuard } from './address-guard.ts'
import { AddressRangeError, isInRange, parseAddressRange } from './address-range.ts'
import { addressOfHost, parseIpAddress } from './ip-address.ts'

const strict = new AddressGuard()
const allowing = (...ranges: string[]): AddressGuard => new AddressGuard(ranges.map(parseAddressRange))

const forbidden: Record<string, string[]> = {
  'this network': ['0.0.0.0', '0.1.2.3', '0.255.255.255'],
  private: ['10.0.0.0', '10.255.255.255', '172.16.0.1', '172.31.255.255', '192.168.0.1'],
  CGNAT: ['100.64.0.0', '100.127.255.255'],
  loopback: ['127.0.0.1', '127.255.255.255', '::1'],
  'link-local': ['169.254.169.254', 'fe80::1', 'febf::1'],
  protocols: ['192.0.0.1', '192.0.0.192', '192.88.99.1', '2001:1::1', '2001:2::1', '2001:20::1'],
  documentation: ['192.0.2.1', '198.51.100.7', '203.0.113.255', '2001:db8::1', '3fff:fff::1'],
  benchmarking: ['198.18.0.0', '198.19.255.255'],
  multicast: ['224.0.0.1', '239.255.255.255', 'ff02::1', 'ffff::1'],
  'reserved and broadcast': ['240.0.0.1', '255.255.255.254', '255.255.255.255', '4000::1', '1::1', 'fe00::1'],
  unspecified: ['::'],
  'unique local': ['fc00::1', 'fdff:ffff::1'],
  'site-local': ['fec0::1', 'feff::1'],
  discard: ['100::1'],
  'IPv4-mapped': [
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '::ffff:10.0.0.1',
    '::FFFF:169.254.169.254',
    '::ffff:0.0.0.0',
  ],
  'IPv4-compatible, also of public addresses': ['::127.0.0.1', '::7f00:1', '::8.8.8.8'],
  'IPv4-translated': ['::ffff:0:127.0.0.1'],
  NAT64: ['64:ff9b::127.0.0.1', '64:ff9b::a00:1', '64:ff9b:1::8.8.8.8', '64:ff9b:1:ffff::1'],
  '6to4, also of public addresses': ['2002:7f00:1::', '2002:c0a8:101::1', '2002:808:808::1'],
  Teredo: ['2001::1', '2001:0:808:808::1', '2001:0:4136:e378:8000:63bf:3fff:fdd2'],
  ISATAP: ['2606:2800:220:1:0:5efe:10.0.0.1', '2606:2800:220:1:200:5efe:7f00:1', 'fe80::5efe:8.8.8.8'],
  'no address': [
    '',
    'example.com',
    '127.1',
    '0x7f.0.0.1',
    '010.0.0.1',
    '1.2.3.4.5',
    '256.1.1.1',
    '1.2.3',
    'fe80::1%eth0',
    '1::2::3',
    '::1:',
    ':1',
    '12345::',
    '1:2:3:4:5:6:7',
    '1:2:3:4:5:6:7:8:9',
    '1:2:3:4:5:6:7::8:9',
    '::1.2.3.4:5',
    '::1.2.3.4:1.2.3.4',
    '1.2.3.4::',
    ' 8.8.8.8',
  ],
}

for (const [name, addresses] of Object.entries(forbidden)) {
  test(`never to ${name}`, () => {
    for (const address of addresses) assert.notEqual(strict.refusal(address), undefined, address)
  })
}

test('public addresses are allowed, up to the edges of the special ranges', () => {
  const addresses = [
    '1.0.0.0',
    '8.8.8.8',
    '9.255.255.255',
    '11.0.0.0',
    '100.63.255.255',
    '100.128.0.0',
    '126.255.255.255',
    '128.0.0.0',
    '169.253.255.255',
    '169.255.0.0',
    '172.15.255.255',
    '172.32.0.0',
    '191.255.255.255',
    '192.0.1.0',
    '192.0.3.0',
    '192.167.255.255',
    '192.169.0.0',
    '198.17.255.255',
    '198.20.0.0',
    '223.255.255.255',
    '2000::1',
    '2001:200::1',
    '2606:2800:220:1:248:1893:25c8:1946',
    '2a00::1',
    '3ffe::1',
    '2003::1',
    '::ffff:8.8.8.8',
    '64:ff9b::808:808',
    '2606:2800:220:1:0:5efe:8.8.8.8',
  ]
  for (const address of addresses) assert.equal(strict.refusal(address), undefined, address)
})

test('what the owner allows is allowed, also when written as IPv6, and nothing next to it', () => {
  const guard = allowing('127.0.0.0/8', 'fd00::/8', '10.1.2.3')
  for (const address of [
    '127.0.0.1',
    '::ffff:127.9.9.9',
    'fd12::1',
    '10.1.2.3',
    '8.8.8.8',
    '64:ff9b::10.1.2.3',
  ]) {
    assert.equal(guard.refusal(address), undefined, address)
  }
  for (const address of ['10.1.2.4', '128.0.0.1%x', 'fc00::1', '::1', '::127.0.0.1', '2002:7f00:1::']) {
    assert.notEqual(guard.refusal(address), undefined, address)
  }
  assert.equal(allowing('2002::/16').refusal('2002:7f00:1::'), undefined)
  assert.equal(allowing('0.0.0.0/0', '::/0').refusal('::1'), undefined)
})

test('a refusal says what the address is', () => {
  assert.equal(strict.refusal('127.0.0.1'), '127.0.0.1 is a special address (loopback)')
  assert.equal(
    strict.refusal('::ffff:10.0.0.1'),
    '::ffff:10.0.0.1 is a special address (private, written as IPv6)',
  )
  assert.equal(strict.refusal('2002::'), '2002:: is a special address (6to4)')
})

test('literals are found in every spelling that a URL may have', () => {
  const spellings = [
    '127.0.0.1',
    '127.1',
    '0x7f.1',
    '0x7F000001',
    '2130706433',
    '0177.0.0.1',
    '017700000001',
    '127.0.0.1.',
    '%31%32%37.0.0.1',
    '①②⑦.0.0.1',
    '[::1]',
    '[::ffff:127.0.0.1]',
    '[0:0:0:0:0:0:0:1]',
    '[::FFFF:7F00:1]',
    '0',
    '[::]',
  ]
  for (const host of spellings) {
    assert.notEqual(strict.refusalOfHost(parseUrl(`http://${host}/`).host), undefined, host)
  }
  for (const host of ['example.com', '8.8.8.8', '[2606:2800:220::1]', '127.0.0.1.example.com', 'a.127']) {
    if (!URL.canParse(`http://${host}/`)) continue
    assert.equal(strict.refusalOfHost(parseUrl(`http://${host}/`).host), undefined, host)
  }
  assert.equal(addressOfHost('[::1]'), '::1')
  assert.equal(addressOfHost('1.2.3.4'), '1.2.3.4')
  assert.equal(addressOfHost('example.com'), undefined)
})

test('ranges that are not surely meant are refused', () => {
  for (const text of [
    '',
    '10.0.0.0/',
    '10.0.0.0/33',
    '10.0.0.1/8',
    'fd00::/129',
    'fd00::1/8',
    'localhost',
    '10.0.0.0/8/8',
    '10.0.0.0/-1',
    '10.0.0.0/ 8',
    '10.0.0.0/1e1',
  ]) {
    assert.throws(() => parseAddressRange(text), AddressRangeError, text)
  }
  assert.deepEqual(parseAddressRange(' 10.0.0.0/8 ').prefixBits, 8)
  assert.deepEqual(parseAddressRange('::1').prefixBits, 128)
})

test('ranges hold what the operating system says they hold', () => {
  for (const text of [
    '10.0.0.0/8',
    '172.16.0.0/12',
    '100.64.0.0/10',
    '0.0.0.0/0',
    '8.8.8.8/32',
    '128.0.0.0/1',
    '198.18.0.0/15',
  ]) {
    const [address, bits] = text.split('/') as [string, string]
    const list = new BlockList()
    list.addSubnet(address, Number(bits))
    const range = parseAddressRange(text)
    fc.assert(
      fc.property(fc.ipV4(), (other) => {
        assert.equal(isInRange(parseIpAddress(other)!, range), list.check(other), other)
      }),
      { seed: 1, numRuns: 200 },
    )
  }
})

describe('of any input', () => {
  testProperties(properties, 500)
})
