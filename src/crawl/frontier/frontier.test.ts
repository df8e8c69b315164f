import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { parseUrl } from '../../model/url/url.ts'
import type { SimulatedMachine } from '../../platform/simulated/machine.ts'
import { type SimulatedWorld, simulatedWorld } from '../../platform/simulated/world.ts'
import type { KeyValue } from '../../platform/storage/key-value.ts'
import { openFrontier } from '../fixtures/simulated-frontier.ts'
import { politenessDefault, politenessOff } from '../politeness/politeness-rules.ts'
import type { Link } from './discovery.ts'
import type { FetchResult, FetchTask, TaskAnswer } from './fetch-task.ts'
import { Frontier, type FrontierOptions } from './frontier.ts'
import type { JobOptions } from './jobs/crawl-job.ts'
import type { SiteChanges } from './sites/site-log.ts'

const ok: FetchResult = { outcome: 'fetched', status: 200, bytes: 100, responseMs: 10 }
const anywhere = (seeds: string[], more: Partial<JobOptions> = {}): JobOptions => ({
  seeds,
  scope: 'any',
  budgets: {},
  ...more,
})

class Bench {
  readonly world: SimulatedWorld
  readonly machine: SimulatedMachine
  frontier!: Frontier
  map!: KeyValue
  readonly options: FrontierOptions

  constructor(options: FrontierOptions = { politeness: politenessOff }, seed: string | number = 1) {
    this.world = simulatedWorld({ seed })
    this.machine = this.world.machine('a')
    this.options = options
  }

  async open(): Promise<Frontier> {
    this.map = await this.do(this.machine.keyValues.open('/frontier'))
    this.frontier = new Frontier(
      { keyValue: this.map, clock: this.machine.clock, random: this.machine.random },
      this.options,
    )
    return this.frontier
  }

  do<T>(work: Promise<T>): Promise<T> {
    return this.world.complete(work)
  }

  async task(): Promise<FetchTask> {
    const answer = await this.answer()
    assert.equal(answer.kind, 'task')
    return (answer as { task: FetchTask }).task
  }

  answer(): Promise<TaskAnswer> {
    return this.do(this.frontier.nextTask())
  }

  async complete(task: FetchTask, hrefs: string[] = [], result = ok, kind: Link['kind'] = 'navigation') {
    const links = hrefs.map((href) => ({ url: parseUrl(href), kind }))
    return this.do(this.frontier.complete(task, result, links))
  }

  /** Fetches all there is, one at a time, from a web of pages and their links. */
  async crawl(web: Record<string, string[]>): Promise<string[]> {
    const fetched: string[] = []
    for (;;) {
      const answer = await this.answer()
      if (answer.kind === 'wait') await this.world.advance(answer.untilMs - this.frontier.nowMs())
      else if (answer.kind === 'task') {
        fetched.push(answer.task.url.href)
        await this.complete(answer.task, web[answer.task.url.href])
      } else return fetched
    }
  }
}

async function opened(options?: FrontierOptions): Promise<Bench> {
  const bench = new Bench(options)
  await bench.open()
  return bench
}

