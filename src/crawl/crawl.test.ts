import assert from 'node:assert/strict'
import { test } from 'vitest'
import { crawlOf } from './fixtures/simulated-crawl.ts'

test('how long others take to have a page or robots.txt does not hold up the next visit, and no two hosts are asked at once', async () => {
  const seeds = Array.from({ length: 20 }, (_, site) => `http://site-${site}.test/`)
  const { requests, events } = await crawlOf(seeds, () => 'page', { concurrency: 1, spreadMs: 10_000 })
  assert.equal(events.filter(({ outcome }) => outcome === 'new').length, seeds.length)
  const [robots, pages] = [true, false].map((isRobots) =>
    requests.filter(({ href }) => href.endsWith('/robots.txt') === isRobots),
  )
  for (const asked of [robots!, pages!]) {
    assert.equal(asked.length, seeds.length)
    assert.ok(
      asked.at(-1)!.atMs < asked[0]!.atMs + 10_000,
      'all were asked before the first was kept by others',
    )
  }
  for (const [index, { atMs }] of requests.entries())
    assert.ok(index === 0 || atMs - requests[index - 1]!.atMs >= 10, 'one host at a time')
})
