import assert from 'node:assert/strict'
import { gzipSync } from 'node:zlib'
import { test } from 'vitest'
import { parseUrl, type Url } from '../../model/url/url.ts'
import type { WebAnswer } from '../../platform/network/web.ts'
import { simulatedWorld } from '../../platform/simulated/world.ts'
import { AddressGuard } from '../address/address-guard.ts'
import { Fetcher } from '../fetch/fetcher.ts'
import { SeedFetching } from './seed-fetching.ts'

type Pages = Record<string, { status?: number; location?: string; body?: string | Buffer }>

/** A list on a web of these pages. */
async function fetched(pages: Pages, href: string) {
  const world = simulatedWorld({ seed: 1 })
  const { clock } = world.machine('a')
  const web = {
    fetch: async ({ url }: { url: Url }): Promise<WebAnswer> => {
      const { status = 200, location, body = '' } = pages[url.href] ?? { status: 404 }
      const bytes = Buffer.from(body)
      const more = location === undefined ? '' : `Location: ${location}\r\n`
      const now = clock.monotonicMs()
      return {
        outcome: 'response',
        status,
        head: Buffer.from(`HTTP/1.1 ${status} X\r\n${more}\r\n`),
        body: { kind: 'memory', length: bytes.length, parts: [bytes] },
        truncated: undefined,
        request: Buffer.from('GET / HTTP/1.1\r\n\r\n'),
        address: '192.0.2.1',
        protocols: ['http/1.1'],
        tlsProblem: undefined,
        timing: { startMs: now, sentMs: now, headMs: now, endMs: now },
      }
    },
    close: async () => {},
  }
  const fetcher = new Fetcher({ web, clock }, { userAgent: 'test', allow: new AddressGuard([]) })
  return world.complete(new SeedFetching({ fetcher, clock }).fetch(parseUrl(href)))
}

const sitemap = (...urls: string[]) =>
  `<urlset>${urls.map((url) => `<url><loc>${url}</loc></url>`).join('')}</urlset>`

test('a list is fetched where redirects lead, and an index with its sitemaps, those that can be read', async () => {
  const pages: Pages = {
    'http://a.test/sitemap.xml': { status: 301, location: '/index.xml' },
    'http://a.test/index.xml': {
      body: '<sitemapindex><sitemap><loc>http://a.test/1.xml.gz</loc></sitemap><sitemap><loc>http://a.test/2.xml</loc></sitemap><sitemap><loc>http://a.test/none.xml</loc></sitemap></sitemapindex>',
    },
    'http://a.test/1.xml.gz': { body: gzipSync(sitemap('http://a.test/1', 'http://a.test/2')) },
    'http://a.test/2.xml': { body: sitemap('http://a.test/2', 'http://a.test/3') },
  }
  const { urls, skipped, format } = await fetched(pages, 'http://a.test/sitemap.xml')
  assert.deepEqual(urls, ['http://a.test/1', 'http://a.test/2', 'http://a.test/3'])
  assert.deepEqual([format, skipped], ['sitemap index', 1])
})

test('what cannot be had or read is told', async () => {
  await assert.rejects(fetched({}, 'http://a.test/x'), { code: 'seeds-malformed', message: /status 404/ })
  const index = { body: '<sitemapindex><sitemap><loc>http://a.test/none.xml</loc></sitemap></sitemapindex>' }
  await assert.rejects(fetched({ 'http://a.test/i': index }, 'http://a.test/i'), /None of the sitemaps/)
  await assert.rejects(
    fetched({ 'http://a.test/h': { body: '<html>' } }, 'http://a.test/h'),
    /none that is known/,
  )
})
