// The simulated maps against LMDB, operation by operation: a store that is tested on the one runs on the other.

import assert from 'node:assert/strict'
import fc from 'fast-check'
import { withTemporaryFolder } from '../fixtures/temporary-folder.ts'
import { RealDisk } from '../real/disk/disk.ts'
import { RealKeyValues } from '../real/key-value/key-value.ts'
import { SimulatedKeyValues } from '../simulated/key-value.ts'
import { Simulation } from '../simulated/simulation.ts'
import type { KeyValue, KeyValues, Range } from './key-value.ts'

// Few keys, so that operations meet.
const bytes = fc.uint8Array({ minLength: 1, maxLength: 3, max: 3 })
const key = fc.oneof(
  bytes,
  fc.constantFrom(new Uint8Array(1_900).fill(255), new Uint8Array([255]), new Uint8Array([0])),
)
const value = fc.uint8Array({ maxLength: 6 })
const table = fc.constantFrom('one', 'other')
const range: fc.Arbitrary<Range> = fc.record(
  { from: key, to: key, reverse: fc.boolean(), limit: fc.integer({ min: 0, max: 5 }) },
  { requiredKeys: [] },
)

type MapStep =
  | { does: 'put'; table: string; key: Uint8Array; value: Uint8Array }
  | { does: 'remove' | 'get'; table: string; key: Uint8Array }
  | { does: 'range'; table: string; range: Range }

const mapStep: fc.Arbitrary<MapStep> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ does: fc.constant('put' as const), table, key, value }) },
  fc.record({ does: fc.constantFrom('remove' as const, 'get' as const), table, key }),
  fc.record({ does: fc.constant('range' as const), table, range }),
)

interface MapTransaction {
  steps: MapStep[]
  fails: boolean
  reads: MapStep[]
  reopens: boolean
}

const mapTransaction: fc.Arbitrary<MapTransaction> = fc.record({
  steps: fc.array(mapStep, { maxLength: 12 }),
  fails: fc.boolean(),
  reads: fc.array(
    mapStep.filter(({ does }) => does === 'get' || does === 'range'),
    { maxLength: 4 },
  ),
  reopens: fc.integer({ min: 0, max: 9 }).map((drawn) => drawn === 0),
})

function takeStep(map: KeyValue, step: MapStep): unknown {
  const at = map.table(step.table)
  if (step.does === 'put') return at.put(step.key, step.value)
  if (step.does === 'range') return [...at.range(step.range)]
  return step.does === 'remove' ? at.remove(step.key) : at.get(step.key)
}

async function takeTransactions(
  maps: KeyValues,
  folder: string,
  transactions: MapTransaction[],
): Promise<unknown[]> {
  const open = async (): Promise<KeyValue> => {
    const map = await maps.open(folder)
    for (const name of ['one', 'other']) map.table(name)
    return map
  }
  let map = await open()
  const results: unknown[] = []
  for (const { steps, fails, reads, reopens } of transactions) {
    await map
      .transaction(() => {
        for (const step of steps) results.push(takeStep(map, step))
        if (fails) throw new RangeError('as told')
      })
      .catch((error) => results.push(error.message))
    for (const step of reads) results.push(takeStep(map, step))
    if (reopens) {
      await map.close()
      map = await open()
    }
  }
  for (const name of ['one', 'other']) results.push([...map.table(name).range()])
  await map.close()
  return results
}

export const properties = [
  {
    name: 'simulated and real maps give the same to the same transactions',
    property: fc.asyncProperty(fc.array(mapTransaction, { maxLength: 12 }), (transactions) =>
      withTemporaryFolder(async (folder) => {
        const simulation = new Simulation({ seed: 1 })
        const simulated = new SimulatedKeyValues({ simulation }).mount()
        const real = new RealKeyValues({ disk: new RealDisk() })
        assert.deepEqual(
          await simulation.complete(takeTransactions(simulated, '/index', transactions)),
          await takeTransactions(real, `${folder}/index`, transactions),
        )
      }),
    ),
  },
]
