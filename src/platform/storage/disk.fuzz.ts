// The simulated disk against the real one, operation by operation: a store that is tested on the one runs on the other.

import assert from 'node:assert/strict'
import fc from 'fast-check'
import { withTemporaryFolder } from '../fixtures/temporary-folder.ts'
import { RealDisk } from '../real/disk/disk.ts'
import { SimulatedDisk } from '../simulated/disk.ts'
import { Simulation } from '../simulated/simulation.ts'
import { type Disk, DiskError, type DiskFile, type OpenMode } from './disk.ts'

// Few names and positions, so that operations meet.
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

export const properties = [
  {
    name: 'simulated and real disks give the same to the same operations',
    property: fc.asyncProperty(fc.array(diskStep, { maxLength: 60 }), (steps) =>
      withTemporaryFolder(async (folder) => {
        const simulation = new Simulation({ seed: 1 })
        const simulated = new SimulatedDisk({ simulation }).mount()
        assert.deepEqual(
          await simulation.complete(takeDiskSteps(simulated, '/root', steps)),
          await takeDiskSteps(new RealDisk(), `${folder}/root`, steps),
        )
      }),
    ),
  },
]
