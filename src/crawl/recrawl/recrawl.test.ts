import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import type { VisitTarget } from '../../model/jobs/planned-visit.ts'
import { parseUrl } from '../../model/url/url.ts'
import { simulatedWorld } from '../../platform/simulated/world.ts'
import { WriteBuffer } from '../frontier/write-buffer.ts'
import { politenessDefault, politenessOff } from '../politeness/politeness-rules.ts'
import { SiteRules } from '../rules/site-rules.ts'
import { believed, credibleAgeMs, noEvidence, rateCount, ratesPerMs, withNews } from './change-rates.ts'
import { parseFresh, termsFor } from './fresh-rules.ts'
import { failuresMax, type PageVisits, type SiteTerms, unvisited, visited } from './page-visits.ts'
import { pendingMsMax, RecrawlSchedule } from './recrawl-schedule.ts'
import { beliefIn, newSitePlan } from './site-plan.ts'
import { decodeVisitEntry, encodeVisitEntry } from './visit-entry.ts'
import { gainOfRate, type IntervalBounds, intervalMsFor } from './visit-interval.ts'

const hourMs = 3_600_000
const dayMs = 24 * hourMs
const terms = { budgetPerMs: 1 / hourMs }
const startMs = Date.UTC(2026, 0, 1)
const flat = Array.from({ length: rateCount }, () => 1 / rateCount)

const unsaid = { setAtMs: 0, setBy: '' }

/** The rate to be expected. */
function meanRatePerMs(belief: readonly number[]): number {
  return belief.reduce((sum, share, index) => sum + share * ratesPerMs[index]!, 0)
}

function isDead({ failures }: PageVisits): boolean {
  return failures >= failuresMax
}

describe('change rates', () => {
  function learn(ratePerMs: number, intervals: (index: number) => number, visits: number): number {
    const { random } = simulatedWorld({ seed: 5 })
    let evidence = noEvidence()
    for (let index = 0; index < visits; index++) {
      const intervalMs = intervals(index)
      const isChanged = random.fraction() < -Math.expm1(-ratePerMs * intervalMs)
      evidence = withNews(evidence, { intervalMs, isChanged })
    }
    return meanRatePerMs(believed(evidence, flat))
  }

  test('are learned from regular and irregular visits, also where most of them find a change', () => {
    for (const periodMs of [2 * hourMs, dayMs, 10 * dayMs, 60 * dayMs]) {
      for (const intervals of [
        () => periodMs / 3,
        (index: number) => (index % 2 ? periodMs / 5 : 1.5 * periodMs),
      ]) {
        const ratio = learn(1 / periodMs, intervals, 300) * periodMs
        assert(ratio > 0.6 && ratio < 1.7, `${periodMs / dayMs} days: ${ratio}`)
      }
    }
  })

  test('are told sooner by a believable Last-Modified', () => {
    const news = { intervalMs: 30 * dayMs, isChanged: true }
    const vague = meanRatePerMs(believed(withNews(noEvidence(), news), flat))
    const exact = meanRatePerMs(believed(withNews(noEvidence(), { ...news, ageMs: 25 * dayMs }), flat))
    assert(exact < vague / 10, `${exact} ${vague}`)
  })

  test('Last-Modified is believed between the two visits only', () => {
    const at = (agoMs: number): number | undefined => credibleAgeMs(startMs - agoMs, startMs, dayMs)
    assert.deepEqual(
      [at(hourMs), at(0), at(-hourMs), at(2 * dayMs)],
      [hourMs, undefined, undefined, undefined],
    )
    assert.equal(credibleAgeMs(undefined, startMs, dayMs), undefined)
  })
})

