import fc from 'fast-check'
import { describe, test } from 'vitest'
import { withTemporaryFolder } from '../fixtures/temporary-folder.ts'
import { JournaledKeyValues } from '../journaled/key-value.ts'
import { RealDisk } from '../real/disk/disk.ts'
import { RealKeyValues } from '../real/key-value/key-value.ts'
import { SimulatedDisk } from '../simulated/disk.ts'
import { SimulatedKeyValues } from '../simulated/key-value.ts'
import { Simulation } from '../simulated/simulation.ts'
import { keyValueContract } from './key-value.contract.ts'
import { properties } from './key-value.fuzz.ts'
import type { KeyValues } from './key-value.ts'

function withJournals(maps: KeyValues): KeyValues {
  return { open: (folder, options) => maps.open(folder, { ...options, hasJournal: true }) }
}

describe('real maps', () => {
  keyValueContract((body) =>
    withTemporaryFolder((folder) => body(new RealKeyValues({ disk: new RealDisk() }), `${folder}/index`)),
  )
})

describe('real maps with a journal', () => {
  // With next to no memory for changes, and with enough for all.
  describe.each([1, 2_000, 1_000_000_000])('of %i bytes', (heldBytesMax) => {
    keyValueContract((body) =>
      withTemporaryFolder((folder) => {
        const disk = new RealDisk()
        const below = new RealKeyValues({ disk })
        return body(
          withJournals(new JournaledKeyValues({ disk, below }, { heldBytesMax })),
          `${folder}/index`,
        )
      }),
    )
  })
})

describe('simulated maps with a journal', () => {
  describe.each([1, 2_000, 1_000_000_000])('of %i bytes', (heldBytesMax) => {
    keyValueContract((body) => {
      const simulation = new Simulation({ seed: 1 })
      const disk = new SimulatedDisk({ simulation }).mount()
      const below = new SimulatedKeyValues({ simulation }).mount()
      const maps = new JournaledKeyValues({ disk, below }, { heldBytesMax })
      return simulation.complete(body(withJournals(maps), '/index'))
    })
  })
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
