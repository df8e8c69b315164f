import assert from 'node:assert/strict'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'vitest'
import { digestOf } from '../../model/digest.ts'
import { parseUrl } from '../../model/url/url.ts'
import type { ContentKey } from '../contents/content-key.ts'
import { openStore } from '../fixtures/open-store.ts'
import { bytesOf, pageCapture, pageText, textOf } from '../fixtures/sample-captures.ts'
import { volumeTexts } from '../fixtures/volume-texts.ts'
import type { Store } from '../store.ts'

const day = 86_400_000
const start = Date.parse('2024-01-01T00:00:00Z')

/** Puts that compress badly, so that volumes fill up. */
function noise(seed: number, bytes: number): Buffer {
  const buffer = Buffer.alloc(bytes)
  let state = seed + 1
  for (let i = 0; i < bytes; i++) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    buffer[i] = state >>> 16
  }
  return buffer
}

async function volumeFiles(store: Store): Promise<string[]> {
  return (await readdir(join(store.folder, 'volumes'))).filter((name) => name.includes('.warc')).sort()
}

describe('compaction', () => {
  test('gives back the room of deleted contents and keeps every other byte for byte', async () => {
    const store = await openStore({ volumeBytesMax: 100_000 })
    const kept: { key: ContentKey; bytes: Buffer }[] = []
    for (let i = 0; i < 60; i++) {
      const bytes = noise(i, 10_000)
      const key = await store.put(bytes)
      if (i % 3 === 0) kept.push({ key, bytes })
    }
    for (let i = 0; i < 60; i++) {
      if (i % 3 !== 0) await store.delete(keyOf(noise(i, 10_000)))
    }
    const before = await store.stat()
    const report = await store.compact({ deadShare: 0.5 })
    const after = await store.stat()
    assert.ok(report.volumes >= 5)
    assert.deepEqual(report.left, [])
    const bytesOfVolumes = (stat: typeof after) => stat.volumes.reduce((sum, { bytes }) => sum + bytes, 0)
    assert.equal(report.freedBytes, bytesOfVolumes(before) - bytesOfVolumes(after))
    assert.ok(bytesOfVolumes(after) < bytesOfVolumes(before) / 2)
    assert.equal((await volumeFiles(store)).length, after.volumes.length)
    for (const { key, bytes } of kept) assert.deepEqual(await bytesOf(store.get(key)), bytes)
    assert.deepEqual(await store.checkIndex(), [])
    // Nothing more to do.
    assert.equal((await store.compact({ deadShare: 0.5 })).volumes, 0)
  })

  test('gives back the room also where the volume still takes writes', async () => {
    const store = await openStore()
    const key = await store.put(noise(1, 20_000))
    const kept = await store.put(noise(2, 5_000))
    await store.delete(key)
    assert.equal((await store.compact({ deadShare: 0.5 })).volumes, 1)
    assert.ok((await store.stat()).volumes.every(({ deadBytes }) => deadBytes === 0))
    assert.deepEqual(await bytesOf(store.get(kept)), noise(2, 5_000))
    assert.deepEqual(await store.checkIndex(), [])
  })

  test('leaves volumes alone that are not dead enough', async () => {
    const store = await openStore({ volumeBytesMax: 50_000 })
    const keys: ContentKey[] = []
    for (let i = 0; i < 4; i++) keys.push(await store.put(noise(i, 20_000)))
    await store.delete(keys[0]!)
    const before = await volumeFiles(store)
    assert.equal((await store.compact({ deadShare: 0.9 })).volumes, 0)
    assert.deepEqual(await volumeFiles(store), before)
  })

  test('moves captures with their request and metadata, revisits and deltas', async () => {
    const store = await openStore({ volumeBytesMax: 60_000 })
    const url = parseUrl('http://example.com/news')
    let text = pageText(7, 20_000)
    const texts: string[] = []
    for (let version = 0; version < 12; version++) {
      text = text.replace('<p', `<p data-version="${version}"`)
      texts.push(text)
      await store.append(
        pageCapture(url.href, start + version * day, text, {
          request: Buffer.from(`GET /news HTTP/1.1\r\nHost: example.com\r\nX-Version: ${version}\r\n\r\n`),
          metadata: [['via', `http://example.org/${version}`]],
        }),
      )
      await store.append(pageCapture(`http://example.org/copy/${version}`, start + version * day, text))
      // Weight that will be dead.
      await store.delete(await store.put(noise(version, 20_000)))
    }
    await store.volumes.seal()
    const report = await store.compact({ deadShare: 0.1 })
    assert.ok(report.volumes > 2)
    assert.deepEqual(await store.checkIndex(), [])
    const versions = [...store.versions(url)]
    assert.equal(versions.filter(({ kind }) => kind === 'delta').length, 11)
    for (const [version, capture] of versions.entries()) {
      assert.equal(await textOf((await store.read(capture)).payload()), texts[version])
      const [copy] = store.versions(parseUrl(`http://example.org/copy/${version}`))
      assert.equal(await textOf((await store.read(copy!)).payload()), texts[version])
    }
    const inside = await volumeTexts(join(store.folder, 'volumes'))
    for (let version = 0; version < 12; version++) {
      assert.match(inside, new RegExp(`X-Version: ${version}\r\n`))
      assert.match(inside, new RegExp(`via: http://example.org/${version}\r\n`))
    }
    await store.close()
    const again = await openStore({}, store.folder)
    assert.equal(await textOf((await again.read(versions[11]!)).payload()), texts[11])
    assert.deepEqual(await again.checkIndex(), [])
  })

  test('goes on while others read, write and delete', async () => {
    const store = await openStore({ volumeBytesMax: 100_000 })
    for (let i = 0; i < 100; i++) {
      await Promise.all([
        store.append(pageCapture(`http://example.com/${i}`, start, noise(i, 3_000))),
        store.put(noise(1_000 + i, 3_000)),
      ])
    }
    for (let i = 0; i < 60; i++) await store.delete(keyOf(noise(1_000 + i, 3_000)))
    let isDone = false
    const readers = Array.from({ length: 4 }, async (_, reader) => {
      for (let turn = reader; !isDone; turn++) {
        const [capture] = store.versions(parseUrl(`http://example.com/${turn % 100}`))
        const answer = await store.read(capture!)
        assert.deepEqual(await bytesOf(answer.payload()), noise(turn % 100, 3_000))
        await new Promise(setImmediate)
      }
    })
    const writer = (async () => {
      for (let i = 100; i < 160; i++) {
        await store.append(pageCapture(`http://example.com/${i}`, start, noise(i, 3_000)))
        await store.append(pageCapture(`http://example.org/${i}`, start, noise(i - 100, 3_000)))
        if (i % 2 === 0 && i < 140) await store.delete(keyOf(noise(960 + i, 3_000)))
      }
    })()
    let removed = 0
    for (let round = 0; round < 6; round++) removed += (await store.compact({ deadShare: 0.05 })).volumes
    await writer
    isDone = true
    await Promise.all(readers)
    assert.ok(removed > 4)
    assert.deepEqual(await store.checkIndex(), [])
    for (let i = 0; i < 160; i++) {
      const [capture] = store.versions(parseUrl(`http://example.com/${i}`))
      assert.deepEqual(await bytesOf((await store.read(capture!)).payload()), noise(i, 3_000))
    }
    for (let i = 61; i < 100; i += 2)
      assert.deepEqual(await bytesOf(store.get(keyOf(noise(1_000 + i, 3_000)))), noise(1_000 + i, 3_000))
  })

  test('can be stopped, and goes on the next time', async () => {
    const store = await openStore({ volumeBytesMax: 50_000 })
    // More than are moved at once.
    const contents = Array.from({ length: 600 }, (_, i) => noise(i, 500))
    const keys = await Promise.all(contents.map((bytes) => store.put(bytes)))
    await Promise.all(keys.filter((_, i) => i % 2 === 0).map((key) => store.delete(key)))
    const stop = new AbortController()
    const progress = () => stop.abort(new Error('enough'))
    await assert.rejects(store.compact({ deadShare: 0.1, signal: stop.signal, progress }), /enough/)
    assert.deepEqual(await store.checkIndex(), [])
    await store.compact({ deadShare: 0.1 })
    assert.deepEqual(await store.checkIndex(), [])
    for (let i = 1; i < 600; i += 2) assert.deepEqual(await bytesOf(store.get(keys[i]!)), contents[i])
  })
})

function keyOf(bytes: Buffer): ContentKey {
  return { digest: digestOf('sha256', bytes), overflow: 0 }
}
