import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import type { Compression } from '../../formats/warc/compression/compression.ts'
import { PageEffort } from './page-effort.ts'

/** The levels of so many pages that are read at the same time, in the order in which they came. */
async function levelsOf(count: number, compression: Compression, threads = 1) {
  const effort = new PageEffort(compression, threads)
  const levels: (number | undefined)[] = []
  const { promise: end, resolve } = Promise.withResolvers<void>()
  const note = (told: Compression) => {
    levels.push(told.kind === 'none' ? undefined : told.level)
    return end
  }
  const pages = Array.from({ length: count }, () => effort.spend(note))
  resolve()
  await Promise.all(pages)
  return levels
}

describe('the effort that a page is worth', () => {
  test('is more while there is time, less while pages wait for their thread', async () => {
    assert.deepEqual(await levelsOf(6, { kind: 'gzip', level: 4 }), [6, 6, 6, 6, 3, 3])
  })

  test('is more again only when the thread has kept up for a while', async () => {
    const effort = new PageEffort({ kind: 'gzip', level: 4 }, 1)
    const { promise: end, resolve } = Promise.withResolvers<void>()
    const together = Array.from({ length: 5 }, () => effort.spend(() => end))
    resolve()
    await Promise.all(together)
    const alone: Compression[] = []
    for (let page = 0; page < 66; page++) alone.push(await effort.spend(async (told) => told))
    assert.deepEqual(alone[0], { kind: 'gzip', level: 3 })
    assert.deepEqual(alone[63], { kind: 'gzip', level: 3 })
    assert.deepEqual(alone[64], { kind: 'gzip', level: 6 })
  })

  test('is the same for a page that could not be read', async () => {
    const effort = new PageEffort({ kind: 'gzip', level: 4 }, 1)
    for (let time = 0; time < 10; time++)
      await effort.spend(() => Promise.reject(new Error('torn'))).catch(() => {})
    assert.deepEqual(await effort.spend(async (told) => told), { kind: 'gzip', level: 6 })
  })

  test('counts the threads', async () => {
    const levels = await levelsOf(9, { kind: 'zstd', level: 4 }, 2)
    assert.deepEqual(levels, [6, 6, 6, 6, 6, 6, 6, 6, 3])
  })

  test('stays within the levels that there are', async () => {
    assert.deepEqual(await levelsOf(5, { kind: 'gzip', level: 9 }), [9, 9, 9, 9, 8])
    assert.deepEqual(await levelsOf(5, { kind: 'gzip', level: 1 }), [3, 3, 3, 3, 1])
  })

  test('leaves alone what has no level', async () => {
    for (const compression of [{ kind: 'none' }, { kind: 'gzip' }] as const) {
      const effort = new PageEffort(compression, 1)
      assert.deepEqual(await effort.spend(async (told) => told), compression)
    }
  })
})