describe('visit intervals', () => {
  test('gain is how much less the squared delay of changes becomes with frequency', () => {
    const squared = (rate: number, frequency: number): number => rate / (3 * frequency ** 2)
    for (const rate of [1 / hourMs, 1 / dayMs, 1 / (50 * dayMs)]) {
      for (const intervalMs of [hourMs, dayMs, 9 * dayMs]) {
        const [frequency, step] = [1 / intervalMs, 1e-5 / intervalMs]
        const slope = (squared(rate, frequency - step) - squared(rate, frequency + step)) / (2 * step)
        assert(Math.abs(gainOfRate(rate, intervalMs) ** 2 / slope - 1) < 1e-3)
      }
    }
  })

  test('reach the level, or their bounds', () => {
    const bounds = { minMs: hourMs, maxMs: 100 * dayMs }
    const intervalMs = intervalMsFor(flat, 10 * hourMs, bounds)
    assert(Math.abs(gainOfRate(meanRatePerMs(flat), intervalMs) / (10 * hourMs) - 1) < 1e-3)
    assert.equal(intervalMsFor(flat, 1, bounds), hourMs)
    assert.equal(intervalMsFor(flat, 1e15, bounds), 100 * dayMs)
  })

  test('are shorter the faster a page changes, by the cube root, and no page is given up', () => {
    const changing = (rate: number): number[] => flat.map((_, index) => (index === rate ? 1 : 0))
    const bounds = { minMs: 60_000, maxMs: 10_000 * dayMs }
    const [slow, fast] = [10, 23].map((rate) => intervalMsFor(changing(rate), 12 * hourMs, bounds))
    const ratio = Math.cbrt(ratesPerMs[23]! / ratesPerMs[10]!)
    assert(Math.abs(slow! / fast! / ratio - 1) < 0.01)
  })
})

describe('a page', () => {
  test('is dead after five failures in a row, visited rarely then, and lives again when it answers', () => {
    const { random } = simulatedWorld({ seed: 1 })
    let atMs = startMs
    let state = visited(unvisited, newSitePlan(), { atMs, outcome: 'new' }, terms, random)
    assert.equal(state.plan.pages, 1)
    for (let failures = 1; failures <= failuresMax; failures++) {
      assert.equal(isDead(state.page), false)
      atMs = state.page.dueAtMs
      state = visited(state.page, state.plan, { atMs, outcome: 'failed' }, terms, random)
    }
    assert(isDead(state.page))
    assert.deepEqual([state.plan.pages, Math.round(state.plan.plannedPerMs * 1e12)], [0, 0])
    assert(state.page.dueAtMs - atMs > 50 * dayMs)
    state = visited(state.page, state.plan, { atMs: state.page.dueAtMs, outcome: 'changed' }, terms, random)
    assert.equal(isDead(state.page), false)
    assert.equal(state.plan.pages, 1)
  })

  test('keeps within its bounds, spread by chance', () => {
    const { random } = simulatedWorld({ seed: 1 })
    const bounds = parseFresh('1d')
    const dues = new Set<number>()
    for (let index = 0; index < 50; index++) {
      const { page } = visited(
        unvisited,
        newSitePlan(),
        { atMs: startMs, outcome: 'new' },
        { ...terms, bounds },
        random,
      )
      assert(page.dueAtMs - startMs <= 1.1 * dayMs)
      dues.add(page.dueAtMs)
    }
    assert(dues.size > 40)
  })

  test('is written and read back', () => {
    const { random } = simulatedWorld({ seed: 1 })
    const { page } = visited(unvisited, newSitePlan(), { atMs: startMs, outcome: 'new' }, terms, random)
    const rounded = { ...page, dueAtMs: Math.round(page.dueAtMs), intervalMs: Math.round(page.intervalMs!) }
    const entry = { queue: 'pending', atMs: 5, href: 'http://a.test/', page: rounded } as const
    assert.deepEqual(decodeVisitEntry(encodeVisitEntry(entry)), entry)
    assert(encodeVisitEntry(entry).length < 70)
  })
})

