import assert from 'node:assert/strict'
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'vitest'
import { startTestS3, type TestS3 } from '../../platform/fixtures/s3-server.ts'
import { S3Bucket } from '../../platform/real/bucket/s3-bucket.ts'
import { s3SettingsFrom } from '../../platform/real/bucket/s3-settings.ts'
import { localWorld } from '../../platform/real/local-world.ts'
import type { Capture } from '../capture.ts'
import { openStore } from '../fixtures/open-store.ts'
import { pageCapture, pageText, sampleOptions, textOf } from '../fixtures/sample-captures.ts'
import { rebuildIndex } from '../rebuild/rebuild.ts'
import type { Store, StoreNeeds, StoreOptions } from '../store.ts'

const address = 's3://archive/volumes'
const options: Partial<StoreOptions> = {
  volumeBytesMax: 20_000,
  partBytesMin: 4_000,
  cacheBytes: 0,
  deltaChainMax: 0,
}

/** Whose clock stands still: how long a bucket is left alone is not for a busy machine to say. */
function worldWith({ environment }: TestS3): StoreNeeds & ReturnType<typeof localWorld> {
  const real = localWorld()
  const clock = Object.assign(Object.create(real.clock) as typeof real.clock, { monotonicMs: () => 0 })
  const world = { ...real, clock }
  const openBucket = (place: string) =>
    new S3Bucket(real, place, () => s3SettingsFrom(environment), { backoffMs: 1, triesMax: 2 })
  return { ...world, openBucket }
}

const pages = 10
/** Does not compress: volumes of a few pages. */
const bodyOf = (page: number) => `${pageText(page, 300)}${noise(page, 6_000)}`

function noise(seed: number, length: number): string {
  let state = seed + 1
  return Array.from({ length }, () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    return String.fromCharCode(33 + ((state >>> 16) % 90))
  }).join('')
}

async function fill(store: Store, from = 0): Promise<void> {
  // Some at a time: volumes of a few pages, and few syncs.
  const numbers = Array.from({ length: pages }, (_, page) => from + page)
  for (let at = 0; at < pages; at += 3)
    await Promise.all(
      numbers
        .slice(at, at + 3)
        .map((page) => store.append(pageCapture(`http://a.test/${page}`, 1e12 + page, bodyOf(page)))),
    )
}

function read(store: Store, capture: Capture): Promise<string> {
  return store.read(capture).then((answer) => textOf(answer.payload()))
}

async function checkAll(store: Store, count = pages): Promise<void> {
  const captures = [...store.scan({ kind: 'all' })]
  assert.equal(captures.length, count)
  for (const capture of captures)
    assert.equal(await read(store, capture), bodyOf(capture.capturedAtMs - 1e12))
}

async function localVolumes(store: Store): Promise<string[]> {
  return (await readdir(join(store.folder, 'volumes'))).filter((name) => /warc|part/.test(name))
}

function remoteVolumes({ objects }: TestS3): string[] {
  return [...objects.keys()].filter((key) => key.endsWith('.warc.gz'))
}

async function filledStore(more: Partial<StoreOptions> = {}): Promise<{ s3: TestS3; store: Store }> {
  const s3 = await startTestS3()
  const store = await openStore({ ...options, ...more }, undefined, worldWith(s3))
  await fill(store)
  await store.volumes.setFolder(address, 'writable')
  return { s3, store }
}

