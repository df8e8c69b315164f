// Search over a real store: whatever captures it has are found, what was taken down is not, and a damaged index is made anew.

import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished, test } from 'vitest'
import { TestApi } from '../../api/fixtures/test-api.ts'
import { type SearchJson, searchRoutes } from '../../api/v1/archive/search-routes.ts'
import { indexUrl } from '../../formats/http/request-query.ts'
import { encodePageInfo } from '../../formats/warc/page-info.ts'
import { viewTarget, viewUrl } from '../../formats/warc/page-views.ts'
import { LinkGraph } from '../../graph/link-graph.ts'
import { parseUrl } from '../../model/url/url.ts'
import { RealClock } from '../../platform/real/clock.ts'
import { RealDisk } from '../../platform/real/disk/disk.ts'
import { RealKeyValues } from '../../platform/real/key-value/key-value.ts'
import { inlineWorkers } from '../../platform/workers.ts'
import { readForSearch } from '../../search/text/text-work.ts'
import { openStore } from '../../store/fixtures/open-store.ts'
import { pageCapture } from '../../store/fixtures/sample-captures.ts'
import type { Store } from '../../store/store.ts'
import { catchUpOf } from '../graph/peer-links.ts'
import type { Platform } from '../platform.ts'
import { inlineSearch } from './inline-search.ts'
import { openPeerSearch, type PeerSearch } from './peer-search.ts'

const [first, second, third] = [2020, 2021, 2022].map((year) => Date.UTC(year, 5)) as [number, number, number]
const home = 'http://a.test/'

interface Opened {
  readonly store: Store
  readonly graph: LinkGraph
  readonly folder: string
  open(isPartOfArchive?: boolean): PeerSearch
  close(search: PeerSearch): Promise<void>
}

async function opened(): Promise<Opened> {
  const store = await openStore({ takedownUndoMs: 86_400_000 })
  const folder = await mkdtemp(join(tmpdir(), 'polyhistor-search-'))
  const disk = new RealDisk()
  const keyValues = new RealKeyValues({ disk })
  const graph = new LinkGraph(await keyValues.open(join(folder, 'graph')))
  const clock = new RealClock()
  const running = new Set<PeerSearch>()
  onTestFinished(async () => {
    for (const search of running) await search.close()
    await graph.close()
    await rm(folder, { recursive: true, force: true })
  })
  const threads = {
    search: () => inlineSearch({ clock, disk, keyValues }),
    texts: () => inlineWorkers(readForSearch),
  }
  return {
    store,
    graph,
    folder,
    open: (isPartOfArchive = false) => {
      const platform = { clock, threads, breathe: async () => {} } as unknown as Platform
      const needs = { platform, store, graph, isPartOfArchive }
      const search = openPeerSearch(needs, join(folder, 'search'))
      running.add(search)
      return search
    },
    close: async (search) => {
      running.delete(search)
      await search.close()
    },
  }
}

async function ask(search: PeerSearch, query: string): Promise<SearchJson & { status: number }> {
  const api = new TestApi(searchRoutes({ search: search.service }))
  const answer = await api.ask(`/api/v1/search?${query}`)
  return { ...JSON.parse(answer.text), status: answer.status }
}

async function urls(search: PeerSearch, query: string): Promise<string[]> {
  return (await ask(search, query)).hits.map(({ url }) => url)
}

test('captures that nobody crawled here are found, in every version, and by the words of links to them', async () => {
  const { store, graph, open } = await opened()
  await store.append(
    pageCapture(home, first, '<title>Old &lt;b&gt;</title><p>thyme <a href="/x">wild oregano</a>'),
  )
  await store.append(pageCapture(home, second, '<title>New</title><p>basil <a href="/x">wild oregano</a>'))
  await store.append(pageCapture('http://a.test/x', second, '<p>nothing special'))
  const catchUp = catchUpOf({
    platform: { clock: new RealClock(), breathe: async () => {} } as never,
    store,
    graph,
  })
  await catchUp.pass().finally(() => catchUp.close())
  const search = open()
  await search.catchUp()
  assert.deepEqual(await urls(search, 'q=basil'), [home])
  assert.deepEqual(await urls(search, 'q=thyme'), [])
  const [hit] = (await ask(search, 'q=thyme&at=2020-12')).hits
  assert.equal(hit?.time, new Date(first).toISOString())
  assert.equal(hit?.until, new Date(second).toISOString())
  assert.equal(hit?.title, 'Old <b>')
  assert.equal(hit?.snippet, '<mark>thyme</mark> wild oregano')
  assert.deepEqual((await urls(search, 'q=oregano')).sort(), [home, 'http://a.test/x'])
  assert.deepEqual(await urls(search, 'q=basil&site=b.test'), [])
  // An older one comes later, as by an import.
  await store.append(pageCapture(home, first - 1e9, '<p>rosemary'))
  await search.catchUp()
  assert.deepEqual(await urls(search, 'q=rosemary&at=ever'), [home])
  assert.deepEqual(await urls(search, 'q=basil'), [home])
})

