// `/api/v1/stats`, `/takedowns`, `/explain`: the archive in numbers, what is hidden, and why a URL is fetched or not.

import { urlFromTyped } from '../../record/url.ts'
import type { HttpAnswer } from '../../world/http-server.ts'
import { jsonAnswer } from '../answers.ts'
import { ApiError, badParameter } from '../api-error.ts'
import type { Route } from '../route.ts'
import type { RouteRequest } from '../route-request.ts'
import type { ArchiveDesk, TakedownTarget } from './archive-desk.ts'
import { object, parameter } from './operation.ts'

const targetSchema = {
  type: 'object',
  properties: {
    url: { type: 'string' },
    prefix: { type: 'string' },
    site: { type: 'string' },
    reason: { type: 'string' },
  },
  minProperties: 1,
}

export function deskRoutes(needs: { desk: ArchiveDesk; whenTakenDown?: (() => void) | undefined }): Route[] {
  const { desk } = needs
  const read = { methods: ['GET'], host: 'archive' as const }
  return [
    {
      ...read,
      path: '/api/v1/stats',
      operation: { summary: 'What the archive holds, and what the peer is doing, in numbers' },
      handle: async () => jsonAnswer(await desk.stats()),
    },
    {
      ...read,
      path: '/api/v1/volumes',
      operation: { summary: 'The volumes, with their paths; for the owner' },
      writes: true,
      handle: async () => jsonAnswer({ volumes: await desk.volumes() }),
    },
    {
      ...read,
      path: '/api/v1/explain',
      operation: {
        summary: 'Whether and when a URL would be fetched, and why',
        query: [{ ...parameter('url', 'the URL; http:// may be left out'), isRequired: true }],
      },
      handle: async ({ query }) => {
        const url = query.get('url')
        if (!url) throw new ApiError('request-bad-parameter', 'Say which page: url=https://example.com/.')
        return jsonAnswer(await desk.explain(urlFromTyped(url)))
      },
      // Asking may send a request for robots.txt to somebody else's server.
      writes: true,
    },
    {
      ...read,
      path: '/api/v1/takedowns',
      operation: { summary: 'What was taken down', answer: object({ takedowns: { type: 'array' } }) },
      handle: () => {
        const takedowns = Array.from(desk.takedowns(), ({ target, atMs, reason }) => ({
          ...target,
          at: new Date(atMs).toISOString(),
          reason,
        }))
        return jsonAnswer({ takedowns })
      },
    },
    {
      methods: ['POST'],
      host: 'archive',
      path: '/api/v1/takedowns',
      writes: true,
      operation: {
        summary: 'Hides a URL, a prefix or a site at once and for good',
        body: targetSchema,
        status: 201,
      },
      handle: async (request) => {
        const answer = await takeDown(desk, request)
        needs.whenTakenDown?.()
        return answer
      },
    },
  ]
}

async function takeDown(desk: ArchiveDesk, request: RouteRequest): Promise<HttpAnswer> {
  const body = await request.json()
  if (typeof body !== 'object' || body === null) throw whatToHide()
  const { reason = '', ...rest } = body as Record<string, unknown>
  if (typeof reason !== 'string') throw badParameter('reason', String(reason), 'a text')
  const target = targetOf(rest)
  return jsonAnswer({ ...target, captures: await desk.takedown(target, reason) }, 201)
}

function targetOf(fields: Record<string, unknown>): TakedownTarget {
  const [[kind, value] = [], ...others] = Object.entries(fields)
  if (others.length > 0 || typeof value !== 'string') throw whatToHide()
  if (kind === 'url' || kind === 'prefix') return { kind, url: urlFromTyped(value).href }
  if (kind === 'site') return { kind, site: value }
  throw whatToHide()
}

function whatToHide(): ApiError {
  return new ApiError(
    'request-bad-parameter',
    'Say what to take down, and one thing only: {"url": …}, {"prefix": …} or {"site": …}, with a "reason".',
  )
}
