import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { DiskError } from '../disk.ts'
import { SimulatedDisk } from '../simulated/disk.ts'
import { Simulation } from '../simulated/simulation.ts'
import { Journal } from './journal.ts'

const folder = '/index'
const record = (text: string) => Buffer.from(text)

async function withJournal(work: (disk: SimulatedDisk, journal: Journal) => Promise<void>): Promise<void> {
  const simulation = new Simulation({ seed: 1 })
  const disk = new SimulatedDisk({ simulation })
  const mounted = disk.mount()
  const opened = async () => {
    await mounted.makeFolder(folder)
    const journal = await Journal.open(mounted, folder)
    await journal.begin(record('first'))
    await work(disk, journal)
  }
  await simulation.complete(opened())
}

async function left(disk: SimulatedDisk): Promise<string[]> {
  const journal = await Journal.open(disk.mount(), folder)
  return (await journal.left()).map((bytes) => Buffer.from(bytes).toString())
}

describe('a journal', () => {
  test('grows by more than its records need, so that most are synced without a new size', () =>
    withJournal(async (disk, journal) => {
      await journal.append(record('second'))
      const usedBytes = disk.usedBytes
      for (let count = 0; count < 100; count++) await journal.append(record(`further ${count}`))
      assert.equal(disk.usedBytes, usedBytes)
      assert.equal((await left(disk)).length, 102)
    }))

  test('takes what there is room for, if not for more', () =>
    withJournal(async (disk, journal) => {
      disk.capacityBytes = disk.usedBytes + 40
      await journal.append(record('second'))
      await journal.append(record('third'))
      await assert.rejects(journal.append(Buffer.alloc(100)), DiskError)
      assert(journal.isSound)
      disk.capacityBytes = Number.MAX_SAFE_INTEGER
      await journal.append(record('fourth'))
      assert.deepEqual(await left(disk), ['first', 'second', 'third', 'fourth'])
    }))
})
