// Captures of one URL and second in a store: which of them is held to be the first.

import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished, test } from 'vitest'
import { parseUrl } from '../model/url/url.ts'
import { realCompressor } from '../platform/real/compression/compressor.ts'
import { localWorld } from '../platform/real/local-world.ts'
import { pageCapture, sampleOptions } from './fixtures/sample-captures.ts'
import { rebuildIndex } from './rebuild/rebuild.ts'
import { Store } from './store.ts'

const url = 'http://a.test/'
const secondMs = 1_700_000_000_000
const heardAtMs = 1_700_000_040_000
const needs = { ...localWorld(), compressor: realCompressor }

interface Stores {
  readonly folder: string
  readonly store: Store
  /** As a copy of unknown origin. Gives its record id. */
  copy(ms: number): Promise<string>
  /** As crawled here. */
  crawl(ms: number): Promise<string>
  /** Milliseconds of the one that is held to be the first. */
  first(): number[]
  readonly unsure: number[]
}

async function openStores(): Promise<Stores> {
  const folder = await mkdtemp(join(tmpdir(), 'polyhistor-second-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const sender = await Store.open(needs, join(folder, 'giver'), sampleOptions)
  const store = await Store.open(needs, join(folder, 'taker'), sampleOptions)
  onTestFinished(() => Promise.all([sender.close(), store.close()]).then(() => {}))
  const page = (ms: number) => pageCapture(url, secondMs + ms, `page ${ms}`)
  const unsure: number[] = []
  store.whenUnsure((_, capturedAtMs) => unsure.push(capturedAtMs - secondMs))
  return {
    folder: join(folder, 'taker'),
    store,
    unsure,
    first: () => firstIn(store),
    crawl: async (ms) => (await store.append(page(ms))).capture.recordId,
    copy: async (ms) => {
      const { capture } = await sender.append(page(ms))
      await store.take((await sender.give(capture.cursor))!, { admit: () => ({ heardAtMs }) })
      return capture.recordId
    },
  }
}

function firstIn(store: Store): number[] {
  const first = [...store.versions(parseUrl(url))].filter(({ isLater }) => !isLater)
  return first.map(({ capturedAtMs }) => capturedAtMs - secondMs)
}

test('what was crawled here is the first, whatever came before as a copy, and whatever comes', async () => {
  const { copy, crawl, first, unsure } = await openStores()
  await copy(100)
  assert.deepEqual(first(), [100])
  await crawl(500)
  assert.deepEqual(first(), [500])
  await copy(0)
  await crawl(900)
  assert.deepEqual(first(), [500])
  assert.deepEqual(unsure, [])
})

test('of copies the one that came first is shown until holders have settled it, then that one for good', async () => {
  const { copy, first, store, unsure } = await openStores()
  await copy(100)
  const named = await copy(500)
  assert.deepEqual(first(), [100])
  assert.deepEqual(unsure, [500])
  await store.settleSecond(parseUrl(url), secondMs, named)
  assert.deepEqual(first(), [500])
  await copy(0)
  assert.deepEqual(first(), [500])
  assert.deepEqual(unsure, [500])
  await store.settleSecond(parseUrl(url), secondMs, crypto.randomUUID())
  assert.deepEqual(first(), [500])
})

test('an index that was made anew is not sure which of several was the first', async () => {
  const { copy, crawl, store, folder } = await openStores()
  await crawl(500)
  await copy(100)
  await store.close()
  await rebuildIndex(needs, folder, sampleOptions)
  const rebuilt = await Store.open(needs, folder, sampleOptions)
  assert.deepEqual(firstIn(rebuilt), [500])
  assert([...rebuilt.versions(parseUrl(url))].every((version) => version.heardAtMs === 0))
  await rebuilt.close()
})