describe('volumes in a bucket', () => {
  test('are moved there, read by range through a bounded cache, and moved back', async () => {
    const { s3, store } = await filledStore({ bucketCacheBytes: 512 * 1024 })
    const before = await localVolumes(store)
    const { volumes, left } = await store.moveVolumes(address)
    assert.deepEqual(left, [])
    assert.equal(volumes, before.length - 1)
    assert.equal(remoteVolumes(s3).length, volumes)
    assert.equal((await localVolumes(store)).length, 1)
    await checkAll(store)
    const fetches = () => s3.requests.filter(({ range }) => range !== undefined).length
    const fetched = fetches()
    for (let again = 0; again < 3; again++) await read(store, [...store.scan({ kind: 'all' })].at(-1)!)
    assert.equal(fetches(), fetched)
    assert.equal((await store.stat()).bytes.inBuckets, s3BytesOf(s3))
    const own = join(store.folder, 'volumes')
    const back = await store.moveVolumes(own)
    assert.equal(back.volumes, volumes)
    assert.deepEqual(remoteVolumes(s3), [])
    assert.deepEqual(await localVolumes(store), before)
    await checkAll(store)
    assert.deepEqual(await store.checkIndex(), [])
  })

  test('a bucket that settings do not lead to is not added, and that is told as a fault of the settings', async () => {
    const s3 = await startTestS3()
    const store = await openStore(options, undefined, worldWith(s3))
    s3.fault = () => ({ status: 404, code: 'NoSuchBucket' })
    await assert.rejects(store.volumes.setFolder(address, 'writable'), { code: 'bucket-missing' })
    s3.fault = () => ({ status: 503, code: 'SlowDown' })
    await assert.rejects(store.volumes.setFolder(`${address}-2`, 'writable'), {
      code: 'store-bucket-unavailable',
    })
    assert.equal(store.volumes.folders().size, 1)
  })

  test('are read while they are on their way, and what is new is kept', async () => {
    const { store } = await filledStore()
    const captures = [...store.scan({ kind: 'all' })]
    const own = join(store.folder, 'volumes')
    let isOver = false
    const reading = (async () => {
      let reads = 0
      for (; !isOver; reads++) {
        const capture = captures[reads % captures.length]!
        assert.equal(await read(store, capture), bodyOf(capture.capturedAtMs - 1e12))
        // Most of them need no waiting: the others are to have their turn.
        await new Promise((resolve) => setImmediate(resolve))
      }
      return reads
    })()
    const writing = fill(store, pages)
    assert.deepEqual((await store.moveVolumes(address)).left, [])
    assert.deepEqual((await store.moveVolumes(own)).left, [])
    isOver = true
    assert(((await reading) as number) > 0)
    await writing
    await checkAll(store, 2 * pages)
  })

  test('an upload that was cut goes on where it stopped', async () => {
    const { s3, store } = await filledStore()
    const [first] = await localVolumes(store)
    s3.fault = ({ query }) =>
      query.get('partNumber') === '4' ? { status: 503, code: 'SlowDown' } : undefined
    const failed = await store.moveVolumes(address)
    assert.equal(failed.volumes, 0)
    assert.match(failed.left[0]!.reason, /SlowDown/)
    assert((await localVolumes(store)).includes(first!))
    s3.fault = () => undefined
    s3.requests.length = 0
    // A bucket that failed is left alone for a moment: another process finds the upload.
    await store.close()
    const again = await openStore(options, store.folder, worldWith(s3))
    assert.deepEqual((await again.moveVolumes(address)).left, [])
    const sent = s3.requests.filter(
      ({ key, query, method }) => method === 'PUT' && key.endsWith(first!) && query.has('partNumber'),
    )
    assert.equal(
      sent.some(({ query }) => Number(query.get('partNumber')) < 4),
      false,
    )
    assert.equal(
      sent.some(({ query }) => query.get('partNumber') === '4'),
      true,
    )
    await checkAll(again)
  })

  test('a copy that is not the same when it is read again costs nothing', async () => {
    const { s3, store } = await filledStore()
    const before = await localVolumes(store)
    s3.fault = ({ method, query }) =>
      method === 'PUT' && query.has('partNumber') ? 'wrong-bytes' : undefined
    const { left, volumes } = await store.moveVolumes(address)
    assert.equal(volumes, 0)
    assert.match(left[0]!.reason, /not what was sent/)
    assert.deepEqual(await localVolumes(store), before)
    assert.deepEqual(remoteVolumes(s3), [])
    s3.fault = () => undefined
    assert.deepEqual((await store.moveVolumes(address)).left, [])
    await checkAll(store)
  })

  test('a bucket that is away is told; it damages nothing, and the rest goes on', async () => {
    const { s3, store } = await filledStore()
    const moved = await store.moveVolumes(address)
    s3.fault = () => ({ status: 403, code: 'ExpiredToken' })
    const captures = [...store.scan({ kind: 'all' })]
    await assert.rejects(read(store, captures[0]!), {
      code: 'store-bucket-unavailable',
      retry: 'later',
      message: /expired/,
    })
    await assert.rejects(read(store, captures[1]!), { code: 'store-bucket-unavailable' })
    const asked = s3.requests.length
    await assert.rejects(read(store, captures[2]!), { code: 'store-bucket-unavailable' })
    assert.equal(s3.requests.length, asked, 'asked again at once')
    const report = await store.scrub()
    assert.equal(report.damagedCount, moved.volumes)
    for (const { what } of report.damaged) assert.equal(what, 'volume')
    const [trouble] = store.bucketTroubles()
    assert.equal(trouble?.path, address)
    assert.match(trouble.why, /expired/)
    await store.append(pageCapture('http://b.test/', 1e12 + 100, bodyOf(100)))
    // With the bucket away it opens as fast.
    await store.close()
    const again = await openStore(options, store.folder, worldWith(s3))
    await again.volumes.setFolder(address, 'read-only')
    await again.uploadClosed()
    assert.equal(again.bucketTroubles().length, 1, 'also one that takes no more is looked at')
    await again.close()
    s3.fault = () => undefined
    const last = await openStore(options, store.folder, worldWith(s3))
    await checkAll(last, pages + 1)
    assert.deepEqual(last.bucketTroubles(), [])
    assert.equal((await last.scrub({ restart: true })).damagedCount, 0)
  })

  test('one that is removed behind our back is found, and told', async () => {
    const { s3, store } = await filledStore()
    await store.moveVolumes(address)
    assert.equal((await store.scrub({ sparesBuckets: true })).damagedCount, 0)
    const [gone] = remoteVolumes(s3)
    s3.objects.delete(gone!)
    const report = await store.scrub({ sparesBuckets: true, restart: true })
    assert(report.damaged.some(({ path, reason }) => path.endsWith(gone!) && /missing|removed/.test(reason)))
    const outcomes = await Promise.allSettled(
      [...store.scan({ kind: 'all' })].map((capture) => read(store, capture)),
    )
    const failed = outcomes.filter(({ status }) => status === 'rejected')
    assert(failed.length > 0 && failed.length < pages)
  })

  test('make a store of their own again, without what was taken down', async () => {
    const { s3, store } = await filledStore({ takedownUndoMs: 1e12 })
    await store.takedown({ kind: 'url', url: 'http://a.test/3' })
    const [open] = (await store.stat()).volumes.filter(({ state }) => state === 'active')
    await store.moveVolumes(address)
    await store.moveVolumes(address, { names: [open!.path.split('/').at(-1)!] })
    const world = worldWith(s3)
    await store.close()
    await rm(store.folder, { recursive: true })
    const report = await rebuildIndex(world, store.folder, {
      ...sampleOptions,
      ...options,
      folders: [address],
    })
    assert.equal(report.captures, pages)
    assert.equal(report.damagedCount, 0)
    const again = await openStore({ ...options, takedownUndoMs: 1e12 }, store.folder, world)
    assert.equal([...again.scan({ kind: 'all' })].length, pages - 1)
    await again.append(pageCapture('http://b.test/', 1e12 + 100, bodyOf(100)))
    await again.moveVolumes(address)
    await checkAll(again, pages)
  })

  test('what was taken down goes from the bucket, too', async () => {
    const { s3, store } = await filledStore()
    await store.moveVolumes(address)
    const before = s3BytesOf(s3)
    await store.takedown({ kind: 'url', url: 'http://a.test/3' }, undefined, { isNow: true })
    assert.deepEqual((await store.compact()).left, [])
    assert(s3BytesOf(s3) < before)
    await checkAll(store, pages - 1)
  })

  test('of another store are not touched', async () => {
    const { s3, store } = await filledStore()
    await store.moveVolumes(address)
    const other = await openStore(options, undefined, worldWith(s3))
    await assert.rejects(other.volumes.setFolder(address, 'writable'), { code: 'store-bucket-taken' })
    await assert.rejects(other.volumes.setFolder('s3://a b', 'writable'), { code: 'store-bad-target' })
    s3.objects.set('things/photo.jpg', Buffer.from('x'))
    await assert.rejects(other.volumes.setFolder('s3://archive/things', 'writable'), {
      code: 'store-bucket-taken',
    })
    await assert.rejects(other.moveVolumes(address), { code: 'store-unknown-folder' })
    await store.volumes.setFolder(address, 'read-only')
    await assert.rejects(store.moveVolumes(address), { code: 'store-no-room' })
  })
})

function s3BytesOf({ objects }: TestS3): number {
  return [...objects]
    .filter(([key]) => key.endsWith('.warc.gz'))
    .reduce((sum, [, bytes]) => sum + bytes.length, 0)
}
