// The simulated kinds against the real ones, operation by operation: a store that is tested on the one runs on the other.

import assert from 'node:assert/strict'
import fc from 'fast-check'
import { describe, test } from 'vitest'
import { type Disk, DiskError, type DiskFile, type OpenMode } from './disk.ts'
import { withTemporaryFolder } from './fixtures/temporary-folder.ts'
import type { KeyValue, KeyValues, Range } from './key-value.ts'
import { RealDisk } from './real/disk.ts'
import { RealKeyValues } from './real/key-value.ts'
import { SimulatedDisk } from './simulated/disk.ts'
import { SimulatedKeyValues } from './simulated/key-value.ts'
import { Simulation } from './simulated/simulation.ts'

// Few keys, names and positions, so that operations meet.
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

describe('maps', () => {
  test('give the same to the same transactions', () =>
    withTemporaryFolder(async (folder) => {
      const real = new RealKeyValues({ disk: new RealDisk() })
      let run = 0
      await fc.assert(
        fc.asyncProperty(fc.array(mapTransaction, { maxLength: 12 }), async (transactions) => {
          const simulation = new Simulation({ seed: 1 })
          const simulated = new SimulatedKeyValues({ simulation }).mount()
          assert.deepEqual(
            await simulation.complete(takeTransactions(simulated, '/index', transactions)),
            await takeTransactions(real, `${folder}/${run++}`, transactions),
          )
        }),
        { numRuns: 60 },
      )
    }))
})

const path = fc.constantFrom('/a', '/b', '/f', '/f/a', '/f/b', '/f/g', '/f/g/a', '/a/x')
const position = fc.integer({ min: 0, max: 1_300 })

type DiskStep =
  | { does: 'open'; path: string; mode: OpenMode }
  | { does: 'stat' | 'list' | 'makeFolder' | 'remove' | 'syncFolder'; path: string }
  | { does: 'rename'; path: string; to: string }
  | { does: 'read' | 'write'; file: number; position: number; length: number }
  | { does: 'truncate'; file: number; position: number }
  | { does: 'sync' | 'sizeBytes' | 'close'; file: number }

const file = fc.integer({ min: 0, max: 3 })
const diskStep: fc.Arbitrary<DiskStep> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      does: fc.constant('open' as const),
      path,
      mode: fc.constantFrom('read' as const, 'write' as const, 'create' as const),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      does: fc.constantFrom(
        'stat' as const,
        'list' as const,
        'makeFolder' as const,
        'remove' as const,
        'syncFolder' as const,
      ),
      path,
    }),
  },
  fc.record({ does: fc.constant('rename' as const), path, to: path }),
  {
    weight: 4,
    arbitrary: fc.record({
      does: fc.constantFrom('read' as const, 'write' as const),
      file,
      position,
      length: position,
    }),
  },
  fc.record({ does: fc.constant('truncate' as const), file, position }),
  fc.record({ does: fc.constantFrom('sync' as const, 'sizeBytes' as const, 'close' as const), file }),
)

async function takeDiskStep(
  disk: Disk,
  root: string,
  files: DiskFile[],
  step: DiskStep,
  number: number,
): Promise<unknown> {
  if (step.does === 'open') {
    files.push(await disk.open(root + step.path, step.mode))
    return 'opened'
  }
  if (step.does === 'rename') return disk.rename(root + step.path, root + step.to)
  if ('path' in step) return disk[step.does](root + step.path)
  const file = files[step.file % Math.max(1, files.length)]
  if (file === undefined) return 'no file'
  if (step.does === 'read') return file.read(step.position, step.length)
  if (step.does === 'write') {
    const bytes = new Uint8Array(step.length).fill(number)
    return file.write(step.position, bytes.subarray(0, 300), bytes.subarray(300))
  }
  if (step.does === 'truncate') return file.truncate(step.position)
  if (step.does === 'close') files.splice(files.indexOf(file), 1)
  return file[step.does]()
}

async function takeDiskSteps(disk: Disk, root: string, steps: DiskStep[]): Promise<unknown[]> {
  await disk.makeFolder(root)
  const files: DiskFile[] = []
  const results: unknown[] = []
  for (const [number, step] of steps.entries()) {
    try {
      results.push(await takeDiskStep(disk, root, files, step, number))
    } catch (error) {
      assert(error instanceof DiskError, `${error}`)
      results.push([error.code, error.path.slice(root.length)])
    }
  }
  for (const file of files) {
    results.push(file.path.slice(root.length), await file.read(0, 10_000))
    await file.close()
  }
  return results
}

describe('disks', () => {
  test('give the same to the same operations', () =>
    withTemporaryFolder(async (folder) => {
      let run = 0
      await fc.assert(
        fc.asyncProperty(fc.array(diskStep, { maxLength: 60 }), async (steps) => {
          const simulation = new Simulation({ seed: 1 })
          const simulated = new SimulatedDisk({ simulation }).mount()
          assert.deepEqual(
            await simulation.complete(takeDiskSteps(simulated, '/root', steps)),
            await takeDiskSteps(new RealDisk(), `${folder}/${run++}`, steps),
          )
        }),
        { numRuns: 200 },
      )
    }))
})
