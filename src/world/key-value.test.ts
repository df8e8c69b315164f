import fc from 'fast-check'
import { describe, test } from 'vitest'
import { withTemporaryFolder } from './fixtures/temporary-folder.ts'
import { keyValueContract } from './key-value.contract.ts'
import { properties } from './key-value.fuzz.ts'
import { RealDisk } from './real/disk.ts'
import { RealKeyValues } from './real/key-value.ts'
import { SimulatedKeyValues } from './simulated/key-value.ts'
import { Simulation } from './simulated/simulation.ts'

describe('real maps', () => {
  keyValueContract((body) =>
    withTemporaryFolder((folder) => body(new RealKeyValues({ disk: new RealDisk() }), `${folder}/index`)),
  )
})

describe('simulated maps', () => {
  keyValueContract((body) => {
    const simulation = new Simulation({ seed: 1 })
    return simulation.complete(body(new SimulatedKeyValues({ simulation }).mount(), '/index'))
  })
})

for (const { name, property } of properties) {
  test(name, () => fc.assert(property, { seed: 1, numRuns: 60 }))
}
