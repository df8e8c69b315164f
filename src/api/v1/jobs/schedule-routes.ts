// `/api/v1/schedules`: crawls that are begun at their times: once, every so often, or as cron says.

import { parseJobTimes, printJobTimes } from '../../../crawl/jobs/job-times.ts'
import { type JobSchedule, nextRunMs, type ScheduleService } from '../../../model/jobs/job-schedule.ts'
import { jsonAnswer } from '../../answers.ts'
import { ApiError } from '../../api-error.ts'
import type { Route } from '../../route.ts'
import { object } from '../operation.ts'
import { parseJobRequest, requestSchema } from './job-request.ts'

const requestBytesMax = 16_000_000
const runSchema = object({
  at: { type: 'string', format: 'date-time' },
  job: { type: 'string', description: 'The job that it is.' },
  ending: { type: ['string', 'null'], description: 'Known when the next run has begun.' },
  fetched: { type: ['integer', 'null'] },
  failed: { type: ['integer', 'null'] },
})
const scheduleSchema = object({
  id: { type: 'string' },
  every: { type: 'string' },
  cron: { type: 'string' },
  at: { type: 'string', format: 'date-time' },
  paused: { type: 'boolean' },
  next: { type: ['string', 'null'], format: 'date-time' },
  request: { type: 'object', description: 'As POST /api/v1/jobs takes it.' },
  runs: { type: 'array', items: runSchema, description: 'The newest first.' },
})
const bodySchema = {
  ...requestSchema,
  properties: {
    ...requestSchema.properties,
    every: { type: 'string', description: 'Every so often, such as 6h or 1d; the first time at once.' },
    cron: { type: 'string', description: 'Five fields, UTC: 0 3 * * * is every day at 03:00.' },
    at: { type: 'string', format: 'date-time', description: 'Once, then.' },
  },
}

export function scheduleRoutes({ schedules }: { schedules: ScheduleService }): Route[] {
  const path = '/api/v1/schedules'
  const id = ({ parameters }: { parameters: Readonly<Record<string, string>> }): string => parameters.id!
  const change = (action: 'pause' | 'resume', summary: string): Route => ({
    methods: ['POST'],
    host: 'archive',
    path: `${path}/{id}/${action}`,
    writes: true,
    operation: { summary, answer: scheduleSchema },
    handle: async (request) => jsonAnswer(scheduleJson(await schedules[action](id(request)))),
  })
  return [
    {
      methods: ['GET'],
      host: 'archive',
      path,
      operation: {
        summary: 'Crawls that are begun at their times, newest first, with their runs',
        answer: object({ schedules: { type: 'array', items: scheduleSchema } }),
      },
      handle: async () => jsonAnswer({ schedules: (await schedules.list()).map(scheduleJson) }),
    },
    {
      methods: ['POST'],
      host: 'archive',
      path,
      writes: true,
      operation: {
        summary: 'Has a crawl begun at its times; one peer of the network begins it',
        body: bodySchema,
        answer: scheduleSchema,
        status: 201,
      },
      handle: async (request) => {
        const body = await request.json(requestBytesMax)
        if (typeof body !== 'object' || body === null || Array.isArray(body))
          throw new ApiError('request-malformed', 'The body of this request must be a JSON object.')
        const { every, cron, at, ...job } = body as Record<string, unknown>
        const schedule = await schedules.add(parseJobRequest(job), parseJobTimes({ every, cron, at }))
        return jsonAnswer(scheduleJson(schedule), 201)
      },
    },
    change('pause', 'Begins no more runs of it'),
    change('resume', 'Begins runs of it again'),
    {
      methods: ['DELETE'],
      host: 'archive',
      path: `${path}/{id}`,
      writes: true,
      operation: {
        summary: 'Removes a schedule. A run of it that is under way goes on',
        answer: object({ removed: { type: 'boolean' } }),
      },
      handle: async (request) => {
        await schedules.remove(id(request))
        return jsonAnswer({ removed: true })
      },
    },
  ]
}

export function scheduleJson(schedule: JobSchedule): object {
  const { id, times, isPaused, request, runs } = schedule
  const nextMs = nextRunMs(schedule)
  return {
    id,
    ...printJobTimes(times),
    paused: isPaused,
    next: nextMs === undefined ? null : new Date(nextMs).toISOString(),
    request,
    runs: runs.map(({ atMs, jobId, ending = null, fetched = null, failed = null }) => ({
      at: new Date(atMs).toISOString(),
      job: jobId,
      ending,
      fetched,
      failed,
    })),
  }
}
