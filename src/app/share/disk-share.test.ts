import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdir, readdir, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'vitest'
import { parseUrl } from '../../model/url/url.ts'
import { withTemporaryFolder } from '../../platform/fixtures/temporary-folder.ts'
import { StoreError } from '../../store/store-error.ts'
import { type NewCapture, openStore } from '../store/store-library.ts'
import { DiskShare } from './disk-share.ts'
import { compactShare, deadShareFor } from './share-compaction.ts'

const shareBytes = 8_000_000

function captureOf(host: string, number: number): NewCapture {
  return {
    url: parseUrl(`https://${host}/${number}`),
    capturedAtMs: number,
    block: Buffer.concat([Buffer.from('HTTP/1.1 200 OK\r\n\r\n'), randomBytes(50_000)]),
  }
}

async function bytesOf(folder: string): Promise<number> {
  const names = await readdir(folder, { recursive: true })
  const infos = await Promise.all(names.map((name) => stat(join(folder, name))))
  return infos.reduce((sum, { blocks }) => sum + 512 * blocks, 0)
}

describe('the share of a disk', () => {
  test('is never exceeded; what does not fit is refused with the reason, and the rest stays readable', () =>
    withTemporaryFolder(async (folder) => {
      const share = new DiskShare([folder], shareBytes, () => performance.now())
      const store = await openStore(join(folder, 'store'), { share, reserveBytes: 0 })
      const append = (number: number) => store.append(captureOf('example.org', number))
      let kept = 0
      let refusal: unknown
      while (refusal === undefined && kept < 1_000) {
        try {
          await Promise.all(Array.from({ length: 8 }, (_, index) => append(kept + index)))
          kept += 8
        } catch (error) {
          refusal = error
        }
      }
      assert.ok(refusal instanceof StoreError && refusal.code === 'store-no-room')
      assert.match(refusal.message, /8MB.*--share/)
      assert.ok(kept > 80, `${kept} fit`)
      assert.ok((await bytesOf(folder)) <= shareBytes)
      assert.equal((await share.state()).state, 'full')
      const [capture] = store.versions(parseUrl('https://example.org/3'))
      assert.equal((await store.read(capture!)).sizeBytes, 50_000)
      await store.close()
    }))

  test('has room to shrink when it is full: what is dropped or taken down makes room for others', () =>
    withTemporaryFolder(async (folder) => {
      const share = new DiskShare([folder], shareBytes, () => performance.now())
      const { volumeBytesMax } = share
      const store = await openStore(join(folder, 'store'), { share, volumeBytesMax, reserveBytes: 0 })
      try {
        const fill = async (site: string): Promise<number> => {
          for (let kept = 0; ; kept++) {
            const full = await store.append(captureOf(site, kept)).then(
              () => false,
              (error) => {
                assert.equal((error as StoreError).code, 'store-no-room')
                return true
              },
            )
            assert.ok((await bytesOf(folder)) <= shareBytes)
            if (full) return kept
          }
        }
        const compact = () =>
          compactShare(store, { deadShare: deadShareFor(true, 0.25), signal: new AbortController().signal })
        const first = await fill('one.example')
        assert.ok(first > 60, `${first} fit`)
        assert.equal(await compact(), undefined)
        // A third of each volume.
        const cursors = [...store.scan({ kind: 'all' })].map(({ cursor }) => cursor)
        await store.drop(cursors.filter((_, index) => index % 3 === 0))
        await assert.rejects(store.append(captureOf('two.example', 0)), { code: 'store-no-room' })
        const freed = (await compact())!.freedBytes
        assert.ok(freed > 0.2 * shareBytes, `${freed} freed`)
        assert.ok((await bytesOf(folder)) <= shareBytes)
        const second = await fill('two.example')
        assert.ok(second > first / 4, `${second} fit`)
        await store.takedown({ kind: 'site', site: 'one.example' }, 'test', { isNow: true })
        assert.ok((await compact())!.freedBytes > 0.2 * shareBytes)
        assert.ok((await fill('three.example')) > first / 4)
        for (const capture of store.scan({ kind: 'all' }))
          assert.equal((await store.read(capture)).sizeBytes, 50_000)
        assert.deepEqual(await store.checkIndex(), [])
      } finally {
        await store.close()
      }
    }))

  test('is told also when counting takes longer than a count is good for', () =>
    withTemporaryFolder(async (folder) => {
      let nowMs = 0
      const share = new DiskShare([folder], shareBytes, () => (nowMs += 60_000))
      assert.equal((await share.state()).state, 'room')
    }))

  test('counts volumes on other disks too', () =>
    withTemporaryFolder(async (folder) => {
      const [home, elsewhere] = [join(folder, 'home'), join(folder, 'elsewhere')]
      await mkdir(home)
      await mkdir(elsewhere)
      await writeFile(join(elsewhere, 'volume'), randomBytes(2_000_000), { flush: true })
      const share = new DiskShare([home], shareBytes, () => performance.now())
      share.count(elsewhere)
      assert.ok((await share.state()).usedBytes >= 2_000_000)
    }))

  test('is what the disk has, where that is less than was given', () =>
    withTemporaryFolder(async (folder) => {
      const [given, used] = [1_000_000_000, 100_000_000]
      const stateWith = async (room: number) => {
        const share = new DiskShare(
          [folder],
          given,
          () => 0,
          undefined,
          async () => room,
        )
        await share.state()
        share.use(used)
        return share.state()
      }
      const states = await Promise.all([2 * given, 300_000_000, 5_000_000, -5].map(stateWith))
      assert.deepEqual(
        states.map(({ state }) => state),
        ['room', 'room', 'filling', 'full'],
      )
      assert.deepEqual(
        states.map(({ shareBytes }) => shareBytes),
        [given, used + 300_000_000, used + 5_000_000, used],
      )
    }))

  test('is counted every second where it may soon be used up, and now and then where there is room', () =>
    withTemporaryFolder(async (folder) => {
      let nowMs = 0
      const small = new DiskShare([folder], shareBytes, () => nowMs)
      const large = new DiskShare([folder], 1_000 * shareBytes, () => nowMs)
      const used = () => Promise.all([small, large].map(async (share) => (await share.state()).usedBytes))
      const [before] = await used()
      await writeFile(join(folder, 'volume'), randomBytes(100_000), { flush: true })
      nowMs = 1_000
      assert.deepEqual(await used(), [before! + 102_400, before])
      nowMs = 10_000
      assert.deepEqual(await used(), [before! + 102_400, before! + 102_400])
    }))
})