describe('a frontier', () => {
  test('gives out every URL that is found, once', async () => {
    const bench = await opened()
    bench.frontier.jobs.open(anywhere(['http://a.test/']))
    const web = {
      'http://a.test/': ['http://a.test/1', 'http://b.test/', 'http://a.test/'],
      'http://a.test/1': ['http://a.test/A', 'http://a.test/a', 'http://a.test/1'],
      'http://b.test/': ['https://b.test/', 'http://www.b.test/'],
    }
    const fetched = await bench.crawl(web)
    const expected = new Set([...Object.keys(web), ...Object.values(web).flat()])
    assert.deepEqual(fetched.toSorted(), [...expected].sort())
  })

  test('a job ends when all is done, with exact counters', async () => {
    const bench = await opened()
    const { id } = bench.frontier.jobs.open(anywhere(['http://a.test/', 'http://b.test/'], { scope: 'host' }))
    await bench.crawl({ 'http://a.test/': ['http://a.test/1', 'http://c.test/', 'http://a.test/1'] })
    const job = bench.frontier.jobs.find(id)!
    assert.deepEqual([job.state, job.ending], ['done', 'complete'])
    const { queued, pending, fetched, pages, outOfScope, bytes } = job.counters
    assert.deepEqual(
      { queued, pending, fetched, pages, outOfScope, bytes },
      {
        queued: 3,
        pending: 0,
        fetched: 3,
        pages: 3,
        outOfScope: 1,
        bytes: 300,
      },
    )
  })

  test('the same options name the same job, in whatever order', async () => {
    const bench = await opened()
    const one = bench.frontier.jobs.open({
      seeds: ['http://b.test/', 'http://a.test/'],
      scope: 'site',
      budgets: { pages: 3, bytes: 1 },
    })
    const same = bench.frontier.jobs.open({
      budgets: { bytes: 1, pages: 3 },
      scope: 'site',
      seeds: ['http://a.test/', 'http://b.test/'],
    })
    const other = bench.frontier.jobs.open({
      seeds: ['http://b.test/', 'http://a.test/'],
      scope: 'site',
      budgets: { pages: 4, bytes: 1 },
    })
    assert.equal(one.id, same.id)
    assert.notEqual(one.id, other.id)
    assert.equal(bench.frontier.jobs.all().length, 2)
  })

  test('each job has its own known URLs', async () => {
    const bench = await opened()
    const one = bench.frontier.jobs.open(anywhere(['http://a.test/']))
    const two = bench.frontier.jobs.open(anywhere(['http://a.test/'], { scope: 'host' }))
    assert.notEqual(one.id, two.id)
    assert.deepEqual(await bench.crawl({ 'http://a.test/': ['http://a.test/1'] }), [
      'http://a.test/',
      'http://a.test/',
      'http://a.test/1',
      'http://a.test/1',
    ])
  })

  test('seeds, redirects and what pages need come before other pages, and these in order of depth', async () => {
    const bench = await opened()
    const { id } = bench.frontier.jobs.open(anywhere(['http://a.test/']))
    const seed = await bench.task()
    await bench.complete(seed, ['http://a.test/n1', 'http://a.test/n2'])
    const first = await bench.task()
    const links = [
      { url: parseUrl('http://a.test/deep'), kind: 'navigation' },
      { url: parseUrl('http://a.test/low'), kind: 'sitemap', priority: 0.1 },
      { url: parseUrl('http://a.test/high'), kind: 'sitemap', priority: 1 },
      { url: parseUrl('http://a.test/style.css'), kind: 'requisite' },
      { url: parseUrl('http://a.test/moved'), kind: 'redirect' },
    ] as const
    await bench.do(bench.frontier.complete(first, ok, links))
    await bench.do(
      bench.frontier.add([
        { url: parseUrl('http://a.test/seed'), kind: 'seed', jobId: id, depth: 0, via: '' },
      ]),
    )
    const order = (await bench.crawl({})).map((href) => href.slice('http://a.test/'.length))
    assert.deepEqual(order, ['seed', 'moved', 'style.css', 'n2', 'deep', 'high', 'low'])
  })

  test('a URL carries depth, hops and where it was found', async () => {
    const bench = await opened()
    bench.frontier.jobs.open(anywhere(['http://a.test/']))
    await bench.complete(await bench.task(), ['http://a.test/1'])
    const page = await bench.task()
    assert.deepEqual([page.depth, page.via, page.requisiteHops], [1, 'http://a.test/', 0])
    await bench.complete(page, ['https://cdn.test/x.css'], ok, 'requisite')
    const style = await bench.task()
    assert.deepEqual([style.depth, style.via, style.requisiteHops], [1, 'http://a.test/1', 1])
    await bench.complete(style, ['https://cdn.test/moved.css'], { ...ok, status: 301 }, 'redirect')
    const moved = await bench.task()
    assert.deepEqual([moved.depth, moved.requisiteHops, moved.redirects], [1, 1, 1])
  })

  test('where a seed redirects stands for the seed', async () => {
    const bench = await opened()
    bench.frontier.jobs.open(anywhere(['http://a.test/'], { scope: 'host' }))
    await bench.complete(await bench.task(), ['https://www.a.test/'], { ...ok, status: 301 }, 'redirect')
    const seed = await bench.task()
    assert.equal(seed.kind, 'seed')
    const { outcomes } = await bench.complete(seed, ['https://www.a.test/1', 'https://b.test/'])
    assert.deepEqual(
      outcomes.map(({ kind }) => kind),
      ['queued', 'out-of-scope'],
    )
  })

  test('what is turned down is told once, with the reason', async () => {
    const bench = await opened()
    bench.frontier.jobs.open(anywhere(['http://a.test/'], { budgets: { pagesPerHost: 2 } }))
    const { outcomes } = await bench.complete(await bench.task(), [
      'http://a.test/x/x/x/x/',
      'http://a.test/x/x/x/x/',
      'http://a.test/1',
      'http://a.test/2',
      'http://a.test/2',
    ])
    assert.deepEqual(outcomes, [
      { kind: 'trap', reason: 'path repeats /x/' },
      { kind: 'seen' },
      { kind: 'queued' },
      { kind: 'budget', reason: 'budget of 2 URLs of a.test is spent' },
      { kind: 'seen' },
    ])
  })

  test('thousands of links of one page are taken on', async () => {
    const bench = await opened()
    bench.frontier.jobs.open(anywhere(['http://a.test/']))
    const hrefs = Array.from({ length: 3_000 }, (_, index) => `http://a.test/${index}`)
    assert.deepEqual((await bench.crawl({ 'http://a.test/': hrefs })).length, 3_001)
  })

  test('tasks that are out are not given out again, however many there are', async () => {
    const bench = await opened()
    const seeds = Array.from({ length: 150 }, (_, index) => `http://a.test/${index}`)
    bench.frontier.jobs.open(anywhere(seeds))
    const tasks: FetchTask[] = []
    for (let count = 0; count < 150; count++) {
      tasks.push(await bench.task())
      if (count % 7 === 0) bench.frontier.returnTask(tasks.pop()!)
      if (count % 11 === 0) await bench.complete(tasks.shift() ?? (await bench.task()))
    }
    assert.equal(new Set(tasks.map(({ url }) => url.href)).size, tasks.length)
    for (const task of tasks) await bench.complete(task)
    await bench.crawl({})
    const { fetched, pending } = bench.frontier.jobs.all()[0]!.counters
    assert.deepEqual([fetched, pending], [150, 0])
  })

  test('more hosts than may be in memory are all crawled', async () => {
    const bench = await opened({ politeness: politenessOff, lanesMax: 7 })
    bench.frontier.jobs.open(anywhere(['http://a.test/']))
    const hrefs = Array.from({ length: 500 }, (_, index) => `http://h${index % 100}.test/${index}`)
    const fetched = await bench.crawl({ 'http://a.test/': hrefs })
    assert.deepEqual(fetched.toSorted(), ['http://a.test/', ...hrefs].sort())
  })

  test('of so many hosts that little of each queue is in memory, each is crawled in order, each page once', async () => {
    const bench = await opened()
    bench.frontier.jobs.open(anywhere(['http://a.test/']))
    const hosts = Array.from({ length: 300 }, (_, host) => `h${host}.test`)
    const pages = Array.from({ length: 20 }, (_, page) => `/page-${page}`)
    const hrefs = pages.flatMap((page) => hosts.map((host) => `http://${host}${page}`))
    const fetched = await bench.crawl({ 'http://a.test/': hrefs })
    assert.equal(fetched.length, 1 + hrefs.length)
    for (const host of hosts) {
      const own = fetched.filter((href) => href.startsWith(`http://${host}/`))
      assert.deepEqual(
        own,
        pages.map((page) => `http://${host}${page}`),
      )
    }
  })

  test('session ids do not make new pages', async () => {
    const bench = await opened()
    bench.frontier.jobs.open(anywhere(['http://a.test/']))
    const id = (digit: number): string => `0123456789abcdef0123456789abcde${digit}`
    const { outcomes } = await bench.complete(await bench.task(), [
      `http://a.test/p?PHPSESSID=${id(1)}`,
      `http://a.test/p?PHPSESSID=${id(2)}`,
      `http://a.test/q;jsessionid=${id(3)}?x=1`,
      `http://a.test/q;jsessionid=${id(4)}?x=1`,
    ])
    assert.deepEqual(
      outcomes.map(({ kind }) => kind),
      ['queued', 'trap', 'queued', 'trap'],
    )
  })

  test('a page found nearer to a seed later on has its links followed after all', async () => {
    const bench = await opened()
    bench.frontier.jobs.open(anywhere(['http://a.test/', 'http://slow.test/'], { depth: 2 }))
    const a = await bench.task()
    const slow = await bench.task()
    await bench.complete(a, ['http://a.test/1'])
    await bench.complete(await bench.task(), ['http://b.test/', 'http://c.test/'])
    const b = await bench.task()
    assert.deepEqual([b.url.href, b.depth], ['http://b.test/', 2])
    await bench.complete(b)
    // c waits still and moves forward; b, which was fetched, is fetched again.
    const { outcomes } = await bench.complete(slow, ['http://b.test/', 'http://c.test/'])
    assert.deepEqual(
      outcomes.map(({ kind }) => kind),
      ['queued', 'seen'],
    )
    const depths = [await bench.task(), await bench.task()].map(({ url, depth }) => `${url.host} ${depth}`)
    assert.deepEqual(depths.sort(), ['b.test 1', 'c.test 1'])
    assert.equal((await bench.answer()).kind, 'busy')
  })
})

