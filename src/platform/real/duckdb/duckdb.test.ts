import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'vitest'
import { withTemporaryFolder } from '../../fixtures/temporary-folder.ts'
import { writeTable } from './duckdb.ts'

test('a file that cannot be written is a failure of the disk, not of the program', async () => {
  await withTemporaryFolder(async (folder) => {
    const nothing = (async function* () {})()
    await assert.rejects(writeTable(join(folder, 'none', 'x.duckdb'), 'captures', nothing), {
      code: 'disk-failure',
      retry: 'later',
    })
  })
})
