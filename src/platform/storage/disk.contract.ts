// What every disk must do. What survives a power cut only a simulated one can be asked: see simulated/disk.test.ts.

import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { type Disk, DiskError, type DiskErrorCode } from './disk.ts'

const text = (string: string): Uint8Array => new TextEncoder().encode(string)

/** A body gets a disk and an empty folder on it. */
export type WithDisk = (body: (disk: Disk, folder: string) => Promise<void>) => Promise<void>

export function diskContract(withDisk: WithDisk): void {
  describe('open', () => openContract(withDisk))
  describe('file', () => fileContract(withDisk))
  describe('names', () => namesContract(withDisk))
}

async function rejectsWith(code: DiskErrorCode, promise: Promise<unknown>, path: string): Promise<void> {
  await assert.rejects(promise, (error) => {
    assert(error instanceof DiskError, `${error}`)
    assert.equal(error.code, code)
    assert.equal(error.path, path)
    assert(error.message.includes(path))
    return true
  })
}

async function putFile(disk: Disk, path: string, content: string): Promise<void> {
  const file = await disk.open(path, 'create')
  await file.write(0, text(content))
  await file.close()
}

async function contentOf(disk: Disk, path: string): Promise<string> {
  const file = await disk.open(path, 'read')
  const bytes = await file.read(0, 1_000_000)
  await file.close()
  return new TextDecoder().decode(bytes)
}

function openContract(withDisk: WithDisk): void {
  test('read and write want a file that is there', () =>
    withDisk(async (disk, folder) => {
      for (const mode of ['read', 'write'] as const) {
        await rejectsWith('disk-not-found', disk.open(`${folder}/a`, mode), `${folder}/a`)
      }
      await putFile(disk, `${folder}/a`, 'x')
      for (const mode of ['read', 'write'] as const) {
        const file = await disk.open(`${folder}/a`, mode)
        assert.equal(file.path, `${folder}/a`)
        assert.deepEqual(await file.read(0, 10), text('x'))
        await file.close()
      }
    }))

  test('create wants a name that is free, in a folder that is there', () =>
    withDisk(async (disk, folder) => {
      await putFile(disk, `${folder}/a`, 'x')
      await rejectsWith('disk-already-exists', disk.open(`${folder}/a`, 'create'), `${folder}/a`)
      await rejectsWith('disk-already-exists', disk.open(folder, 'create'), folder)
      await rejectsWith('disk-not-found', disk.open(`${folder}/b/c`, 'create'), `${folder}/b/c`)
      assert.equal(await contentOf(disk, `${folder}/a`), 'x')
    }))

  test('a created file is empty, and can be read and written', () =>
    withDisk(async (disk, folder) => {
      const file = await disk.open(`${folder}/a`, 'create')
      assert.equal(await file.sizeBytes(), 0)
      await file.write(0, text('abc'))
      assert.deepEqual(await file.read(1, 2), text('bc'))
      await file.close()
    }))

  test('a file open for reading cannot be written', () =>
    withDisk(async (disk, folder) => {
      await putFile(disk, `${folder}/a`, 'x')
      const file = await disk.open(`${folder}/a`, 'read')
      await rejectsWith('disk-failure', file.write(0, text('y')), `${folder}/a`)
      await rejectsWith('disk-failure', file.truncate(0), `${folder}/a`)
      await file.close()
      assert.equal(await contentOf(disk, `${folder}/a`), 'x')
    }))

  test('a folder is not a file, nor a file a folder', () =>
    withDisk(async (disk, folder) => {
      await putFile(disk, `${folder}/a`, 'x')
      await rejectsWith('disk-failure', disk.open(folder, 'read'), folder)
      await rejectsWith('disk-failure', disk.open(folder, 'write'), folder)
      await rejectsWith('disk-failure', disk.open(`${folder}/a/b`, 'read'), `${folder}/a/b`)
      await rejectsWith('disk-failure', disk.list(`${folder}/a`), `${folder}/a`)
      await rejectsWith('disk-failure', disk.syncFolder(`${folder}/a`), `${folder}/a`)
    }))

  test('what is closed is not to be used; closing again does nothing', () =>
    withDisk(async (disk, folder) => {
      const file = await disk.open(`${folder}/a`, 'create')
      await file.close()
      await file.close()
      await assert.rejects(file.read(0, 1), assert.AssertionError)
      await assert.rejects(file.write(0, text('a')), assert.AssertionError)
      await assert.rejects(file.sync(), assert.AssertionError)
    }))
}

