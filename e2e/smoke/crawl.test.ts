// Smoke test: `polyhistor crawl` archives a small site, and `polyhistor get` gives it back. Details: e2e/crawl.test.ts.

import assert from 'node:assert/strict'
import { test } from 'vitest'
import { polyhistor, temporaryFolder } from '../command.ts'
import { archivedPaths, crawl } from '../crawl/crawling.ts'
import { page, startOrigin } from '../crawl/origin.ts'

const picture = Buffer.from([...Array(256).keys()])

test('a crawled site is read back byte for byte', { timeout: 120_000 }, async () => {
  const origin = await startOrigin({
    '/robots.txt': 'User-agent: *\nDisallow: /private',
    '/': page('/second', '/private', '/missing'),
    '/second': `${page('/')}<img src="/picture">`,
    '/private': page(),
    '/picture': (_request, response) =>
      void response.writeHead(200, { 'Content-Type': 'image/png' }).end(picture),
  })
  const home = await temporaryFolder()
  const { state, new: kept } = await crawl(home, origin.url('/'))
  assert.deepEqual([state, kept], ['done', 4])
  assert.deepEqual(origin.counts(), { '/': 1, '/second': 1, '/picture': 1, '/missing': 1 })
  assert.deepEqual(await archivedPaths(home), ['/', '/missing', '/picture', '/second'])

  const got = await polyhistor(['get', origin.url('/second'), '--home', home])
  assert.deepEqual([got.code, got.output], [0, origin.pages['/second']], got.errors)
  const none = await polyhistor(['get', origin.url('/private'), '--home', home])
  assert.equal(none.code, 1, none.errors)
})
