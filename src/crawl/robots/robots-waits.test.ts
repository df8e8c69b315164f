import assert from 'node:assert/strict'
import { test } from 'vitest'
import { RobotsWaits, waitMsMax } from './robots-waits.ts'

const origin = 'http://a.test'

function after(tries: number): RobotsWaits {
  const patience = new RobotsWaits()
  for (let number = 0; number < tries; number++) patience.failed(origin, number)
  return patience
}

test('what cannot be reached is waited for for hours, and not for ever', () => {
  const patience = after(5)
  assert.equal(patience.triesOf(origin), 5)
  assert.equal(patience.waits(origin, waitMsMax - 1), true)
  assert.equal(patience.waits(origin, waitMsMax), false)
  assert.equal(patience.waits(origin, 0), false, 'for good')
})

test('what is hopeless is not waited for, and what was reached has all its tries again', () => {
  const patience = after(1)
  patience.giveUp(origin, 1)
  assert.equal(patience.waits(origin, 0), false)
  patience.reached(origin)
  assert.equal(patience.triesOf(origin), 0)
  patience.failed(origin, 0)
  assert.equal(patience.waits(origin, 0), true)
})

test('what was given up is asked for anew for a job that is begun later, and for no other', () => {
  assert.equal(new RobotsWaits().isAskedAnew(origin, 0), true)
  const patience = after(3)
  assert.equal(patience.isAskedAnew(origin, 150), false, 'it waits')
  patience.giveUp(origin, 200)
  assert.equal(patience.isAskedAnew(origin, 150), false)
  assert.equal(patience.isAskedAnew(origin, 201), true)
  patience.failed(origin, 300)
  assert.equal(patience.waits(origin, 300), true)
})
