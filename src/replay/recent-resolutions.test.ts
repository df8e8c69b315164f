import assert from 'node:assert/strict'
import { test } from 'vitest'
import type { ReplayCapture } from './capture-source.ts'
import { RecentResolutions } from './recent-resolutions.ts'

const captureOf = (url: string): ReplayCapture => ({
  url,
  capturedAtMs: 0,
  status: 200,
  mime: 'text/html',
  payloadBytes: 0,
  cursor: url,
  content: undefined,
})

test('is remembered until the archive changes', () => {
  const recent = new RecentResolutions()
  recent.put('/web/2020id_/a', 1, captureOf('a'))
  assert.equal(recent.get('/web/2020id_/a', 1)?.url, 'a')
  assert.equal(recent.get('/web/2020id_/b', 1), undefined)
  assert.equal(recent.get('/web/2020id_/a', 2), undefined)
  // What was found in the old state is not taken for the new one.
  recent.put('/web/2020id_/b', 2, captureOf('b'))
  assert.equal(recent.get('/web/2020id_/a', 2), undefined)
  assert.equal(recent.get('/web/2020id_/b', 2)?.url, 'b')
})

test('of an archive that does not tell of changes nothing is remembered', () => {
  const recent = new RecentResolutions()
  recent.put('/web/2020id_/a', undefined, captureOf('a'))
  assert.equal(recent.get('/web/2020id_/a', undefined), undefined)
})

test('is bounded', () => {
  const recent = new RecentResolutions()
  for (let number = 0; number < 5_000; number++) recent.put(`/${number}`, 1, captureOf(`${number}`))
  assert.equal(recent.get('/0', 1), undefined)
  assert.equal(recent.get('/4999', 1)?.url, '4999')
  const long = `/${'a'.repeat(2_000)}`
  recent.put(long, 1, captureOf('long'))
  assert.equal(recent.get(long, 1), undefined)
})
