import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { ringKeyOfSite } from '../../model/ring-key.ts'
import { siteOf } from '../../model/url/site.ts'
import { parseUrl } from '../../model/url/url.ts'
import { openStore } from '../fixtures/open-store.ts'
import { pageCapture } from '../fixtures/sample-captures.ts'
import type { Store } from '../store.ts'
import type { Selection } from './capture-finder.ts'

const startMs = Date.UTC(2024, 0, 1)
const dayMs = 86_400_000

const urls = [
  'http://example.com/',
  'http://example.com/news/',
  'http://example.com/news/today',
  'http://example.com/newsletter',
  'http://example.com:8080/news/ports',
  'http://www.example.com/www',
  'http://sub.example.com/',
  'http://example.com.evil.org/',
  'http://exampleX.com/',
  'http://alice.github.io/',
  'http://bob.github.io/',
  'http://b.a.kawasaki.jp/',
  'http://city.kawasaki.jp/',
  'http://192.0.2.1/a',
  'http://[2001:db8::1]/six',
]

async function filledStore(): Promise<Store> {
  const store = await openStore()
  for (const [i, url] of urls.entries()) {
    for (let day = 0; day < 2; day++)
      await store.append(pageCapture(url, startMs + day * dayMs, `${url} ${day} ${i}`))
  }
  return store
}

const found = (store: Store, selection: Selection) =>
  [...new Set([...store.scan(selection)].map(({ url }) => url))].sort()

test('sites: each once, by its first capture that may be shown', async () => {
  const store = await filledStore()
  const sites = () => [...store.sites()].map(({ url }) => parseUrl(url).site).sort()
  const all = [...new Set(urls.map((url) => parseUrl(url).site))].sort()
  assert.deepEqual(sites(), all)
  await store.takedown({ kind: 'url', url: 'http://example.com/' })
  await store.takedown({ kind: 'site', site: 'evil.org' })
  assert.deepEqual(
    sites(),
    all.filter((site) => site !== 'evil.org'),
  )
})

describe('a scan', () => {
  test.each([
    [{ kind: 'url', url: 'http://example.com/news/today' }, ['http://example.com/news/today']],
    [{ kind: 'prefix', url: 'http://example.com/news/' }, ['http://example.com/news/today']],
    [
      { kind: 'prefix', url: 'http://example.com/news' },
      ['http://example.com/news/', 'http://example.com/news/today', 'http://example.com/newsletter'],
    ],
    [{ kind: 'host', host: 'sub.example.com' }, ['http://sub.example.com/']],
    [
      { kind: 'site', site: 'example.com' },
      urls.filter((url) => /^http:\/\/(www\.|sub\.)?example\.com(:8080)?\//.test(url)).sort(),
    ],
    [{ kind: 'site', site: 'alice.github.io' }, ['http://alice.github.io/']],
    [{ kind: 'site', site: 'github.io' }, ['http://alice.github.io/', 'http://bob.github.io/']],
    [{ kind: 'site', site: 'kawasaki.jp' }, ['http://b.a.kawasaki.jp/', 'http://city.kawasaki.jp/']],
    [{ kind: 'site', site: 'org' }, ['http://example.com.evil.org/']],
    [
      { kind: 'site', site: 'com' },
      urls
        .map((url) => url.toLowerCase())
        .filter((url) => /\.com[:/]/.test(url))
        .sort(),
    ],
    [{ kind: 'host', host: 'github.io' }, []],
    [{ kind: 'host', host: '192.0.2.1' }, ['http://192.0.2.1/a']],
    [{ kind: 'site', site: '[2001:db8::1]' }, ['http://[2001:db8::1]/six']],
  ] as [Selection, string[]][])('of %o finds just what belongs to it', async (selection, expected) => {
    assert.deepEqual(found(await filledStore(), selection), expected)
  })

  test('goes on behind a cursor, and so sees everything once, in order', async () => {
    const store = await filledStore()
    const all = [...store.scan({ kind: 'all' })]
    assert.equal(all.length, 2 * urls.length)
    const paged = []
    for (let after: string | undefined; ; after = paged.at(-1)!.cursor) {
      const page = [...store.scan({ kind: 'all' }, { after, limit: 5 })]
      if (page.length === 0) break
      paged.push(...page)
    }
    assert.deepEqual(paged, all)
    const site: Selection = { kind: 'site', site: 'example.com' }
    const ofSite = [...store.scan(site)]
    assert.deepEqual([...store.scan(site, { after: ofSite[3]!.cursor })], ofSite.slice(4))
    const suffix: Selection = { kind: 'site', site: 'com' }
    const ofSuffix = [...store.scan(suffix)]
    for (const [i, { cursor }] of ofSuffix.entries()) {
      assert.deepEqual([...store.scan(suffix, { after: cursor })], ofSuffix.slice(i + 1))
    }
    assert.throws(() => [...store.scan(site, { after: 'nonsense' })], { code: 'store-bad-cursor' })
  })

  test('of a range of the ring has the sites that live there', async () => {
    const store = await filledStore()
    const from = ringKeyOfSite(siteOf('example.com'))
    const to = (BigInt(`0x${from}`) + 1n).toString(16).padStart(40, '0') as typeof from
    assert.deepEqual(
      found(store, { kind: 'ring', from, to }),
      found(store, { kind: 'site', site: 'example.com' }),
    )
    const elsewhere = { kind: 'ring', from: to, domain: 'com' } as const
    assert.equal(found(store, { ...elsewhere, from, to }).length, 7)
    assert.ok(found(store, elsewhere).every((url) => /\/\/(?!(?:[a-z]+\.)?example\.com)[^/]+\.com/.test(url)))
    assert.equal(found(store, { kind: 'ring', from: '0'.repeat(40) as typeof from }).length, urls.length)
  })

  test('takes only what was captured in a span of time', async () => {
    const store = await filledStore()
    const second = [...store.scan({ kind: 'all' }, { fromMs: startMs + dayMs, toMs: startMs + 2 * dayMs })]
    assert.equal(second.length, urls.length)
    assert.ok(second.every(({ capturedAtMs }) => capturedAtMs === startMs + dayMs))
  })
})

test('URLs too long for an index key are told apart and found', async () => {
  const store = await openStore()
  const long = `http://example.com/${'x'.repeat(4_000)}`
  await store.append(pageCapture(`${long}/a`, startMs, 'a'))
  await store.append(pageCapture(`${long}/b`, startMs, 'b'))
  assert.deepEqual(
    [...store.versions(parseUrl(`${long}/a`))].map(({ url }) => url),
    [`${long}/a`],
  )
  assert.deepEqual([...store.versions(parseUrl(`${long}/c`))], [])
})

test('captures of one URL in one millisecond are all kept', async () => {
  const store = await openStore()
  for (let i = 0; i < 5; i++) await store.append(pageCapture('http://example.com/', startMs, `version ${i}`))
  assert.equal([...store.versions(parseUrl('http://example.com/'))].length, 5)
})
