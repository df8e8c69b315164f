// `/api/v1/jobs`: crawls to begin, list, follow, pause and end.

import { dataAnswer, gathered, jsonAnswer, linesType } from '../answers.ts'
import { ApiError } from '../api-error.ts'
import type { Route } from '../route.ts'
import type { RouteRequest } from '../route-request.ts'
import type { JobDesk, JobLogFilter, JobLogLine, JobView } from './job-desk.ts'
import type { JobEvents } from './job-events.ts'
import { parseJobWish } from './job-wish.ts'

const listMax = 1_000

export function jobRoutes(needs: { jobs: JobDesk; events: JobEvents }): Route[] {
  const { jobs, events } = needs
  const read = (path: string, handle: Route['handle']): Route => ({
    methods: ['GET'],
    host: 'archive',
    path,
    handle,
  })
  const write = (path: string, handle: Route['handle']): Route => ({
    methods: ['POST'],
    host: 'archive',
    path,
    writes: true,
    handle,
  })
  return [
    read('/api/v1/jobs', () => jsonAnswer({ jobs: jobs.list().slice(0, listMax).map(jobJson) })),
    write('/api/v1/jobs', async (request) => {
      const job = jobs.start(parseJobWish(await request.json()))
      return jsonAnswer(jobJson(job), 201, [['Location', `/api/v1/jobs/${job.id}`]])
    }),
    read('/api/v1/jobs/{id}', (request) => jsonAnswer(jobJson(jobOf(jobs, request)))),
    write('/api/v1/jobs/{id}/pause', (request) => jsonAnswer(jobJson(jobs.pause(idOf(request))))),
    write('/api/v1/jobs/{id}/resume', (request) => jsonAnswer(jobJson(jobs.resume(idOf(request))))),
    write('/api/v1/jobs/{id}/cancel', (request) => jsonAnswer(jobJson(jobs.cancel(idOf(request))))),
    read('/api/v1/jobs/{id}/log', (request) => {
      const filter = { ...logFilter(request), jobId: jobOf(jobs, request).id }
      return dataAnswer(linesType, gathered(logLines(jobs.log(filter))))
    }),
    read('/api/v1/jobs/{id}/events', (request) => events.follow(jobOf(jobs, request).id, request)),
    read('/api/v1/log', (request) => {
      const jobId = request.query.get('job') ?? undefined
      return dataAnswer(linesType, gathered(logLines(jobs.log({ ...logFilter(request), jobId }))))
    }),
    read('/api/v1/events', (request) => events.follow(undefined, request)),
  ]
}

export function jobJson(job: JobView): object {
  const { createdAtMs, ending, ...rest } = job
  return { ...rest, ending: ending ?? null, createdAt: new Date(createdAtMs).toISOString() }
}

export function logJson({ atMs, ...rest }: JobLogLine): object {
  return { at: new Date(atMs).toISOString(), ...rest }
}

async function* logLines(lines: AsyncIterable<JobLogLine>): AsyncGenerator<string> {
  for await (const line of lines) yield `${JSON.stringify(logJson(line))}\n`
}

function logFilter({ query }: RouteRequest): JobLogFilter {
  return { urlPart: query.get('url') ?? undefined, outcome: query.get('outcome') ?? undefined }
}

function idOf({ parameters }: RouteRequest): string {
  return parameters.id!
}

function jobOf(jobs: JobDesk, request: RouteRequest): JobView {
  const job = jobs.find(idOf(request))
  if (job === undefined) throw new ApiError('job-unknown', `There is no job ${idOf(request).slice(0, 40)}.`)
  return job
}
