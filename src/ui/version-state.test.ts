import assert from 'node:assert/strict'
import { test } from 'vitest'
import { versionOf } from './fixtures/listed-archive.ts'
import { isChanged, outcomeOf } from './version-state.ts'

const url = 'http://a.example/'
const one = versionOf({ url, atMs: 1, content: 'one' })
const other = versionOf({ url, atMs: 2, content: 'other' })

test('content decides, and the status with it', () => {
  assert(isChanged(undefined, one))
  assert(isChanged(one, other))
  assert(!isChanged(one, versionOf({ url, atMs: 2, content: 'one' })))
  assert(isChanged(one, versionOf({ url, atMs: 2, content: 'one', status: 404 })))
})

test('a server’s word that nothing changed is taken, and so is an archive’s', () => {
  assert(!isChanged(one, { ...other, kind: 'not-modified' }))
  assert(!isChanged(one, { ...other, kind: 'same', content: undefined }))
  assert(isChanged(one, { ...other, kind: 'full', content: undefined }))
})

test('outcomes by status', () => {
  const statuses = [0, 200, 206, 304, 301, 404, 451, 500, 599, 100, 999]
  assert.deepEqual(
    statuses.map((status) => outcomeOf({ status })),
    ['good', 'good', 'good', 'good', 'redirect', 'missing', 'missing', 'broken', 'broken', 'other', 'broken'],
  )
})
