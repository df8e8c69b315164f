import assert from 'node:assert/strict'
import { test } from 'vitest'
import { acknowledgementsNeeded } from './acknowledgement.ts'

test('a capture is kept at so many copies as asked for, or as there are peers', () => {
  const needed = [0, 1, 2, 3, 100].map((peers) => acknowledgementsNeeded(2, peers))
  assert.deepEqual(needed, [1, 1, 2, 2, 2])
})
