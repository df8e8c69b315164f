import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { describe, test } from 'vitest'
import { programFile, programModule } from '../src/platform/program-files.ts'
import { placedSources, programEntries } from './program-entries.ts'

describe('the program as a bundle', () => {
  test('modules that threads and other processes are started with are entries, and all entries are there', () => {
    const entries = [...programEntries()]
    for (const path of [
      ...['cli/main', 'app/store/store-library', 'api/client/client'],
      ...['app/threads/page-thread', 'platform/real/threads/worker-entry'],
    ])
      assert.ok(entries.includes(path), path)
    assert.deepEqual(
      entries.filter((path) => !existsSync(programModule(path))),
      [],
    )
    assert.ok(existsSync(programFile('replay/in-page/')))
  })

  test('one module asks where it lies', () => {
    assert.deepEqual(placedSources(), ['platform/program-files.ts'])
  })
})
