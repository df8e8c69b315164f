// What becomes of a site whose robots.txt cannot be reached, or lies elsewhere: in simulated hours.

import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { parseUrl, type Url } from '../record/url.ts'
import { simulatedWorld } from '../world/simulated/world.ts'
import type { WebAnswer } from '../world/web.ts'
import { inlineWorkers } from '../world/workers.ts'
import { AddressGuard } from './address/address-guard.ts'
import { Crawl } from './crawl.ts'
import type { CrawlEvent } from './crawl-report.ts'
import { Fetcher } from './fetch/fetcher.ts'
import { Frontier } from './frontier/frontier.ts'
import { findLinks } from './links/link-work.ts'
import { type PolitenessRules, politenessDefault } from './politeness/politeness-rules.ts'
import { RobotsKeeping } from './robots/robots-keeping.ts'
import { PageReading } from './visit/page-reading.ts'
import type { PageWork } from './visit/page-work.ts'
import { Visiting } from './visit/visit.ts'

type Page = string | { status: number; location?: string } | 'no answer'

interface Request {
  readonly href: string
  readonly atMs: number
}

const minuteMs = 60_000

/** A web of pages that may change with the time. */
async function crawlOf(
  seeds: readonly string[],
  pageOf: (href: string, atMs: number) => Page,
  politeness: PolitenessRules = politenessDefault,
): Promise<{ requests: Request[]; events: CrawlEvent[] }> {
  const world = simulatedWorld({ seed: 1 })
  const { keyValues, clock, random } = world.machine('a')
  const keyValue = await world.complete(keyValues.open('/frontier'))
  const frontier = new Frontier({ keyValue, clock, random }, { politeness })
  const requests: Request[] = []
  const events: CrawlEvent[] = []
  const startMs = clock.monotonicMs()
  const web = {
    fetch: async ({ url }: { url: Url }): Promise<WebAnswer> => {
      const atMs = clock.monotonicMs() - startMs
      requests.push({ href: url.href, atMs })
      await clock.sleep(10)
      return answerOf(pageOf(url.href, atMs), clock.monotonicMs())
    },
    close: async () => {},
  }
  const archive = {
    lastVersion: async () => undefined,
    keep: async () => ({ as: 'new', isKnownPayload: false }) as const,
    read: () => assert.fail('nothing is read'),
  }
  const guard = new AddressGuard([])
  const fetcher = new Fetcher({ web, clock }, { userAgent: 'test', allow: guard })
  const work = async (page: PageWork) => ({ links: await findLinks(page), records: undefined })
  const reading = new PageReading({ workers: inlineWorkers(work) }, 'test')
  const visiting = new Visiting({ fetcher, archive, reading }, { userAgent: 'test', obeysDirectives: true })
  const robots = new RobotsKeeping({ notes: frontier, pace: frontier, fetcher, archive, clock }, 'test')
  const watch = { happened: (event: CrawlEvent) => void events.push(event) }
  const crawl = new Crawl(
    { frontier, visiting, robots, guard, clock, watch },
    { concurrency: 8, obeysRobots: true, flushMs: 1_000 },
  )
  frontier.openJob({ seeds: [...seeds], scope: 'any', budgets: {} })
  const never = new AbortController().signal
  await world.complete(crawl.run({ stop: never, abort: never }))
  return { requests, events }
}

function answerOf(page: Page, endMs: number): WebAnswer {
  if (page === 'no answer')
    return {
      outcome: 'failure',
      code: 'connect-refused',
      reason: 'refused',
      retry: 'later',
      address: undefined,
    }
  const { status, location } = typeof page === 'string' ? { status: 200 } : { location: undefined, ...page }
  const body = Buffer.from(typeof page === 'string' ? page : '')
  const head = `HTTP/1.1 ${status} X\r\nContent-Type: text/html\r\n${location ? `Location: ${location}\r\n` : ''}\r\n`
  return {
    outcome: 'response',
    status,
    head: Buffer.from(head),
    body: { kind: 'memory', length: body.length, parts: [body] },
    truncated: undefined,
    request: Buffer.from('GET / HTTP/1.1\r\n\r\n'),
    address: '192.0.2.1',
    protocols: ['http/1.1'],
    tlsProblem: undefined,
    timing: { startMs: endMs - 10, sentMs: endMs - 10, headMs: endMs, endMs },
  }
}

const outcomesOf = (events: readonly CrawlEvent[], href: string): string[] =>
  events.filter(({ url }) => url === href).map(({ outcome }) => outcome)

