// Every way in which disk and index fail: the caller gets an error with a code, nothing acknowledged is lost, and work
// goes on by itself when the cause has gone.

import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdir, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'vitest'
import { PolyhistorError } from '../errors.ts'
import { parseUrl } from '../model/url/url.ts'
import { withTemporaryFolder } from '../platform/fixtures/temporary-folder.ts'
import type { Receipt } from './capture.ts'
import { indexBroken, indexFull } from './fixtures/failing-key-values.ts'
import { openStore } from './fixtures/open-store.ts'
import { pageCapture, pageText, textOf } from './fixtures/sample-captures.ts'
import { SimulatedStore } from './fixtures/simulated-store.ts'
import type { Store } from './store.ts'

const startMs = Date.UTC(2024, 0, 1)

/** Appends page after page and remembers what was acknowledged. */
class Pages {
  readonly acknowledged = new Map<number, Receipt>()
  readonly #bytes: number
  #next = 0

  constructor(bytes = 2_000) {
    this.#bytes = bytes
  }

  async append(store: Store, folder?: string): Promise<Receipt> {
    const page = this.#next++
    const receipt = await store.append(pageCapture(urlOf(page), startMs + page, this.#text(page)), { folder })
    this.acknowledged.set(page, receipt)
    return receipt
  }

  /** Many at once, until one is refused; gives the error. */
  async appendUntilRefused(store: Store): Promise<PolyhistorError> {
    for (let round = 0; round < 200; round++) {
      const appended = await Promise.allSettled(Array.from({ length: 20 }, () => this.append(store)))
      const refused = appended.find(({ status }) => status === 'rejected') as
        | PromiseRejectedResult
        | undefined
      if (refused === undefined) continue
      assert.ok(refused.reason instanceof PolyhistorError, String(refused.reason))
      return refused.reason
    }
    throw new Error('nothing was refused')
  }

  async check(store: Store): Promise<void> {
    const listed = [...store.scan({ kind: 'all' })].map(({ url }) => url)
    assert.deepEqual(listed.sort(), [...this.acknowledged.keys()].map(urlOf).sort())
    for (const page of this.acknowledged.keys()) {
      const [capture] = store.versions(parseUrl(urlOf(page)))
      assert.equal(await textOf((await store.read(capture!)).payload()), this.#text(page))
    }
  }

  #text(page: number): string {
    return pageText(page, this.#bytes)
  }
}

function urlOf(page: number): string {
  return `http://example.com/${page}`
}

/** Fails as told, goes on, and has everything after a power cut. */
async function checkGoesOn(simulated: SimulatedStore, store: Store, pages: Pages): Promise<void> {
  await simulated.run(pages.append(store))
  await simulated.run(pages.append(store))
  await simulated.run(pages.check(store))
  simulated.crash()
  const again = await simulated.open()
  await simulated.run(pages.check(again))
  await simulated.run(pages.append(again))
  await simulated.run(pages.check(again))
}

async function volumeStates(simulated: SimulatedStore, store: Store): Promise<string[]> {
  const { volumes } = await simulated.run(store.stat())
  return volumes.map(({ state }) => state)
}

async function emptyStore() {
  const simulated = new SimulatedStore()
  return { simulated, store: await simulated.open(), pages: new Pages() }
}

describe('a full disk', () => {
  test('refuses before anything is written, and takes again when there is room', async () => {
    const { simulated, store, pages } = await emptyStore()
    for (let count = 0; count < 4; count++) await simulated.run(pages.append(store))
    simulated.disk.capacityBytes = 10_000
    const error = await simulated.run(pages.appendUntilRefused(store))
    assert.equal(error.code, 'store-no-room')
    assert.equal(error.retry, 'later')
    await simulated.run(pages.check(store))
    simulated.disk.capacityBytes = 1_000_000
    await checkGoesOn(simulated, store, pages)
  })

  test('that fills up while it is written to costs only what did not fit', async () => {
    const { simulated, store, pages } = await emptyStore()
    await simulated.run(pages.append(store))
    simulated.disk.failWhen({ operation: 'write', code: 'disk-full', times: 3 })
    for (let count = 0; count < 3; count++) {
      await assert.rejects(simulated.run(pages.append(store)), { code: 'disk-full', retry: 'later' })
    }
    await simulated.run(pages.append(store))
    assert.deepEqual(await volumeStates(simulated, store), ['active'])
    await checkGoesOn(simulated, store, pages)
  })

  test('keeps its reserve', async () => {
    const simulated = new SimulatedStore()
    simulated.disk.capacityBytes = 100_000
    const store = await simulated.open({ reserveBytes: 60_000 })
    const pages = new Pages()
    for (let count = 0; count < 10; count++) await simulated.run(pages.append(store))
    const error = await simulated.run(pages.appendUntilRefused(store))
    assert.equal(error.code, 'store-no-room')
    assert.match(error.message, /\/store\/volumes .*Free some room or add a volume folder/)
    assert.ok(simulated.disk.usedBytes <= 40_000)
    // Many at once do not slip past it either.
    await simulated.run(Promise.allSettled(Array.from({ length: 50 }, () => pages.append(store))))
    assert.ok(simulated.disk.usedBytes <= 40_000)
    simulated.disk.capacityBytes = 1_000_000
    await checkGoesOn(simulated, store, pages)
  })

  test('of the real kind does the same', async () => {
    await withSmallDisk(800_000, async (disk, fill) => {
      const store = await openStore({ cacheBytes: 0 })
      const folder = join(disk, 'volumes')
      await store.volumes.setFolder(folder, 'writable')
      await store.volumes.setFolder(join(store.folder, 'volumes'), 'read-only')
      const pages = new Pages(10_000)
      const error = await pages.appendUntilRefused(store)
      assert.ok(['store-no-room', 'disk-full'].includes(error.code), error.code)
      await pages.check(store)
      await fill.free()
      await pages.append(store)
      await pages.check(store)
      await store.close()
      const again = await openStore({}, store.folder)
      await pages.check(again)
      await again.close()
    })
  })
})

describe('a failing disk', () => {
  test.each(['write', 'sync'] as const)(
    'on %s: that volume is never written to again, and holds what it had',
    async (operation) => {
      const simulated = new SimulatedStore()
      const store = await simulated.open()
      const pages = new Pages()
      await simulated.run(pages.append(store))
      const [before] = (await simulated.run(store.stat())).volumes
      simulated.disk.failWhen({ operation, path: before!.path, times: 1 })
      await assert.rejects(simulated.run(pages.append(store)), { code: 'disk-failure', retry: 'later' })
      // Were it tried, this would tell.
      simulated.disk.failWhen({ operation: 'write', path: before!.path })
      await simulated.run(pages.append(store))
      const { volumes } = await simulated.run(store.stat())
      assert.deepEqual(
        volumes.map(({ state }) => state),
        ['sealed', 'active'],
      )
      assert.equal(volumes[0]!.bytes, before!.bytes)
      await checkGoesOn(simulated, store, pages)
    },
  )

  test.each([
    ['open', undefined],
    ['write', undefined],
    ['sync', undefined],
    ['sync-folder', undefined],
    ['sync-folder', 'disk-full'],
  ] as const)('on %s of a new volume (%s): leaves nothing of it behind', async (operation, code) => {
    const { simulated, store, pages } = await emptyStore()
    const failing = simulated.disk.failWhen({ operation, path: /volumes/, ...(code && { code }) })
    for (let count = 0; count < 5; count++) {
      await assert.rejects(simulated.run(pages.append(store)), { code: code ?? 'disk-failure' })
    }
    failing.stop()
    assert.deepEqual(await volumeStates(simulated, store), [])
    const files = await simulated.run(simulated.machine.disk.list('/store/volumes'))
    assert.deepEqual(files, ['polyhistor-volumes.txt'])
    await checkGoesOn(simulated, store, pages)
  })

  test('sends captures to another folder meanwhile', async () => {
    const simulated = new SimulatedStore()
    const store = await simulated.open()
    await simulated.run(store.volumes.setFolder('/mnt/b', 'writable'))
    const pages = new Pages()
    const failing = simulated.disk.failWhen({ operation: 'write', path: /^\/mnt\/b\// })
    for (let count = 0; count < 10; count++) await simulated.run(pages.append(store))
    await assert.rejects(simulated.run(pages.append(store, '/mnt/b')), { code: 'disk-failure' })
    failing.stop()
    await simulated.run(pages.append(store, '/mnt/b'))
    await checkGoesOn(simulated, store, pages)
  })
})

describe('the index', () => {
  test('that is full refuses, leaves nothing behind in the volumes, and takes again', async () => {
    const { simulated, store, pages } = await emptyStore()
    await simulated.run(pages.append(store))
    const usedBytes = simulated.disk.usedBytes
    simulated.keyValues.transactionFailure = indexFull
    for (let count = 0; count < 20; count++) {
      await assert.rejects(simulated.run(pages.append(store)), { code: 'index-full', retry: 'later' })
    }
    // At most what the last one wrote.
    assert.ok(simulated.disk.usedBytes < usedBytes + 2_000)
    simulated.keyValues.transactionFailure = () => undefined
    await simulated.run(pages.append(store))
    assert.deepEqual(
      (await simulated.run(store.stat())).volumes.map(({ deadBytes }) => deadBytes),
      [0],
    )
    await checkGoesOn(simulated, store, pages)
  })

  test('whose disk failed promises nothing more until the store is opened again, and is read on', async () => {
    const { simulated, store, pages } = await emptyStore()
    await simulated.run(pages.append(store))
    simulated.keyValues.flushFailure = indexBroken
    await assert.rejects(simulated.run(pages.append(store)), { code: 'index-failure', retry: 'later' })
    simulated.keyValues.flushFailure = () => undefined
    await assert.rejects(simulated.run(pages.append(store)), { code: 'index-failure' })
    const [first] = store.versions(parseUrl(urlOf(0)))
    assert.equal(
      await simulated.run(textOf((await simulated.run(store.read(first!))).payload())),
      pageText(0, 2_000),
    )
    simulated.crash()
    const again = await simulated.open()
    await checkGoesOn(simulated, again, pages)
  })

  test('of the real kind, full by its limit, takes again with a higher one', async () => {
    const store = await openStore({ indexBytesMax: 120_000 })
    const pages = new Pages(600)
    const error = await pages.appendUntilRefused(store)
    assert.equal(error.code, 'index-full')
    assert.match(error.message, /Raise its limit/)
    assert.ok(pages.acknowledged.size > 20)
    await pages.check(store)
    await store.close()
    const again = await openStore({}, store.folder)
    await pages.append(again)
    await pages.check(again)
  })

  test('of the real kind, on a full disk, takes again when there is room', async () => {
    await withSmallDisk(1_000_000, async (disk, fill) => {
      const pages = new Pages(600)
      const elsewhere = await openStore()
      await elsewhere.close()
      const folder = join(disk, 'store')
      const store = await openStore({ volumeBytesMax: 10_000 }, folder)
      const outside = join(elsewhere.folder, 'more')
      await store.volumes.setFolder(outside, 'writable')
      await store.volumes.setFolder(join(folder, 'volumes'), 'read-only')
      const error = await pages.appendUntilRefused(store)
      assert.ok(['index-full', 'index-failure'].includes(error.code), error.code)
      await pages.check(store)
      await fill.free()
      await pages.append(store)
      await pages.check(store)
      await store.close()
      const again = await openStore({}, folder)
      await pages.check(again)
      await again.close()
    })
  })
})

describe('a volume folder that is gone', () => {
  test('is an error that says so, and works again when it is back', async () => {
    const store = await openStore({ cacheBytes: 0 })
    const folder = join(store.folder, 'volumes')
    const pages = new Pages()
    await pages.append(store)
    await rename(folder, `${folder}-away`)
    await assert.rejects(pages.append(store), { code: 'store-volume-missing', retry: 'later' })
    // An empty mount point is not a volume folder either.
    await mkdir(folder)
    await assert.rejects(pages.append(store), { code: 'store-volume-missing' })
    await rename(`${folder}-away`, folder)
    await pages.append(store)
    await pages.check(store)
  })

  test('when the store is opened is left alone until it is back', async () => {
    const store = await openStore()
    const pages = new Pages()
    await pages.append(store)
    const folder = join(store.folder, 'volumes')
    const other = join(store.folder, 'other')
    await store.volumes.setFolder(other, 'writable')
    await store.close()
    await rename(folder, `${folder}-away`)
    const without = await openStore({}, store.folder)
    await pages.append(without)
    await assert.rejects(pages.check(without), { code: 'store-volume-missing', retry: 'later' })
    await assert.rejects(without.volumes.setFolder(folder, 'writable'), { code: 'store-volume-missing' })
    await rename(`${folder}-away`, folder)
    await pages.check(without)
    await pages.append(without, folder)
    await pages.check(without)
    await without.close()
    const again = await openStore({}, store.folder)
    await pages.check(again)
  })
})

/** A disk of its own of that size, with a file that fills half of it until `free`. Needs the right to mount: where that
 * is missing it says so, and the simulated disk above has to do. */
async function withSmallDisk(
  bytes: number,
  body: (folder: string, fill: { free(): Promise<void> }) => Promise<void>,
): Promise<void> {
  await withTemporaryFolder(async (folder) => {
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${bytes}`, 'tmpfs', folder], { stdio: 'pipe' })
    } catch (error) {
      console.warn(
        `Not tried on a real full disk, since none can be mounted here: ${(error as Error).message}`,
      )
      return
    }
    try {
      const ballast = join(folder, 'ballast')
      execFileSync('sh', ['-c', `head -c ${Math.floor(bytes / 2)} /dev/zero > ${ballast}`])
      await body(folder, {
        free: async () => {
          execFileSync('rm', [ballast])
        },
      })
    } finally {
      execFileSync('umount', ['-l', folder], { stdio: 'pipe' })
    }
  })
}
