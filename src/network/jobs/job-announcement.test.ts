import assert from 'node:assert/strict'
import { test } from 'vitest'
import { jobIdOf } from '../../crawl/frontier/jobs/crawl-job.ts'
import { nameOf, runIdOf } from './job-announcement.ts'

const options = { seeds: ['http://a.example/'], scope: 'any', budgets: {} } as const

test('each run of a job has an id of its own, however often it is asked for; its name is the same for all', () => {
  const ids = [0, 1, 2, 1, 0].map((run) => runIdOf({ options, run }))
  assert.deepEqual(ids, [
    jobIdOf(options),
    jobIdOf({ ...options, run: 1 }),
    jobIdOf({ ...options, run: 2 }),
    ids[1],
    ids[0],
  ])
  assert.equal(new Set(ids).size, 3)
  assert.deepEqual([nameOf(options), nameOf({ ...options, run: 2 })], [ids[0], ids[0]])
  assert.notEqual(runIdOf({ options: { ...options, depth: 1 }, run: 0 }), ids[0])
})
