import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { appendFile, cp, mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'vitest'
import { withTemporaryFolder } from '../../platform/fixtures/temporary-folder.ts'
import { silentLog } from '../../platform/log.ts'
import { RealHomeLock } from '../../platform/real/disk/home-lock.ts'
import { pageCapture, sampleOptions, textOf } from '../../store/fixtures/sample-captures.ts'
import { openStore, openStoreToRead, rebuildStoreIndex, type Store } from './store-library.ts'

const options = { ...sampleOptions, volumeBytesMax: 20_000 }
const count = 40

async function fill(store: Store, from = 0): Promise<void> {
  for (let page = from; page < from + count; page++)
    await store.append(pageCapture(`http://s${page}.test/`, 1e12 + page, bodyOf(page)))
}

function bodyOf(page: number): string {
  return `page ${page} ${createHash('sha256').update(`${page}`).digest('hex').repeat(40)}`
}

async function checkAll(store: Store, pages = count): Promise<void> {
  const captures = [...store.scan({ kind: 'all' })]
  assert.equal(captures.length, pages)
  for (const capture of captures) {
    const page = capture.capturedAtMs - 1e12
    assert.equal(await textOf((await store.read(capture)).payload()), bodyOf(page))
  }
}

/** Every file but locks, and a digest of what is in it. */
async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = entries
    .filter((entry) => entry.isFile() && !entry.name.startsWith('lock'))
    .map(({ parentPath, name }) => join(parentPath, name))
  const digests = files.map(async (path) => {
    const digest = createHash('sha256').update(await readFile(path))
    return `${path} ${digest.digest('hex')}`
  })
  return (await Promise.all(digests)).sort()
}

/** A store as a process that was killed leaves it: with a journal, and a volume whose end was never acknowledged. */
async function killedStore(folder: string): Promise<string> {
  const store = await openStore(join(folder, 'alive'), options)
  await fill(store)
  const place = join(folder, 'store')
  await cp(store.folder, place, { recursive: true })
  await store.close()
  const volumes = (await readdir(join(place, 'volumes'))).filter((name) => name.endsWith('.warc.gz')).sort()
  await appendFile(join(place, 'volumes', volumes.at(-1)!), 'half of a record')
  return place
}

describe('a store on a disk that cannot be written to', () => {
  test('is read whole, and not a byte of it changes', () =>
    withTemporaryFolder(async (folder) => {
      const place = await killedStore(folder)
      // A name that is taken: the home cannot be locked for writing, not even by root.
      await mkdir(join(place, 'holder.json.new'))
      const before = await filesIn(place)
      const warnings: string[] = []
      const log = { ...silentLog, warn: (_: object, sentence: string) => void warnings.push(sentence) }
      await assert.rejects(openStore(place, options), { code: 'home-not-lockable' })
      const store = await openStoreToRead(place, { ...options, log })
      await checkAll(store)
      assert.deepEqual(warnings, ['The disk cannot be written to: the archive is only read'])
      await rm(join(place, 'holder.json.new'), { recursive: true })
      // Nobody may write meanwhile.
      await assert.rejects(new RealHomeLock().hold(place), { code: 'home-in-use' })
      await store.close()
      assert.deepEqual(await filesIn(place), before)
      const again = await openStore(place, options)
      await checkAll(again)
      await again.close()
    }))

  test('is not opened so while another process works on it', () =>
    withTemporaryFolder(async (folder) => {
      const store = await openStore(join(folder, 'store'), options)
      await assert.rejects(openStoreToRead(store.folder, options), { code: 'home-in-use' })
      await store.close()
    }))

  test.runIf(existsSync('/dev/full'))('that is full is locked without a word on who holds it', () =>
    withTemporaryFolder(async (folder) => {
      await symlink('/dev/full', join(folder, 'holder.json.new'))
      const held = await new RealHomeLock().hold(folder)
      await held.release()
    }),
  )
})

describe('a rotten index', () => {
  test('is told, and made anew from the volumes of all folders', () =>
    withTemporaryFolder(async (folder) => {
      const store = await openStore(join(folder, 'store'), options)
      await fill(store)
      await store.volumes.setFolder(join(folder, 'more'), 'writable')
      await store.volumes.setFolder(join(folder, 'store', 'volumes'), 'read-only')
      await fill(store, count)
      await store.close()
      const data = join(store.folder, 'index', 'data.mdb')
      await writeFile(data, (await readFile(data)).fill(0x55, 3 * 4_096))
      const warnings: { facts: object; sentence: string }[] = []
      const log = {
        ...silentLog,
        warn: (facts: object, sentence: string) => void warnings.push({ facts, sentence }),
      }
      const again = await openStore(store.folder, { ...options, log })
      await checkAll(again, 2 * count)
      assert.deepEqual(
        warnings.map(({ sentence }) => sentence),
        [
          'The index is damaged, and is made anew from the volumes',
          'The index was made anew from the volumes',
        ],
      )
      assert.deepEqual(
        [...again.volumes.folders().values()].map(({ mode }) => mode),
        ['read-only', 'writable'],
      )
      await again.close()
    }))

  test('of which a volume is lost is made anew, and what is missing is counted', () =>
    withTemporaryFolder(async (folder) => {
      const store = await openStore(join(folder, 'store'), options)
      await fill(store)
      const { volumes } = await store.stat()
      await store.close()
      await rm(volumes[0]!.path)
      const { captures, missing } = await rebuildStoreIndex(store.folder, options)
      assert(missing > 0)
      assert.equal(captures + missing, count)
    }))
})
