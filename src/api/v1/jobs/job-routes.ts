// `/api/v1/jobs`: crawls to begin, list, follow, pause and end.

import {
  type JobDetails,
  type JobLogFilter,
  type JobLogLine,
  type JobService,
  type JobView,
  jobScopes,
} from '../../../model/jobs/job-service.ts'
import type { HttpAnswer } from '../../../platform/network/http-server.ts'
import { dataAnswer, gathered, jsonAnswer, linesType } from '../../answers.ts'
import { ApiError, badParameter } from '../../api-error.ts'
import type { Route } from '../../route.ts'
import type { RouteRequest } from '../../route-request.ts'
import { type Operation, object, parameter } from '../operation.ts'
import { csvLines } from './job-csv.ts'
import type { JobEvents } from './job-events.ts'
import { JobPace } from './job-pace.ts'
import { parseJobRequest, parsePageRequest, requestSchema } from './job-request.ts'

const listMax = 1_000
/** Room for as many seeds as a job may have. */
const requestBytesMax = 16_000_000

export function jobRoutes(needs: {
  jobs: JobService
  events: JobEvents
  /** Those of all peers, where there are others. */
  jobDetails?: ((id: string) => Promise<JobDetails>) | undefined
}): Route[] {
  const { jobs, events } = needs
  const pace = new JobPace()
  const read = (path: string, operation: Operation, handle: Route['handle']): Route => ({
    methods: ['GET'],
    host: 'archive',
    path,
    operation,
    handle,
  })
  const write = (path: string, operation: Operation, handle: Route['handle']): Route => ({
    ...read(path, operation, handle),
    methods: ['POST'],
    writes: true,
  })
  return [
    read(
      '/api/v1/jobs',
      { summary: 'All jobs, newest first', answer: object({ jobs: { type: 'array', items: jobSchema } }) },
      async () => jsonAnswer({ jobs: (await jobs.list()).slice(0, listMax).map(jobJson) }),
    ),
    write(
      '/api/v1/jobs',
      {
        summary: 'Begins a job; one with the same wishes goes on if it was paused, and anew if it was done',
        body: requestSchema,
        answer: jobSchema,
        status: 201,
      },
      async (request) => {
        const job = await jobs.start(parseJobRequest(await request.json(requestBytesMax)))
        return jsonAnswer(jobJson(job), 201, [['Location', `/api/v1/jobs/${job.id}`]])
      },
    ),
    {
      ...write(
        '/api/v1/pages',
        {
          summary:
            'Archives one page, with all it needs: the only thing that a browser extension’s key is good for',
          body: object({ url: { type: 'string' } }),
          answer: jobSchema,
          status: 201,
        },
        async (request) => {
          const { url } = parsePageRequest(await request.json())
          return jsonAnswer(jobJson(await jobs.start({ seeds: [url], scope: 'page', budgets: {} })), 201)
        },
      ),
      isForExtension: true,
    },
    read('/api/v1/jobs/{id}', { summary: 'A job as it stands', answer: jobSchema }, async (request) =>
      jsonAnswer(jobJson(await jobOf(jobs, request))),
    ),
    write('/api/v1/jobs/{id}/pause', { summary: 'Pauses a job', answer: jobSchema }, async (request) =>
      jsonAnswer(jobJson(await jobs.pause(idOf(request)))),
    ),
    write(
      '/api/v1/jobs/{id}/resume',
      { summary: 'A paused job goes on', answer: jobSchema },
      async (request) => jsonAnswer(jobJson(await jobs.resume(idOf(request)))),
    ),
    write(
      '/api/v1/jobs/{id}/cancel',
      { summary: 'Ends a job for good', answer: jobSchema },
      async (request) => jsonAnswer(jobJson(await jobs.cancel(idOf(request)))),
    ),
    read(
      '/api/v1/jobs/{id}/log',
      {
        summary: 'What happened to each URL of a job, a line of JSON each',
        query: logQuery,
        type: linesMime,
      },
      async (request) => {
        const filter = { ...logFilter(request), jobId: (await jobOf(jobs, request)).id }
        return dataAnswer(linesType, gathered(logLines(jobs.log(filter))))
      },
    ),
    read(
      '/api/v1/jobs/{id}/details',
      {
        summary: 'Who did what of a job: by host, by peer, and how long it may still take',
        answer: detailsSchema,
      },
      async (request) => {
        const job = await jobOf(jobs, request)
        return jsonAnswer({
          ...(await (needs.jobDetails ?? ((id) => jobs.details(id)))(job.id)),
          msLeft: pace.msLeft(job) ?? null,
        })
      },
    ),
    read(
      '/api/v1/jobs/{id}/results',
      {
        summary: 'What became of each URL of a job, as a list; on a network as far as this peer fetched it',
        query: [...logQuery, parameter('format', 'ndjson or csv; ndjson unless told')],
        type: linesMime,
      },
      async (request) => resultsAnswer(jobs, await jobOf(jobs, request), request),
    ),
    read(
      '/api/v1/jobs/{id}/events',
      { summary: 'A job as it happens: events progress, url, missed, trouble and end', type: eventsMime },
      async (request) => events.follow((await jobOf(jobs, request)).id, request),
    ),
    read(
      '/api/v1/log',
      {
        summary: 'What happened to each URL, a line of JSON each',
        query: [...logQuery, parameter('job', 'only of this job')],
        type: linesMime,
      },
      (request) => {
        const jobId = request.query.get('job') ?? undefined
        return dataAnswer(linesType, gathered(logLines(jobs.log({ ...logFilter(request), jobId }))))
      },
    ),
    read(
      '/api/v1/events',
      { summary: 'All jobs as they happen: events progress, url and missed', type: eventsMime },
      (request) => events.follow(undefined, request),
    ),
  ]
}

