import assert from 'node:assert/strict'
import { test } from 'vitest'
import { RecentIds } from './recent-ids.ts'

const id = (number: number) => Buffer.alloc(16, number)

test('an id is news once, and again when it was forgotten', () => {
  const ids = new RecentIds(4)
  assert(ids.add(id(1)))
  assert(!ids.add(id(1)))
  assert(ids.add(id(2)))
  assert(ids.add(id(3)))
  assert(!ids.add(id(1)), 'the last four are known')
  assert(ids.add(id(4)))
  assert(ids.add(id(5)))
  assert(ids.add(id(1)), 'the first of five is forgotten')
  assert(!ids.add(id(4)))
})
