import assert from 'node:assert/strict'
import { test } from 'vitest'
import { indexUrl } from '../../formats/http/request-query.ts'
import { encodePageInfo, type PartAccount } from '../../formats/warc/page-info.ts'
import { viewTarget, viewUrl } from '../../formats/warc/page-views.ts'
import type { ArchivedCapture } from '../../model/archive.ts'
import { parseUrl } from '../../model/url/url.ts'
import type { Capture } from '../capture.ts'
import { openStore } from '../fixtures/open-store.ts'
import { pageCapture } from '../fixtures/sample-captures.ts'
import type { Store } from '../store.ts'
import { shownPage } from './shown-page.ts'

const page = parseUrl('http://a.test/app')
const atMs = Date.parse('2024-01-01T00:00:00Z')

const kept = (name: string): PartAccount => ({ name, fate: 'kept', status: 200 })

const found = async (store: Store, capturedAtMs = atMs) =>
  shownPage(
    {
      versions: (url, options) => store.versions(url, options),
      scan: (selection, options) => store.scan(selection, options),
      read: (capture) => store.read(capture as Capture),
    },
    page,
    capturedAtMs,
  )

const named = (captures: readonly ArchivedCapture[]) =>
  captures.map(({ url, capturedAtMs }) => [url, capturedAtMs - atMs]).sort()

test('beside a page that a browser showed lie its views, and the answers to its requests that were no GET', async () => {
  const store = await openStore()
  await store.append(pageCapture(page.href, atMs, '<title>Shell</title>'))
  const keepView = (kind: 'text' | 'pageinfo', contentType: string, block: Uint8Array) =>
    store.append({
      url: viewUrl(page, kind)!,
      targetUri: viewTarget(page.href, kind),
      capturedAtMs: atMs,
      contentType,
      block,
    })
  const parts: PartAccount[] = [
    kept('http://a.test/app.js'),
    kept('POST http://b.test/search?lang=en'),
    { name: 'PUT http://b.test/item', fate: 'refused', status: 0, code: 'method', reason: 'no' },
  ]
  await keepView('text', 'text/plain', Buffer.from('Words'))
  await keepView(
    'pageinfo',
    'application/json',
    encodePageInfo({ url: page.href, title: '', links: [], parts }),
  )
  const asked = parseUrl('http://b.test/search?lang=en')
  const answer = async (query: string, ms: number, url = asked) =>
    store.append(pageCapture(indexUrl(url, query).href, ms, `${query} at ${ms}`))
  // Of two answers to one request that nearer in time counts; other methods and other URLs do not.
  await answer('__wb_method=POST&q=1', atMs - 90_000)
  await answer('__wb_method=POST&q=1', atMs + 500)
  await answer('__wb_method=POST&q=2', atMs + 700)
  await answer('__wb_method=PUT&q=1', atMs + 500)
  await answer('__wb_method=POST&q=1', atMs + 500, parseUrl('http://b.test/search?lang=de'))
  await store.append(pageCapture('http://b.test/search?lang=en&q=1', atMs + 500, 'by GET'))

  const shown = (await found(store))!
  assert.deepEqual(
    named(shown.views),
    [viewUrl(page, 'pageinfo')!.href, viewUrl(page, 'text')!.href].map((href) => [href, 0]),
  )
  assert.deepEqual(
    shown.parts.map(({ href }) => href),
    ['http://a.test/app.js'],
  )
  assert.deepEqual(named(shown.answers), [
    ['http://b.test/search?lang=en&__wb_method=POST&q=1', 500],
    ['http://b.test/search?lang=en&__wb_method=POST&q=2', 700],
  ])
  assert.equal(await found(store, atMs + 1), undefined, 'no browser showed that')
})
