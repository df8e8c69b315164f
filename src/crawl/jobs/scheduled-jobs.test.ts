// Schedules on virtual time, with jobs that a test begins and ends.

import assert from 'node:assert/strict'
import { test } from 'vitest'
import type { JobSchedule } from '../../model/jobs/job-schedule.ts'
import type { JobRequest, JobView } from '../../model/jobs/job-service.ts'
import { silentLog } from '../../platform/log.ts'
import { simulatedWorld } from '../../platform/simulated/world.ts'
import { parseJobTimes } from './job-times.ts'
import { ScheduledJobs } from './scheduled-jobs.ts'

const hourMs = 3_600_000
const request: JobRequest = { seeds: ['http://a.test/'], scope: 'page', budgets: {} }

/** A job that ends when it is told to. */
class OneJob {
  readonly begun: number[] = []
  view: JobView | undefined
  readonly #nowMs: () => number

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs
  }

  last(): JobView | undefined {
    return this.view
  }

  async start(): Promise<JobView> {
    this.begun.push(this.#nowMs())
    const counters = { fetched: this.begun.length, failed: 0 }
    this.view = {
      id: `${this.begun.length}a`,
      state: 'running',
      createdAtMs: this.#nowMs(),
      counters,
    } as unknown as JobView
    return this.view
  }

  end(): void {
    this.view = { ...this.view!, state: 'done', ending: 'complete' }
  }
}

function started(names = ['a']) {
  const world = simulatedWorld({ seed: 1 })
  const { clock } = world.machine('a')
  const schedules = new Map<string, JobSchedule>()
  const book = {
    all: () => [...schedules.values()],
    get: (id: string) => schedules.get(id),
    put: async (schedule: JobSchedule) => void schedules.set(schedule.id, schedule),
    remove: async (id: string) => void schedules.delete(id),
  }
  const job = new OneJob(() => clock.nowMs())
  const owners = new Set(names)
  const peers = names.map((name) => {
    const peer = new ScheduledJobs({ clock, log: silentLog, book, jobs: job, isOurs: () => owners.has(name) })
    peer.start()
    return peer
  })
  const hours = async (count: number) => {
    for (let minute = 0; minute < 60 * count; minute++) {
      await world.advance(60_000)
      job.end()
    }
  }
  return { world, clock, book, job, owners, peers, first: peers[0]!, hours }
}

test('a crawl is begun at once, and then every so often; its runs are written down', async () => {
  const { world, first, job, hours } = started()
  const { id } = await world.complete(first.add(request, parseJobTimes({ every: '2h' })))
  await hours(5)
  assert.equal(job.begun.length, 3)
  assert(job.begun[1]! - job.begun[0]! >= 2 * hourMs)
  const [schedule] = first.list()
  assert.deepEqual(
    schedule!.runs.map(({ jobId, ending, fetched }) => [jobId, ending, fetched]),
    [
      ['3a', undefined, undefined],
      ['2a', 'complete', 2],
      ['1a', 'complete', 1],
    ],
  )
  await world.complete(first.pause(id))
  await hours(5)
  assert.equal(job.begun.length, 3)
  await world.complete(first.resume(id))
  await hours(1)
  assert.equal(job.begun.length, 4, 'what was missed is made up for once')
  await world.complete(first.remove(id))
  await hours(5)
  assert.equal(job.begun.length, 4)
  await assert.rejects(world.complete(first.remove(id)), { code: 'schedule-unknown' })
})

test('a run that is not over when the next is due goes on, and the next begins after it', async () => {
  const { world, first, job } = started()
  await world.complete(first.add(request, parseJobTimes({ every: '1h' })))
  for (let minute = 0; minute < 150; minute++) await world.advance(60_000)
  assert.equal(job.begun.length, 1)
  job.end()
  await world.advance(10_000)
  assert.equal(job.begun.length, 2)
})

test('once is once, cron is by the clock', async () => {
  const { world, clock, first, job, hours } = started()
  const at = new Date(clock.nowMs() + hourMs).toISOString()
  await world.complete(first.add(request, parseJobTimes({ at })))
  await hours(4)
  assert.equal(job.begun.length, 1)
  await world.complete(first.add(request, parseJobTimes({ cron: '30 * * * *' })))
  await hours(3)
  assert.equal(job.begun.length, 4)
  for (const atMs of job.begun.slice(1)) assert.equal(new Date(atMs).getUTCMinutes(), 30)
})

test('where two peers both think that they own it one run is begun, and when one dies the other goes on', async () => {
  const { world, first, job, owners, hours } = started(['a', 'b'])
  await world.complete(first.add(request, parseJobTimes({ every: '1h' })))
  await hours(3)
  assert(job.begun.length >= 3 && job.begun.length <= 4)
  owners.delete('a')
  const before = job.begun.length
  await hours(2)
  assert.equal(job.begun.length, before + 2)
})

test('after a crash between the start of a run and its note the run is not begun again', async () => {
  const { world, clock, first, job } = started()
  await job.start()
  job.view = { ...job.view!, createdAtMs: clock.nowMs() + 1_000 }
  await world.complete(first.add(request, parseJobTimes({ every: '1h' })))
  await world.advance(60_000)
  assert.equal(job.begun.length, 1)
  assert.equal(first.list()[0]!.runs.length, 1)
})

test('times that are none are told, with what they should be', () => {
  for (const times of [
    {},
    { every: '1d', cron: '0 3 * * *' },
    { every: '5s' },
    { every: 'daily' },
    { at: 'soon' },
    { at: '2026-13-01' },
    { cron: '0 3 * *' },
  ])
    assert.throws(() => parseJobTimes(times), { code: 'schedule-malformed' }, JSON.stringify(times))
  assert.deepEqual(parseJobTimes({ at: '2026-12-01T03:00' }), {
    kind: 'once',
    atMs: Date.UTC(2026, 11, 1, 3),
  })
  assert.deepEqual(parseJobTimes({ at: '2026-12-01T03:00+01:00' }), {
    kind: 'once',
    atMs: Date.UTC(2026, 11, 1, 2),
  })
})
