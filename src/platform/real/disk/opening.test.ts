import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished, test } from 'vitest'
import { DiskError } from '../../storage/disk.ts'
import { RealDisk } from './disk.ts'

test('what is no file is refused at once: a folder, a device, a pipe that nobody writes to', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'polyhistor-disk-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const pipe = join(folder, 'pipe')
  execFileSync('mkfifo', [pipe])
  for (const path of [folder, '/dev/null', pipe]) {
    await assert.rejects(
      new RealDisk().open(path, 'read'),
      (error) => error instanceof DiskError && /it is not a file/.test(error.message),
    )
  }
})