describe('budgets', () => {
  test('of pages let the last page have what it needs', async () => {
    const bench = await opened()
    const { id } = bench.frontier.jobs.open(anywhere(['http://a.test/'], { budgets: { pages: 2 } }))
    await bench.complete(await bench.task(), ['http://a.test/1', 'http://b.test/', 'http://c.test/'])
    const last = await bench.task()
    assert.equal((await bench.answer()).kind, 'busy')
    await bench.complete(last, ['http://b.test/x.css'], ok, 'requisite')
    assert.equal((await bench.task()).url.href, 'http://b.test/x.css')
    assert.notEqual((await bench.answer()).kind, 'task')
    assert.equal(bench.frontier.jobs.find(id)!.state, 'running')
  })

  test('of pages end the job', async () => {
    const bench = await opened({ politeness: politenessOff, lanesMax: 3 })
    const { id } = bench.frontier.jobs.open(anywhere(['http://a.test/'], { budgets: { pages: 5 } }))
    const hrefs = Array.from({ length: 40 }, (_, index) => `http://h${index % 20}.test/${index}`)
    assert.equal((await bench.crawl({ 'http://a.test/': hrefs })).length, 5)
    assert.equal(bench.frontier.jobs.find(id)!.ending, 'budget of 5 pages is spent')
  })

  test('a page that failed makes room for another', async () => {
    const bench = await opened()
    bench.frontier.jobs.open(anywhere(['http://a.test/', 'http://b.test/'], { budgets: { pages: 1 } }))
    const task = await bench.task()
    assert.equal((await bench.answer()).kind, 'busy')
    await bench.complete(task, [], { outcome: 'failed', retry: 'never' })
    await bench.task()
  })

  test('of bytes and time end the job', async () => {
    for (const budgets of [{ bytes: 150 }, { timeMs: 5_000 }]) {
      const bench = await opened()
      const { id } = bench.frontier.jobs.open(
        anywhere(['http://a.test/1', 'http://a.test/2', 'http://a.test/3'], { budgets }),
      )
      await bench.complete(await bench.task())
      if (budgets.timeMs) await bench.world.advance(5_000)
      else await bench.complete(await bench.task())
      assert.equal((await bench.answer()).kind, 'idle')
      assert.match(bench.frontier.jobs.find(id)!.ending!, /is spent$/)
    }
  })
})

