import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { makeFolder } from './folder-making.ts'

describe('a folder that is made', () => {
  let folder = ''
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'polyhistor-folders-'))
  })
  afterAll(() => rm(folder, { recursive: true }))

  test('is there with all that lead to it, and may be there already', async () => {
    const path = join(folder, 'a', 'b', 'c')
    for (let time = 0; time < 2; time++) await makeFolder(path)
    assert.ok((await stat(path)).isDirectory())
  })

  test('is made by many at once', async () => {
    const path = join(folder, 'x', 'y', 'z')
    await Promise.all(Array.from({ length: 10 }, () => makeFolder(path)))
    assert.ok((await stat(path)).isDirectory())
  })

  test('has the mode that was asked for', async () => {
    const path = join(folder, 'private')
    await makeFolder(path, 0o700)
    assert.equal((await stat(path)).mode & 0o777, 0o700)
  })

  test('is refused where a file is in the way', async () => {
    const file = join(folder, 'file')
    await writeFile(file, '')
    await assert.rejects(makeFolder(file), { code: 'EEXIST' })
    await assert.rejects(makeFolder(join(file, 'below')), { code: 'ENOTDIR' })
  })

  // Only Linux has such folders.
  test.skipIf(!existsSync('/proc/self'))('is refused where there can be none, without end', async () => {
    await assert.rejects(makeFolder('/proc/polyhistor/home'), { code: 'ENOENT' })
  })
})