function fileContract(withDisk: WithDisk): void {
  test('reads come short only at the end', () =>
    withDisk(async (disk, folder) => {
      await putFile(disk, `${folder}/a`, '0123456789')
      const file = await disk.open(`${folder}/a`, 'read')
      assert.deepEqual(await file.read(2, 3), text('234'))
      assert.deepEqual(await file.read(8, 5), text('89'))
      assert.deepEqual(await file.read(10, 5), text(''))
      assert.deepEqual(await file.read(99, 5), text(''))
      assert.deepEqual(await file.read(3, 0), text(''))
      await file.close()
    }))

  test('reads into memory that is given and large enough', () =>
    withDisk(async (disk, folder) => {
      await putFile(disk, `${folder}/a`, '0123456789')
      const file = await disk.open(`${folder}/a`, 'read')
      const memory = new Uint8Array(6)
      const bytes = await file.read(2, 4, memory.subarray(1))
      assert.deepEqual(bytes, text('2345'))
      assert.deepEqual(memory, text('\x002345\0'))
      assert.equal(bytes.buffer, memory.buffer)
      assert.deepEqual(await file.read(8, 4, memory), text('89'))
      const tooLarge = await file.read(0, 7, memory)
      assert.deepEqual(tooLarge, text('0123456'))
      assert.notEqual(tooLarge.buffer, memory.buffer)
      await file.close()
    }))

  test('reads at once, where it can, what it would read in time', () =>
    withDisk(async (disk, folder) => {
      await putFile(disk, `${folder}/a`, '0123456789')
      const file = await disk.open(`${folder}/a`, 'read')
      const memory = new Uint8Array(4)
      const bytes = file.readAtOnce?.(2, memory)
      if (bytes !== undefined) assert.deepEqual(bytes, text('2345'))
      assert.equal(file.readAtOnce?.(8, memory), undefined)
      await file.close()
    }))

  test('what was read is the reader’s to keep', () =>
    withDisk(async (disk, folder) => {
      const file = await disk.open(`${folder}/a`, 'create')
      await file.write(0, text('abc'))
      const bytes = await file.read(0, 3)
      await file.write(0, text('xyz'))
      assert.deepEqual(bytes, text('abc'))
      bytes.fill(0)
      assert.deepEqual(await file.read(0, 3), text('xyz'))
      await file.close()
    }))

  test('chunks are written one after the other, empty ones too', () =>
    withDisk(async (disk, folder) => {
      const file = await disk.open(`${folder}/a`, 'create')
      await file.write(0, text('ab'), text(''), text('c'), text('def'))
      await file.write(2, text('X'), text('Y'))
      await file.write(6)
      await file.write(6, text(''))
      assert.equal(await file.sizeBytes(), 6)
      assert.deepEqual(await file.read(0, 9), text('abXYef'))
      await file.close()
    }))

  test('more chunks and bytes than the system takes at once are written to the end', () =>
    withDisk(async (disk, folder) => {
      const chunks = Array.from({ length: 3_000 }, (_, index) => new Uint8Array(1_000).fill(index))
      const file = await disk.open(`${folder}/a`, 'create')
      await file.write(5, ...chunks)
      assert.equal(await file.sizeBytes(), 3_000_005)
      assert.deepEqual(await file.read(5, 3_000_000), new Uint8Array(Buffer.concat(chunks)))
      await file.close()
    }))

  test('a gap reads as zeros', () =>
    withDisk(async (disk, folder) => {
      const file = await disk.open(`${folder}/a`, 'create')
      await file.write(3, text('x'))
      assert.deepEqual(await file.read(0, 9), text('\0\0\0x'))
      await file.close()
    }))

  test('truncate cuts, or fills up with zeros', () =>
    withDisk(async (disk, folder) => {
      const file = await disk.open(`${folder}/a`, 'create')
      await file.write(0, text('abcdef'))
      await file.truncate(3)
      assert.equal(await file.sizeBytes(), 3)
      await file.truncate(5)
      assert.deepEqual(await file.read(0, 9), text('abc\0\0'))
      await file.close()
    }))

  test('sync returns; two openings see the same bytes', () =>
    withDisk(async (disk, folder) => {
      const writer = await disk.open(`${folder}/a`, 'create')
      const reader = await disk.open(`${folder}/a`, 'read')
      await writer.write(0, text('abc'))
      await writer.sync()
      assert.deepEqual(await reader.read(0, 3), text('abc'))
      await writer.close()
      await reader.close()
    }))

  test('many operations at once', () =>
    withDisk(async (disk, folder) => {
      const file = await disk.open(`${folder}/a`, 'create')
      const indexes = Array.from({ length: 200 }, (_, index) => index)
      await Promise.all(indexes.map((index) => file.write(index * 10, new Uint8Array(10).fill(index))))
      const parts = await Promise.all(indexes.map((index) => file.read(index * 10, 10)))
      for (const index of indexes) assert.deepEqual(parts[index], new Uint8Array(10).fill(index))
      await file.close()
    }))
}