describe('a small site that does not change', () => {
  /** Visits of each of its pages in so many days. */
  function visitsIn(
    days: number,
    rules: typeof politenessOff,
    outcome: (visit: number) => 'same' | 'changed',
  ) {
    const { random } = simulatedWorld({ seed: 3 })
    const siteTerms = termsFor(rules, undefined)
    let plan = newSitePlan()
    const pages = Array.from({ length: 10 }, () => {
      const first = visited(unvisited, plan, { atMs: startMs, outcome: 'new' }, siteTerms, random)
      plan = first.plan
      return { page: first.page, visits: 0 }
    })
    for (;;) {
      const next = pages.reduce((left, right) => (left.page.dueAtMs <= right.page.dueAtMs ? left : right))
      const atMs = next.page.dueAtMs
      if (atMs > startMs + days * dayMs) return pages.map(({ visits }) => visits)
      const after = visited(next.page, plan, { atMs, outcome: outcome(++next.visits) }, siteTerms, random)
      plan = after.plan
      next.page = after.page
    }
  }

  test.each([
    ['no pause', politenessOff],
    ['a pause of 10 ms', { ...politenessDefault, delayMs: 10 }],
    ['the usual pause', politenessDefault],
  ])('is visited ever more rarely, also when crawled with %s', (_, rules) => {
    for (const visits of visitsIn(1, rules, () => 'same')) assert(visits <= 8, `${visits} on the first day`)
    for (const visits of visitsIn(30, rules, () => 'same')) assert(visits <= 24, `${visits} in a month`)
  })

  test('is not neglected once it changes', () => {
    const visits = visitsIn(30, politenessOff, (visit) => (visit % 4 === 0 ? 'changed' : 'same'))
    for (const count of visits) assert(count >= 40, `${count} in a month`)
  })
})

test('a site that changes often makes a new page of it be visited sooner', () => {
  const { random } = simulatedWorld({ seed: 1 })
  const learnSite = (outcome: 'changed' | 'same'): number => {
    let plan = newSitePlan()
    for (let index = 0; index < 40; index++) {
      let state = visited(unvisited, plan, { atMs: startMs, outcome: 'new' }, terms, random)
      for (let visit = 1; visit < 12; visit++) {
        state = visited(state.page, state.plan, { atMs: startMs + visit * dayMs, outcome }, terms, random)
      }
      plan = state.plan
    }
    return meanRatePerMs(beliefIn(plan, noEvidence()))
  }
  assert(learnSite('changed') > 20 * learnSite('same'))
})

test('spans of freshness are read, and nonsense is refused', () => {
  assert.deepEqual(parseFresh('1h-7d'), { minMs: hourMs, maxMs: 7 * dayMs })
  assert.deepEqual(parseFresh('2m'), { minMs: 120_000, maxMs: 120_000 })
  assert.equal(parseFresh('1d').maxMs, dayMs)
  for (const text of ['', '1', 'd', '0d', '7d-1h', '1d-', '1y', '-1d', '1d-2d-3d']) {
    assert.throws(() => parseFresh(text), { code: 'fresh-malformed' }, text)
  }
})

