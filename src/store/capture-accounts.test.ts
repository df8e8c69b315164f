// Captures that vanish are told, unless somebody removed them.

import assert from 'node:assert/strict'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'vitest'
import { parseUrl } from '../model/url/url.ts'
import { localWorld } from '../platform/real/local-world.ts'
import { openStore } from './fixtures/open-store.ts'
import { pageCapture, pageText, sampleOptions } from './fixtures/sample-captures.ts'
import { StoreIndex } from './index/store-index.ts'
import { rebuildIndex } from './rebuild/rebuild.ts'
import type { Store } from './store.ts'

const start = Date.UTC(2024, 0, 1)
const options = { volumeBytesMax: 6_000, takedownUndoMs: 60_000 }
const none = { droppedForOthers: 0, destroyed: 0, missing: 0 }

async function filled(): Promise<Store> {
  const store = await openStore(options)
  for (let page = 0; page < 12; page++)
    await store.append(pageCapture(`http://site-${page}.example/`, start, pageText(page, 8_000)))
  return store
}

async function rebuilt(folder: string) {
  const { indexBytesMax, volumeBytesMax } = { ...sampleOptions, ...options }
  return rebuildIndex(localWorld(), folder, { indexBytesMax, volumeBytesMax })
}

describe('captures that are not there any more', () => {
  test('are counted by what became of them', async () => {
    const store = await filled()
    const [first] = store.versions(parseUrl('http://site-0.example/'))
    await store.drop([first!.cursor])
    await store.takedown({ kind: 'site', site: 'site-1.example' })
    await store.takedown({ kind: 'site', site: 'site-2.example' }, '', { isNow: true })
    await store.scrub()
    const { captures, hiddenCaptures, removed } = await store.stat()
    assert.deepEqual([captures, hiddenCaptures], [9, 1])
    assert.deepEqual(removed, { droppedForOthers: 1, destroyed: 1, missing: 0 })
    await store.compact({ deadShare: 0 })
    await store.close()
    const { missing } = await rebuilt(store.folder)
    assert.equal(missing, 0)
    const again = await openStore(options, store.folder)
    assert.deepEqual((await again.stat()).removed, { droppedForOthers: 1, destroyed: 1, missing: 0 })
  })

  test('are missing when a rebuild does not find them, until they come back', async () => {
    const store = await filled()
    assert.deepEqual((await store.stat()).removed, none)
    const copies = await Promise.all(
      [...store.scan({ kind: 'all' })].map(({ cursor }) => store.give(cursor, { isWhole: true })),
    )
    const [volume] = (await store.stat()).volumes
    await store.close()
    await rm(volume!.path)
    const { missing } = await rebuilt(store.folder)
    assert.ok(missing > 0 && missing < 12, String(missing))
    let again = await openStore(options, store.folder)
    assert.equal((await again.stat()).removed.missing, missing)
    assert.equal((await again.stat()).captures, 12 - missing)
    await again.close()
    assert.equal((await rebuilt(store.folder)).missing, missing, 'another rebuild does not forget them')
    again = await openStore(options, store.folder)
    for (const copy of copies) await again.take(copy!)
    const { captures, removed } = await again.stat()
    assert.deepEqual([captures, removed.missing], [12, 0])
  })

  test('are missing when a scrub counts fewer than there are to be', async () => {
    const store = await filled()
    await store.close()
    const map = await localWorld().keyValues.open(join(store.folder, 'index'), { hasJournal: true })
    const index = new StoreIndex(map, store.folder)
    const [[key, id]] = [...index.captureIds({ limit: 1 })] as [[Uint8Array, Uint8Array]]
    await index.changeForGood(() => index.removeCapture(key, id))
    await map.close()
    const again = await openStore(options, store.folder)
    assert.equal((await again.stat()).removed.missing, 0)
    await again.scrub()
    assert.equal((await again.stat()).removed.missing, 1)
  })
})
