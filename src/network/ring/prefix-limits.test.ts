import assert from 'node:assert/strict'
import { test } from 'vitest'
import { simulatedWorld } from '../../platform/simulated/world.ts'
import { Admission } from './admission.ts'
import { addressesMax, forgottenMs, PrefixLimits } from './prefix-limits.ts'
import type { RingCalls } from './ring.ts'
import { RingPlaceRefused } from './ring-error.ts'
import { ringOptionsDefault } from './ring-options.ts'

const some = (count: number, address: (index: number) => string): string[] =>
  Array.from({ length: count }, (_, index) => address(index + 1))

function limits() {
  const world = simulatedWorld({ seed: 1 })
  return { world, limits: new PrefixLimits(world.machine('us')) }
}

test('a /24 and a /48 have so many addresses on the ring, and others are not touched by that', () => {
  const { limits: open } = limits()
  for (const address of [(n: number) => `203.0.113.${n}`, (n: number) => `2001:db8:7:${n}::1`]) {
    const admitted = some(3 * addressesMax, address).filter((ip) => open.isWithin(ip))
    assert.deepEqual(admitted, some(addressesMax, address))
    assert(open.isWithin(address(1)), 'those that are in stay in')
  }
  assert(open.isWithin('203.0.114.1'))
  assert(open.isWithin('2001:db8:8::1'))
  assert(!open.isWithin('::ffff:203.0.113.200'), 'written as IPv6 it is the same')
})

test('an address that was not seen for a day makes room', async () => {
  const { world, limits: open } = limits()
  for (const ip of some(addressesMax, (n) => `203.0.113.${n}`)) open.isWithin(ip)
  await world.advance(forgottenMs / 2)
  assert(open.isWithin('203.0.113.2'))
  assert(!open.isWithin('203.0.113.99'))
  await world.advance(forgottenMs / 2 + 1)
  assert(open.isWithin('203.0.113.99'))
  const left = some(addressesMax, (n) => `203.0.113.${100 + n}`).filter((ip) => open.isWithin(ip))
  assert.equal(left.length, addressesMax - 2, 'the one that was seen meanwhile kept its room')
})

test('private and loopback addresses are not limited', () => {
  const { limits: open } = limits()
  for (const address of [
    (n: number) => `127.0.0.${n}`,
    (n: number) => `10.1.2.${n}`,
    (n: number) => `172.16.0.${n}`,
    (n: number) => `192.168.7.${n}`,
    (n: number) => `100.64.0.${n}`,
    (n: number) => `fd00:1:2:${n}::1`,
    (n: number) => `fe80::${n}`,
    () => '::1',
  ])
    assert(
      some(100, address).every((ip) => open.isWithin(ip)),
      address(1),
    )
})

test('callers from more addresses of a prefix than may are refused in an open network', () => {
  const { clock } = simulatedWorld({ seed: 1 }).machine('us')
  const calls = { self: 'us', observedAddress: (peer: string) => peer } as unknown as RingCalls
  const tickets = { saltOf: () => undefined } as never
  const admission = new Admission(
    { calls, clock, tickets },
    { ...ringOptionsDefault, networkId: 'open', kind: 'open' },
  )
  const call = (ip: string) => admission.caller(ip, 0, `/ip4/${ip}/tcp/7071`)
  for (const ip of some(addressesMax, (n) => `203.0.113.${n}`)) assert.equal(call(ip).peer, ip)
  assert.throws(() => call('203.0.113.77'), RingPlaceRefused)
  assert.equal(call('198.51.100.1').peer, '198.51.100.1')
})
