// `/api/v1/stats`, `/takedowns`, `/explain`: the archive in numbers, what is hidden, and why a URL is fetched or not.

import { urlFromTyped } from '../../../model/url/url.ts'
import { jsonAnswer } from '../../answers.ts'
import { ApiError, badParameter } from '../../api-error.ts'
import type { Route } from '../../route.ts'
import type { RouteRequest } from '../../route-request.ts'
import { object, parameter } from '../operation.ts'
import type { ArchiveService, TakedownTarget, TakedownView } from './archive-service.ts'

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

export function archiveServiceRoutes(needs: {
  service: ArchiveService
  whenTakenDown?: (() => void) | undefined
}): Route[] {
  const { service } = needs
  const read = { methods: ['GET'], host: 'archive' as const }
  const changing =
    (what: 'takedown' | 'destroy' | 'release', status = 200) =>
    async (request: RouteRequest) => {
      const { target, reason } = await requestOf(request)
      const outcome = await service[what](target, reason)
      needs.whenTakenDown?.()
      return jsonAnswer({ ...target, ...outcome }, status)
    }
  return [
    {
      ...read,
      path: '/api/v1/stats',
      operation: { summary: 'What the archive holds, and what the peer is doing, in numbers' },
      handle: async () => jsonAnswer(await service.stats()),
    },
    {
      ...read,
      path: '/api/v1/volumes',
      operation: { summary: 'The volumes, with their paths; for the owner' },
      writes: true,
      handle: async () => jsonAnswer({ volumes: await service.volumes() }),
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
        return jsonAnswer(await service.explain(urlFromTyped(url)))
      },
      // Asking may send a request for robots.txt to somebody else's server.
      writes: true,
    },
    {
      ...read,
      path: '/api/v1/takedowns',
      operation: { summary: 'What was taken down', answer: object({ takedowns: { type: 'array' } }) },
      handle: () => {
        return jsonAnswer({ takedowns: Array.from(service.takedowns(), viewOf) })
      },
    },
    {
      methods: ['POST'],
      host: 'archive',
      path: '/api/v1/takedowns',
      writes: true,
      operation: {
        summary:
          'Hides a URL, a prefix or a site at once; it can be taken back for the time of store.takedownUndo',
        body: targetSchema,
        status: 201,
      },
      handle: changing('takedown', 201),
    },
    {
      methods: ['POST'],
      host: 'archive',
      path: '/api/v1/takedowns/destroy',
      writes: true,
      // Nobody but the owner, knowingly: there is no way back.
      isTokenOnly: true,
      operation: {
        summary: 'The same with no way back on this peer: the next compaction ends the bytes',
        body: targetSchema,
        status: 201,
      },
      handle: changing('destroy', 201),
    },
    {
      methods: ['POST'],
      host: 'archive',
      path: '/api/v1/takedowns/release',
      writes: true,
      operation: { summary: 'Takes a takedown back: what it hid is shown again', body: targetSchema },
      handle: changing('release'),
    },
  ]
}

function viewOf({ target, atMs, reason, by, stage, finalAtMs, isHeld, captures }: TakedownView): object {
  const isFinal = stage === 'destroying' || stage === 'destroyed'
  const until = isFinal ? undefined : new Date(finalAtMs).toISOString()
  const held = isHeld && !isFinal ? { isHeld } : {}
  return { ...target, at: new Date(atMs).toISOString(), reason, by, captures, until, ...held }
}

async function requestOf(request: RouteRequest): Promise<{ target: TakedownTarget; reason: string }> {
  const body = await request.json()
  if (typeof body !== 'object' || body === null) throw whatToHide()
  const { reason = '', ...rest } = body as Record<string, unknown>
  if (typeof reason !== 'string') throw badParameter('reason', String(reason), 'a text')
  return { target: targetOf(rest), reason }
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
