// What every source of chance must do. Limits are so wide that an even source misses them once in 10^9 runs or less.

import assert from 'node:assert/strict'
import { test } from 'vitest'
import type { Random } from './random.ts'

export function randomContract(make: () => Random): void {
  test('bytes: as many as asked, and each bit set half the time', () => {
    const random = make()
    for (const length of [0, 1, 3, 4, 33]) assert.equal(random.bytes(length).length, length)
    const counts = new Array<number>(8).fill(0)
    for (const byte of random.bytes(40_000)) {
      for (let bit = 0; bit < 8; bit++) counts[bit]! += (byte >> bit) & 1
    }
    for (const count of counts) assert(Math.abs(count - 20_000) < 700, `${counts}`)
  })

  test('below: whole, within the limit, each equally likely', () => {
    const random = make()
    assert.equal(random.below(1), 0)
    const counts = new Array<number>(7).fill(0)
    for (let draw = 0; draw < 70_000; draw++) counts[random.below(7)]!++
    for (const count of counts) assert(Math.abs(count - 10_000) < 700, `${counts}`)
  })

  test('below: even for a limit where taking the rest would favour low numbers', () => {
    const random = make()
    for (const limit of [3 * 2 ** 30, 3 * 2 ** 44]) {
      let low = 0
      for (let draw = 0; draw < 30_000; draw++) {
        const drawn = random.below(limit)
        assert(Number.isInteger(drawn) && drawn >= 0 && drawn < limit)
        if (drawn < limit / 3) low++
      }
      assert(Math.abs(low - 10_000) < 700, `${low}`)
    }
  })

  test('below: a limit that cannot be is a mistake', () => {
    for (const limit of [0, -1, 1.5, 2 ** 48]) assert.throws(() => make().below(limit))
  })

  test('fraction: in [0, 1), evenly', () => {
    const random = make()
    let sum = 0
    for (let draw = 0; draw < 30_000; draw++) {
      const drawn = random.fraction()
      assert(drawn >= 0 && drawn < 1)
      sum += drawn
    }
    assert(Math.abs(sum / 30_000 - 0.5) < 0.012, `${sum}`)
  })

  test('uuid: version 4, in lower case, no two the same', () => {
    const random = make()
    const uuids = Array.from({ length: 1_000 }, () => random.uuid())
    for (const uuid of uuids) {
      assert.match(uuid, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    }
    assert.equal(new Set(uuids).size, 1_000)
  })
}
