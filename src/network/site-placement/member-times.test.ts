import assert from 'node:assert/strict'
import { test } from 'vitest'
import { ringKeyOf } from '../../model/ring-key.ts'
import { MemberTimes } from './member-times.ts'

const site = ringKeyOf('site')
const members = ['self', 'other', 'third']

function msOf(times: MemberTimes): [string, number][] {
  return [...times.of(site, members)].map(([peer, { ms }]) => [peer, ms])
}

test('what others tell of a network of servers counts for each site in it, and names none of its servers', () => {
  const [own, other] = [new MemberTimes('self'), new MemberTimes('other')]
  own.note(site, '93.184.216.34', 240)
  other.note(ringKeyOf('another site'), '93.184.216.99', 18)
  const told = other.told()
  assert.deepEqual(told, [{ address: '93.184.216.0', ms: 18 }])
  assert.deepEqual(msOf(own), [['self', 240]])
  own.heard('other', told)
  assert.deepEqual(msOf(own), [
    ['self', 240],
    ['other', 18],
  ])
})

test('who was never there is predicted by servers that are as far from those who were', () => {
  const own = new MemberTimes('self')
  own.note(site, '10.0.1.1', 240)
  own.note(ringKeyOf('alike'), '10.0.2.1', 245)
  own.note(ringKeyOf('near'), '10.0.3.1', 20)
  own.heard('other', [
    { address: '10.0.2.0', ms: 21 },
    { address: '10.0.3.0', ms: 250 },
  ])
  const ms = own.of(site, members).get('other')!.ms
  assert(ms < 40, `${ms}`)
})

test('nothing is said of sites where this peer never was, and an IPv6 network is told as one', () => {
  const own = new MemberTimes('self')
  assert.equal(own.of(site, members).size, 0)
  own.note(site, '2001:db8:1:2::5', 30)
  const [told] = own.told()
  const other = new MemberTimes('other')
  other.note(site, '2001:db8:1:9::1', 200)
  other.heard('self', [told!])
  assert.equal(other.of(site, members).get('self')?.ms, 30)
})
