// Pages that need something of hosts which cannot be reached: in simulated hours.

import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { parseUrl } from '../model/url/url.ts'
import { type Page, simulatedCrawl } from './fixtures/simulated-crawl.ts'
import { outcomeOf } from './jobs/job-outcome.ts'
import { outageMsMax } from './politeness/host-outage.ts'
import { politenessDefault } from './politeness/politeness-rules.ts'

const seed = 'http://page.test/'
const image = 'http://dead.test/image.png'
const minuteMs = 60_000

/** A page with an image at a host of which only `dead` comes. */
const pageWith = (dead: () => Page) => (href: string) => {
  if (href.startsWith('http://dead.test')) return dead()
  return href.endsWith('/robots.txt') ? '' : `<img src="${image}"><img src="${image}?2">`
}

describe.each<[Page, number]>([
  ['refused', 0],
  ['no address', 0],
  ['bad certificate', 0],
  ['no answer', politenessDefault.retryWaitMs],
])('a third party: %s', (dead, firstMsMax) => {
  test('each crawl of the page is as short as the one before, and partly complete', async () => {
    const crawl = await simulatedCrawl(pageWith(() => dead))
    const spans: number[] = []
    for (let number = 0; number < 5; number++) {
      const startMs = crawl.nowMs()
      const job = await crawl.run([seed], 'page')
      spans.push(crawl.nowMs() - startMs)
      assert.equal(outcomeOf(job), 'partly')
      assert.equal(job.counters.failed, 2)
    }
    const [first, ...others] = spans
    assert.ok(first! < firstMsMax + 5_000, `${spans}`)
    for (const spanMs of others) assert.ok(spanMs < 5_000, `${spans}`)
  })

  test('it is tried again when it was left alone for a while, and then as before', async () => {
    let now: Page = dead
    const crawl = await simulatedCrawl(pageWith(() => now))
    const isFetched = () => crawl.events.some(({ url, outcome }) => url === image && outcome === 'new')
    const asked = () => crawl.requests.filter(({ href }) => href.startsWith('http://dead.test')).length
    await crawl.run([seed], 'page')
    const before = asked()
    now = 'picture'
    await crawl.run([seed], 'page')
    assert.equal(asked(), before, 'remembered')
    await crawl.sleep(46 * minuteMs)
    await crawl.run([seed], 'page')
    assert.ok(isFetched())
  })
})

test('what was given up is visited again by itself, when the host is asked again', async () => {
  const crawl = await simulatedCrawl(pageWith(() => 'refused'))
  await crawl.run([seed], 'page')
  const { dueAtMs } = crawl.frontier.visits.of(parseUrl(image))!
  const inMs = dueAtMs - crawl.frontier.nowMs()
  assert.ok(inMs > outageMsMax && inMs < 2 * 60 * minuteMs, `${inMs}`)
})

test('a host that is named by a new job is asked at once', async () => {
  let page: Page = 'refused'
  const crawl = await simulatedCrawl(() => page)
  assert.equal(outcomeOf(await crawl.run([seed])), 'nothing')
  page = 'page'
  const startMs = crawl.nowMs()
  assert.equal(outcomeOf(await crawl.run([seed])), 'complete')
  assert.ok(crawl.nowMs() - startMs < 5_000)
})

test('a host that answers http is crawled although https is refused, and does not wait for that', async () => {
  const crawl = await simulatedCrawl((href) => {
    if (href.startsWith('https:')) return 'refused'
    if (href.endsWith('/robots.txt')) return ''
    return '<img src="https://page.test/1"><img src="/2"><img src="https://page.test/3"><img src="/4">'
  })
  const job = await crawl.run([seed], 'page')
  assert.deepEqual([job.counters.fetched, job.counters.failed], [3, 2])
  assert.ok(crawl.nowMs() < 10_000, `${crawl.nowMs()}`)
})

test('a site that stops answering for a while is waited for', async () => {
  const crawl = await simulatedCrawl((href, atMs) => {
    if (atMs > 10_000 && atMs < 35_000) return 'refused'
    const number = Number(/\d+$/.exec(href)?.[0] ?? 0)
    return href.endsWith('/robots.txt')
      ? ''
      : number < 20
        ? `<a href="/${number + 1}"><a href="/x${number}">`
        : ''
  })
  const job = await crawl.run([seed])
  assert.equal(outcomeOf(job), 'complete')
  assert.equal(job.counters.failed, 0)
})

test('a retry that lies beyond the other work is not waited for, and one within it is', async () => {
  const busyFor = (seconds: number) =>
    simulatedCrawl((href, atMs) => {
      if (href === image) return atMs < 5_000 ? { status: 429, retryAfter: seconds } : 'picture'
      return href.endsWith('/robots.txt') ? '' : href === seed ? `<img src="${image}">` : ''
    })
  const soon = await busyFor(30)
  assert.equal(outcomeOf(await soon.run([seed], 'page')), 'complete')
  const late = await busyFor(600)
  const job = await late.run([seed], 'page')
  assert.equal(outcomeOf(job), 'partly')
  assert.equal(job.missed?.['server-busy']?.url, image)
  assert.ok(late.nowMs() < 10_000)
})
