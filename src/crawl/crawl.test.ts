import assert from 'node:assert/strict'
import { test } from 'vitest'
import { crawlOf, simulatedCrawl } from './fixtures/simulated-crawl.ts'

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

test('a crawl that is aborted does not wait for others who never have a page, and the page stays queued', async () => {
  const crawl = await simulatedCrawl(() => 'page', { spreadMs: 1_000_000_000 })
  crawl.frontier.jobs.open({ seeds: ['http://site.test/'], scope: 'any', budgets: {} })
  await crawl.goOnFor(60_000)
  assert(crawl.nowMs() < 120_000, `${crawl.nowMs()} ms`)
  assert.equal(crawl.frontier.jobs.all()[0]!.counters.pending, 1)
})

test('on a network hosts are asked while answers are read and kept, one at a time all the same', async () => {
  const seeds = Array.from({ length: 20 }, (_, site) => `http://site-${site}.test/`)
  const pausesBetween = async (isOnNetwork: boolean) => {
    const { requests } = await crawlOf(seeds, () => 'page', { concurrency: 1, keepMs: 1_000, isOnNetwork })
    const atMs = requests.filter(({ href }) => !href.endsWith('/robots.txt')).map((request) => request.atMs)
    return atMs.slice(1).map((laterMs, index) => laterMs - atMs[index]!)
  }
  for (const pauseMs of await pausesBetween(false)) assert.ok(pauseMs >= 1_000, `${pauseMs}`)
  for (const pauseMs of await pausesBetween(true)) assert.ok(pauseMs >= 10 && pauseMs < 1_000, `${pauseMs}`)
})

test('what a script asks for is relative to its page, however it was imported; in a worker, to the worker', async () => {
  const scripts: Record<string, string> = {
    '/js/app.js': `import './lib/data.js'; const worker = new Worker('/w/worker.js')`,
    '/js/lib/data.js': `fetch('data.json')`,
    '/w/worker.js': `importScripts('lib/more.js'); postMessage(''); fetch('own.json')`,
    '/w/lib/more.js': `fetch('more.json')`,
  }
  const { requests } = await crawlOf(['http://a.test/dir/page'], (href) => {
    const body = scripts[new URL(href).pathname]
    if (body !== undefined) return { status: 200, type: 'text/javascript', body }
    return href.endsWith('/page') ? '<script type=module src=/js/app.js></script>' : { status: 404 }
  })
  const asked = requests.map(({ href }) => new URL(href).pathname)
  assert.deepEqual(
    asked.filter((path) => path.endsWith('.json')).sort(),
    ['/dir/data.json', '/w/more.json', '/w/own.json'],
    asked.join(),
  )
})