describe('a robots.txt that cannot be reached', () => {
  test.each<[string, Page]>([
    ['a 503', { status: 503 }],
    ['no answer', 'no answer'],
  ])('%s: the site waits, and is fetched once there is one', async (_, outage) => {
    const seeds = ['http://a.test/', 'http://a.test/b']
    const { requests, events } = await crawlOf(seeds, (href, atMs) => {
      if (!href.endsWith('/robots.txt')) return 'page'
      return atMs < 2 * minuteMs ? outage : 'User-agent: *\nDisallow: /b\n'
    })
    const robots = requests.filter(({ href }) => href.endsWith('/robots.txt'))
    assert.equal(robots.length, 3)
    assert.ok(robots[1]!.atMs - robots[0]!.atMs >= minuteMs)
    assert.ok(robots[2]!.atMs - robots[1]!.atMs >= 2 * minuteMs)
    assert.deepEqual(
      requests.map(({ href }) => href).filter((href) => !href.endsWith('/robots.txt')),
      ['http://a.test/'],
    )
    assert.deepEqual(outcomesOf(events, 'http://a.test/'), ['new'])
    assert.deepEqual(outcomesOf(events, 'http://a.test/b'), ['refused'])
    assert.deepEqual(outcomesOf(events, 'http://a.test/robots.txt'), ['retry', 'retry'])
  })

  test('is given up after a few tries when nothing else is left, and the log says so', async () => {
    const seeds = ['http://a.test/', 'http://b.test/', 'http://c.test/']
    const { requests, events } = await crawlOf(seeds, (href) =>
      href.startsWith('http://c.test/') ? 'page' : { status: 500 },
    )
    for (const site of ['http://a.test', 'http://b.test']) {
      assert.equal(requests.filter(({ href }) => href.startsWith(site)).length, 3, site)
      assert.deepEqual(outcomesOf(events, `${site}/robots.txt`), ['retry', 'retry', 'failed'])
      assert.deepEqual(outcomesOf(events, `${site}/`), ['refused'])
    }
    assert.match(events.find(({ outcome }) => outcome === 'failed')?.reason ?? '', /status 500.*3 tries/)
    assert.ok(requests.at(-1)!.atMs < 5 * minuteMs)
  })

  test('is waited for longer while there is something else to do, and no longer than that', async () => {
    // Hours' worth of pages, one each minute.
    const slow = { ...politenessDefault, delayMs: minuteMs }
    const { requests, events } = await crawlOf(
      ['http://a.test/', 'http://c.test/0'],
      (href) => {
        if (href.startsWith('http://a.test/')) return { status: 500 }
        if (href.endsWith('/robots.txt')) return ''
        const page = Number(/\d+$/.exec(href)?.[0])
        return page < 40 ? `<a href="/${page + 1}">` : 'end'
      },
      slow,
    )
    const tries = requests.filter(({ href }) => href === 'http://a.test/robots.txt')
    assert.ok(tries.length > 4, `${tries.length} tries`)
    assert.deepEqual(outcomesOf(events, 'http://a.test/'), ['refused'])
    const lastMs = requests.findLast(({ href }) => href.startsWith('http://c.test/'))!.atMs
    const endMs = events.findLast(({ url }) => url === 'http://a.test/')!.atMs - events[0]!.atMs
    assert.ok(endMs < lastMs + 10 * minuteMs, 'it does not wait an hour for nothing')
  })
})

test('redirects of robots.txt count for politeness, at the host itself and where they lead', async () => {
  const { requests } = await crawlOf(['http://a.test/', 'http://b.test/'], (href) => {
    if (href === 'http://a.test/robots.txt') return { status: 301, location: '/rules.txt' }
    if (href === 'http://a.test/rules.txt') return { status: 302, location: 'http://b.test/rules.txt' }
    return ''
  })
  assert.ok(requests.some(({ href }) => href === 'http://b.test/rules.txt'))
  for (const site of ['http://a.test/', 'http://b.test/']) {
    const times = requests.filter(({ href }) => href.startsWith(site)).map(({ atMs }) => atMs)
    assert.ok(times.length >= 3, site)
    for (const [index, atMs] of times.entries())
      assert.ok(index === 0 || atMs - times[index - 1]! >= politenessDefault.delayMsMin, `${site} ${times}`)
  }
})

test('a host is not asked for its pages while robots.txt leads there', async () => {
  const url = parseUrl('http://b.test/')
  const world = simulatedWorld({ seed: 1 })
  const { keyValues, clock, random } = world.machine('a')
  const keyValue = await world.complete(keyValues.open('/frontier'))
  const frontier = new Frontier({ keyValue, clock, random }, { politeness: politenessDefault })
  frontier.openJob({ seeds: [url.href], scope: 'any', budgets: {} })
  assert.equal(frontier.beginTurn(url), true)
  assert.equal((await world.complete(frontier.lease())).kind, 'busy')
  assert.equal(frontier.beginTurn(url), false)
  frontier.endTurn(url, undefined)
  assert.equal((await world.complete(frontier.lease())).kind, 'lease')
})