describe('the recrawl schedule', () => {
  async function book(termsOf: () => SiteTerms = () => terms): Promise<RecrawlSchedule> {
    const world = simulatedWorld({ seed: 1 })
    const { keyValues, clock, random } = world.machine('a')
    const keyValue = await world.complete(keyValues.open('/book'))
    const buffer = new WriteBuffer({ keyValue, clock }, () => {})
    const queues = buffer.table('queues')
    return new RecrawlSchedule({
      sites: buffer.table('sites'),
      queues,
      rules: new SiteRules(queues),
      random,
      termsOf,
      isOpen: () => true,
    })
  }

  function replanAll(visits: RecrawlSchedule, rules: string, pagesMax: number, nowMs: number): void {
    for (let rounds = 0; !visits.replan(rules, pagesMax, nowMs); rounds++) assert(rounds < 100, 'endless')
  }

  test('gives pages out when they are due, once, and overdue ones first', async () => {
    const visits = await book()
    const urls = Array.from({ length: 20 }, (_, index) => parseUrl(`http://h${index % 4}.test/${index}`))
    for (const url of urls) visits.visited(url, { atMs: startMs, outcome: 'new' })
    assert.deepEqual(visits.due(startMs, 100), [])
    const laterMs = startMs + 100 * dayMs
    const first = visits.due(laterMs, 5)
    assert.equal(first.length, 5)
    const answered = first.slice(0, 2)
    for (const href of answered) visits.visited(parseUrl(href), { atMs: laterMs, outcome: 'same' })
    const rest = visits.due(laterMs + 1, 100)
    assert.equal(new Set([...first, ...rest]).size, 20)
    for (const href of rest) visits.visited(parseUrl(href), { atMs: laterMs + 2, outcome: 'same' })
    assert.deepEqual(visits.due(laterMs + pendingMsMax - 1, 100), [])
    // Nothing came of three of them.
    assert.deepEqual(visits.due(laterMs + pendingMsMax, 100).sort(), first.slice(2).sort())
    assert.deepEqual(visits.due(laterMs + pendingMsMax, 100), [])
  })

  test('overdue ones go before others that are due', async () => {
    const visits = await book()
    const [early, late] = [parseUrl('http://a.test/early'), parseUrl('http://a.test/late')]
    visits.visited(early, { atMs: startMs, outcome: 'new' })
    const dueMs = visits.page(early)!.dueAtMs + 1
    assert.deepEqual(visits.due(dueMs, 9), [early.href])
    visits.visited(late, { atMs: startMs - 200 * dayMs, outcome: 'new' })
    assert.deepEqual(visits.due(dueMs + pendingMsMax, 9), [early.href, late.href])
  })

  test('plans visits anew where the rules are new, some at a time, and only once', async () => {
    const rules: { bounds?: IntervalBounds } = {}
    const visits = await book(() => ({ ...terms, ...rules }))
    const urls = Array.from({ length: 25 }, (_, index) => parseUrl(`http://h${index % 4}.test/${index}`))
    for (const url of urls) visits.visited(url, { atMs: startMs, outcome: 'new' })
    const failing = parseUrl('http://h1.test/failing')
    visits.visited(failing, { atMs: startMs, outcome: 'failed' })
    const failingDueMs = visits.page(failing)!.dueAtMs
    const dues = (): number[] => urls.map((url) => visits.page(url)!.dueAtMs - startMs)
    const before = dues()
    assert(Math.min(...before) > 2 * hourMs)
    rules.bounds = parseFresh('1h')
    assert.equal(visits.replan('one hour', 10, startMs), false)
    const some = dues().filter((dueMs) => dueMs <= 1.1 * hourMs).length
    assert(some >= 9 && some <= 10, `${some}`)
    // As after a restart: it goes on where it was.
    let rounds = 1
    while (!visits.replan('one hour', 10, startMs)) assert(++rounds < 9)
    assert(dues().every((dueMs) => dueMs <= 1.1 * hourMs))
    assert(new Set(dues()).size > 20)
    assert.equal(visits.page(failing)!.dueAtMs, failingDueMs)
    assert.equal(visits.due(startMs + 2 * hourMs, 100).length, 26)
    for (const url of urls) visits.visited(url, { atMs: startMs + 2 * hourMs, outcome: 'same' })
    // Nothing is left to do with the same rules, whatever the pages' visits are.
    rules.bounds = parseFresh('1m')
    assert.equal(visits.replan('one hour', 10, startMs), true)
    assert(dues().every((dueMs) => dueMs > 2.5 * hourMs))
  })

  test('visits that come too often by new rules are put off', async () => {
    const rules: { bounds?: IntervalBounds } = { bounds: parseFresh('1h') }
    const visits = await book(() => ({ ...terms, ...rules }))
    const url = parseUrl('http://a.test/')
    visits.visited(url, { atMs: startMs, outcome: 'new' })
    rules.bounds = parseFresh('7d-30d')
    replanAll(visits, 'a week at least', 1, startMs)
    assert(visits.page(url)!.dueAtMs - startMs >= 0.9 * 7 * dayMs)
  })

  test('visits that were planned by a clock that was ahead wait for their interval from now on, no longer', async () => {
    const visits = await book()
    const years = 5 * 365 * dayMs
    const [page, failing, given] = ['page', 'failing', 'given'].map((name) =>
      parseUrl(`http://a.test/${name}`),
    )
    visits.visited(page!, { atMs: startMs + hourMs, outcome: 'new' })
    visits.visited(failing!, { atMs: startMs + years, outcome: 'failed' })
    visits.visited(given!, { atMs: startMs, outcome: 'new' })
    replanAll(visits, '', 10, startMs + years)
    assert.deepEqual(visits.due(startMs + years / 2, 10).sort(), [given!.href, page!.href])
    visits.visited(page!, { atMs: startMs + hourMs, outcome: 'same' })

    visits.afterClockWasAhead(startMs)
    replanAll(visits, '', 10, startMs)
    const { dueAtMs, intervalMs } = visits.page(page!)!
    assert(dueAtMs <= startMs + 1.1 * intervalMs!)
    assert(visits.page(failing!)!.dueAtMs <= startMs + 1.1 * hourMs)
    const due = visits.due(startMs + Math.max(pendingMsMax, intervalMs!), 10)
    assert(due.includes(failing!.href) && due.includes(given!.href))
    // Nothing is learnt from a time that went backwards.
    const before = visits.page(page!)!.evidence
    visits.visited(page!, { atMs: startMs - 1, outcome: 'changed' })
    assert.deepEqual(visits.page(page!)!.evidence, before)
  })

  const pages = ['http://a.test/1', 'http://a.test/2', 'http://sub.b.test/', 'http://b.test/'].map((href) =>
    parseUrl(href),
  )
  const applyAll = (visits: RecrawlSchedule, target: VisitTarget, nowMs: number): void => {
    let after: Buffer | undefined
    do after = visits.applyRules(target, 2, nowMs, after)
    while (after !== undefined)
  }

  test('tells what is planned: of everything, of a site, of a page', async () => {
    const visits = await book()
    for (const [index, url] of pages.entries())
      visits.visited(url, { atMs: startMs + index, outcome: index === 3 ? 'failed' : 'new' })
    const all = visits.planned({ kind: 'all' }, 10)
    assert.deepEqual(all.map(({ url }) => url).sort(), pages.map(({ href }) => href).sort())
    assert.deepEqual(
      all,
      all.toSorted((left, right) => left.dueAtMs - right.dueAtMs),
    )
    assert.equal(visits.planned({ kind: 'all' }, 2).length, 2)
    assert.equal(visits.planned({ kind: 'site', site: 'b.test' }, 10).length, 2)
    const [one] = visits.planned({ kind: 'url', url: 'http://b.test/' }, 10)
    assert.deepEqual([one?.failures, one?.state], [1, 'planned'])
    visits.due(startMs + 200 * dayMs, 10)
    assert.equal(visits.planned({ kind: 'all' }, 10)[0]?.state, 'under-way')
  })

  test.each<[string, VisitTarget, number]>([
    ['a page', { kind: 'url', url: 'http://a.test/1' }, 3],
    ['a site', { kind: 'site', site: 'b.test' }, 2],
    ['everything', { kind: 'all' }, 0],
  ])('visits of %s can be stopped, and go on', async (_, target, left) => {
    const visits = await book()
    for (const url of pages) visits.visited(url, { atMs: startMs, outcome: 'new' })
    visits.rules.put({ target, fresh: 'never', ...unsaid })
    applyAll(visits, target, startMs)
    // Visits that crawls make do not start it again.
    for (const url of pages) visits.visited(url, { atMs: startMs + 1, outcome: 'new' })
    const laterMs = startMs + 100 * dayMs
    assert.equal(
      visits.planned({ kind: 'all' }, 10).filter(({ state }) => state === 'stopped').length,
      4 - left,
    )
    assert.equal(visits.due(laterMs, 10).length, left)
    assert.equal(visits.rules.remove(target), true)
    applyAll(visits, target, laterMs)
    assert.equal(visits.due(laterMs, 10).length, 4 - left)
  })

  test('how often a site is visited can be changed, the closest rule counts, and rules are remembered', async () => {
    const visits = await book()
    for (const url of pages) visits.visited(url, { atMs: startMs, outcome: 'new' })
    const site: VisitTarget = { kind: 'site', site: 'a.test' }
    visits.rules.put({ target: site, fresh: parseFresh('2h'), ...unsaid })
    visits.rules.put({
      target: { kind: 'url', url: pages[0]!.href },
      fresh: parseFresh('50d-60d'),
      ...unsaid,
    })
    applyAll(visits, site, startMs)
    assert.ok(visits.page(pages[1]!)!.dueAtMs <= startMs + 2.2 * hourMs)
    assert.ok(visits.page(pages[0]!)!.dueAtMs >= startMs + 45 * dayMs)
    visits.visited(pages[1]!, { atMs: startMs + 2 * hourMs, outcome: 'same' })
    assert.ok(visits.page(pages[1]!)!.dueAtMs <= startMs + 4.2 * hourMs)
  })

  test('forgets what it is told to', async () => {
    const visits = await book()
    const url = parseUrl('http://a.test/')
    visits.visited(url, { atMs: startMs, outcome: 'new' })
    assert(visits.nextAtMs()! > startMs)
    visits.forget(url)
    assert.equal(visits.nextAtMs(), undefined)
    assert.equal(visits.page(url), undefined)
  })
})
