// When a crawl is begun, as people write it: every 6h, 0 3 * * *, or 2026-12-01T03:00Z.

import { BadValue, duration } from '../../config/kinds.ts'
import { PolyhistorError } from '../../errors.ts'
import { parseCron } from '../../model/jobs/cron.ts'
import type { JobTimes } from '../../model/jobs/job-schedule.ts'

class TimesMalformed extends PolyhistorError {
  constructor(message: string) {
    super('schedule-malformed', message)
  }
}

const everyMsMin = 60_000
const timePattern = /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)?)?$/

/** Throws 'schedule-malformed', with a sentence. */
export function parseJobTimes({
  every,
  cron,
  at,
}: {
  every?: unknown
  cron?: unknown
  at?: unknown
}): JobTimes {
  const said = [every, cron, at].filter((value) => value !== undefined && value !== null && value !== '')
  if (said.length !== 1)
    throw new TimesMalformed(
      'Say when the crawl is begun: one of every (6h, 1d), cron (0 3 * * *) or at (2026-12-01T03:00Z).',
    )
  const text = String(said[0]).trim()
  if (said[0] === every) return { kind: 'every', everyMs: everyMsOf(text) }
  if (said[0] === at) return { kind: 'once', atMs: atMsOf(text) }
  parseCron(text)
  return { kind: 'cron', cron: text.replace(/\s+/g, ' ') }
}

export function printJobTimes(times: JobTimes): { every: string } | { cron: string } | { at: string } {
  switch (times.kind) {
    case 'once':
      return { at: new Date(times.atMs).toISOString() }
    case 'every':
      return { every: duration.print(times.everyMs) }
    case 'cron':
      return { cron: times.cron }
  }
}

function everyMsOf(text: string): number {
  try {
    const everyMs = duration.read(text)
    if (everyMs >= everyMsMin) return everyMs
  } catch (error) {
    if (!(error instanceof BadValue)) throw error
  }
  throw new TimesMalformed(
    `every is ${JSON.stringify(text.slice(0, 80))}, but must be a time such as 30m, 6h or 1d, a minute at least.`,
  )
}

/** Without a zone it is UTC, like all times of this program. */
function atMsOf(text: string): number {
  const zoned = text.includes(':') && !/(?:Z|[+-]\d\d:\d\d)$/.test(text) ? `${text}Z` : text
  const atMs = timePattern.test(text) ? Date.parse(zoned.replace(' ', 'T')) : Number.NaN
  if (!Number.isNaN(atMs)) return atMs
  throw new TimesMalformed(
    `at is ${JSON.stringify(text.slice(0, 80))}, but must be a time such as 2026-12-01T03:00Z.`,
  )
}
