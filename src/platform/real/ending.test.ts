import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { test } from 'vitest'
import { withTemporaryFolder } from '../fixtures/temporary-folder.ts'

test('a process that has closed what it opened ends by itself', () =>
  withTemporaryFolder(async (folder) => {
    const script = join(import.meta.dirname, '../fixtures/live-and-end.ts')
    const { stdout } = await promisify(execFile)(process.execPath, [script, folder], { timeout: 50_000 })
    assert.equal(stdout, 'closed\n')
  }))
