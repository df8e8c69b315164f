import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { zstdDecompressSync } from 'node:zlib'
import { describe, test } from 'vitest'
import { WARCParser } from 'warcio'
import { zstd } from '../formats/warc/compression/compression.ts'
import {
  decodeDictionaryFrame,
  decodeZstdFrame,
  encodeZstdFrame,
  nameDictionary,
  skippableFrameLength,
  zstdFrameLength,
} from '../formats/warc/compression/zstd-frame.ts'
import { realCompressor } from '../platform/real/compression/compressor.ts'
import { localWorld } from '../platform/real/local-world.ts'
import { flip } from './fixtures/flipped-bits.ts'
import { openStore } from './fixtures/open-store.ts'
import { pageCapture, sampleOptions } from './fixtures/sample-captures.ts'
import { everythingIn, fillVaried } from './fixtures/varied-store.ts'
import { rebuildIndex } from './rebuild/rebuild.ts'
import type { Store } from './store.ts'
import { recordDictionary } from './volumes/record-dictionary.ts'

const start = Date.parse('2024-01-01T00:00:00Z')
const options = { compression: zstd, cacheBytes: 0 }

async function volumeOf(store: Store): Promise<{ path: string; bytes: number }> {
  return (await store.stat()).volumes[0]!
}

/** The volume decompressed: by the zstd command where there is one, as a user without this program would. */
async function plain(path: string, folder: string): Promise<Buffer> {
  const volume = await readFile(path)
  const frameBytes = skippableFrameLength(volume)!
  const dictionary = zstdDecompressSync(volume.subarray(8, frameBytes))
  const dictionaryPath = join(folder, 'dictionary')
  await writeFile(dictionaryPath, dictionary)
  const zstdCommand = spawnSync('zstd', ['-dc', '-D', dictionaryPath, path], { maxBuffer: 1e8 })
  if (zstdCommand.error === undefined) {
    assert.equal(zstdCommand.status, 0, String(zstdCommand.stderr))
    return zstdCommand.stdout
  }
  const parts: Buffer[] = []
  for (let at = frameBytes; at < volume.length; ) {
    const length = zstdFrameLength(volume.subarray(at))!
    parts.push(zstdDecompressSync(volume.subarray(at, at + length), { dictionary }))
    at += length
  }
  return Buffer.concat(parts)
}

async function* single(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}

