import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'vitest'
import { digestOf } from '../../../model/digest.ts'
import { withTemporaryFolder } from '../../fixtures/temporary-folder.ts'
import type { DiskFile } from '../../storage/disk.ts'
import { RealDisk } from '../disk/disk.ts'
import { IncomingBody } from './body.ts'

const chunk = (byte: number, length: number): Buffer => Buffer.alloc(length, byte)

/** A disk whose writes wait until they are let go. */
function slowDisk(): { disk: RealDisk; waiting: (() => void)[] } {
  const waiting: (() => void)[] = []
  const disk = new RealDisk()
  const open = disk.open.bind(disk)
  disk.open = async (...given): Promise<DiskFile> => {
    const file = await open(...given)
    const write = file.write.bind(file)
    file.write = async (...bytes) => {
      await new Promise<void>((resolve) => waiting.push(resolve))
      await write(...bytes)
    }
    return file
  }
  return { disk, waiting }
}

test('who sends faster than the disk writes is asked to wait', () =>
  withTemporaryFolder(async (folder) => {
    const { disk, waiting } = slowDisk()
    const body = new IncomingBody({ disk, newSpoolPath: () => join(folder, 'a.spool') }, 1_000)
    const piece = 100_000
    let wait: Promise<void> | undefined
    let sent = 0
    for (; wait === undefined; sent++) wait = body.push(chunk(sent, piece))
    assert(sent * piece < 3 * 1024 * 1024, 'memory is bounded')
    const go = setInterval(() => waiting.shift()?.(), 1)
    await wait
    body.push(chunk(sent++, piece))
    const finished = await body.finish()
    clearInterval(go)
    assert(finished.kind === 'spooled')
    const expected = Buffer.concat(Array.from({ length: sent }, (_, index) => chunk(index, piece)))
    assert(expected.equals(Buffer.concat(await Array.fromAsync(finished.chunks()))))
    assert.deepEqual(finished.digest, digestOf('sha256', expected))
    assert.equal(finished.length, expected.length)
    await finished.remove()
    assert.deepEqual(await disk.list(folder), [])
  }))

test('a body that is discarded leaves no file, in memory or spooled', () =>
  withTemporaryFolder(async (folder) => {
    const disk = new RealDisk()
    for (const bytes of [10, 5_000]) {
      const body = new IncomingBody({ disk, newSpoolPath: () => join(folder, 'a.spool') }, 1_000)
      body.push(chunk(1, bytes))
      await body.discard()
      assert.deepEqual(await disk.list(folder), [])
    }
  }))