describe('politeness', () => {
  test('one request at a time per host, and a pause after it', async () => {
    const bench = await opened({ politeness: politenessDefault })
    bench.frontier.jobs.open(anywhere(['http://a.test/', 'https://a.test/', 'http://b.test/']))
    const [a, b] = [await bench.task(), await bench.task()]
    assert.deepEqual([a.url.host, b.url.host], ['a.test', 'b.test'])
    assert.equal((await bench.answer()).kind, 'busy')
    await bench.complete(a, [], { ...ok, responseMs: 400 })
    const endedAtMs = bench.frontier.nowMs()
    const answer = await bench.answer()
    assert.equal(answer.kind, 'wait')
    const waitMs = (answer as { untilMs: number }).untilMs - endedAtMs
    assert(Math.abs(waitMs - 2_000) < 10, `${waitMs}`)
    await bench.world.advance(waitMs - 20)
    assert.equal((await bench.answer()).kind, 'wait')
    await bench.world.advance(20)
    assert.equal((await bench.task()).url.href, 'https://a.test/')
  })

  test('a host that has answered may be asked again while its answer is still being kept', async () => {
    const bench = await opened({ politeness: { ...politenessOff, perHostMax: 1 } })
    bench.frontier.jobs.open(anywhere(['http://a.test/1', 'http://a.test/2', 'http://a.test/3']))
    const first = await bench.task()
    assert.equal((await bench.answer()).kind, 'busy')
    bench.frontier.answered(first, ok)
    const second = await bench.task()
    assert.equal((await bench.answer()).kind, 'busy', 'only one request at a time')
    // Keeping the first failed: it is given out again, and its host was asked only once for it.
    bench.frontier.returnTask(first)
    assert.equal((await bench.answer()).kind, 'busy')
    await bench.complete(second)
    const rest = [await bench.task()]
    bench.frontier.answered(rest[0]!, ok)
    rest.push(await bench.task())
    assert.deepEqual(rest.map(({ url }) => url.href).sort(), ['http://a.test/1', 'http://a.test/3'])
    for (const task of rest) await bench.complete(task)
    assert.equal((await bench.answer()).kind, 'idle')
  })

  test('a crawl-delay counts from the request for robots.txt on', async () => {
    const bench = await opened({ politeness: politenessDefault })
    bench.frontier.jobs.open(anywhere(['http://a.test/']))
    const task = await bench.task()
    bench.frontier.returnTask(task, { ...ok, responseMs: 5 })
    bench.frontier.hosts.setCrawlDelay(task.url, 20_000)
    const answer = await bench.answer()
    // The heap still has the shorter pause; when that is over, the longer one shows.
    await bench.world.advance((answer as { untilMs: number }).untilMs - bench.frontier.nowMs())
    const next = (await bench.answer()) as { kind: string; untilMs: number }
    assert.equal(next.kind, 'wait')
    await bench.world.advance(next.untilMs - bench.frontier.nowMs())
    assert.equal((await bench.task()).url.href, 'http://a.test/')
    assert(bench.frontier.nowMs() >= 20_000)
  })

  test('hosts of one address share its limits', async () => {
    const bench = await opened({
      politeness: { ...politenessDefault, perAddressMax: 1, addressDelayMs: 300 },
    })
    bench.frontier.jobs.open(anywhere(['http://a.test/', 'http://b.test/', 'http://c.test/']))
    const [a, b, c] = [await bench.task(), await bench.task(), await bench.task()]
    assert.equal(bench.frontier.enter(a, '192.0.2.1'), true)
    assert.equal(bench.frontier.enter(b, '192.0.2.1'), false)
    assert.equal(bench.frontier.enter(c, '192.0.2.2'), true)
    bench.frontier.returnTask(b)
    assert.equal((await bench.answer()).kind, 'busy')
    await bench.complete(a)
    const answer = (await bench.answer()) as { kind: string; untilMs: number }
    assert.equal(answer.kind, 'wait')
    await bench.world.advance(answer.untilMs - bench.frontier.nowMs())
    assert.equal((await bench.task()).url.href, 'http://b.test/')
  })

  test('429 is tried again when it may be, then given up', async () => {
    const bench = await opened({ politeness: politenessDefault })
    bench.frontier.jobs.open(anywhere(['http://a.test/']))
    const waits: number[] = []
    for (let attempt = 0; ; attempt++) {
      const task = await bench.task()
      assert.equal(task.attempt, attempt)
      const { completion } = await bench.complete(task, [], { ...ok, status: 429, retryAfter: '77' })
      if (completion.kind === 'gave-up') break
      assert(completion.kind === 'again')
      const waitMs = completion.afterMs - bench.frontier.nowMs()
      waits.push(Math.round(waitMs / 1_000))
      await bench.world.advance(waitMs + 1)
    }
    assert.deepEqual(waits, [77, 77, 77])
    assert.equal((await bench.answer()).kind, 'idle')
  })

  test('what is queued for a host that is down is given up', async () => {
    const bench = await opened({ politeness: politenessDefault })
    const seeds = Array.from({ length: 300 }, (_, index) => `http://a.test/${index}`)
    const { id } = bench.frontier.jobs.open(anywhere(seeds))
    for (let failures = 0; failures < politenessDefault.failuresMax; failures++) {
      const task = await bench.task()
      await bench.complete(task, [], { outcome: 'failed', responseMs: 100 })
      await bench.world.advance(failures < politenessDefault.failuresMax - 1 ? 1_000_000 : 0)
    }
    const dropped: string[] = []
    for (;;) {
      const answer = await bench.answer()
      if (answer.kind !== 'dropped') break
      dropped.push(...answer.dropped.map(({ reason }) => reason))
    }
    assert.equal(dropped.length, 299, 'one was given up when it failed')
    assert.equal(dropped[0], 'it did not answer')
    const { counters } = bench.frontier.jobs.find(id)!
    assert.deepEqual([counters.pending, counters.failed], [0, 300])
  })

  test('a host that asks for a delay is asked one at a time, also when we would not pause ourselves', async () => {
    const bench = await opened({ politeness: politenessOff })
    bench.frontier.jobs.open(anywhere(['http://a.test/1', 'http://a.test/2', 'http://a.test/3']))
    const first = await bench.task()
    bench.frontier.hosts.setCrawlDelay(first.url, 2_000)
    assert.equal((await bench.answer()).kind, 'busy')
    await bench.complete(first)
    assert.equal((await bench.answer()).kind, 'wait')
    await bench.world.advance(2_001)
    await bench.task()
    assert.equal((await bench.answer()).kind, 'busy')
  })

  test('a host that answers what cannot be read is not down, and the rest of it is fetched', async () => {
    const bench = await opened({ politeness: politenessOff })
    bench.frontier.jobs.open(anywhere(Array.from({ length: 20 }, (_, index) => `http://a.test/${index}`)))
    for (let count = 0; count < 20; count++) {
      const task = await bench.task()
      await bench.complete(task, [], { outcome: 'failed', retry: 'never', hasAnswered: true })
    }
    assert.equal((await bench.answer()).kind, 'idle')
  })

  test('a restarted crawl waits as the one before would have', async () => {
    const bench = await opened({ politeness: politenessDefault })
    bench.frontier.jobs.open(
      anywhere(['http://a.test/1', 'http://a.test/2', 'http://b.test/1', 'http://b.test/2']),
    )
    const a = await bench.task()
    await bench.complete(a, [], { ...ok, status: 503, retryAfter: '120' })
    const dueAtMs = bench.frontier.hosts.allowedAtMs(a.url)
    await bench.task()
    await bench.do(bench.frontier.flush())
    bench.machine.kill()
    bench.machine.restart()
    await bench.open()
    const first = (await bench.answer()) as { kind: string; untilMs: number }
    // b was being asked when the process died.
    assert.equal(first.kind, 'wait')
    assert(first.untilMs >= bench.frontier.nowMs() + politenessDefault.delayMsMin - 1)
    await bench.world.advance(first.untilMs - bench.frontier.nowMs())
    assert.equal((await bench.task()).url.host, 'b.test')
    const next = (await bench.answer()) as { kind: string; untilMs: number }
    assert(next.untilMs >= dueAtMs - 1, `${next.untilMs} < ${dueAtMs}`)
  })
})

