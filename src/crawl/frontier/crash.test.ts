// A frontier whose process is killed and whose power is cut, again and again, while it crawls a web made by chance.

import assert from 'node:assert/strict'
import { test } from 'vitest'
import { parseUrl } from '../../model/url/url.ts'
import { simulatedWorld } from '../../platform/simulated/world.ts'
import { politenessOff } from '../politeness/politeness-rules.ts'
import type { Link } from './discovery.ts'
import type { FetchTask } from './fetch-task.ts'
import { Frontier } from './frontier.ts'
import type { JobOptions } from './jobs/crawl-job.ts'

const pages = 150
const hosts = 12
const ok = { outcome: 'fetched', status: 200, bytes: 10, responseMs: 1 } as const
const options: JobOptions = { seeds: ['http://h0.test/0'], scope: 'any', budgets: {} }

const hrefOf = (page: number): string => `http://h${page % hosts}.test/${page}`

/** Every page is reachable: each links to the next, and to others by chance. */
function linksOf(page: number): Link[] {
  const targets = [page + 1, (page * 7 + 3) % pages, (page * 31 + 11) % pages, (page * page) % pages]
  return targets
    .filter((target) => target < pages)
    .map((target) => ({ url: parseUrl(hrefOf(target)), kind: 'navigation' }))
}

interface Run {
  fetches: Map<string, number>
  inFlightAtCrash: number
  counters: unknown
  /** Pages whose completion was flushed. */
  refetchedThoughFlushed: string[]
}

async function crawlWithCrashes(seed: number, how: 'kill' | 'crash'): Promise<Run> {
  const world = simulatedWorld({ seed })
  const machine = world.machine('a')
  const run: Run = { fetches: new Map(), inFlightAtCrash: 0, counters: undefined, refetchedThoughFlushed: [] }
  const flushedDone = new Set<string>()
  for (let life = 0; ; life++) {
    const map = await world.complete(machine.keyValues.open('/frontier'))
    const frontier = new Frontier(
      { keyValue: map, clock: machine.clock, random: machine.random },
      { politeness: politenessOff, lanesMax: 5 },
    )
    frontier.jobs.open(options)
    const out: FetchTask[] = []
    const done: string[] = []
    let steps = life < 12 ? 5 + world.random.below(60) : Number.POSITIVE_INFINITY
    for (;;) {
      if (steps-- <= 0) break
      const answer = await world.complete(frontier.nextTask())
      if (answer.kind === 'task') {
        const { href } = answer.task.url
        run.fetches.set(href, (run.fetches.get(href) ?? 0) + 1)
        if (flushedDone.has(href)) run.refetchedThoughFlushed.push(href)
        out.push(answer.task)
      } else if (answer.kind === 'wait') await world.advance(answer.untilMs - frontier.nowMs() + 1)
      if (out.length > 0 && (answer.kind !== 'task' || world.random.chance(0.6))) {
        const [task] = out.splice(world.random.below(out.length), 1)
        const page = Number(task!.url.target.slice(1))
        await world.complete(frontier.complete(task!, ok, linksOf(page)))
        done.push(task!.url.href)
      }
      if (world.random.chance(0.1)) await world.advance(world.random.below(100))
      if (world.random.chance(0.05)) {
        await world.complete(frontier.flush())
        for (const href of done) flushedDone.add(href)
      }
      if (answer.kind === 'idle') {
        run.counters = frontier.jobs.all()[0]!.counters
        return run
      }
    }
    run.inFlightAtCrash += out.length
    machine[how]()
    machine.restart()
  }
}

for (const how of ['kill', 'crash'] as const) {
  test(`nothing found is lost to a ${how}, and nothing that was flushed is fetched again`, async () => {
    for (let seed = 1; seed <= 12; seed++) {
      const { fetches, counters, refetchedThoughFlushed } = await crawlWithCrashes(seed, how)
      const expected = Array.from({ length: pages }, (_, page) => hrefOf(page)).sort()
      assert.deepEqual([...fetches.keys()].sort(), expected, `seed ${seed}`)
      assert.deepEqual(refetchedThoughFlushed, [], `seed ${seed}`)
      const { queued, pending, fetched } = counters as Record<string, number>
      assert.deepEqual([queued, pending, fetched], [pages, 0, pages], `seed ${seed}`)
    }
  })
}

test('without a crash each is fetched once', async () => {
  const world = simulatedWorld({ seed: 1 })
  const map = await world.complete(world.machine('a').keyValues.open('/frontier'))
  const { clock, random } = world.machine('a')
  const frontier = new Frontier({ keyValue: map, clock, random }, { politeness: politenessOff })
  frontier.jobs.open(options)
  const fetched: string[] = []
  for (;;) {
    const answer = await world.complete(frontier.nextTask())
    if (answer.kind !== 'task') break
    fetched.push(answer.task.url.href)
    await world.complete(frontier.complete(answer.task, ok, linksOf(Number(answer.task.url.target.slice(1)))))
  }
  assert.equal(fetched.length, pages)
  assert.equal(new Set(fetched).size, pages)
})
