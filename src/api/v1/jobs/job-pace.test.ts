import assert from 'node:assert/strict'
import { test } from 'vitest'
import type { JobLogLine, JobView } from '../../../model/jobs/job-service.ts'
import { csvLines } from './job-csv.ts'
import { JobPace } from './job-pace.ts'

const job = (timeMs: number, pending: number, state = 'running') =>
  ({ id: 'a', state, counters: { timeMs, pending } }) as unknown as JobView

test('the time left is that of a queue that gets shorter, and not known otherwise', () => {
  const pace = new JobPace()
  assert.equal(pace.msLeft(job(0, 100)), undefined, 'one look says nothing')
  assert.equal(pace.msLeft(job(10_000, 90)), undefined, 'too short a time')
  assert.equal(pace.msLeft(job(40_000, 60)), 60_000)
  assert.equal(pace.msLeft(job(50_000, 200)), undefined, 'it grows')
  assert.equal(pace.msLeft(job(60_000, 0)), 0)
  assert.equal(pace.msLeft(job(60_000, 5, 'done')), 0)
})

test('a table of results stays a table, whatever pages are called', async () => {
  async function* lines(): AsyncGenerator<JobLogLine> {
    yield { atMs: 0, jobId: 'a', url: 'http://a.test/?a=1,2"', outcome: 'new', status: 200, bytes: 3 }
    yield { atMs: 0, jobId: 'a', url: 'http://a.test/', outcome: 'failed', reason: '=1+1\nx' }
  }
  const written: string[] = []
  for await (const line of csvLines(lines())) written.push(line)
  assert.deepEqual(written, [
    'time,url,outcome,status,bytes,code,reason,via\r\n',
    '1970-01-01T00:00:00.000Z,"http://a.test/?a=1,2""",new,200,3,,,\r\n',
    `1970-01-01T00:00:00.000Z,http://a.test/,failed,,,,"'=1+1\nx",\r\n`,
  ])
})
