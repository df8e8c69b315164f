// What a job wants beyond its scope: kinds of resources, sitemaps, a browser. Kept ready by job, since every link asks.
//
// Invariants: bounded; a job's options never change, so nothing here gets old.

import type { BrowserUse } from '../model/jobs/site-rule.ts'
import type { CrawlJob } from './frontier/jobs/crawl-job.ts'
import { TypeFilter } from './scope/type-filter.ts'

interface Wants {
  readonly types: TypeFilter
  readonly sitemaps: boolean
  /** Instead of how the crawler was started. */
  readonly browser: BrowserUse | undefined
  /** It only visits again what is known. */
  readonly isRevisit: boolean
}

const jobsMax = 256

export class JobWants {
  readonly #jobs: { find(id: string): CrawlJob | undefined }
  readonly #wants = new Map<string, Wants>()

  constructor(jobs: { find(id: string): CrawlJob | undefined }) {
    this.#jobs = jobs
  }

  of(jobId: string): Wants {
    const known = this.#wants.get(jobId)
    if (known !== undefined) return known
    const options = this.#jobs.find(jobId)?.options
    const wants = {
      types: new TypeFilter(options?.types),
      sitemaps: options?.sitemaps === true,
      browser: options?.browser,
      isRevisit: options?.seeds.length === 0,
    }
    if (this.#wants.size >= jobsMax) this.#wants.clear()
    this.#wants.set(jobId, wants)
    return wants
  }
}
