import assert from 'node:assert/strict'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'vitest'
import { withTemporaryFolder } from '../fixtures/temporary-folder.ts'
import { realPrivateFiles } from '../real/private-files.ts'
import { simulatedPrivateFiles } from '../simulated/private-files.ts'
import { simulatedWorld } from '../simulated/world.ts'
import type { PrivateFiles } from './private-files.ts'

async function behavesAsPromised(files: PrivateFiles, folder: string): Promise<void> {
  const path = join(folder, 'home', 'key')
  const text = async (name = path) => {
    const bytes = await files.read(name)
    return bytes && Buffer.from(bytes).toString()
  }
  assert.equal(await text(), undefined)
  assert.equal(await files.write(path, 'first', { once: true }), true)
  assert.equal(await files.write(path, 'second', { once: true }), false)
  assert.equal(await text(), 'first')
  assert.equal(await files.write(path, Buffer.from('third')), true)
  await files.protect(path)
  assert.equal(await text(), 'third')
  await files.rename(path, join(folder, 'home', 'aside'))
  assert.equal(await text(), undefined)
  assert.equal(await text(join(folder, 'home', 'aside')), 'third')
  await files.remove(join(folder, 'home'))
  await files.remove(join(folder, 'home'))
  assert.equal(await text(join(folder, 'home', 'aside')), undefined)
}

test('private files of this machine are written whole, or once, and go with their folder', () =>
  withTemporaryFolder(async (folder) => {
    await behavesAsPromised(realPrivateFiles, folder)
    await realPrivateFiles.write(join(folder, 'new', 'key'), 'secret')
    assert.equal((await stat(join(folder, 'new', 'key'))).mode & 0o777, 0o600)
    assert.equal((await stat(join(folder, 'new'))).mode & 0o777, 0o700)
  }))

test('private files of a simulated machine do the same', async () => {
  const world = simulatedWorld({ seed: 1 })
  const { disk } = world.machine('a')
  await world.complete(behavesAsPromised(simulatedPrivateFiles(disk), '/folder'))
})
