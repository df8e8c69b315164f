import fc from 'fast-check'
import { describe, test } from 'vitest'
import { diskContract } from './disk.contract.ts'
import { properties } from './disk.fuzz.ts'
import { withTemporaryFolder } from './fixtures/temporary-folder.ts'
import { RealDisk } from './real/disk.ts'
import { SimulatedDisk } from './simulated/disk.ts'
import { Simulation } from './simulated/simulation.ts'

describe('real disk', () => {
  diskContract((body) => withTemporaryFolder((folder) => body(new RealDisk(), folder)))
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
