import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'vitest'
import { RealDisk } from './disk.ts'

test('a file is closed only when no thread is at it any more', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'polyhistor-disk-'))
  try {
    const disk = new RealDisk()
    // Long enough for a thread.
    const bytes = Buffer.alloc(4 * 1024 * 1024, 'words ')
    for (let round = 0; round < 10; round++) {
      const file = await disk.open(join(folder, `file-${round}`), 'create')
      let isWritten = false
      const writing = file.write(0, bytes).then(() => (isWritten = true))
      await file.close()
      assert.ok(isWritten)
      await writing
      assert.ok((await readFile(file.path)).equals(bytes))
    }
  } finally {
    await rm(folder, { recursive: true })
  }
})
