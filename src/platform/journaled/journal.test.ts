import assert from 'node:assert/strict'
import { dirname } from 'node:path'
import { crc32 } from 'node:zlib'
import { describe, test } from 'vitest'
import { SimulatedDisk } from '../simulated/disk.ts'
import { Simulation } from '../simulated/simulation.ts'
import { DiskError } from '../storage/disk.ts'
import type { Ground } from '../storage/key-value.ts'
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

async function left(disk: SimulatedDisk, inFolder = folder): Promise<string[]> {
  const journal = await Journal.open(disk.mount(), inFolder)
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
      disk.capacityBytes = disk.usedBytes + 68
      await journal.append(record('second'))
      await journal.append(record('third'))
      await assert.rejects(journal.append(Buffer.alloc(100)), DiskError)
      assert(journal.isSound)
      disk.capacityBytes = Number.MAX_SAFE_INTEGER
      await journal.append(record('fourth'))
      assert.deepEqual(await left(disk), ['first', 'second', 'third', 'fourth'])
    }))

  test('leaves out its last record when that stands on bytes that are not there; one before it is not asked', () =>
    withJournal(async (disk, journal) => {
      const ground = await written(disk, '/volumes/1', 'bytes')
      await journal.append(record('second'), [{ ...ground, checksum: 0 }])
      assert.deepEqual(await left(disk), ['first'])
      await journal.append(record('third'), [ground])
      assert.deepEqual(await left(disk), ['first', 'second', 'third'])
      await journal.append(record('fourth'), [ground, { ...ground, length: 6 }])
      assert.deepEqual(await left(disk), ['first', 'second', 'third'])
    }))

  test('keeps a record whose ground is on a disk that is not mounted; one that cannot be read is an error', () =>
    withJournal(async (disk, journal) => {
      const ground = await written(disk, '/volumes/1', 'bytes')
      await journal.append(record('second'), [{ ...ground, path: '/gone/1' }])
      assert.deepEqual(await left(disk), ['first', 'second'])
      await journal.append(record('third'), [ground])
      disk.failWhen({ operation: 'read', path: ground.path })
      await assert.rejects(left(disk), { code: 'disk-failure' })
    }))

  test('has grounds written again that it finds: their sync may have failed, and nobody was left to hear of it', () =>
    withJournal(async (disk, journal) => {
      const names = ['1', '2', '3', '4', '5', '6', '7', '8']
      const grounds = await Promise.all(names.map((name) => written(disk, `/volumes/${name}`, name)))
      await disk.mount().syncFolder('/')
      await disk.mount().syncFolder('/volumes')
      await journal.append(record('second'), grounds)
      const failing = disk.failWhen({ operation: 'sync', path: /volumes/ })
      for (const ground of grounds) await assert.rejects(ground.sync(), DiskError)
      failing.stop()
      assert.deepEqual(await left(disk), ['first', 'second'])
      disk.crash()
      assert.deepEqual(await left(disk), ['first', 'second'])
    }))

  test('finds its grounds when it was moved together with them', () =>
    withJournal(async (disk, journal) => {
      const ground = await written(disk, '/volumes/1', 'bytes')
      await journal.append(record('second'), [{ ...ground, checksum: 0 }])
      await journal.close()
      const mounted = disk.mount()
      await mounted.makeFolder('/moved')
      await mounted.rename(folder, '/moved/index')
      await mounted.rename('/volumes', '/moved/volumes')
      assert.deepEqual(await left(disk, '/moved/index'), ['first'])
    }))

  test('that has rotted is not taken for one with a torn end, whichever bit it was', () =>
    withJournal(async (disk, journal) => {
      for (const text of ['second', 'third']) {
        await journal.append(record(text))
        await journal.sync()
      }
      const last = await lengthOf(disk)
      await journal.append(record('fourth'))
      for (let bit = 0; bit < last * 8; bit += 3) {
        await flip(disk, bit)
        await assert.rejects(left(disk), { code: 'index-damaged' }, `bit ${bit}`)
        await flip(disk, bit)
      }
      assert.deepEqual(await left(disk), ['first', 'second', 'third', 'fourth'])
    }))

  test('may have lost what was never synced, in any order', () =>
    withJournal(async (disk, journal) => {
      await journal.append(record('second'))
      await journal.sync()
      const safe = await lengthOf(disk)
      await journal.append(record('third'))
      await journal.append(record('fourth'))
      await flip(disk, (safe + 24) * 8)
      assert.deepEqual(await left(disk), ['first', 'second'])
    }))

  test('of the first version is read', () =>
    withJournal(async (disk) => {
      const mounted = disk.mount()
      await mounted.makeFolder('/old')
      const file = await mounted.open('/old/journal-7', 'create')
      await file.write(0, ...firstVersion('first'))
      assert.deepEqual(await left(disk, '/old'), ['first'])
    }))
})

/** Up to its zeros. */
async function lengthOf(disk: SimulatedDisk): Promise<number> {
  const file = await disk.mount().open(`${folder}/journal-1`, 'read')
  return Buffer.from(await file.read(0, await file.sizeBytes())).findLastIndex((byte) => byte !== 0) + 1
}

async function flip(disk: SimulatedDisk, bit: number): Promise<void> {
  const file = await disk.mount().open(`${folder}/journal-1`, 'write')
  const [byte] = await file.read(bit >> 3, 1)
  await file.write(bit >> 3, Uint8Array.of(byte! ^ (1 << (bit & 7))))
  await file.close()
}

async function written(disk: SimulatedDisk, path: string, text: string): Promise<Ground> {
  const mounted = disk.mount()
  await mounted.makeFolder(dirname(path))
  const file = await mounted.open(path, 'create')
  await file.write(0, Buffer.from(text))
  return { path, offset: 0, length: text.length, checksum: crc32(text), sync: () => file.sync() }
}

/** A journal with one record. */
function firstVersion(text: string): Buffer[] {
  const mark = Buffer.from('polyhistor index journal 1\n')
  const head = Buffer.alloc(8)
  head.writeUInt32BE(text.length)
  head.writeUInt32BE(crc32(text, crc32(mark)), 4)
  return [mark, head, Buffer.from(text)]
}
