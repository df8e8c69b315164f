import assert from 'node:assert/strict'
import { test } from 'vitest'
import { localWorld } from '../../platform/real/local-world.ts'
import { newRecordId } from './record-id.ts'

const { random, clock } = localWorld()

test('record ids are UUIDs of version 7', () => {
  const ids = Array.from({ length: 100 }, () => newRecordId({ clock, random }))
  for (const id of ids) {
    assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  }
  assert.equal(new Set(ids).size, 100)
})

test('a later record has a greater id', () => {
  const at = (nowMs: number) => newRecordId({ clock: { ...clock, nowMs: () => nowMs }, random })
  const ids = [0, 1, 255, 256, 1_700_000_000_000, 1_700_000_000_001].map(at)
  assert.deepEqual(ids.toSorted(), ids)
  assert.equal(at(0x0123_4567_89ab).slice(0, 13), '01234567-89ab')
})
