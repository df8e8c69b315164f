// What a job of the network may say: others wrote it, and every frontier follows it.

import * as v from 'valibot'
import { noCrawlCounts } from '../../crawl/crawl-report.ts'
import { noCounts } from '../../crawl/frontier/jobs/crawl-job.ts'
import { scopeKinds } from '../../crawl/scope/scope.ts'
import { TypeFilter } from '../../crawl/scope/type-filter.ts'
import { UrlPatterns } from '../../crawl/scope/url-patterns.ts'
import { jobPriorities } from '../../model/jobs/job-service.ts'
import { browserUses } from '../../model/jobs/site-rule.ts'
import { linkCharsMax, tryParseLink } from '../../model/url/url.ts'

/** Each is parsed, by every peer. */
export const seedsMax = 10_000
const patternsMax = 100
const patternCharsMax = 1_000
const peersMax = 1_000
const timeMsMax = 8.64e15

const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0))
const amount = v.pipe(v.number(), v.minValue(0), v.maxValue(Number.MAX_SAFE_INTEGER))
const budget = v.optional(amount)
const peer = v.pipe(v.string(), v.minLength(1), v.maxLength(200))
const patterns = v.optional(
  v.pipe(v.array(v.pipe(v.string(), v.maxLength(patternCharsMax))), v.maxLength(patternsMax)),
)

const options = v.pipe(
  v.strictObject({
    seeds: v.pipe(
      v.array(v.pipe(v.string(), v.maxLength(linkCharsMax))),
      v.minLength(1),
      v.maxLength(seedsMax),
      v.check((seeds) => seeds.every((seed) => tryParseLink(seed) !== null), 'A seed is no URL.'),
    ),
    scope: v.picklist(scopeKinds),
    depth: v.optional(count),
    include: patterns,
    exclude: patterns,
    types: v.optional(v.pipe(v.string(), v.maxLength(200))),
    sitemaps: v.optional(v.literal(true)),
    browser: v.optional(v.picklist(browserUses)),
    budgets: v.strictObject({ pages: budget, bytes: budget, timeMs: budget, pagesPerHost: budget }),
  }),
  v.check((job) => isScope(job), 'A pattern or type of it is none.'),
)

/** Frontiers make these of it, and would throw. */
function isScope(job: { include?: string[]; exclude?: string[]; types?: string }): boolean {
  try {
    new UrlPatterns(job)
    new TypeFilter(job.types)
    return true
  } catch {
    return false
  }
}

/** Of older peers some may be missing. */
const counters = countsOf(noCounts())
const counts = countsOf(noCrawlCounts())

export const jobSchema = v.object({
  options,
  run: v.pipe(count, v.maxValue(1_000_000)),
  state: v.picklist(['running', 'paused', 'done']),
  ending: v.optional(v.pipe(v.string(), v.maxLength(1_000))),
  createdAtMs: v.pipe(v.number(), v.minValue(0), v.maxValue(timeMsMax)),
  startedBy: v.strictObject({ peer, signature: v.pipe(v.string(), v.maxLength(200)) }),
  isSeeded: v.boolean(),
  priority: v.optional(v.picklist(jobPriorities)),
  sums: v.optional(v.object({ counters, counts, underWay: count })),
  departed: v.optional(
    v.pipe(
      v.record(peer, v.object({ counters, counts })),
      v.check((shares) => Object.keys(shares).length <= peersMax, 'Too many peers have departed.'),
    ),
  ),
  absent: v.optional(v.pipe(v.array(peer), v.maxLength(peersMax))),
})

function countsOf<Name extends string>(none: Readonly<Record<Name, number>>) {
  const fields = Object.keys(none).map((name) => [name, v.optional(amount, 0)])
  return v.object(Object.fromEntries(fields) as Record<Name, typeof amount>)
}
