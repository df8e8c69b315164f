// What becomes of a site whose robots.txt cannot be reached, or lies elsewhere: in simulated hours.

import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { parseUrl } from '../model/url/url.ts'
import { simulatedWorld } from '../platform/simulated/world.ts'
import type { CrawlEvent } from './crawl-report.ts'
import { crawlOf, type Page } from './fixtures/simulated-crawl.ts'
import { Frontier } from './frontier/frontier.ts'
import { politenessDefault } from './politeness/politeness-rules.ts'

const minuteMs = 60_000

const outcomesOf = (events: readonly CrawlEvent[], href: string): string[] =>
  events.filter(({ url }) => url === href).map(({ outcome }) => outcome)

describe('a robots.txt that cannot be reached', () => {
  test.each<[string, Page]>([
    ['a 503', { status: 503 }],
    ['no answer', 'no answer'],
    ['a file that breaks off', { status: 200, body: 'User-agent: *\n', truncated: 'disconnect' }],
    ['a file that does not end in time', { status: 200, body: 'User-agent: *\n', truncated: 'time' }],
  ])('%s: the site waits, and is fetched once there is one', async (_, outage) => {
    const seeds = ['http://a.test/', 'http://a.test/b']
    const { requests, events } = await crawlOf(seeds, (href, atMs) => {
      if (!href.endsWith('/robots.txt')) return 'page'
      return atMs < 25_000 ? outage : 'User-agent: *\nDisallow: /b\n'
    })
    const robots = requests.filter(({ href }) => href.endsWith('/robots.txt'))
    assert.equal(robots.length, 3)
    assert.ok(robots[1]!.atMs - robots[0]!.atMs >= 10_000)
    assert.ok(robots[2]!.atMs - robots[1]!.atMs >= 20_000)
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
      assert.deepEqual(outcomesOf(events, `${site}/robots.txt`), ['retry', 'retry', 'retry'])
      assert.deepEqual(outcomesOf(events, `${site}/`), ['failed'])
    }
    const { code, reason } = events.find(({ outcome }) => outcome === 'failed')!
    assert.deepEqual([code, reason], ['robots-unreachable', 'robots.txt could not be read: status 500'])
    assert.ok(requests.at(-1)!.atMs < politenessDefault.retryWaitMs)
  })

  test.each<[Page, string]>([
    ['refused', 'connect-refused'],
    ['no address', 'dns-not-found'],
    ['bad certificate', 'tls-failed'],
  ])('%s: the site is given up at once, with the reason', async (page, code) => {
    const seeds = ['http://a.test/', 'http://a.test/b']
    const { requests, events, endedAtMs } = await crawlOf(seeds, () => page)
    assert.equal(requests.length, 1)
    assert.deepEqual(outcomesOf(events, 'http://a.test/robots.txt'), ['failed'])
    for (const seed of seeds) {
      assert.deepEqual(outcomesOf(events, seed), ['failed'])
      assert.equal(events.find(({ url }) => url === seed)?.code, code)
    }
    assert.ok(endedAtMs < 2_000, `${endedAtMs} ms`)
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
      { politeness: slow },
    )
    const tries = requests.filter(({ href }) => href === 'http://a.test/robots.txt')
    assert.ok(tries.length > 4, `${tries.length} tries`)
    assert.deepEqual(outcomesOf(events, 'http://a.test/'), ['failed'])
    const lastMs = requests.findLast(({ href }) => href.startsWith('http://c.test/'))!.atMs
    const endMs = events.findLast(({ url }) => url === 'http://a.test/')!.atMs - events[0]!.atMs
    assert.ok(endMs < lastMs + 10 * minuteMs, 'it does not wait an hour for nothing')
  })
})

test('a robots.txt that leads to an address we must not ask is asked for once, and forbids everything', async () => {
  const seeds = ['http://a.test/', 'http://a.test/b', 'http://a.test/c']
  const { requests, events } = await crawlOf(seeds, (href) => {
    if (href === 'http://a.test/robots.txt') return { status: 302, location: 'http://b.test/rules.txt' }
    return href === 'http://b.test/rules.txt' ? 'forbidden' : 'page'
  })
  assert.deepEqual(
    requests.map(({ href }) => href),
    ['http://a.test/robots.txt', 'http://b.test/rules.txt'],
  )
  for (const seed of seeds) assert.deepEqual(outcomesOf(events, seed), ['failed'])
})

test('a robots.txt that is to be asked for later is asked for then, before any page, but not for ever', async () => {
  const rules = 'User-agent: *\nDisallow: /b\n'
  const later = { status: 429, retryAfter: 5 }
  const seeds = ['http://a.test/', 'http://a.test/b']
  const robots = 'http://a.test/robots.txt'
  const crawled = async (refusals: number) => {
    let asked = 0
    const { requests } = await crawlOf(seeds, (href) => {
      if (href !== robots) return 'page'
      return ++asked <= refusals ? later : rules
    })
    return requests.map(({ href }) => href)
  }
  assert.deepEqual(await crawled(3), [robots, robots, robots, robots, 'http://a.test/'])
  assert.deepEqual(await crawled(1_000), [robots, robots, robots, robots, ...seeds])
})

test('redirects of robots.txt that lead nowhere are answers: everything is allowed, at the usual pace', async () => {
  const { requests } = await crawlOf(['http://a.test/'], (href) => {
    return href.endsWith('/robots.txt') ? { status: 301, location: 'file:///rules.txt' } : 'page'
  })
  assert.equal(requests.at(-1)?.href, 'http://a.test/')
  assert.ok(requests.at(-1)!.atMs < politenessDefault.backOffMsFirst)
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
  frontier.jobs.open({ seeds: [url.href], scope: 'any', budgets: {} })
  assert.equal(frontier.hosts.beginTurn(url), true)
  assert.equal((await world.complete(frontier.nextTask())).kind, 'busy')
  assert.equal(frontier.hosts.beginTurn(url), false)
  frontier.hosts.endTurn(url, undefined)
  assert.equal((await world.complete(frontier.nextTask())).kind, 'task')
})
