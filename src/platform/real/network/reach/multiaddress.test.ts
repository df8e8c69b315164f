import assert from 'node:assert/strict'
import { test } from 'vitest'
import { byReach, canBeOffered, hostPartOf, isRelayed, placePartOf, portOf, relayOf } from './multiaddress.ts'

const relayed = '/ip4/203.0.113.1/tcp/7071/p2p/12D3R/p2p-circuit/p2p/12D3X'

test('an address tells its parts; a relayed one names the relay, not where its peer is', () => {
  const direct = '/ip4/192.0.2.7/tcp/7071/p2p/12D3X'
  assert.deepEqual(
    [hostPartOf(direct), placePartOf(direct), portOf(direct), relayOf(direct), isRelayed(direct)],
    ['/ip4/192.0.2.7', '/ip4/192.0.2.7/tcp/7071', 7071, undefined, false],
  )
  assert.deepEqual(
    [hostPartOf(relayed), placePartOf(relayed), relayOf(relayed), isRelayed(relayed)],
    [undefined, undefined, '12D3R', true],
  )
})

test('what leads here from furthest away comes first, and direct before relayed', () => {
  const addresses = [
    '/ip4/127.0.0.1/tcp/1',
    relayed,
    '/ip4/192.168.1.2/tcp/1',
    '/ip4/100.64.3.2/tcp/1',
    '/ip6/2001:db8::1/tcp/1',
    '/ip6/fd00::1/tcp/1',
  ]
  const ordered = byReach(addresses)
  assert.deepEqual(ordered.slice(0, 2), ['/ip6/2001:db8::1/tcp/1', relayed])
  assert.equal(ordered.at(-1), '/ip4/127.0.0.1/tcp/1')
})

test.each([
  '/ip4/127.0.0.1/tcp/22',
  '/ip4/127.9.9.9/tcp/22',
  '/ip4/0.0.0.0/tcp/22',
  '/ip4/169.254.169.254/tcp/80',
  '/ip4/224.0.0.1/tcp/80',
  '/ip4/255.255.255.255/tcp/80',
  '/ip4/0x7f.1/tcp/80',
  '/ip4/2130706433/tcp/80',
  '/ip4/203.0.113.1/tcp/0',
  '/ip4/203.0.113.1/udp/53',
  '/ip6/::/tcp/22',
  '/ip6/::1/tcp/22',
  '/ip6/0:0:0:0:0:0:0:1/tcp/22',
  '/ip6/::ffff:127.0.0.1/tcp/22',
  '/ip6/::ffff:7f00:1/tcp/22',
  '/ip6/fe80::1%eth0/tcp/22',
  '/ip6/febf::1/tcp/22',
  '/ip6/ff02::1/tcp/22',
  '/dns4/localhost/tcp/22',
  '/dns/intranet.example/tcp/80',
  relayed,
  '',
])('nobody is made to dial %s', (address) => {
  assert.equal(canBeOffered(address), false)
})

test.each(['/ip4/203.0.113.1/tcp/7071', '/ip4/192.168.1.2/tcp/1/p2p/12D3X', '/ip6/2001:db8::1/tcp/7071'])(
  'a peer may say that it is at %s',
  (address) => assert.equal(canBeOffered(address), true),
)