describe('a clock that was ahead in the last process', () => {
  test.each([
    ['an hour', 3_600_000],
    ['five years', 5 * 365 * 86_400_000],
  ])('by %s keeps no host waiting for longer than its pause', async (_, aheadMs) => {
    const bench = new Bench({ politeness: politenessDefault, lanesMax: 4 })
    bench.machine.faults.clock.jump(aheadMs)
    await bench.open()
    const hosts = Array.from({ length: 20 }, (_, index) => `http://h${index}.test/`)
    bench.frontier.jobs.open(anywhere(hosts, { budgets: { pages: 100 } }))
    for (let count = 0; count < 20; count++) {
      const task = await bench.task()
      await bench.complete(task, [`${task.url.href}next`])
    }
    await bench.do(bench.frontier.flush())
    bench.machine.crash()
    bench.machine.restart()
    bench.machine.faults.clock.jump(-aheadMs)
    await bench.open()
    const startedAtMs = bench.frontier.nowMs()
    assert.equal((await bench.crawl({})).length, 20)
    assert(bench.frontier.nowMs() - startedAtMs < 30_000)
    // Robots.txt that could not be reached is asked for anew only for jobs that were begun after that.
    assert(bench.frontier.jobs.all().every(({ createdAtMs }) => createdAtMs <= startedAtMs))
  })
})

