// Siblings: ring keys that no site has, and that begin like a real site's. Other members can name them.

import assert from 'node:assert/strict'
import { test } from 'vitest'
import type { RingKey } from '../../../model/ring-key.ts'
import { parseUrl } from '../../../model/url/url.ts'
import { simulatedWorld } from '../../../platform/simulated/world.ts'
import { openFrontier } from '../../fixtures/simulated-frontier.ts'
import type { SiteChanges } from './site-log.ts'
import type { SiteEntry } from './site-transfer.ts'

const url = parseUrl('http://site.example/')
const site = url.ringKey
const sibling = (site.slice(0, -1) + (site.endsWith('0') ? '1' : '0')) as RingKey
const other = (site.slice(0, -2) + (site.at(-2) === '0' ? '1' : '0') + site.at(-1)) as RingKey
const ok = { outcome: 'fetched', status: 200 } as const

class Bench {
  readonly world = simulatedWorld({ seed: 1 })
  readonly open = new Set<RingKey>()
  readonly told: SiteChanges[] = []
  frontier!: Awaited<ReturnType<typeof openFrontier>>['frontier']
  jobId = ''

  async start(name = 'a'): Promise<this> {
    this.frontier = (await openFrontier(this.world, name)).frontier
    const isOpen = (asked: RingKey) => this.open.has(asked)
    this.frontier.sites.share({ isOpen, canCrawl: isOpen }, (changes) => this.told.push(...changes))
    this.jobId = this.frontier.jobs.join({ seeds: [url.href], scope: 'any', budgets: {} }).id
    return this
  }

  do<T>(work: Promise<T>): Promise<T> {
    return this.world.complete(work)
  }

  lead(asked: RingKey, sequence = 1): void {
    this.frontier.sites.open(asked, { epoch: 1, sequence })
    this.open.add(asked)
  }

  async add(...paths: string[]): Promise<string[]> {
    const urls = paths.map((path) => parseUrl(url.href + path))
    const outcomes = await this.do(
      this.frontier.add(
        urls.map(
          (found) => ({ url: found, kind: 'navigation', jobId: this.jobId, depth: 1, via: '' }) as const,
        ),
      ),
    )
    return outcomes.map(({ kind }) => kind)
  }

  async task() {
    const answer = await this.do(this.frontier.nextTask())
    assert(answer.kind === 'task', answer.kind)
    return answer.task
  }

  names(asked: RingKey): string[] {
    return this.frontier.sites.read(asked, undefined, 1e9).entries.map(([name]) => name)
  }
}

test('a sibling that comes and goes while the site is crawled changes nothing of it, at any step', async () => {
  const bench = await new Bench().start()
  const { sites } = bench.frontier
  bench.lead(site)
  await bench.add('1', '2')
  const task = await bench.task()
  await bench.do(sites.committed())
  const before = bench.names(site)
  const bytes = new Map(sites.read(site, undefined, 1e9).entries)
  await bench.do(sites.bringIn(sibling, bytes, { epoch: 9, sequence: 9 }))
  bench.lead(sibling, 10)
  assert.deepEqual(bench.names(sibling), [])
  assert.equal(sites.isBusy(sibling), false)
  sites.moveOn(sibling, { epoch: 10, sequence: 11 })
  assert.equal(sites.positionOf(site)!.epoch, 1)
  await bench.do(sites.committed())
  bench.told.length = 0
  await bench.add('3')
  await bench.do(sites.committed())
  assert.deepEqual([...new Set(bench.told.map((changes) => changes.site))], [site])
  sites.close(sibling)
  bench.open.delete(sibling)
  assert.equal(bench.frontier.enter(task, '192.0.2.1'), true)
  await bench.do(sites.remove(sibling))
  assert.deepEqual([sites.head(sibling), sites.isBusy(site)], [undefined, true])
  assert.deepEqual(
    before.filter((name) => !bench.names(site).includes(name)),
    [],
  )
  bench.told.length = 0
  await bench.do(bench.frontier.complete(task, ok))
  await bench.do(sites.committed())
  assert(bench.told.some((changes) => changes.site === site && changes.entries.size > 0))
  assert.deepEqual(await bench.add('1', '3', '4'), ['seen', 'seen', 'queued'])
  assert.equal(bench.frontier.jobs.find(bench.jobId)!.counters.pending, 3)
})

