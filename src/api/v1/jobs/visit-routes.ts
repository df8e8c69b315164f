// `/api/v1/visits`: the visits that are planned to keep pages fresh, and the rules for them: seen, changed and stopped.

import type { PlannedVisit, VisitRule, VisitTarget } from '../../../model/jobs/planned-visit.ts'
import type { Awaitable } from '../../../model/listed.ts'
import { urlFromTyped } from '../../../model/url/url.ts'
import { jsonAnswer } from '../../answers.ts'
import { ApiError, badParameter } from '../../api-error.ts'
import { limitIn } from '../../query-values.ts'
import type { Route } from '../../route.ts'
import { object, parameter } from '../operation.ts'

/** How often from now on: a span such as `1d` or `1h-7d`, never, or as if there were no rule. */
export type VisitRequest =
  | { readonly kind: 'every'; readonly span: string }
  | { readonly kind: 'stop' | 'resume' }

export interface VisitService {
  /** Those due first. */
  planned(target: VisitTarget, limit: number): Awaitable<readonly PlannedVisit[]>
  rules(): Awaitable<readonly VisitRule[]>
  /** A span that is none throws 'fresh-malformed'. */
  change(target: VisitTarget, wanted: VisitRequest): Promise<void>
}

const limitDefault = 100
const limitMax = 10_000
const visitSchema = object({
  url: { type: 'string' },
  due: { type: 'string', format: 'date-time' },
  visited: { type: ['string', 'null'], format: 'date-time' },
  intervalMs: { type: ['number', 'null'] },
  failures: { type: 'integer', description: 'In a row.' },
  state: { type: 'string', enum: ['planned', 'under-way', 'stopped'] },
})
const ruleSchema = object({
  target: {
    type: 'object',
    description: '{"kind": "all"}, {"kind": "site", "site": …} or {"kind": "url", "url": …}',
  },
  bounds: {
    type: ['object', 'null'],
    description: 'Not more often than minMs, not less than maxMs; null: not at all.',
  },
})
const requestSchema = {
  type: 'object',
  properties: {
    url: { type: 'string' },
    site: { type: 'string' },
    all: { type: 'boolean' },
    every: { type: 'string', description: '1d: at least daily; 1h-7d: between hourly and weekly' },
    stop: { type: 'boolean', description: 'No visits from now on.' },
    resume: { type: 'boolean', description: 'The rule is taken back.' },
  },
}

export function visitRoutes({ service }: { service: VisitService }): Route[] {
  const path = '/api/v1/visits'
  return [
    {
      methods: ['GET'],
      host: 'archive',
      path,
      operation: {
        summary: 'The visits that are planned to keep pages fresh, those due first, and the rules for them',
        query: [
          parameter('url', 'of this page'),
          parameter('site', 'of this site'),
          parameter('limit', `at most so many; ${limitDefault} unless told`),
        ],
        answer: object({
          visits: { type: 'array', items: visitSchema },
          rules: { type: 'array', items: ruleSchema },
        }),
      },
      handle: async ({ query }) => {
        const [url, site] = [query.get('url') ?? undefined, query.get('site') ?? undefined]
        return jsonAnswer(
          await visitsJson(
            service,
            { url, site },
            limitIn('limit', query.get('limit'), limitDefault, limitMax),
          ),
        )
      },
    },
    {
      methods: ['POST'],
      host: 'archive',
      path,
      writes: true,
      operation: {
        summary:
          'Changes how often a page, a site or everything is visited again, stops it, or takes that back',
        body: requestSchema,
        answer: object({ rules: { type: 'array', items: ruleSchema } }),
      },
      handle: async (request) => {
        const body = await request.json()
        if (typeof body !== 'object' || body === null) throw whatToChange()
        await service.change(...visitRequestOf(body as Record<string, unknown>))
        return jsonAnswer({ rules: (await service.rules()).map(ruleJson) })
      },
    },
  ]
}

/** Of a page, of a site, or of everything. */
export async function visitsJson(
  service: VisitService,
  of: { readonly url?: string | undefined; readonly site?: string | undefined },
  limit: number,
): Promise<object> {
  const visits = await service.planned(targetOf(of), limit)
  return { visits: visits.map(visitJson), rules: (await service.rules()).map(ruleJson) }
}

/** Of what a form or a request says: {site: …, every: '1d'}. */
export function visitRequestOf(fields: Record<string, unknown>): [VisitTarget, VisitRequest] {
  const { every, stop, resume, all, url, site } = fields
  const named = [url, site].filter((name) => name !== undefined && name !== '')
  if (named.length > 1 || (named.length === 0) !== Boolean(all)) throw whatToChange()
  if (named.some((name) => typeof name !== 'string')) throw whatToChange()
  const target = targetOf({ url: url as string | undefined, site: site as string | undefined })
  const isEvery = every !== undefined && every !== ''
  if ([isEvery, Boolean(stop), Boolean(resume)].filter(Boolean).length !== 1) throw whatToChange()
  if (!isEvery) return [target, { kind: stop ? 'stop' : 'resume' }]
  if (typeof every !== 'string') throw badParameter('every', String(every), 'a span such as 1d')
  return [target, { kind: 'every', span: every }]
}

function targetOf({ url, site }: { url?: string | undefined; site?: string | undefined }): VisitTarget {
  if (url) return { kind: 'url', url: urlFromTyped(url).href }
  return site ? { kind: 'site', site: urlFromTyped(site).site } : { kind: 'all' }
}

function visitJson({ dueAtMs, visitedAtMs, intervalMs, ...rest }: PlannedVisit): object {
  const visited = visitedAtMs === undefined ? null : new Date(visitedAtMs).toISOString()
  return { ...rest, intervalMs: intervalMs ?? null, due: new Date(dueAtMs).toISOString(), visited }
}

function ruleJson({ target, bounds }: VisitRule): object {
  return { target, bounds: bounds ?? null }
}

function whatToChange(): ApiError {
  return new ApiError(
    'request-bad-parameter',
    'Say which visits, {"url": …}, {"site": …} or {"all": true}, and what about them: {"every": "1d"}, {"stop": true} or {"resume": true}.',
  )
}
