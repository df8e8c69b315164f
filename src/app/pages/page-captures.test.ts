// A page with everything it needs: gathered from a real store, and exported as a file that is valid by itself.

import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { type Described, storeOf } from '../../api/fixtures/test-archive.ts'
import { anyTime } from '../../model/capture-choice.ts'
import { timestampSpan } from '../../model/timestamp.ts'
import { parseUrl } from '../../model/url/url.ts'
import { storeArchive } from '../../network/remote-reads/archive/readable-archive.ts'
import type { Capture } from '../../store/capture.ts'
import { validWacz } from '../../store/fixtures/wacz-validator.ts'
import type { Store } from '../../store/store.ts'
import { capturesOfPage } from './page-captures.ts'

const page = 'http://a.test/'
const html = `<title>A page</title><link rel=stylesheet href=/style.css><script src=http://cdn.test/app.js></script>
<img src=http://img.test/1.png srcset="http://img.test/2.png 2x"><iframe src=http://frame.test/></iframe>
<a href=/other>other</a><img src=http://img.test/lacking.png>`
const captures: Described[] = [
  { url: page, at: '2015', body: '<title>Old</title><img src=http://img.test/old.png>' },
  { url: page, at: '2020', body: html },
  {
    url: 'http://a.test/style.css',
    at: '2019',
    body: '@import "http://css.test/more.css"',
    type: 'text/css',
  },
  { url: 'http://css.test/more.css', at: '2021', body: 'b{background:url(deep.png)}', type: 'text/css' },
  { url: 'http://css.test/deep.png', at: '2021', type: 'image/png' },
  { url: 'http://cdn.test/app.js', at: '2020', body: 'import "./part.js"', type: 'text/javascript' },
  { url: 'http://cdn.test/part.js', at: '2020', body: '1', type: 'text/javascript' },
  { url: 'http://img.test/1.png', at: '2010', type: 'image/png' },
  { url: 'http://img.test/1.png', at: '2020', type: 'image/png' },
  { url: 'http://img.test/2.png', at: '2020', status: 302, type: 'text/html\r\nLocation: /moved.png' },
  { url: 'http://img.test/moved.png', at: '2020', type: 'image/png' },
  { url: 'http://img.test/old.png', at: '2015', type: 'image/png' },
  { url: 'http://frame.test/', at: '2020', body: '<iframe src=/inner></iframe><a href=/beyond>beyond</a>' },
  { url: 'http://frame.test/inner', at: '2020', body: '<img src=/in-frame.png>' },
  { url: 'http://frame.test/in-frame.png', at: '2020', type: 'image/png' },
  { url: 'http://frame.test/beyond', at: '2020' },
  { url: 'http://a.test/other', at: '2020' },
]
const needed = [
  '2019 http://a.test/style.css',
  '2020 http://a.test/',
  '2020 http://cdn.test/app.js',
  '2020 http://cdn.test/part.js',
  '2020 http://frame.test/',
  '2020 http://frame.test/in-frame.png',
  '2020 http://frame.test/inner',
  '2020 http://img.test/1.png',
  '2020 http://img.test/2.png',
  '2020 http://img.test/moved.png',
  '2021 http://css.test/deep.png',
  '2021 http://css.test/more.css',
]

const printed = ({ url, capturedAtMs }: { url: string; capturedAtMs: number }) =>
  `${new Date(capturedAtMs).getUTCFullYear()} ${url}`

const gathered = async (store: Store, href: string, digits?: string) =>
  capturesOfPage(storeArchive(store), parseUrl(href), digits === undefined ? anyTime : timestampSpan(digits))

describe('a page with everything it needs', () => {
  test('has style sheets that import, modules, nested frames and redirects, from all hosts, and no other page', async () => {
    const found = (await gathered(await storeOf(captures), page))!
    assert.equal(printed(found.page), `2020 ${page}`)
    assert.deepEqual(found.captures.map(printed).sort(), needed)
  })

  test('has what workers ask for, relative to them', async () => {
    const script = (url: string, body: string) => ({ url, at: '2020', body, type: 'text/javascript' })
    const store = await storeOf([
      { url: page, at: '2020', body: `<script>new Worker('/w/worker.js', { type: 'module' })</script>` },
      script('http://a.test/w/worker.js', 'import "./lib/run.js"'),
      script('http://a.test/w/lib/run.js', 'fetch("own.json")'),
      { url: 'http://a.test/w/own.json', at: '2020', body: '{}', type: 'application/json' },
    ])
    assert.equal((await gathered(store, page))!.captures.length, 4)
  })

  test('is the version of the time that is asked for, with what lies nearest to that', async () => {
    const found = (await gathered(await storeOf(captures), page, '2014'))!
    assert.deepEqual(found.captures.map(printed).sort(), [`2015 ${page}`, '2015 http://img.test/old.png'])
  })

  test('that redirects is where that leads, with the way there', async () => {
    const moved = { url: 'http://b.test/', at: '2020', status: 301, type: `text/html\r\nLocation: ${page}` }
    const found = (await gathered(await storeOf([...captures, moved]), 'http://b.test/'))!
    assert.equal(printed(found.page), `2020 ${page}`)
    assert.deepEqual(found.captures.map(printed).sort(), [...needed, '2020 http://b.test/'].sort())
  })

  test('that nobody has archived is nothing; pages that need each other come to an end', async () => {
    const frames = (url: string, other: string) => ({
      url,
      at: '2020',
      body: `<iframe src=${other}></iframe>`,
    })
    const circle = [frames('http://x.test/', 'http://y.test/'), frames('http://y.test/', 'http://x.test/')]
    const store = await storeOf(circle)
    assert.equal(await gathered(store, 'http://z.test/'), undefined)
    assert.equal((await gathered(store, 'http://x.test/'))!.captures.length, 2)
  })

  test('is a valid WACZ that lists the page alone, and in which every capture is whole', async () => {
    const store = await storeOf([
      ...captures,
      // The same bytes as a capture that is not exported: a revisit of it would be of no use in the file.
      { url: 'http://copy.test/', at: '2022', body: '<img src=http://img.test/copy.png>' },
      { url: 'http://img.test/copy.png', at: '2022', body: 'http://img.test/1.png 2010', type: 'image/png' },
    ])
    const found = (await gathered(store, 'http://copy.test/'))!
    const { chunks, result } = store.export({
      format: 'wacz',
      captures: found.captures as Capture[],
      pages: [found.page],
      mainPageUrl: found.page.url,
    })
    const { lines, pages } = await validWacz(Buffer.concat(await Array.fromAsync(chunks)))
    assert.equal(result.exported, 2)
    assert.equal(lines.length, 2)
    assert.deepEqual(
      pages.slice(-1).map(({ url }) => url),
      ['http://copy.test/'],
    )
    assert.doesNotMatch(JSON.stringify(lines), /revisit/)
  })
})
