// What a schedule may say: as it lies on disk, and as peers tell each other.

import * as v from 'valibot'
import { parseCron } from '../../model/jobs/cron.ts'
import { jobPriorities, jobScopes } from '../../model/jobs/job-service.ts'
import { browserUses } from '../../model/jobs/site-rule.ts'
import { tryParseLink } from '../../model/url/url.ts'
import { TypeFilter } from '../scope/type-filter.ts'
import { UrlPatterns } from '../scope/url-patterns.ts'

/** All peers keep and parse them, for as long as the schedule lasts. */
const seedsMax = 1_000
const minuteMs = 60_000
const yearMs = 366 * 24 * 60 * minuteMs
const timeMs = v.pipe(v.number(), v.safeInteger(), v.minValue(0), v.maxValue(8.64e15))
const amount = v.optional(v.pipe(v.number(), v.minValue(0), v.maxValue(Number.MAX_SAFE_INTEGER)))
const patterns = v.optional(v.pipe(v.array(v.pipe(v.string(), v.maxLength(1_000))), v.maxLength(100)))
const name = v.pipe(v.string(), v.regex(/^[0-9a-f]{1,64}$/))

const request = v.pipe(
  v.strictObject({
    seeds: v.pipe(
      v.array(v.pipe(v.string(), v.maxLength(8_192))),
      v.minLength(1, 'A crawl needs a place to start.'),
      v.maxLength(seedsMax, `A crawl by schedule has at most ${seedsMax} places to start.`),
      v.check((seeds) => seeds.every((seed) => tryParseLink(seed) !== null), 'A seed is no URL.'),
    ),
    scope: v.picklist(jobScopes),
    depth: amount,
    include: patterns,
    exclude: patterns,
    types: v.optional(v.pipe(v.string(), v.maxLength(200))),
    sitemaps: v.optional(v.literal(true)),
    browser: v.optional(v.picklist(browserUses)),
    priority: v.optional(v.picklist(jobPriorities)),
    budgets: v.strictObject({ pages: amount, bytes: amount, timeMs: amount }),
  }),
  v.check((job) => isScope(job), 'A pattern or type of it is none.'),
)

const times = v.variant('kind', [
  v.strictObject({ kind: v.literal('once'), atMs: timeMs }),
  v.strictObject({
    kind: v.literal('every'),
    everyMs: v.pipe(
      v.number(),
      v.minValue(minuteMs, 'A crawl is begun at most once a minute.'),
      v.maxValue(100 * yearMs),
    ),
  }),
  v.strictObject({
    kind: v.literal('cron'),
    cron: v.pipe(
      v.string(),
      v.maxLength(200),
      v.check((cron) => isCron(cron), 'It is no schedule of five fields.'),
    ),
  }),
])

export const scheduleSchema = v.strictObject({
  id: name,
  request,
  times,
  isPaused: v.boolean(),
  createdAtMs: timeMs,
  runs: v.pipe(
    v.array(
      v.strictObject({
        atMs: timeMs,
        jobId: name,
        ending: v.optional(v.pipe(v.string(), v.maxLength(1_000))),
        fetched: amount,
        failed: amount,
      }),
    ),
    v.maxLength(100),
  ),
})

function isCron(text: string): boolean {
  return isFine(() => parseCron(text))
}

function isScope(job: { include?: string[]; exclude?: string[]; types?: string }): boolean {
  return isFine(() => [new UrlPatterns(job), new TypeFilter(job.types)])
}

function isFine(work: () => unknown): boolean {
  try {
    work()
    return true
  } catch {
    return false
  }
}
