import assert from 'node:assert/strict'
import { test } from 'vitest'
import { ConnectTimes, serverNetworkOf } from './connect-times.ts'

/** Two continents: 20 ms within, 200 between. */
function measured(): ConnectTimes {
  const times = new ConnectTimes()
  for (let count = 0; count < 3; count++)
    for (const [from, address] of [
      ['west', '90.1.1.1'],
      ['east', '91.1.1.1'],
      ['leader', '90.1.1.1'],
      ['leader', '90.2.1.1'],
    ] as const)
      times.note(from, address, 20)
  for (let count = 0; count < 3; count++)
    for (const [from, address] of [
      ['west', '91.1.1.1'],
      ['east', '90.1.1.1'],
      ['leader', '91.1.1.1'],
      ['leader', '91.2.1.1'],
    ] as const)
      times.note(from, address, 200)
  return times
}

test('what was measured holds for the whole network of a server', () => {
  const estimate = measured().to('91.1.1.77').of('west')!
  assert.ok(Math.abs(estimate.ms - 200) < 1 && estimate.isMeasured)
  assert.equal(measured().to('92.1.1.1').of('west'), undefined, 'nothing is known of others')
})

test('a way that nobody measured is predicted from servers that look alike to those who asked both', () => {
  const times = measured()
  const [near, far] = [times.to('91.2.1.1').of('east')!, times.to('91.2.1.1').of('west')!]
  assert.ok(near.ms < 40 && !near.isMeasured, `${near.ms}`)
  assert.ok(far.ms > 150, `${far.ms}`)
})

test('a connection that was slow once does not make a way long', () => {
  const times = measured()
  times.note('west', '90.1.1.1', 3_000)
  times.note('west', '90.1.1.1', 20)
  assert.ok(times.to('90.1.1.1').of('west')!.ms < 200)
})

test('what somebody said is forgotten when it was wrong', () => {
  const times = measured()
  times.forget('west')
  times.forget('east')
  assert.equal(times.to('90.1.1.1').of('west'), undefined)
})

test('memory is bounded', () => {
  const times = new ConnectTimes()
  for (let count = 0; count < 2_000; count++) times.note('a', `90.${count >> 8}.${count & 255}.1`, 20)
  assert.equal(times.to('90.0.0.1').of('a'), undefined)
  assert.ok(times.to('90.7.207.1').of('a') !== undefined)
  for (let count = 0; count < 200; count++) times.note(`from ${count}`, '90.7.207.1', 20)
  assert.equal(times.to('90.7.207.1').of('a'), undefined)
})

test('networks of servers', () => {
  assert.equal(serverNetworkOf('192.0.2.7'), '192.0.2')
  assert.equal(serverNetworkOf('2001:db8:1:2::7'), '2001:db8:1')
})
