// Feeds, judged by a parser that others wrote.

import assert from 'node:assert/strict'
import { XMLParser, XMLValidator } from 'fast-xml-parser'
import { test } from 'vitest'
import { feedRoutes } from '../../api/feed-routes.ts'
import { TestApi } from '../../api/fixtures/test-api.ts'
import { atomType, printAtom } from '../../formats/atom/atom-feed.ts'
import { WatchedHome } from '../fixtures/watched-home.ts'

interface Link {
  readonly rel: string
  readonly href: string
}

interface Parsed {
  readonly id: string
  readonly title: string
  readonly updated: string
  readonly author: { readonly name: string }
  readonly link: readonly Link[]
  readonly entry?: readonly {
    id: string
    title: string
    updated: string
    link: readonly Link[]
    content?: unknown
    summary: string
  }[]
}

const shop = 'http://shop.test/fish'
const origin = 'https://archive.example'

/** As RFC 4287, 4.1.1 and 4.1.2, wants feeds and entries. */
function parsed(xml: string): Parsed {
  assert.equal(XMLValidator.validate(xml), true)
  const parser = new XMLParser({
    ignoreAttributes: false,
    attributeNamePrefix: '',
    isArray: (name) => name === 'entry' || name === 'link',
  })
  const { feed } = parser.parse(xml) as { feed: Parsed & { xmlns: string } }
  assert.equal(feed.xmlns, 'http://www.w3.org/2005/Atom')
  for (const one of [feed, ...(feed.entry ?? [])]) {
    assert.match(one.id, /^urn:uuid:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
    assert.notEqual(one.title, '')
    assert.match(one.updated, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    assert.equal(one.link.filter(({ rel }) => rel === 'alternate').length, 1)
  }
  assert.equal(feed.link.filter(({ rel }) => rel === 'self').length, 1)
  assert.equal(new Set(feed.entry?.map(({ id }) => id)).size, feed.entry?.length ?? 0)
  return feed
}

test('feeds of a page, a prefix, a site and a watch have the last changes, ids that stay, and tags', async () => {
  const home = await WatchedHome.make(1)
  const { watches, feeds } = await home.start()
  const { watch } = await home.world.complete(watches.add({ url: shop }))
  for (const text of ['one', 'two <b>&', 'three']) await home.visit(shop, `<p>${text}</p>`)
  await home.visit('http://shop.test/other', 'other')
  await home.world.advance(30_000)
  const api = new TestApi(feedRoutes({ feeds, watches, origin }))
  const ask = (path: string, headers: Record<string, string> = {}) =>
    home.world.complete(api.ask(path, { headers }))
  const titles = async (path: string) => {
    const { status, text } = await ask(path)
    assert.equal(status, 200, text)
    return parsed(text).entry?.map(({ summary }) => summary)
  }
  assert.deepEqual(await titles(`/feeds/atom?url=${shop}`), ['Changed', 'Changed', 'A new page'])
  assert.deepEqual(await titles('/feeds/atom?prefix=http://shop.test/o'), ['A new page'])
  assert.equal((await titles('/feeds/atom?site=shop.test'))?.length, 4)
  await home.visit('http://shop.test/other', 'again')
  await home.world.advance(30_000)
  assert.equal((await titles('/feeds/atom?site=shop.test'))?.length, 5, 'what comes is followed')
  const path = `/feeds/watch/${watch.feedKey}`
  const first = await ask(path)
  const feed = parsed(first.text)
  assert.equal(first.headers['content-type'], atomType)
  assert.equal(feed.entry!.length, 3)
  assert.match(JSON.stringify(feed.entry![0]!.content), /ins/)
  assert.equal((await ask(path, { 'if-none-match': first.headers.etag! })).status, 304)
  assert.equal((await ask(path, { 'if-none-match': '"other"' })).status, 200)
  await home.restart('kill')
  const again = new TestApi(feedRoutes({ ...home.open, origin }))
  assert.equal((await home.world.complete(again.ask(path))).text, first.text)
  assert.equal((await ask('/feeds/watch/another-key')).status, 404)
  assert.equal((await ask('/feeds/atom')).status, 400)
  assert.equal((await ask(`/feeds/atom?url=${shop}&page=5`)).status, 400)
})

test('a long history has pages, each of which names the next', async () => {
  const home = await WatchedHome.make(2)
  const { watches, feeds } = await home.start()
  for (let edition = 0; edition < 120; edition++) await home.visit(shop, `edition ${edition}`)
  const api = new TestApi(feedRoutes({ feeds, watches, origin }))
  let next: string | undefined = `/feeds/atom?url=${encodeURIComponent(shop)}`
  const counts: number[] = []
  while (next !== undefined && counts.length < 10) {
    const { text } = await home.world.complete(api.ask(next))
    const feed = parsed(text)
    counts.push(feed.entry!.length)
    next = feed.link
      .find(({ rel }) => rel === 'next')
      ?.href.replaceAll('&amp;', '&')
      .slice(origin.length)
  }
  assert.deepEqual(counts, [50, 50, 20])
})

test('whatever stands in titles and words, a feed is XML', () => {
  const hostile = 'a\u0000b\u0008 ]]> <script>&amp; " \ud800 \uffff \u{1f600}'
  const feed = {
    id: 'urn:uuid:00000000-0000-8000-8000-000000000000',
    title: hostile,
    updatedMs: 0,
    generator: { name: hostile, version: hostile },
  }
  const links = [
    { rel: 'alternate', href: `http://a.example/?"><x y='` },
    { rel: 'self', href: 'http://a.example/' },
  ]
  const entry = {
    id: feed.id,
    title: hostile,
    updatedMs: 0,
    links,
    summary: hostile,
    html: hostile,
    categories: [hostile],
  }
  const xml = printAtom({ ...feed, links, entries: [entry] })
  assert.equal(parsed(xml).entry!.length, 1)
  assert.doesNotMatch(xml, /[\u0000-\u0008\ud800\uffff]|<script|<x/u)
})
