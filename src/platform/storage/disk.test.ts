import assert from 'node:assert/strict'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, test } from 'vitest'
import { withTemporaryFolder } from '../fixtures/temporary-folder.ts'
import { RealDisk } from '../real/disk/disk.ts'
import { SimulatedDisk } from '../simulated/disk.ts'
import { Simulation } from '../simulated/simulation.ts'
import { diskContract } from './disk.contract.ts'
import { properties } from './disk.fuzz.ts'
import { UnwrittenDisk } from './unwritten-disk.ts'

describe('real disk', () => {
  diskContract((body) => withTemporaryFolder((folder) => body(new RealDisk(), folder)))
})

describe('a disk that is only read, with its changes in memory', () => {
  test('leaves what lies below as it is', () =>
    withTemporaryFolder(async (folder) => {
      await writeFile(join(folder, 'a'), 'as it was')
      await writeFile(join(folder, 'b'), 'there')
      const disk = new UnwrittenDisk(new RealDisk())
      const file = await disk.open(join(folder, 'a'), 'write')
      await file.write(3, Buffer.from('shall'))
      assert.equal(Buffer.from(await file.read(0, 100)).toString(), 'as shalls')
      await file.truncate(4)
      await file.write(6, Buffer.from('!'))
      assert.equal(Buffer.from(await file.read(0, 100)).toString(), 'as s\0\0!')
      await file.close()
      await disk.rename(join(folder, 'a'), join(folder, 'c'))
      await disk.remove(join(folder, 'b'))
      assert.deepEqual(await disk.list(folder), ['c'])
      const again = await disk.open(join(folder, 'c'), 'read')
      assert.equal(Buffer.from(await again.read(0, 100)).toString(), 'as s\0\0!')
      await again.close()
      assert.deepEqual((await readdir(folder)).sort(), ['a', 'b'])
      assert.equal(await readFile(join(folder, 'a'), 'utf8'), 'as it was')
    }))
})

describe('simulated disk', () => {
  diskContract((body) => {
    const simulation = new Simulation({ seed: 1 })
    const disk = new SimulatedDisk({ simulation }).mount()
    return simulation.complete(disk.makeFolder('/data/folder').then(() => body(disk, '/data/folder')))
  })
})

for (const { name, property } of properties) {
  test(name, () => fc.assert(property, { seed: 1, numRuns: 200 }))
}
