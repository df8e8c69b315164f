// The schedules of a home without a running peer: kept for the next one.

import { ScheduledJobs } from '../../crawl/jobs/scheduled-jobs.ts'
import type { ScheduleService } from '../../model/jobs/job-schedule.ts'
import { silentLog } from '../../platform/log.ts'
import type { Store } from '../../store/store.ts'
import { version } from '../../version.ts'
import { realPlatform } from '../real-platform.ts'
import { userAgentOf } from './crawler.ts'
import { openCrawlerToAsk } from './crawler-to-ask.ts'

export { scheduleJson } from '../../api/v1/jobs/schedule-routes.ts'
export { parseJobTimes } from '../../crawl/jobs/job-times.ts'

export async function withSchedules<T>(
  folder: string,
  store: Store,
  work: (schedules: ScheduleService) => Promise<T>,
): Promise<T> {
  const crawler = await openCrawlerToAsk(folder, store, { userAgent: userAgentOf(version), allowed: [] })
  try {
    const jobs = { last: () => undefined, start: () => Promise.reject(new Error('nothing is crawled here')) }
    const { clock } = realPlatform()
    const needs = { clock, log: silentLog, jobs, isOurs: () => false }
    return await work(new ScheduledJobs({ ...needs, book: crawler.frontier.schedules }))
  } finally {
    await crawler.close()
  }
}