const linesMime = 'application/x-ndjson'
const eventsMime = 'text/event-stream'
const logQuery = [
  parameter('url', 'only URLs with this text'),
  parameter('outcome', 'only new, changed, same, not-kept, failed, retry or refused'),
]
const missingSchema = object({
  code: {
    type: 'string',
    description: 'connect-refused, dns-not-found, timeout, robots, address-forbidden …',
  },
  words: { type: 'string' },
  count: { type: 'integer' },
  seeds: { type: 'integer', description: 'Of these, starts of the job.' },
  url: { type: 'string', description: 'The first of them.' },
  reason: { type: 'string' },
})
const jobSchema = object({
  id: { type: 'string' },
  state: { type: 'string', enum: ['running', 'paused', 'done'] },
  ending: { type: ['string', 'null'] },
  outcome: {
    type: ['string', 'null'],
    enum: ['complete', 'partly', 'nothing', null],
    description: 'What became of it: everything kept, a part, or nothing; null while it is not over.',
  },
  missing: {
    type: 'array',
    items: missingSchema,
    description: 'What was not kept, by reason; on a network as far as this peer tried.',
  },
  advice: { type: ['string', 'null'], description: 'What can be done about what is missing.' },
  seeds: { type: 'array', items: { type: 'string' } },
  scope: { type: 'string', enum: jobScopes },
  createdAt: { type: 'string', format: 'date-time' },
  counters: { type: 'object', description: 'Since its beginning, exact.' },
  counts: { type: 'object', description: 'Since it was begun or went on in this run of the peer.' },
  underWay: { type: 'integer' },
  awaited: {
    type: 'integer',
    description: 'Peers that went without a word: a job does not end before they are back or given up.',
  },
})

const detailsSchema = object({
  hosts: {
    type: 'array',
    items: object({ host: { type: 'string' }, queued: { type: 'integer' }, pending: { type: 'integer' } }),
    description: 'Of each peer the first 500, with the peer that crawls it.',
  },
  areHostsAll: { type: 'boolean' },
  peers: { type: 'array', items: { type: 'object' }, description: 'On a network: what each peer did.' },
  missing: {
    type: 'array',
    items: { type: 'object' },
    description: 'On a network: what was not kept, by kind.',
  },
  silent: { type: 'integer', description: 'Peers that did not answer.' },
  msLeft: {
    type: ['integer', 'null'],
    description: 'By how fast the queue got shorter lately; null when that is not known, or it does not.',
  },
})

function resultsAnswer(jobs: JobService, { id }: JobView, request: RouteRequest): HttpAnswer {
  const format = request.query.get('format') ?? 'ndjson'
  const lines = jobs.log({ ...logFilter(request), jobId: id })
  if (format === 'ndjson') return dataAnswer(linesType, gathered(logLines(lines)))
  if (format !== 'csv') throw badParameter('format', format, 'ndjson or csv')
  return dataAnswer('text/csv; charset=utf-8', gathered(csvLines(lines)))
}

export function jobJson(job: JobView): object {
  const { createdAtMs, ending = null, outcome = null, advice = null, ...rest } = job
  return { ...rest, ending, outcome, advice, createdAt: new Date(createdAtMs).toISOString() }
}

export function logJson(line: JobLogLine): object {
  return { ...line, at: new Date(line.atMs).toISOString() }
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

async function jobOf(jobs: JobService, request: RouteRequest): Promise<JobView> {
  const job = await jobs.find(idOf(request))
  if (job === undefined) throw new ApiError('job-unknown', `There is no job ${idOf(request).slice(0, 40)}.`)
  return job
}
