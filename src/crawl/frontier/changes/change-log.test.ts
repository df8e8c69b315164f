// The log of changes on frontiers of simulated machines: what visits make of it, a crash, another frontier, and its upkeep.

import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { test } from 'vitest'
import { decodeEvent, type StoredEvent } from '../../../changes/event-coding.ts'
import { positionAfter } from '../../../changes/local-events.ts'
import type { Sighting } from '../../../changes/page-state.ts'
import { parseUrl } from '../../../model/url/url.ts'
import { simulatedWorld } from '../../../platform/simulated/world.ts'
import { openFrontier } from '../../fixtures/simulated-frontier.ts'
import type { Frontier } from '../frontier.ts'

const url = parseUrl('http://a.test/')
const dayMs = 86_400_000

class Bench {
  readonly world = simulatedWorld({ seed: 1 })
  frontier!: Frontier

  async open(name = 'a'): Promise<this> {
    this.frontier = (await openFrontier(this.world, name)).frontier
    return this
  }

  /** The page is fetched, and this was kept; `earlier`: what the archive had of it. */
  async visit(body: string, { status = 200, earlier = [] as readonly Sighting[] } = {}): Promise<void> {
    const { frontier, world } = this
    const { id } = frontier.jobs.open({ seeds: [], scope: 'any', budgets: {} })
    frontier.visits.revisit(url, id)
    const answer = await world.complete(frontier.nextTask())
    assert(answer.kind === 'task', answer.kind)
    const observed = {
      sighting: this.sighting(body, status),
      before: earlier.at(-1),
      earlier: (afterMs: number) => earlier.filter(({ atMs }) => atMs > afterMs),
    }
    await world.complete(frontier.complete(answer.task, { outcome: 'fetched', status, observed }))
    await world.complete(frontier.flush())
    await world.advance(1_000)
  }

  sighting(body: string, status = 200): Sighting {
    const digest = { algorithm: 'sha256', bytes: hash('sha256', body, 'buffer') } as const
    const atMs = Math.floor(this.frontier.nowMs())
    const id = hash('sha256', `${body} ${atMs}`, 'buffer').subarray(0, 16)
    return { id, atMs, status, mime: 'text/html', digest, bytes: body.length }
  }

  get events(): StoredEvent[] {
    const { changes } = this.frontier
    const { generation } = changes
    const range = { after: positionAfter(0), takenAfter: -1, generation, countMax: 100, bytesMax: 1e6 }
    return changes.page(range).events.map(({ bytes }) => decodeEvent(bytes))
  }

  get kinds(): string[] {
    return this.events.map(({ kind, sequence }) => `${sequence} ${kind}`)
  }
}

test('what visits show is logged once, with numbers in order and stamps that grow', async () => {
  const bench = await new Bench().open()
  for (const body of ['one', 'one', 'two']) await bench.visit(body)
  await bench.visit('', { status: 404 })
  assert.deepEqual(bench.kinds, ['1 new', '2 changed', '3 gone'])
  const stamps = bench.events.map(({ stamp }) => stamp)
  assert.deepEqual(stamps, stamps.toSorted())
  assert.equal(new Set(stamps).size, 3)
})

test('a URL is done and its event logged in one commit, whenever the process is killed', async () => {
  const outcomes = new Set<string>()
  for (let afterMs = 0; afterMs <= 200; afterMs += 5) {
    const bench = await new Bench().open()
    const { world } = bench
    const { id } = bench.frontier.jobs.open({ seeds: [], scope: 'any', budgets: {} })
    bench.frontier.visits.revisit(url, id)
    const answer = await world.complete(bench.frontier.nextTask())
    assert(answer.kind === 'task', answer.kind)
    await world.complete(bench.frontier.flush())
    const observed = { sighting: bench.sighting('one', 200), before: undefined, earlier: () => [] }
    bench.frontier.complete(answer.task, { outcome: 'fetched', status: 200, observed }).catch(() => {})
    await world.advance(afterMs)
    world.machine('a').kill()
    world.machine('a').restart()
    await bench.open()
    const { fetched } = bench.frontier.jobs.find(id)!.counters
    outcomes.add(`${fetched} done, events: ${bench.kinds.join()}`)
  }
  assert.deepEqual([...outcomes], ['0 done, events: ', '1 done, events: 1 new'])
})

test('a capture that was kept when its process died becomes an event at the next visit', async () => {
  const bench = await new Bench().open()
  await bench.visit('one')
  const lost = bench.sighting('two')
  await bench.world.advance(1_000)
  await bench.visit('two', { earlier: [lost] })
  await bench.visit('three', { earlier: [lost] })
  assert.deepEqual(bench.kinds, ['1 new', '2 changed', '3 changed'])
  assert.deepEqual([...bench.events[1]!.id], [...lost.id], 'the event is of the first capture that showed it')
})

test('what was kept before there were events is not new', async () => {
  const bench = await new Bench().open()
  const old = { ...bench.sighting('one'), atMs: 1_000 }
  await bench.visit('one', { earlier: [old] })
  assert.deepEqual(bench.kinds, [])
  await bench.visit('two', { earlier: [old] })
  assert.deepEqual(bench.kinds, ['1 changed'])
})

test('what was kept by the first fetch of all is new, also when the power fails right after it', async () => {
  const bench = await new Bench().open()
  bench.frontier.jobs.open({ seeds: [url.href], scope: 'any', budgets: {} })
  const answer = await bench.world.complete(bench.frontier.nextTask())
  assert.equal(answer.kind, 'task')
  const kept = bench.sighting('one')
  bench.world.machine('a').crash()
  bench.world.machine('a').restart()
  await bench.world.advance(1_000)
  await bench.open()
  await bench.visit('one', { earlier: [kept] })
  assert.deepEqual(bench.kinds, ['1 new'])
})

