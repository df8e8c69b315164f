import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { nextCronMs, parseCron } from './cron.ts'
import { type JobSchedule, nextRunMs } from './job-schedule.ts'

const next = (cron: string, after: string): string =>
  new Date(nextCronMs(parseCron(cron), Date.parse(after))!).toISOString().slice(0, 16)

describe('cron', () => {
  test.each<[string, string, string]>([
    ['0 3 * * *', '2026-01-31T03:00:00Z', '2026-02-01T03:00'],
    ['0 3 * * *', '2026-01-31T02:59:59Z', '2026-01-31T03:00'],
    ['*/15 * * * *', '2026-01-01T00:15:00Z', '2026-01-01T00:30'],
    ['5/20 * * * *', '2026-01-01T00:25:00Z', '2026-01-01T00:45'],
    ['0 9-17/4 * * mon-fri', '2026-01-02T17:00:00Z', '2026-01-05T09:00'],
    ['0 0 29 feb *', '2026-01-01T00:00:00Z', '2028-02-29T00:00'],
    // Either day, where both are limited.
    ['0 9 15 * mon', '2026-01-13T00:00:00Z', '2026-01-15T09:00'],
    ['0 9 15 * mon', '2026-01-15T09:00:00Z', '2026-01-19T09:00'],
    ['0 0 * * 7', '2026-01-01T00:00:00Z', '2026-01-04T00:00'],
    ['30 23 31 12 *', '2026-12-31T23:30:00Z', '2027-12-31T23:30'],
  ])('%s after %s', (cron, after, expected) => {
    assert.equal(next(cron, after), expected)
  })

  test.each([
    '',
    '* * * *',
    '* * * * * *',
    '60 * * * *',
    '* 24 * * *',
    '* * 0 * *',
    '* * * 13 *',
    '* * * * 8',
    '*/0 * * * *',
    '5-1 * * * *',
    'a * * * *',
    '1,,2 * * * *',
    '0 0 31 2 *',
    '1-2-3 * * * *',
    '-1 * * * *',
    '1e1 * * * *',
  ])('"%s" is none', (cron) => {
    assert.throws(() => parseCron(cron), { code: 'schedule-malformed' })
  })
})

test('times that were missed are made up for once', () => {
  const hourMs = 3_600_000
  const schedule: JobSchedule = {
    id: 'x',
    request: { seeds: [], scope: 'page', budgets: {} },
    times: { kind: 'every', everyMs: hourMs },
    isPaused: false,
    createdAtMs: 1_000,
    runs: [],
  }
  assert.equal(nextRunMs(schedule), 1_000)
  const late = 100 * hourMs
  assert.equal(nextRunMs({ ...schedule, runs: [{ atMs: late, jobId: 'a' }] }), late + hourMs)
  assert.equal(nextRunMs({ ...schedule, isPaused: true }), undefined)
  const once: JobSchedule = { ...schedule, times: { kind: 'once', atMs: 5_000 } }
  assert.equal(nextRunMs(once), 5_000)
  assert.equal(nextRunMs({ ...once, runs: [{ atMs: 9_000, jobId: 'a' }] }), undefined)
})