describe('a job', () => {
  test('that is paused gives nothing out until it is resumed, also after a restart', async () => {
    const bench = await opened()
    const { id } = bench.frontier.jobs.open(anywhere(['http://a.test/', 'http://b.test/']))
    const task = await bench.task()
    bench.frontier.jobs.pause(id)
    assert.equal((await bench.answer()).kind, 'busy')
    await bench.complete(task, ['http://a.test/1'])
    await bench.do(bench.frontier.flush())
    await bench.do(bench.map.close())
    await bench.open()
    assert.equal(bench.frontier.jobs.find(id)!.state, 'paused')
    assert.equal((await bench.answer()).kind, 'idle')
    bench.frontier.jobs.resume(id)
    assert.deepEqual((await bench.crawl({})).sort(), ['http://a.test/1', 'http://b.test/'])
  })

  test('that is started anew fetches everything again', async () => {
    const bench = await opened()
    const { id } = bench.frontier.jobs.open(anywhere(['http://a.test/']))
    const web = { 'http://a.test/': ['http://a.test/1'] }
    const first = await bench.crawl(web)
    assert.deepEqual(await bench.crawl(web), [])
    bench.frontier.jobs.restart(id)
    assert.deepEqual(await bench.crawl(web), first)
  })
})

describe('a site', () => {
  test('is handed over whole: what is queued, what is known, its pace and its notes', async () => {
    const giver = await opened({ politeness: politenessDefault })
    const receiver = await opened({ politeness: politenessDefault })
    const options = anywhere(['http://a.test/', 'http://other.test/'])
    giver.frontier.jobs.open(options)
    // Its jobs have other numbers there.
    receiver.frontier.jobs.join(anywhere(['http://elsewhere.test/']))
    const { id } = receiver.frontier.jobs.join(options)
    const url = parseUrl('http://a.test/')
    const task = await giver.task()
    await giver.complete(task, ['http://a.test/1', 'http://x.a.test/2', 'http://a.test/3'], {
      ...ok,
      status: 404,
      retryAfter: '600',
    })
    giver.frontier.notes.put(url, 'robots', Buffer.from('rules'))
    giver.frontier.visits.visited(url, { atMs: giver.frontier.nowMs(), outcome: 'new' })
    const site = url.ringKey
    const { entries, next } = giver.frontier.sites.read(site, undefined, 1e9)
    assert.equal(next, undefined)
    // What its clock says is ahead would be brought back.
    await receiver.world.advance(1_000)
    await receiver.do(receiver.frontier.sites.bringIn(site, entries, { epoch: 1, sequence: 1 }))
    assert.equal(Buffer.from(receiver.frontier.notes.get(url, 'robots')!).toString(), 'rules')
    assert.equal(receiver.frontier.hosts.allowedAtMs(url), giver.frontier.hosts.allowedAtMs(url))
    assert.deepEqual(receiver.frontier.visits.of(url), giver.frontier.visits.of(url))
    assert.equal(receiver.frontier.visits.nextAtMs(), giver.frontier.visits.nextAtMs())
    const links = ['http://a.test/1', 'http://a.test/', 'http://x.a.test/2', 'http://a.test/4']
    const found = links.map(
      (href) => ({ url: parseUrl(href), kind: 'navigation', jobId: id, depth: 1, via: '' }) as const,
    )
    const outcomes = await receiver.do(receiver.frontier.add(found))
    assert.deepEqual(
      outcomes.map(({ kind }) => kind),
      ['seen', 'seen', 'seen', 'queued'],
    )
    assert.deepEqual((await receiver.crawl({})).sort(), [
      'http://a.test/1',
      'http://a.test/3',
      'http://a.test/4',
      'http://x.a.test/2',
    ])
  })

  test('that came in keeps all its URLs when its frontier is opened again and more are found', async () => {
    const giver = await opened({ politeness: politenessOff })
    const receiver = await opened({ politeness: politenessOff })
    const { id } = giver.frontier.jobs.open(anywhere(['http://a.test/']))
    const found = (path: string, depth = 1) => ({
      url: parseUrl(`http://a.test/${path}`),
      kind: 'navigation' as const,
      jobId: id,
      depth,
      via: '',
    })
    receiver.frontier.jobs.join(anywhere(['http://a.test/']))
    // What the taker queues first after a restart must not take the place of what has come.
    for (let count = 0; count < 3; count++) await giver.do(giver.frontier.add([found(`given/${count}`)]))
    const site = parseUrl('http://a.test/').ringKey
    const { entries } = giver.frontier.sites.read(site, undefined, 1e9)
    await receiver.do(receiver.frontier.sites.bringIn(site, entries, { epoch: 1, sequence: 1 }))
    await receiver.do(receiver.frontier.flush())
    receiver.world.machine('a').kill()
    receiver.world.machine('a').restart()
    await receiver.open()
    for (let count = 0; count < 9; count++)
      await receiver.do(receiver.frontier.add([found(`more/${count}`, count === 0 ? 2 : 1)]))
    assert.equal((await receiver.crawl({})).length, 13)
  })

  test('is taken away whole, and comes back as it was', async () => {
    const bench = await opened({ politeness: politenessOff })
    const { id } = bench.frontier.jobs.open(anywhere(['http://a.test/', 'http://b.test/']))
    const url = parseUrl('http://a.test/')
    const task = await bench.task()
    assert.equal(task.url.href, url.href)
    bench.frontier.visits.visited(url, { atMs: bench.frontier.nowMs(), outcome: 'new' })
    await bench.complete(task, ['http://a.test/1', 'http://x.a.test/2'])
    const { sites } = bench.frontier
    const { entries } = sites.read(url.ringKey, undefined, 1e9)
    await bench.do(sites.remove(url.ringKey))
    assert.deepEqual(sites.read(url.ringKey, undefined, 1e9).entries, [])
    assert.deepEqual(
      [bench.frontier.visits.nextAtMs(), bench.frontier.visits.of(url)],
      [undefined, undefined],
    )
    assert.equal(bench.frontier.jobs.find(id)!.counters.pending, 1)
    await bench.do(sites.bringIn(url.ringKey, entries, { epoch: 1, sequence: 7 }))
    assert.deepEqual(sites.head(url.ringKey)!.position, { epoch: 1, sequence: 7 })
    assert.deepEqual(sites.read(url.ringKey, undefined, 1e9).entries.length, entries.length)
    assert.equal(bench.frontier.jobs.find(id)!.counters.pending, 3)
    const fetched = await bench.crawl({ 'http://b.test/': ['http://a.test/', 'http://a.test/1'] })
    assert.deepEqual(fetched.sort(), ['http://a.test/1', 'http://b.test/', 'http://x.a.test/2'])
    assert.notEqual(bench.frontier.visits.nextAtMs(), undefined)
  })

  test('is neither asked nor added to while it is closed, and its changes are told while it is open', async () => {
    const bench = await opened({ politeness: politenessOff })
    const { id } = bench.frontier.jobs.open(anywhere(['http://a.test/']))
    const url = parseUrl('http://a.test/')
    const { sites } = bench.frontier
    let isOpen = false
    const told: SiteChanges[] = []
    sites.share({ isOpen: () => isOpen, canCrawl: () => isOpen }, (changes) => told.push(...changes))
    assert.deepEqual([...sites.heads()], [{ site: url.ringKey, position: { epoch: 0, sequence: 1 } }])
    const link = {
      url: parseUrl('http://a.test/1'),
      kind: 'navigation',
      jobId: id,
      depth: 1,
      via: '',
    } as const
    assert.equal((await bench.answer()).kind, 'wait')
    await assert.rejects(bench.do(bench.frontier.add([link])), { code: 'site-elsewhere' })
    isOpen = true
    sites.open(url.ringKey, { epoch: 3, sequence: 2 })
    await bench.do(bench.frontier.add([link]))
    await bench.do(sites.committed())
    const last = told.at(-1)!
    assert.deepEqual([last.site, last.position.epoch], [url.ringKey, 3])
    assert.deepEqual(sites.head(url.ringKey)!.position, last.position)
    // Whoever applies what was told has what is here.
    const copy = new Map(told.flatMap(({ entries }) => [...entries]))
    for (const [name, value] of sites.read(url.ringKey, undefined, 1e9).entries) {
      if (!copy.has(name)) continue
      assert.deepEqual(Buffer.from(copy.get(name) as string, 'latin1'), Buffer.from(value))
    }
    assert.ok([...copy.keys()].some((name) => name.startsWith('q')))
  })
})

test('a link is called seen only where the frontier would call it so', async () => {
  const world = simulatedWorld({ seed: 1 })
  const { frontier } = await openFrontier(world)
  const wanted = 'http://a.example/wanted'
  const outside = 'http://b.example/outside'
  const open = async (depth: number | undefined): Promise<string> => {
    const { id } = frontier.jobs.open({ seeds: ['http://a.example/'], scope: 'host', depth, budgets: {} })
    const answer = await world.complete(frontier.nextTask())
    assert(answer.kind === 'task')
    assert.equal(frontier.hasSeen(wanted, id), false)
    const links = [wanted, outside].map((href) => ({ url: parseUrl(href), kind: 'navigation' as const }))
    await world.complete(frontier.complete(answer.task, { outcome: 'fetched', status: 200 }, links))
    return id
  }
  const id = await open(undefined)
  assert.equal(frontier.hasSeen(wanted, id), true)
  // It may be in scope another time.
  assert.equal(frontier.hasSeen(outside, id), false)
  frontier.jobs.pause(id)
  // It may be found again nearer to a seed.
  assert.equal(frontier.hasSeen(wanted, await open(3)), false)
})