describe('a zstd volume', () => {
  test('starts with its dictionary, and is plain WARC for whoever decompresses it with that', async () => {
    const store = await openStore(options)
    await fillVaried(store)
    const { path } = await volumeOf(store)
    const volume = await readFile(path)
    const frame = volume.subarray(0, skippableFrameLength(volume)!)
    assert.deepEqual(decodeDictionaryFrame(frame), recordDictionary)
    const types: string[] = []
    for await (const record of new WARCParser(single(await plain(path, store.folder)), {
      parseHttp: false,
    })) {
      await record.readFully(false)
      types.push(record.warcType!)
    }
    assert.equal(types[0], 'warcinfo')
    assert.equal(types.filter((type) => type === 'revisit').length, 4)
    assert.equal(types.length, 1 + 8 + 2 + (2 * 4 + 1))
  })

  test('holds frames as the specification wants them: each with its size, a checksum and the dictionary', async () => {
    const store = await openStore(options)
    await fillVaried(store)
    const { path } = await volumeOf(store)
    const volume = await readFile(path)
    let frames = 0
    for (let at = skippableFrameLength(volume)!; at < volume.length; frames++) {
      const descriptor = volume[at + 4]!
      const hasSize = (descriptor & 0xe0) !== 0
      const windowBytes = (descriptor & 0x20) === 0 ? 1 : 0
      assert.deepEqual([hasSize, (descriptor & 4) !== 0, descriptor & 3], [true, true, 3], `byte ${at}`)
      assert.equal(volume.readUInt32LE(at + 5 + windowBytes), recordDictionary.readUInt32LE(4))
      at += zstdFrameLength(volume.subarray(at))!
    }
    assert.equal(frames, 1 + 8 + 2 + (2 * 4 + 1))
  })

  test('has a dictionary with which frames made without it decode, too', () => {
    for (const bytes of [
      Buffer.alloc(0),
      recordDictionary,
      Buffer.alloc(300_000, 'abcdefgh'),
      Buffer.alloc(5, 1),
    ]) {
      const frame = encodeZstdFrame(bytes)
      const named = nameDictionary(frame, recordDictionary)
      assert.equal(zstdFrameLength(named), named.length)
      assert.deepEqual(decodeZstdFrame(named, 1e6, recordDictionary), bytes)
      assert.throws(() => decodeZstdFrame(named, 1e6), { code: 'warc-bad-dictionary' })
    }
    const entropyEnd = recordDictionary.indexOf(Buffer.from([1, 0, 0, 0, 4, 0, 0, 0, 8, 0, 0, 0]))
    assert.ok(entropyEnd > 0 && entropyEnd < 500)
  })

  test('keeps a capture that only points at another in less than half of what gzip takes', async () => {
    const sizes: number[] = []
    for (const compression of [sampleOptions.compression, zstd]) {
      const store = await openStore({ compression })
      const more = { headers: ['Server: nginx', 'Cache-Control: max-age=600', 'ETag: "0123456789ab"'] }
      await store.append(pageCapture('http://example.com/a-page', start, 'hello', more))
      const { capture } = await store.append(
        pageCapture('http://example.com/a-page', start + 1, 'hello', more),
      )
      assert.equal(capture.kind, 'same')
      sizes.push(capture.storedBytes)
    }
    assert.ok(sizes[1]! < sizes[0]! / 2, `${sizes}`)
  })

  test('whose dictionary has rotted is read all the same, and moved to a sound one', async () => {
    const store = await openStore(options)
    await fillVaried(store)
    const before = await everythingIn(store)
    const { path } = await volumeOf(store)
    await store.close()
    const frameBytes = skippableFrameLength(await readFile(path))!
    // Magic numbers, lengths, and all about the middle.
    for (const offset of [0, 1, 3, 4, 6, 7, 8, 9, 13, 1_000, frameBytes - 1]) {
      await flip(path, offset, 4)
      const rotten = await openStore(options, store.folder)
      assert.deepEqual(await everythingIn(rotten), before, `byte ${offset}`)
      const { damaged } = await rotten.scrub()
      assert.deepEqual(
        damaged.map(({ what, path: where }) => [what, where]),
        [['volume', path]],
        `byte ${offset}`,
      )
      await rotten.close()
      await flip(path, offset, 4)
    }
    await flip(path, 1_000, 4)
    const rotten = await openStore(options, store.folder)
    await rotten.append(pageCapture('http://c.test/', start, 'goes to another volume'))
    assert.equal((await rotten.stat()).volumes.length, 2)
    await rotten.scrub()
    assert.equal((await rotten.compact()).volumes, 1)
    assert.deepEqual((await rotten.scrub()).damaged, [])
    assert.deepEqual(await rotten.checkIndex(), [])
    const after = await everythingIn(rotten)
    for (const [name, expected] of before) assert.equal(after.get(name), expected, name)
  })

  test('whose dictionary is not ours is not read with ours when it has rotted', async () => {
    const dictionary = Buffer.from(recordDictionary)
    dictionary.writeUInt32LE(70_000, 4)
    const store = await openStore({ ...options, compression: { kind: 'zstd', dictionary } })
    const { capture } = await store.append(pageCapture('http://a.test/', start, 'hello'))
    const { path } = await volumeOf(store)
    await store.close()
    await flip(path, 1_000, 4)
    const rotten = await openStore(options, store.folder)
    await assert.rejects(rotten.read(capture), { code: 'store-content-damaged' })
    await assert.rejects(Array.fromAsync(rotten.get(capture.content!)), { code: 'store-content-damaged' })
  })

  test('tells a new index everything, with its dictionary rotten and its end torn', async () => {
    const store = await openStore(options)
    await fillVaried(store)
    const before = await everythingIn(store)
    const { path, bytes } = await volumeOf(store)
    await store.close()
    const volume = await readFile(path)
    await writeFile(path, Buffer.concat([volume, volume.subarray(bytes - 300, bytes - 20)]))
    const { indexBytesMax, volumeBytesMax } = sampleOptions
    const needs = { ...localWorld(), compressor: realCompressor }
    for (const damagedCount of [1, 2]) {
      const report = await rebuildIndex(needs, store.folder, { indexBytesMax, volumeBytesMax })
      assert.equal(report.damagedCount, damagedCount)
      const again = await openStore(options, store.folder)
      assert.deepEqual(await everythingIn(again), before)
      if (damagedCount === 1) assert.deepEqual(await again.checkIndex(), [])
      await again.close()
      // Opening it has cut the torn end off.
      await writeFile(path, Buffer.concat([volume, volume.subarray(bytes - 300, bytes - 20)]))
      await flip(path, 1_000, 4)
    }
  })
})