test('a page is found by what a browser saw of it, as itself, in every version', async () => {
  const { store, open } = await opened()
  const shell = '<html lang="en"><title>Loading</title><div id="root">please wait</div>'
  const shown = async (atMs: number, title: string, text: string) => {
    const page = parseUrl(home)
    const info = encodePageInfo({ url: home, title, links: [], parts: [] })
    for (const [kind, contentType, block] of [
      ['text', 'text/plain', Buffer.from(text)],
      ['pageinfo', 'application/json', info],
    ] as const)
      await store.append({
        ...{ url: viewUrl(page, kind)!, targetUri: viewTarget(home, kind), capturedAtMs: atMs },
        ...{ contentType, block },
      })
  }
  const search = open()
  for (const [atMs, title, text] of [
    [first, 'Herbs', 'fresh marjoram'],
    [second, 'Spices', 'smoked paprika'],
  ] as const) {
    // The page itself comes first, and may be indexed before what a browser saw of it is there.
    await store.append(pageCapture(home, atMs, shell))
    await search.catchUp()
    assert.deepEqual(await urls(search, 'q=wait'), [home])
    await shown(atMs, title, text)
    await search.catchUp()
  }
  // Not a page: the answer to what it posted.
  await store.append(pageCapture(indexUrl(parseUrl(home), '__wb_method=POST&q=1').href, second, '<p>paprika'))
  await search.catchUp()
  const now = await ask(search, 'q=paprika')
  assert.deepEqual(
    now.hits.map(({ url, title, snippet }) => ({ url, title, snippet })),
    [{ url: home, title: 'Spices', snippet: 'smoked <mark>paprika</mark>' }],
  )
  assert.deepEqual(await urls(search, 'q=marjoram'), [])
  assert.deepEqual(await urls(search, 'q=marjoram&at=2020-12'), [home])
  assert.deepEqual(await urls(search, 'q=title:spices'), [home])
  // What is not seen is not what the page says.
  assert.deepEqual(await urls(search, 'q=wait OR loading&at=ever'), [])
})

test('what was taken down is not found from that moment on, and is found again when it is released', async () => {
  const { store, open } = await opened()
  for (let page = 0; page < 30; page++)
    await store.append(pageCapture(`http://${page % 2 ? 'a' : 'b'}.test/${page}`, first, '<p>parsley'))
  const search = open()
  await search.catchUp()
  assert.equal((await ask(search, 'q=parsley')).total, 30)
  await store.takedown({ kind: 'site', site: 'a.test' }, 'asked for')
  const found = await ask(search, 'q=parsley&limit=100')
  assert.equal(found.hits.length, 15)
  assert.equal(found.total, 15)
  assert.ok(found.hits.every(({ url }) => url.startsWith('http://b.test/')))
  // A short list is filled all the same.
  assert.equal((await ask(search, 'q=parsley&limit=10')).hits.length, 10)
  await search.catchUp()
  assert.equal((await ask(search, 'q=parsley')).total, 15)
  await store.release({ kind: 'site', site: 'a.test' })
  await search.catchUp()
  assert.equal((await ask(search, 'q=parsley')).total, 30)
})

test('where other peers keep what this one does not, an answer says that it is not all', async () => {
  const { store, open, close } = await opened()
  await store.append(pageCapture(home, first, '<p>sage'))
  for (const isPartOfArchive of [false, true]) {
    const search = open(isPartOfArchive)
    await search.catchUp()
    const { total, partial } = await ask(search, 'q=sage')
    assert.deepEqual([total, partial], [1, isPartOfArchive])
    await close(search)
  }
})

test('when many captures have just come, an answer says that not all of them are indexed yet', async () => {
  const { store, open } = await opened()
  const search = open()
  await search.catchUp()
  const pages = Array.from({ length: 40 }, (_, number) => `${home}${number}`)
  for (const page of pages) {
    await store.append(pageCapture(page, first, '<p>sage'))
    search.note(page)
  }
  const early = await ask(search, 'q=sage')
  assert.deepEqual([early.total, early.partial], [0, true])
  await search.catchUp()
  const late = await ask(search, 'q=sage')
  assert.deepEqual([late.total, late.partial], [40, false])
})

test('dropped captures take their texts along', async () => {
  const { store, open } = await opened()
  await store.append(pageCapture(home, first, '<p>sage'))
  const search = open()
  await search.catchUp()
  await store.drop([...store.scan({ kind: 'all' })].map(({ cursor }) => cursor))
  await search.catchUp()
  assert.deepEqual(await urls(search, 'q=sage&at=ever'), [])
})

test('an index that rotted is noticed, thrown away and made anew', async () => {
  const { store, folder, open, close } = await opened()
  await store.append(pageCapture(home, third, '<p>lovage'))
  const before = open()
  await before.catchUp()
  await close(before)
  const map = await new RealKeyValues({ disk: new RealDisk() }).open(join(folder, 'search'))
  const blocks = map.table('blocks')
  await map.transaction(() => {
    for (const [key, value] of [...blocks.range()]) {
      value[value.length >> 1]! ^= 1
      blocks.put(key, value)
    }
  })
  await map.close()
  const search = open()
  const refused = await ask(search, 'q=lovage')
  assert.equal(refused.status, 503)
  await search.catchUp()
  assert.deepEqual(await urls(search, 'q=lovage'), [home])
})

test('a query that makes no sense is refused with what is wrong', async () => {
  const { open } = await opened()
  const search = open()
  for (const query of [
    '',
    'q=-x',
    'q=x&at=soon',
    'q=x&limit=0',
    'q=x&limit=101',
    'q=x&cursor=zz',
    'q=x+at:2020&at=2021',
  ])
    assert.equal((await ask(search, query)).status, 400, query)
  assert.equal((await ask(search, 'q=x')).total, 0)
})
