// Crawls of a simulated web under rules: what is held back, when hosts are asked, what is kept.

import assert from 'node:assert/strict'
import { test } from 'vitest'
import type { RuleFields, RuleTarget } from '../../model/jobs/site-rule.ts'
import { simulatedCrawl } from '../fixtures/simulated-crawl.ts'
import { deniedEnding } from '../frontier/held-urls.ts'
import { politenessOff } from '../politeness/politeness-rules.ts'

const links = (...hrefs: string[]) => hrefs.map((href) => `<a href="${href}">x</a>`).join('')
const seed = 'http://a.test/'
const site: RuleTarget = { kind: 'site', site: 'a.test' }

/** A site of ten pages, five of them below /private/. */
const pageOf = (href: string): string => {
  if (href.endsWith('robots.txt')) return ''
  if (href !== seed) return 'page'
  return links(...[1, 2, 3, 4, 5].flatMap((index) => [`/public/${index}`, `/private/${index}`]))
}

async function started(plan: Parameters<typeof simulatedCrawl>[1] = {}, pages = pageOf) {
  const crawl = await simulatedCrawl(pages, { politeness: politenessOff, ...plan })
  const begin = (target: RuleTarget, fields: RuleFields) =>
    crawl.frontier.setRule({ target, ...fields, setAtMs: crawl.frontier.nowMs(), setBy: '' })
  const set = (target: RuleTarget, fields: RuleFields) => crawl.complete(begin(target, fields))
  const remove = (target: RuleTarget) => crawl.complete(crawl.frontier.removeRule(target))
  const fetched = () => crawl.requests.map(({ href }) => href).filter((href) => !href.endsWith('robots.txt'))
  return { crawl, begin, set, remove, fetched }
}

test('what is found while it is denied is out of scope, and found again when it is not', async () => {
  const { crawl, set, remove, fetched } = await started()
  await set({ kind: 'pattern', pattern: '/private/' }, { access: 'deny' })
  const job = await crawl.run([seed])
  assert.equal(job.ending, 'complete')
  assert.equal(fetched().length, 6)
  assert.equal(job.counters.outOfScope, 5)
  await remove({ kind: 'pattern', pattern: '/private/' })
  await crawl.run([seed])
  assert.equal(fetched().length, 6 + 11)
})

test('what was queued before waits, is told once each, and goes on when the denial is taken back', async () => {
  let isDenied = false
  const pattern: RuleTarget = { kind: 'pattern', pattern: '/private/' }
  const { crawl, begin, set, remove, fetched } = await started({ concurrency: 1 }, (href) => {
    // In the midst of it.
    if (href.endsWith('/public/2') && !isDenied) void begin(pattern, { access: 'deny' })
    isDenied ||= href.endsWith('/public/2')
    return pageOf(href)
  })
  const job = await crawl.run([seed])
  const before = fetched().filter((href) => href.includes('/private/')).length
  assert(before < 5)
  assert.equal(fetched().filter((href) => href.includes('/public/')).length, 5)
  assert.equal(job.ending, deniedEnding)
  assert.equal(job.counters.pending, 5 - before)
  const told = crawl.events.filter(({ code }) => code === 'rule-denied')
  assert.equal(told.length, 5 - before)
  assert.match(told[0]!.reason!, /denied by the rule for the pattern \/private\/; it waits/)
  // Another rule changes nothing, and is no reason to tell again.
  await set({ kind: 'site', site: 'b.test' }, { access: 'deny' })
  await crawl.goOn()
  assert.equal(crawl.frontier.jobs.find(job.id)!.ending, deniedEnding)
  assert.equal(crawl.events.filter(({ code }) => code === 'rule-denied').length, 5 - before)
  await remove(pattern)
  await crawl.goOn()
  assert.equal(crawl.frontier.jobs.find(job.id)!.ending, 'complete')
  assert.equal(new Set(fetched()).size, 11)
  assert.equal(fetched().length, 11, 'none twice')
})

test('a site that is denied is not asked at all, not even for robots.txt; a seed of it waits', async () => {
  const { crawl, set } = await started()
  await set(site, { access: 'deny' })
  const job = await crawl.run([seed, 'http://b.test/'])
  assert.deepEqual(
    crawl.requests.map(({ href }) => new URL(href).host),
    ['b.test', 'b.test'],
  )
  assert.equal(job.ending, deniedEnding)
  await set({ kind: 'host', host: 'a.test' }, { access: 'allow' })
  await crawl.goOn()
  assert.equal(crawl.frontier.jobs.find(job.id)!.ending, 'complete')
})

test('a delay is kept, and never makes a pause shorter', async () => {
  const { crawl, set } = await started({ politeness: { ...politenessOff, delayMs: 2_000 } })
  await set(site, { delayMs: 30_000 })
  await set({ kind: 'site', site: 'b.test' }, { delayMs: 100 })
  await crawl.run([seed, 'http://b.test/', 'http://b.test/2'])
  const gapsOf = (host: string) => {
    const times = crawl.requests.filter(({ href }) => new URL(href).host === host).map(({ atMs }) => atMs)
    return times.slice(1).map((atMs, index) => atMs - times[index]!)
  }
  assert(gapsOf('a.test').length >= 10 && gapsOf('a.test').every((gap) => gap >= 30_000), 'the rule')
  assert(
    gapsOf('b.test').every((gap) => gap >= 2_000),
    'the setting of this peer',
  )
})

test('hosts are asked within their hours only', async () => {
  const { crawl, set } = await started()
  const minuteOf = () => Math.floor((crawl.frontier.nowMs() % 86_400_000) / 60_000)
  const opens = (minuteOf() + 120) % 1_440
  await set(site, { hours: { from: opens, to: (opens + 60) % 1_440 } })
  await crawl.run([seed, 'http://b.test/'])
  const [first] = crawl.requests.filter(({ href }) => href.includes('a.test'))
  assert(first!.atMs > 119 * 60_000 && first!.atMs <= 121 * 60_000, String(first!.atMs))
  assert(crawl.requests.find(({ href }) => href.includes('b.test'))!.atMs < 60_000)
})

test('types, depth and priority hold', async () => {
  const { crawl, set, fetched } = await started({ concurrency: 1 })
  await set(site, { depth: 0 })
  await crawl.run([seed])
  assert.deepEqual(fetched(), [seed])
  await set(site, { depth: 1 })
  await set({ kind: 'pattern', pattern: '/public/[45]' }, { priority: 'high' })
  await set({ kind: 'pattern', pattern: '/private/' }, { priority: 'low' })
  await crawl.run([seed])
  const order = fetched().slice(2)
  assert.deepEqual(order.slice(0, 2), ['http://a.test/public/4', 'http://a.test/public/5'])
  assert(order.slice(-5).every((href) => href.includes('/private/')))
  await set(site, { types: 'image' })
  await crawl.run([seed])
  assert.equal(crawl.events.filter(({ code }) => code === 'type-not-wanted').length > 0, true)
})

test('hosts of high priority come first, where not all can be asked at once', async () => {
  const { crawl, set } = await started({ concurrency: 1 }, () => '')
  await set({ kind: 'host', host: 'c.test' }, { priority: 'high' })
  await set({ kind: 'host', host: 'a.test' }, { priority: 'low' })
  await crawl.run(['http://a.test/', 'http://b.test/', 'http://c.test/'])
  const hosts = [...new Set(crawl.requests.map(({ href }) => new URL(href).host))]
  assert.deepEqual(hosts, ['c.test', 'b.test', 'a.test'])
})
