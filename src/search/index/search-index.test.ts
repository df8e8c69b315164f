// The index on a real map: pages come, change, go and are found; after a reopening, a merge and rot.

import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished, test } from 'vitest'
import { RealDisk } from '../../platform/real/disk/disk.ts'
import { RealKeyValues } from '../../platform/real/key-value/key-value.ts'
import type { KeyValue } from '../../platform/storage/key-value.ts'
import { Searching } from '../query/searching.ts'
import { analysePage } from '../text/analysed-page.ts'
import { textOfHtml } from '../text/html-text.ts'
import { SearchIndex } from './search-index.ts'

const [first, second, third] = [2019, 2020, 2021].map((year) => Date.UTC(year, 5)) as [number, number, number]

async function folderOf(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'polyhistor-search-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

async function mapIn(folder: string): Promise<KeyValue> {
  const map = await new RealKeyValues({ disk: new RealDisk() }).open(folder)
  onTestFinished(() => map.close())
  return map
}

interface Version {
  readonly atMs: number
  /** undefined: it was gone. */
  readonly html: string | undefined
}

function put(index: SearchIndex, href: string, versions: readonly Version[]): string[] | undefined {
  const captures = versions.map(({ atMs, html }) => ({ atMs, content: html ?? '' }))
  const [missing] = index.missing([{ href, captures }])
  if (missing === undefined) return undefined
  const analysed = missing.map(
    (html) => [html, analysePage({ href, type: 'html', text: textOfHtml(html), anchors: [] })] as const,
  )
  index.apply({ href, captures, analysed })
  return missing
}

function found(index: SearchIndex, text: string, more = {}): string[] {
  return new Searching(index).search({ text, limit: 10, ...more }).hits.map(({ href }) => href)
}

test('a page is found by its newest text, and by every other when asked', async () => {
  const index = await SearchIndex.open(await mapIn(await folderOf()))
  const versions = [
    { atMs: first, html: '<title>Herbs</title><p>Basil and thyme' },
    { atMs: second, html: '<title>Herbs</title><p>Parsley only' },
  ]
  put(index, 'http://a.test/', versions)
  put(index, 'http://b.test/', [{ atMs: first, html: '<p>Thyme without a title' }])
  await index.commit()
  assert.deepEqual(found(index, 'thyme'), ['http://b.test/'])
  assert.deepEqual(found(index, 'thyme at:2019-12').sort(), ['http://a.test/', 'http://b.test/'])
  assert.deepEqual(found(index, 'thyme at:ever').sort(), ['http://a.test/', 'http://b.test/'])
  assert.deepEqual(found(index, 'parsley at:2019-12'), [])
  assert.deepEqual(found(index, 'thyme after:2020'), [])
  assert.deepEqual(found(index, 'parsley after:2020 before:2021'), ['http://a.test/'])
  assert.deepEqual(found(index, 'herbs at:2018'), [])
  // One page, whatever the number of its versions.
  const ever = new Searching(index).search({ text: 'herbs at:ever', limit: 10 })
  assert.equal(ever.total, 1)
  assert.equal(ever.hits[0]?.versions, 2)
})

test('a word stands in a page for what its language makes of it, and not for what others do', async () => {
  const index = await SearchIndex.open(await mapIn(await folderOf()))
  const pages = {
    // Danish makes "for" of "forest".
    'http://for.test/':
      '<html lang=en><title>Bread for all</title><p>This is for you and for the others, as it was for us.',
    'http://forest.test/':
      '<html lang=en><title>Trees</title><p>The forests of the north are not as old as they look.',
    'http://dansk.test/':
      '<html lang=da><title>Hus</title><p>Det er ikke for mig, og husene har været der før som de er.',
  }
  for (const [href, html] of Object.entries(pages)) put(index, href, [{ atMs: first, html }])
  await index.commit()
  const searching = new Searching(index)
  const { hits } = searching.search({ text: 'forest', limit: 10 })
  assert.deepEqual(
    hits.map(({ href, snippet }) => [
      href,
      snippet.filter(({ isMarked }) => isMarked).map(({ text }) => text),
    ]),
    [['http://forest.test/', ['forests']]],
  )
  assert.deepEqual(searching.count({ text: 'forest', limit: 10 }).counts, [1])
  assert.deepEqual(found(index, 'for').sort(), ['http://dansk.test/', 'http://for.test/'])
  assert.deepEqual(found(index, '"bread forest"'), [])
  assert.deepEqual(found(index, 'title:"bread forest"'), [])
  assert.deepEqual(found(index, 'huset'), ['http://dansk.test/'])
})

test('a text that comes back is one document with two spans, and a page that is gone is still found', async () => {
  const index = await SearchIndex.open(await mapIn(await folderOf()))
  const [one, two] = ['<p>winter opening hours', '<p>summer opening hours']
  const href = 'http://a.test/'
  put(index, href, [
    { atMs: first, html: one },
    { atMs: second, html: two },
    { atMs: third, html: one },
    { atMs: third + 1e10, html: undefined },
  ])
  await index.commit()
  assert.deepEqual(found(index, 'winter'), [href])
  assert.deepEqual(found(index, 'winter at:2020-12'), [])
  assert.deepEqual(found(index, 'summer at:2020-12'), [href])
  assert.deepEqual(found(index, 'winter at:2021-07'), [href])
  assert.deepEqual(found(index, 'winter at:2023'), [])
})

test('known contents are not read again, and nothing is done where nothing has changed', async () => {
  const index = await SearchIndex.open(await mapIn(await folderOf()))
  const [one, two] = ['<p>alpha', '<p>beta']
  assert.deepEqual(put(index, 'http://a.test/', [{ atMs: first, html: one }]), [one])
  await index.commit()
  assert.equal(put(index, 'http://a.test/', [{ atMs: first, html: one }]), undefined)
  const more = [
    { atMs: first, html: one },
    { atMs: second, html: two },
  ]
  assert.deepEqual(put(index, 'http://a.test/', more), [two])
  await index.commit()
  assert.deepEqual(found(index, 'alpha'), [])
  assert.deepEqual(found(index, 'beta'), ['http://a.test/'])
})

test('pages without captures are forgotten', async () => {
  const index = await SearchIndex.open(await mapIn(await folderOf()))
  put(index, 'http://a.test/', [{ atMs: first, html: '<p>secret' }])
  await index.commit()
  put(index, 'http://a.test/', [])
  await index.commit()
  assert.deepEqual(found(index, 'secret at:ever'), [])
  assert.deepEqual(index.statistics, { documents: 0, words: 0 })
  assert.deepEqual(index.pagesAfter('', 10).hrefs, [])
})

test('merged and opened again it answers as before, to the last bit of every score', async () => {
  const folder = await folderOf()
  const map = await mapIn(folder)
  const index = await SearchIndex.open(map)
  for (let page = 0; page < 80; page++) {
    const html = `<title>Page ${page}</title><p>${'common '.repeat((page % 7) + 1)} odd${page % 2} number${page}`
    put(index, `http://site${page % 3}.test/${page}`, [{ atMs: first + page, html }])
    if (page % 10 === 9) await index.commit()
  }
  put(index, 'http://site0.test/0', [{ atMs: third, html: '<p>common changed' }])
  put(index, 'http://site1.test/1', [])
  await index.commit()
  const questions = [
    'common',
    '"common odd1"',
    'odd0 OR odd1',
    'common -odd0',
    'site:site2.test',
    'title:"page 5"',
  ]
  const answers = (of: SearchIndex) =>
    questions.map((text) => new Searching(of).search({ text, limit: 50, hasFacets: true }))
  const before = answers(index)
  assert.equal(before[0]!.total, 79)
  assert.ok(await index.merge(async () => {}))
  assert.ok(index.segments.length < 8)
  assert.deepEqual(answers(index), before)
  await index.close()
  const again = await SearchIndex.open(await mapIn(folder))
  assert.deepEqual(answers(again), before)
  assert.deepEqual(again.statistics.documents, 79)
})

test('an index that rotted says so', async () => {
  const map = await mapIn(await folderOf())
  const index = await SearchIndex.open(map)
  put(index, 'http://a.test/', [{ atMs: first, html: '<p>alpha' }])
  await index.commit()
  const blocks = map.table('blocks')
  await map.transaction(() => {
    for (const [key, value] of [...blocks.range()]) {
      value[value.length - 1]! ^= 1
      blocks.put(key, value)
    }
  })
  assert.throws(() => found(index, 'alpha'), { code: 'search-index-damaged' })
})

test('pages by cursor are all pages, each once', async () => {
  const index = await SearchIndex.open(await mapIn(await folderOf()))
  for (let page = 0; page < 95; page++)
    put(index, `http://a.test/${page}`, [{ atMs: first, html: `<p>same ${'x '.repeat(page % 5)}` }])
  await index.commit()
  const searching = new Searching(index)
  const all: string[] = []
  let cursor: string | undefined
  do {
    const answer = searching.search({ text: 'same', limit: 10, cursor })
    assert.equal(answer.total, 95)
    all.push(...answer.hits.map(({ href }) => href))
    cursor = answer.cursor
  } while (cursor !== undefined)
  assert.equal(all.length, 95)
  assert.equal(new Set(all).size, 95)
})