test('what a peer kept that is lost before its first event is told by one that joined later', async () => {
  const bench = await new Bench().open()
  const kept = bench.sighting('one')
  await bench.world.advance(60_000)
  await bench.open('b')
  await bench.visit('one', { earlier: [kept] })
  assert.deepEqual(bench.kinds, ['1 new'])
  assert.deepEqual([...bench.events[0]!.id], [...kept.id])
})

test('a log goes on where it was after a crash, and stamps pass what was promised', async () => {
  const bench = await new Bench().open()
  await bench.visit('one')
  bench.world.machine('a').crash()
  bench.world.machine('a').restart()
  await bench.open()
  const promised = bench.frontier.changes.promise()
  await bench.visit('two')
  assert.deepEqual(bench.kinds, ['1 new', '2 changed'])
  assert(bench.events[1]!.stamp > promised)
})

test('what a process promised is passed by the next one, whatever its clock says', async () => {
  const bench = await new Bench().open()
  await bench.visit('one')
  await bench.world.advance(60_000)
  const promised = bench.frontier.changes.promise()
  await bench.world.complete(bench.frontier.flush())
  bench.world.machine('a').kill()
  bench.world.machine('a').faults.clock.jump(-30 * 60_000)
  bench.world.machine('a').restart()
  await bench.open()
  await bench.visit('two')
  assert(bench.events[1]!.stamp > promised)
})

test('a clock that is behind those of others is put forward, and one that is ahead is not put back', async () => {
  const bench = await new Bench().open()
  const { changes } = bench.frontier
  changes.followClocks(() => 30_000)
  await bench.visit('one')
  const nowMs = bench.frontier.nowMs()
  assert(bench.events[0]!.stamp > nowMs + 20_000)
  changes.followClocks(() => -30_000)
  await bench.visit('two')
  assert(bench.events[1]!.stamp > bench.events[0]!.stamp)
})

test('where clocks differ, what was told is not told again by who takes over', async () => {
  const bench = await new Bench().open()
  await bench.visit('one')
  const one = bench.sighting('one')
  await bench.visit('two')
  const two = { ...bench.sighting('two'), id: bench.events[1]!.id, atMs: bench.events[1]!.atMs }
  bench.world.machine('a').kill()
  bench.world.machine('a').faults.clock.jump(-10_000)
  bench.world.machine('a').restart()
  await bench.open()
  await bench.visit('three', { earlier: [one, two] })
  await bench.world.advance(60_000)
  await bench.visit('four', { earlier: [one, two] })
  const ids = bench.events.map(({ id }) => Buffer.from(id).toString('hex'))
  assert.equal(new Set(ids).size, ids.length, `${bench.kinds}`)
})

test('failed visits are counted once, also when they were kept', async () => {
  const bench = await new Bench().open()
  await bench.visit('one')
  const kept: Sighting[] = []
  for (let count = 0; count < 4; count++) {
    kept.push(bench.sighting('', 403))
    await bench.visit('', { status: 403, earlier: [...kept] })
  }
  assert.deepEqual(bench.kinds, ['1 new'])
})

test('a site takes its log along, and the next number is nobody else’s', async () => {
  const giver = await new Bench().open()
  await giver.visit('one')
  await giver.visit('two')
  const { entries } = giver.frontier.sites.read(url.ringKey, undefined, 1e9)
  const taker = await new Bench().open('b')
  await taker.world.advance(60_000)
  const { sites } = taker.frontier
  taker.frontier.jobs.open({ seeds: [], scope: 'any', budgets: {} })
  await taker.world.complete(sites.bringIn(url.ringKey, entries, { epoch: 1, sequence: 1 }))
  await taker.visit('two')
  await taker.visit('three')
  assert.deepEqual(taker.kinds, ['1 new', '2 changed', '3 changed'])
  await giver.world.complete(giver.frontier.sites.remove(url.ringKey))
  assert.deepEqual(giver.kinds, [])
})

test('a site that is taken over is read from its next generation on', async () => {
  const bench = await new Bench().open()
  await bench.visit('one')
  let isOpen = false
  const { sites, changes } = bench.frontier
  sites.share({ isOpen: () => isOpen, canCrawl: () => isOpen }, () => {})
  sites.open(url.ringKey, { epoch: 2, sequence: 9 })
  assert.deepEqual([changes.generation, changes.comingCount, bench.kinds], [0, 1, []])
  isOpen = true
  assert.deepEqual([changes.generation, changes.comingCount, bench.kinds], [1, 0, ['1 new']])
})

test('what is too old is dropped, and that is known', async () => {
  const bench = await new Bench().open()
  await bench.visit('one')
  const [first] = bench.events
  await bench.world.advance(2 * dayMs)
  await bench.visit('two')
  const upkeep = bench.frontier.changes.upkeep({ keepAgeMs: dayMs, keepBytes: 1e6 })
  while (!upkeep.step(bench.frontier.nowMs()));
  assert.deepEqual(bench.kinds, ['2 changed'])
  assert.equal(bench.frontier.changes.droppedUpTo, first!.stamp)
})

test('of too many the oldest are dropped', async () => {
  const bench = await new Bench().open()
  for (let count = 0; count < 10; count++) await bench.visit(`${count}`)
  const upkeep = bench.frontier.changes.upkeep({ keepAgeMs: dayMs, keepBytes: 500 })
  while (!upkeep.step(bench.frontier.nowMs()));
  const kept = bench.events.map(({ sequence }) => sequence)
  assert(kept.length > 0 && kept.length < 5)
  assert.equal(kept.at(-1), 10)
})
