import assert from 'node:assert/strict'
import { test } from 'vitest'
import { RobotsPatience, triesMax, triesMaxRefused, waitMsMax } from './robots-patience.ts'

const origin = 'http://a.test'

function after(tries: number): RobotsPatience {
  const patience = new RobotsPatience()
  for (let number = 0; number < tries; number++) patience.failed(origin, number)
  return patience
}

test('who has other things to do waits for hours, and not for ever', () => {
  const patience = after(triesMax + 5)
  assert.equal(patience.waits(origin, false, waitMsMax - 1), true)
  assert.equal(patience.waits(origin, false, waitMsMax), false)
  assert.equal(patience.waits(origin, false, 0), false, 'for good')
})

test('who has nothing else to do waits for a few tries', () => {
  assert.equal(after(triesMax - 1).waits(origin, true, 10), true)
  assert.equal(after(triesMax).waits(origin, true, 10), false)
})

test('where nobody listens fewer tries are enough, unless it comes to a connection after all', () => {
  const patience = new RobotsPatience()
  for (let number = 0; number < triesMaxRefused; number++) {
    assert.equal(number === 0 || patience.waits(origin, true, 10), true)
    patience.failed(origin, number, true)
  }
  assert.equal(triesMaxRefused < triesMax && patience.waits(origin, true, 10), false)
  const listened = new RobotsPatience()
  listened.failed(origin, 0, true)
  listened.failed(origin, 1)
  assert.equal(listened.waits(origin, true, 10), true)
})

test('what is hopeless is not waited for, and what was reached has all its tries again', () => {
  const patience = after(1)
  patience.giveUp(origin, 1)
  assert.equal(patience.waits(origin, false, 0), false)
  patience.reached(origin)
  assert.equal(patience.triesOf(origin), 0)
  patience.failed(origin, 0)
  assert.equal(patience.waits(origin, true, 0), true)
})

test('what was given up is asked for anew for a job that is begun later, and for no other', () => {
  assert.equal(new RobotsPatience().isAskedAnew(origin, 0), true)
  const patience = after(triesMax)
  assert.equal(patience.isAskedAnew(origin, 150), false, 'it waits')
  assert.equal(patience.waits(origin, true, 200), false)
  assert.equal(patience.isAskedAnew(origin, 150), false)
  assert.equal(patience.isAskedAnew(origin, 201), true)
  patience.failed(origin, 300)
  assert.equal(patience.waits(origin, true, 300), true)
})
