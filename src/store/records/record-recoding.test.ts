import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'vitest'
import { checkVolume } from '../../../sim/store/volume-check.ts'
import { type Compression, gzip, uncompressed, zstd } from '../../formats/warc/compression/compression.ts'
import { parseUrl } from '../../model/url/url.ts'
import { flip } from '../fixtures/flipped-bits.ts'
import { openStore } from '../fixtures/open-store.ts'
import { bytesOf, pageCapture, pageText, textOf } from '../fixtures/sample-captures.ts'
import { everythingIn, fillVaried, noise } from '../fixtures/varied-store.ts'
import { volumeTexts } from '../fixtures/volume-texts.ts'
import type { Store } from '../store.ts'
import { recordDictionary } from '../volumes/record-dictionary.ts'

const start = Date.parse('2024-01-01T00:00:00Z')
/** Ours, cut short at its end, under another number. */
const otherDictionary = Buffer.from(recordDictionary.subarray(0, 9_000))
otherDictionary.writeUInt32LE(70_000, 4)

const compressions: Record<string, Compression> = {
  gzip,
  zstd,
  'zstd without a dictionary': { kind: 'zstd', dictionary: new Uint8Array(0) },
  'zstd with another dictionary': { kind: 'zstd', dictionary: otherDictionary },
  'no compression': uncompressed,
}

async function sealAll(store: Store): Promise<void> {
  await store.volumes.seal()
}

/** All that lives is moved: whatever of a volume is dead, it is more than this. */
async function compactAll(store: Store): Promise<void> {
  await sealAll(store)
  assert.deepEqual((await store.compact({ deadShare: -1 })).left, [])
}

async function checkAll(store: Store): Promise<void> {
  assert.deepEqual(await store.checkIndex(), [])
  const { damaged, unindexed, dangling } = await store.scrub()
  assert.deepEqual([damaged, unindexed, dangling], [[], 0, 0])
  for (const { path } of (await store.stat()).volumes) await checkVolume(await readFile(path), path)
}

describe('records that are moved', () => {
  const names = Object.keys(compressions)
  for (const [place, from] of names.entries()) {
    const to = names[(place + 1) % names.length]!
    test(`from ${from} to ${to} are compressed anew, and say what they said`, async () => {
      const store = await openStore({ compression: compressions[from]!, volumeBytesMax: 300_000 })
      await fillVaried(store)
      const before = await everythingIn(store)
      await store.close()
      const changed = await openStore({ compression: compressions[to]! }, store.folder)
      const elsewhere = join(store.folder, 'elsewhere')
      await changed.volumes.setFolder(elsewhere, 'writable')
      await changed.moveOff(join(store.folder, 'volumes'))
      assert.deepEqual(await everythingIn(changed), before)
      await checkAll(changed)
    })
  }

  test('are compressed anew however large they are', async () => {
    const store = await openStore({ compression: gzip })
    const block = Buffer.concat([Buffer.from('HTTP/1.1 200 OK\r\n\r\n'), noise(9_000_000)])
    const request = Buffer.from('GET / HTTP/1.1\r\n\r\n')
    const { capture } = await store.append({
      url: parseUrl('http://a.test/'),
      capturedAtMs: start,
      block,
      request,
    })
    await store.close()
    const changed = await openStore({ compression: zstd }, store.folder)
    await compactAll(changed)
    const answer = await changed.read(capture)
    assert.ok(block.subarray(19).equals(await bytesOf(answer.payload())))
    await checkAll(changed)
  })

  test('to a volume like theirs are copied as they are', async () => {
    for (const compression of [gzip, zstd]) {
      const store = await openStore({ compression })
      await store.append(pageCapture('http://a.test/', start, pageText(1, 5_000)))
      await store.put(Buffer.from('bytes alone'))
      const stored = async () => {
        const [volume] = (await store.stat()).volumes.filter(({ bytes }) => bytes > 0)
        return (await readFile(volume!.path)).subarray(-600)
      }
      const before = await stored()
      await compactAll(store)
      assert.deepEqual(await stored(), before)
    }
  })

  test('and are damaged go as they are: still found, still to be repaired', async () => {
    for (const compression of [gzip, uncompressed]) {
      let good: Buffer | undefined
      const repairRecords = async () => good
      const store = await openStore({ compression })
      const more = { request: Buffer.from('GET / HTTP/1.1\r\n\r\n'), headers: ['X-A: unusual'] }
      await store.append(pageCapture('http://a.test/', start, pageText(1, 5_000), more))
      const { path, bytes: end } = (await store.stat()).volumes[0]!
      await store.close()
      const whole = await readFile(path)
      const offset =
        compression === gzip ? whole.indexOf(Buffer.from([0x1f, 0x8b, 8]), 10) : whole.indexOf('WARC/1.1', 10)
      // Of an uncompressed record nothing but the checksum of the index tells.
      await flip(path, compression === gzip ? offset + 300 : whole.indexOf('unusual'))
      const changed = await openStore({ compression: zstd, cacheBytes: 0, repairRecords }, store.folder)
      await compactAll(changed)
      const [capture] = changed.versions(parseUrl('http://a.test/'))
      await assert.rejects(changed.read(capture!), { code: 'store-content-damaged' })
      assert.ok((await changed.scrub()).damagedCount > 0)
      await sealAll(changed)
      good = whole.subarray(offset, end)
      assert.equal((await changed.scrub()).repaired, 1)
      const answer = await changed.read(capture!)
      assert.match(String(answer.head), /X-A: unusual/)
      assert.equal(await textOf(answer.payload()), pageText(1, 5_000))
      const repaired = (await changed.stat()).volumes.at(-1)!.path
      await checkVolume(await readFile(repaired), repaired)
      await compactAll(changed)
      await checkAll(changed)
    }
  })
})

describe('a store whose compression is changed', () => {
  test('compacts away what was taken down, and no longer names it', async () => {
    const store = await openStore({ compression: gzip })
    const text = pageText(1, 3_000)
    const more = { request: Buffer.from('GET / HTTP/1.1\r\n\r\n') }
    await store.append(pageCapture('http://gone.test/', start, text))
    await store.append(pageCapture('http://stays.test/', start + 1, text, more))
    await store.close()
    const changed = await openStore({ compression: zstd }, store.folder)
    await changed.takedown({ kind: 'site', site: 'gone.test' })
    await changed.compact()
    const [capture] = changed.versions(parseUrl('http://stays.test/'))
    assert.equal(await textOf((await changed.read(capture!)).payload()), text)
    assert.doesNotMatch(await volumeTexts(join(store.folder, 'volumes')), /gone\.test/)
    await checkAll(changed)
  })

  test('begins a new volume, and reads the old ones', async () => {
    const urls: string[] = []
    let folder: string | undefined
    for (const [place, compression] of [...Object.values(compressions), gzip, gzip].entries()) {
      const store = await openStore({ compression }, folder)
      folder = store.folder
      urls.push(`http://a.test/${place}`)
      await store.append(pageCapture(urls.at(-1)!, start, pageText(place, 2_000)))
      for (const [number, url] of urls.entries()) {
        const [capture] = store.versions(parseUrl(url))
        assert.equal(await textOf((await store.read(capture!)).payload()), pageText(number, 2_000))
      }
      await checkAll(store)
      await store.close()
    }
    const store = await openStore({}, folder)
    // The last two runs wrote to one.
    assert.deepEqual(
      (await store.stat()).volumes.map(({ path }) => /\.warc.*$/.exec(path)![0]),
      ['.warc.gz', '.warc.zst', '.warc.zst', '.warc.zst', '.warc', '.warc.gz'],
    )
  })
})
