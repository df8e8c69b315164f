// Every version opens the stores of the first.

import assert from 'node:assert/strict'
import { cp, mkdtemp, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'vitest'
import { parseUrl } from '../model/url/url.ts'
import { parseContentKey } from './contents/content-key.ts'
import { openStore } from './fixtures/open-store.ts'
import { pageCapture, textOf } from './fixtures/sample-captures.ts'
import type { Store } from './store.ts'

const fixture = join(import.meta.dirname, 'fixtures', 'format-1')
const expected = JSON.parse(await readFile(join(fixture, 'expected.json'), 'utf8'))

/** Somewhere else than where it was made: a store can be moved. */
async function openFixture(): Promise<Store> {
  const folder = await mkdtemp(join(tmpdir(), 'polyhistor-format-1-'))
  await cp(join(fixture, 'store'), folder, { recursive: true })
  return openStore({}, folder)
}

async function capturesOf(store: Store): Promise<unknown[]> {
  const captures = []
  for (const capture of store.scan({ kind: 'all' })) {
    const { url, capturedAtMs, status, mime, kind, recordId } = capture
    const payload = await textOf((await store.read(capture)).payload())
    captures.push({ url, capturedAtMs, status, mime, kind, recordId, payload })
  }
  return captures
}

test('a store of format 1 is read to the last byte', async () => {
  const store = await openFixture()
  assert.deepEqual(await capturesOf(store), expected.captures)
  for (const [key, text] of Object.entries(expected.contents)) {
    assert.equal(await textOf(store.get(parseContentKey(key))), text)
  }
  const { captures, distinctPayloads, bytes } = await store.stat()
  assert.deepEqual([captures, distinctPayloads], [expected.count, expected.distinctPayloads])
  assert.deepEqual([bytes.original, bytes.afterDedup], [expected.original, expected.afterDedup])
  assert.deepEqual(await store.checkIndex(), [])
  const { damagedCount, unindexed, dangling } = await store.scrub()
  assert.deepEqual([damagedCount, unindexed, dangling], [0, 0, 0])
})

test('a store of format 1 is written to, and keeps its takedowns', async () => {
  const store = await openFixture()
  const { capture } = await store.append(
    pageCapture('http://example.com/news', Date.UTC(2025, 0, 1), 'newer'),
  )
  assert.equal(await textOf((await store.read(capture)).payload()), 'newer')
  assert.equal([...store.versions(parseUrl('http://example.com/news'))].length, 5)
  await assert.rejects(store.append(pageCapture('http://gone.example/again', 0, 'x')), {
    code: 'store-taken-down',
  })
  await store.compact({ deadShare: 0 })
  assert.deepEqual(await store.checkIndex(), [])
})