test('a site is neither added to nor crawled because a sibling of it is here', async () => {
  const bench = await new Bench().start()
  bench.lead(sibling)
  await assert.rejects(bench.add('1'), { code: 'site-elsewhere' })
  bench.lead(site)
  await bench.add('1')
  bench.open.delete(site)
  assert.equal((await bench.do(bench.frontier.nextTask())).kind, 'wait')
  assert.equal(bench.frontier.hosts.allowedAtMs(url), Number.POSITIVE_INFINITY)
  bench.open.add(site)
  bench.frontier.sites.close(sibling)
  bench.open.delete(sibling)
  await bench.world.advance(10_000)
  assert.equal((await bench.task()).url.target, '/1')
})

test('what comes for a sibling before its site is here is not kept, whatever it is', async () => {
  const giver = await new Bench().start()
  giver.lead(site)
  await giver.add('1', '2')
  const task = await giver.task()
  await giver.do(giver.frontier.complete(task, ok))
  giver.frontier.notes.put(url, 'robots', Buffer.from('made up'))
  const all = giver.frontier.sites.read(site, undefined, 1e9).entries
  const nameless = all.filter(([name]) => name !== 's')
  assert(['k', 'n'].every((kind) => nameless.some(([name]) => name.startsWith(kind))))
  const mutations: SiteEntry[][] = [nameless, [...all], [...all].reverse()]
  for (const entries of mutations) {
    const bench = await new Bench().start()
    const { sites, notes } = bench.frontier
    for (const key of [sibling, other]) {
      await bench.do(sites.bringIn(key, entries, { epoch: 5, sequence: 5 }))
      bench.lead(key, 6)
    }
    bench.lead(site)
    assert.deepEqual([bench.names(sibling), bench.names(site)], [[], []])
    assert.deepEqual(await bench.add('1', '2'), ['queued', 'queued'])
    assert.equal(notes.get(url, 'robots'), undefined)
    for (const key of [sibling, other]) await bench.do(sites.remove(key))
    assert.deepEqual(await bench.add('1', '2'), ['seen', 'seen'])
  }
})

test('a site that comes in is whole though siblings come and go meanwhile', async () => {
  const giver = await new Bench().start()
  giver.lead(site)
  await giver.add(...Array.from({ length: 100 }, (_, number) => `${number}/${'x'.repeat(40)}`))
  giver.frontier.notes.put(url, 'robots', Buffer.from('rules'))
  const { entries } = giver.frontier.sites.read(site, undefined, 1e9)
  const bench = await new Bench().start()
  const { sites } = bench.frontier
  await bench.do(sites.bringIn(sibling, [], { epoch: 1, sequence: 1 }))
  const many = Array.from(
    { length: 1_500 },
    (_, number): SiteEntry => [`n${`${number}`.padStart(5, '0')}`, Buffer.from('note')],
  )
  const coming = sites.bringIn(site, [...entries, ...many], { epoch: 1, sequence: 7 })
  await bench.do(sites.remove(sibling))
  await bench.do(sites.bringIn(other, many, { epoch: 3, sequence: 3 }))
  await bench.do(coming)
  assert.equal(bench.names(site).length, entries.length + many.length)
  const going = sites.remove(site)
  await bench.do(sites.remove(other))
  await bench.do(going)
  assert.deepEqual([...sites.heads()], [])
  await bench.do(sites.bringIn(site, entries, { epoch: 1, sequence: 8 }))
  assert.equal(bench.names(site).length, entries.length)
})

test('a site of which others only noted something takes that along', async () => {
  const giver = await new Bench().start()
  giver.lead(site)
  giver.frontier.notes.put(url, 'mention', Buffer.from('of it'))
  const { entries } = giver.frontier.sites.read(site, undefined, 1e9)
  const taker = await new Bench().start()
  await taker.do(taker.frontier.sites.bringIn(site, entries, { epoch: 1, sequence: 1 }))
  assert.equal(Buffer.from(taker.frontier.notes.get(url, 'mention')!).toString(), 'of it')
})
