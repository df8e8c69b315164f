import { describe } from 'vitest'
import { withTemporaryFolder } from './fixtures/temporary-folder.ts'
import { keyValueContract } from './key-value.contract.ts'
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