function namesContract(withDisk: WithDisk): void {
  test('stat tells kind and size, or that there is nothing', () =>
    withDisk(async (disk, folder) => {
      await putFile(disk, `${folder}/a`, 'abc')
      assert.deepEqual(await disk.stat(`${folder}/a`), { kind: 'file', sizeBytes: 3 })
      assert.equal((await disk.stat(folder))?.kind, 'folder')
      assert.equal(await disk.stat(`${folder}/b`), undefined)
      assert.equal(await disk.stat(`${folder}/b/c`), undefined)
      assert.equal(await disk.stat(`${folder}/a/b`), undefined)
    }))

  test('list gives the names, sorted', () =>
    withDisk(async (disk, folder) => {
      assert.deepEqual(await disk.list(folder), [])
      for (const name of ['b', 'a', 'c10', 'c9', 'B', 'ä']) await putFile(disk, `${folder}/${name}`, '')
      await disk.makeFolder(`${folder}/aa`)
      assert.deepEqual(await disk.list(folder), ['B', 'a', 'aa', 'b', 'c10', 'c9', 'ä'])
      await rejectsWith('disk-not-found', disk.list(`${folder}/none`), `${folder}/none`)
    }))

  test('makeFolder makes parents, and is fine with what is there', () =>
    withDisk(async (disk, folder) => {
      await disk.makeFolder(`${folder}/a/b/c`)
      await disk.makeFolder(`${folder}/a/b/c`)
      assert.equal((await disk.stat(`${folder}/a/b/c`))?.kind, 'folder')
      await putFile(disk, `${folder}/f`, 'x')
      await rejectsWith('disk-already-exists', disk.makeFolder(`${folder}/f`), `${folder}/f`)
      await rejectsWith('disk-failure', disk.makeFolder(`${folder}/f/g`), `${folder}/f/g`)
    }))

  test('rename moves, and replaces what is there', () =>
    withDisk(async (disk, folder) => {
      await putFile(disk, `${folder}/a`, 'new')
      await putFile(disk, `${folder}/b`, 'old')
      await disk.rename(`${folder}/a`, `${folder}/b`)
      assert.deepEqual(await disk.list(folder), ['b'])
      assert.equal(await contentOf(disk, `${folder}/b`), 'new')
      await disk.makeFolder(`${folder}/c/d`)
      await disk.rename(`${folder}/b`, `${folder}/c/b`)
      await disk.rename(`${folder}/c`, `${folder}/e`)
      assert.equal(await contentOf(disk, `${folder}/e/b`), 'new')
      await disk.rename(`${folder}/e/b`, `${folder}/e/b`)
      assert.deepEqual(await disk.list(`${folder}/e`), ['b', 'd'])
    }))

  test('a rename that cannot be changes nothing', () =>
    withDisk(async (disk, folder) => {
      await disk.makeFolder(`${folder}/full/x`)
      await disk.makeFolder(`${folder}/other`)
      await putFile(disk, `${folder}/a`, 'a')
      const a = `${folder}/a`
      const other = `${folder}/other`
      await rejectsWith('disk-not-found', disk.rename(`${folder}/none`, a), `${folder}/none`)
      await rejectsWith('disk-not-found', disk.rename(a, `${folder}/none/a`), a)
      await rejectsWith('disk-failure', disk.rename(a, other), a)
      await rejectsWith('disk-failure', disk.rename(other, a), other)
      await rejectsWith('disk-failure', disk.rename(other, `${folder}/full`), other)
      await rejectsWith('disk-failure', disk.rename(other, `${other}/inside`), other)
      assert.deepEqual(await disk.list(folder), ['a', 'full', 'other'])
      assert.equal(await contentOf(disk, a), 'a')
    }))

  test('an open file survives being renamed, replaced and removed', () =>
    withDisk(async (disk, folder) => {
      await putFile(disk, `${folder}/a`, 'abc')
      const file = await disk.open(`${folder}/a`, 'write')
      await disk.rename(`${folder}/a`, `${folder}/b`)
      await file.write(0, text('x'))
      assert.equal(await contentOf(disk, `${folder}/b`), 'xbc')
      await disk.remove(`${folder}/b`)
      assert.deepEqual(await file.read(0, 9), text('xbc'))
      await file.close()
    }))

  test('remove takes a file or an empty folder', () =>
    withDisk(async (disk, folder) => {
      await putFile(disk, `${folder}/a`, 'abc')
      await disk.makeFolder(`${folder}/b/c`)
      await rejectsWith('disk-failure', disk.remove(`${folder}/b`), `${folder}/b`)
      await disk.remove(`${folder}/b/c`)
      await disk.remove(`${folder}/b`)
      await disk.remove(`${folder}/a`)
      assert.deepEqual(await disk.list(folder), [])
      await rejectsWith('disk-not-found', disk.remove(`${folder}/a`), `${folder}/a`)
    }))

  test('syncFolder returns, for a folder that is there', () =>
    withDisk(async (disk, folder) => {
      await putFile(disk, `${folder}/a`, 'abc')
      await disk.syncFolder(folder)
      await rejectsWith('disk-not-found', disk.syncFolder(`${folder}/none`), `${folder}/none`)
    }))

  test('freeBytes tells of some room', () =>
    withDisk(async (disk, folder) => {
      assert((await disk.freeBytes(folder)) > 1_000_000)
      await rejectsWith('disk-not-found', disk.freeBytes(`${folder}/none`), `${folder}/none`)
    }))
}
