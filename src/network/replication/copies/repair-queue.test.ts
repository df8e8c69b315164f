import assert from 'node:assert/strict'
import { test } from 'vitest'
import { RepairQueue } from './repair-queue.ts'

const any = (): boolean => true

test('the fewest copies come first, and of equal ones the first that was put in', () => {
  const queue = new RepairQueue<string>()
  queue.put('two, first', 2)
  queue.put('one', 1)
  queue.put('two, second', 2)
  assert.equal(queue.size, 3)
  assert.deepEqual([queue.take(any), queue.take(any), queue.take(any)], ['one', 'two, first', 'two, second'])
  assert.equal(queue.take(any), undefined)
})

test('what cannot be begun stays, and does not hold up the rest', () => {
  const queue = new RepairQueue<string>()
  queue.put('busy', 1)
  queue.put('free', 2)
  assert.equal(
    queue.take((job) => job !== 'busy'),
    'free',
  )
  assert.equal(
    queue.take((job) => job !== 'busy'),
    undefined,
  )
  assert.equal(queue.take(any), 'busy')
})

test('what is no longer wanted is not begun', () => {
  const queue = new RepairQueue<string>()
  queue.put('kept', 1)
  queue.put('unwanted', 1)
  queue.remove((job) => job === 'unwanted')
  assert.equal(queue.size, 1)
  assert.equal(queue.take(any), 'kept')
})
