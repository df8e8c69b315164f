// The body of POST /api/v1/jobs, checked. A name that means nothing is an error: a mistyped limit is no limit.

import { type JobRequest, jobPriorities, jobScopes } from '../../../model/jobs/job-service.ts'
import { browserUses } from '../../../model/jobs/site-rule.ts'
import { urlFromTyped } from '../../../model/url/url.ts'
import { ApiError, badParameter, quoted } from '../../api-error.ts'

const seedsMax = 100_000
const texts = { type: 'array', items: { type: 'string' } }
const number = { type: 'integer', minimum: 0 }

/** What a job may be told: also what the OpenAPI document says. */
export const requestSchema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    url: { type: 'string', description: 'Where to start; http:// may be left out.' },
    seeds: { ...texts, description: 'Where to start, when that is more than one.' },
    scope: { type: 'string', enum: jobScopes, default: 'host' },
    depth: { ...number, description: 'Steps from a start.' },
    include: { ...texts, description: 'Regular expressions: only URLs that match one.' },
    exclude: { ...texts, description: 'Regular expressions: no URLs that match one.' },
    pages: { ...number, description: 'Stop after so many pages.' },
    bytes: { ...number, description: 'Stop after so many bytes.' },
    timeMs: { ...number, description: 'Stop after so long.' },
    types: { type: 'string', description: 'Keep only these, with commas between: html,image,css …' },
    sitemaps: { type: 'boolean', description: 'Follow the sitemaps of the sites.' },
    browser: {
      type: 'string',
      enum: browserUses,
      description:
        'Show pages in a browser: all, those that would be empty without, or none. As the peer is set unless told.',
    },
    priority: { type: 'string', enum: jobPriorities, default: 'normal' },
  },
}
const names = new Set(Object.keys(requestSchema.properties))

export function parseJobRequest(body: unknown): JobRequest {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) throw malformed('a JSON object')
  const fields = body as Record<string, unknown>
  for (const name of Object.keys(fields)) {
    if (!names.has(name)) {
      throw new ApiError(
        'request-bad-parameter',
        `A job has no ${quoted(name)}. It takes ${[...names].join(', ')}.`,
      )
    }
  }
  const seeds = seedsOf(fields)
  return {
    seeds,
    scope: scopeOf(fields.scope),
    depth: countOf('depth', fields.depth),
    include: textsOf('include', fields.include),
    exclude: textsOf('exclude', fields.exclude),
    types: typesOf(fields.types),
    sitemaps: sitemapsOf(fields.sitemaps),
    browser: browserOf(fields.browser),
    priority: priorityOf(fields.priority),
    budgets: {
      pages: countOf('pages', fields.pages),
      bytes: countOf('bytes', fields.bytes),
      timeMs: countOf('timeMs', fields.timeMs),
    },
  }
}

/** One page, and nothing to be chosen about it. */
export function parsePageRequest(body: unknown): { readonly url: string } {
  const { url, ...rest } = typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : {}
  if (typeof url !== 'string' || Object.keys(rest).length > 0) throw malformed('"url" alone: the page')
  return { url: urlFromTyped(url).href }
}

function seedsOf({ url, seeds }: Record<string, unknown>): string[] {
  const starts = [...(url === undefined ? [] : [url]), ...(textsOf('seeds', seeds) ?? [])]
  if (starts.length === 0) throw malformed('"url" or "seeds": where to start')
  if (starts.length > seedsMax) throw malformed(`at most ${seedsMax} seeds`)
  return starts.map((text) => {
    if (typeof text !== 'string') throw badParameter('url', String(text), 'a URL')
    return urlFromTyped(text).href
  })
}

function scopeOf(value: unknown): JobRequest['scope'] {
  if (value === undefined) return 'host'
  const scope = jobScopes.find((known) => known === value)
  if (scope === undefined) throw badParameter('scope', String(value), `one of ${jobScopes.join(', ')}`)
  return scope
}

function priorityOf(value: unknown): JobRequest['priority'] {
  if (value === undefined || value === null) return undefined
  const priority = jobPriorities.find((known) => known === value)
  if (priority === undefined)
    throw badParameter('priority', String(value), `one of ${jobPriorities.join(', ')}`)
  return priority
}

/** Which there are the crawler knows, and says. */
function typesOf(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined
  if (typeof value !== 'string')
    throw badParameter('types', JSON.stringify(value), 'names with commas between')
  return value
}

function sitemapsOf(value: unknown): true | undefined {
  if (value === undefined || value === null || value === false) return undefined
  if (value !== true) throw badParameter('sitemaps', JSON.stringify(value), 'true or false')
  return true
}

function browserOf(value: unknown): JobRequest['browser'] {
  if (value === undefined || value === null) return undefined
  const use = browserUses.find((known) => known === value)
  if (use === undefined) throw badParameter('browser', String(value), `one of ${browserUses.join(', ')}`)
  return use
}

function countOf(name: string, value: unknown): number | undefined {
  if (value === undefined || value === null) return undefined
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0)
    throw badParameter(name, String(value), 'a whole number from 0 on')
  return value
}

function textsOf(name: string, value: unknown): string[] | undefined {
  if (value === undefined || value === null) return undefined
  if (!Array.isArray(value) || value.some((text) => typeof text !== 'string'))
    throw badParameter(name, JSON.stringify(value), 'a list of strings')
  return value as string[]
}

function malformed(expects: string): ApiError {
  return new ApiError('request-malformed', `The body of this request must have ${expects}.`)
}
