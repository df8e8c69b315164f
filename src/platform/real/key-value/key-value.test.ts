import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readdir, readFile, stat, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { describe, test } from 'vitest'
import { watched } from '../../fixtures/child-processes.ts'
import { withTemporaryFolder } from '../../fixtures/temporary-folder.ts'
import { KeyValueError } from '../../storage/key-value.ts'
import { RealDisk } from '../disk/disk.ts'
import { smallBytes } from './index-opening.ts'
import { RealKeyValues } from './key-value.ts'

const text = (string: string): Uint8Array => new TextEncoder().encode(string)
const script = join(import.meta.dirname, '../../fixtures/count-in-map.ts')

/** Runs the counting process, kills it after so many lines, and gives the highest number that it said was flushed. */
async function countAndKill(folder: string, linesMax: number): Promise<number> {
  const child = watched(spawn(process.execPath, [script, folder], { stdio: ['ignore', 'pipe', 'inherit'] }))
  const exited = once(child, 'exit')
  let flushed = 0
  let lines = 0
  for await (const line of createInterface({ input: child.stdout })) {
    flushed = Math.max(flushed, Number(line))
    if (++lines === linesMax) child.kill('SIGKILL')
  }
  const [, signal] = await exited
  assert.equal(signal, 'SIGKILL')
  return flushed
}

describe('a process that is killed', () => {
  test('leaves every flushed transaction behind, whole, again and again', () =>
    withTemporaryFolder(async (folder) => {
      for (const linesMax of [1, 7, 40, 200]) {
        const flushed = await countAndKill(folder, linesMax)
        const map = await new RealKeyValues({ disk: new RealDisk() }).open(folder)
        const [one, other] = [map.table('one'), map.table('other')]
        const count = Number(new TextDecoder().decode(one.get(text('count'))))
        assert(count >= flushed, `${count} of ${flushed}`)
        for (let number = 1; number <= flushed; number++)
          assert(one.get(text(`${number}`)), `${number} is lost`)
        assert.deepEqual([...one.range()], [...other.range()])
        await map.close()
      }
    }))
})

describe('the lock file', () => {
  /** Touching a hole on a full disk ends the process. */
  async function checkNoHoles(folder: string): Promise<void> {
    const { size, blocks } = await stat(join(folder, 'lock.mdb'))
    await writeFile(join(folder, 'written'), new Uint8Array(size))
    assert.equal(blocks, (await stat(join(folder, 'written'))).blocks)
  }

  test('has no holes, also where an earlier process left some', () =>
    withTemporaryFolder(async (folder) => {
      const maps = new RealKeyValues({ disk: new RealDisk() })
      await (await maps.open(folder)).close()
      await checkNoHoles(folder)
      await truncate(join(folder, 'lock.mdb'), 0)
      await truncate(join(folder, 'lock.mdb'), 20_000)
      const map = await maps.open(folder)
      const table = map.table('table')
      await map.transaction(() => table.put(text('a'), text('b')))
      await checkNoHoles(folder)
      await map.close()
    }))
})

describe('a file that is no index', () => {
  async function openWith(change: (data: Buffer) => Buffer): Promise<void> {
    await withTemporaryFolder(async (folder) => {
      const maps = new RealKeyValues({ disk: new RealDisk() })
      const map = await maps.open(folder)
      const table = map.table('table')
      await map.transaction(() => {
        for (let index = 0; index < 2_000; index++) table.put(text(`${index}`), new Uint8Array(100))
      })
      await map.close()
      const data = await readFile(`${folder}/data.mdb`)
      const other = join(folder, 'other')
      await mkdir(other)
      await writeFile(`${other}/data.mdb`, change(Buffer.from(data)))
      await assert.rejects(
        async () => {
          const opened = await maps.open(other)
          try {
            for (const _ of opened.table('table').range());
          } finally {
            await opened.close()
          }
        },
        (error) => {
          assert(error instanceof KeyValueError, `${error}`)
          assert.deepEqual([error.code, error.retry], ['index-damaged', 'never'])
          return true
        },
      )
      // The same object can open others, and the same one again once it is mended.
      await writeFile(`${other}/data.mdb`, data)
      const mended = await maps.open(other)
      assert.equal([...mended.table('table').range()].length, 2_000)
      await mended.close()
    })
  }

  test('of other bytes', () => openWith(() => Buffer.alloc(20_000, 7)))
  test('of zeros', () => openWith(() => Buffer.alloc(20_000)))
  test('of a few bytes', () => openWith(() => Buffer.from('hello')))
  test('with its first page destroyed', () => openWith((data) => data.fill(0x55, 0, 4_096)))
  test('with its second page destroyed', () => openWith((data) => data.fill(0x55, 4_096, 8_192)))
  test('cut off', () => openWith((data) => data.subarray(0, 16_384)))
  test('cut off in the middle', () => openWith((data) => data.subarray(0, Math.floor(data.length / 2))))
  test('with a page of zeros', () => openWith((data) => data.fill(0, 20 * 4_096, 21 * 4_096)))
  test('with a page of other bytes', () => openWith((data) => data.fill(0x55, 20 * 4_096, 21 * 4_096)))
  test('with a node that reaches beyond its page', () =>
    // Where the first node of the page lies.
    openWith((data) => data.fill(0xff, 20 * 4_096 + 24, 20 * 4_096 + 26)))
  test('of another version', () => openWith((data) => data.fill(9, 28, 29)))
  test('with an impossible page size', () => openWith((data) => data.fill(9, 48, 49)))

  test('is told of a large one, too, when the last process did not close it', () =>
    withTemporaryFolder(async (folder) => {
      const maps = new RealKeyValues({ disk: new RealDisk() })
      const map = await maps.open(folder)
      const table = map.table('table')
      await map.transaction(() => {
        for (let index = 0; index < 6_000; index++) table.put(text(`${index}`), new Uint8Array(1_000))
      })
      assert((await readdir(folder)).includes('unclosed'))
      await map.close()
      assert(!(await readdir(folder)).includes('unclosed'))
      const data = await readFile(`${folder}/data.mdb`)
      assert(data.length > smallBytes)
      await writeFile(`${folder}/unclosed`, '')
      await (await maps.open(folder)).close()
      await writeFile(`${folder}/data.mdb`, Buffer.from(data).fill(0, 100 * 4_096, 101 * 4_096))
      await writeFile(`${folder}/unclosed`, '')
      await assert.rejects(maps.open(folder), { code: 'index-damaged' })
    }))

  test('an empty file is a new index', () =>
    withTemporaryFolder(async (folder) => {
      await writeFile(`${folder}/data.mdb`, '')
      const map = await new RealKeyValues({ disk: new RealDisk() }).open(folder)
      await map.close()
    }))

  test('where a file is in the way of the folder, the disk says so', () =>
    withTemporaryFolder(async (folder) => {
      await writeFile(`${folder}/file`, '')
      const maps = new RealKeyValues({ disk: new RealDisk() })
      await assert.rejects(maps.open(`${folder}/file`), { code: 'disk-already-exists' })
    }))
})
