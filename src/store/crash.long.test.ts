// 200 rounds of what `npm run torture -- store` does for as long as one likes.

import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'vitest'
import { StoreTorture } from '../../e2e/torture/store-torture.ts'
import { withTemporaryFolder } from '../platform/fixtures/temporary-folder.ts'

const rounds = 200

test('a process killed at random moments loses nothing that it acknowledged, and shows nothing by halves', async () => {
  await withTemporaryFolder(async (folder) => {
    const torture = new StoreTorture(join(folder, 'store'), String(Date.now()))
    try {
      for (let round = 0; round < rounds; round++) await torture.round()
      await torture.check({ isThorough: true })
    } finally {
      await torture.end()
    }
    // A round in which nothing happens shows nothing.
    assert.ok(torture.figures.acknowledged > 5 * rounds, JSON.stringify(torture.figures))
  })
}, 1_200_000)
