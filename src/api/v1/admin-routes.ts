// `/api/v1/admin`: the console for programs: peers' sites, queues and URLs page by page, storage, and actions with their log.
// All of it is the owner's.

import type { ActionRecord } from '../../console/action-record.ts'
import { isUndoable } from '../../console/action-record.ts'
import { actionKinds, readAction } from '../../console/action-request.ts'
import type { Actor } from '../../console/actions.ts'
import type { Console } from '../../console/console.ts'
import { parseRingKey, type RingKey } from '../../model/ring-key.ts'
import { type PageQuestion, surveyPageMax } from '../../model/survey.ts'
import { urlFromTyped } from '../../model/url/url.ts'
import type { HttpAnswer } from '../../platform/network/http-server.ts'
import { jsonAnswer } from '../answers.ts'
import { badParameter } from '../api-error.ts'
import type { Route } from '../route.ts'
import type { RouteRequest } from '../route-request.ts'
import { object, parameter } from './operation.ts'

const limitDefault = 100
const text = { type: 'string' }
const listed = (name: string) =>
  object({ [name]: { type: 'array', items: { type: 'object' } }, next: { type: ['string', 'null'] } })
const ofPeer = parameter('peer', 'of this peer of the network; of the one that is asked unless told')
const page = [
  parameter('after', 'where the page before ended: its `next`'),
  parameter('limit', `at most so many; ${limitDefault} unless told, ${surveyPageMax} at most`),
]
const ofSite = [ofPeer, parameter('site', 'the name of a site, or the ring key that lists give as `key`')]

export function adminRoutes({ console: service }: { console: Console }): Route[] {
  const owners = (
    path: string,
    operation: NonNullable<Route['operation']>,
    handle: (request: RouteRequest) => Promise<object> | object,
  ): Route => ({
    methods: ['GET'],
    host: 'archive',
    path: `/api/v1/admin/${path}`,
    isForOwner: true,
    operation,
    handle: async (request) => jsonAnswer(await handle(request)),
  })
  return [
    owners(
      'sites',
      {
        summary: 'The sites that a peer crawls, in the order of the ring',
        query: [ofPeer, ...page],
        answer: listed('sites'),
      },
      async ({ query }) =>
        pageJson('sites', await service.survey(peerIn(query, service)).sites(pageIn(query))),
    ),
    owners(
      'site',
      {
        summary: 'One of them: its size, lease, members, copies and failing hosts',
        query: ofSite,
        answer: object({ site: { type: ['object', 'null'] } }),
      },
      async ({ query }) => ({
        site: (await service.survey(peerIn(query, service)).site(siteIn(query))) ?? null,
      }),
    ),
    owners(
      'queues',
      {
        summary: 'The queues of a site: one for each crawl and host',
        query: [...ofSite, ...page],
        answer: listed('queues'),
      },
      async ({ query }) =>
        pageJson('queues', await service.survey(peerIn(query, service)).queues(siteIn(query), pageIn(query))),
    ),
    owners(
      'queued',
      {
        summary: 'The URLs that wait in a queue, in their order',
        query: [
          ...ofSite,
          parameter('job', 'of this crawl'),
          parameter('host', 'for this host, with its port'),
          ...page,
        ],
        answer: listed('urls'),
      },
      async ({ query }) => {
        const queue = { job: query.get('job') ?? '', host: query.get('host') ?? '' }
        return pageJson(
          'urls',
          await service.survey(peerIn(query, service)).queued(siteIn(query), queue, pageIn(query)),
        )
      },
    ),
    owners(
      'visits',
      {
        summary: 'The pages of a site that are kept fresh, with their next visits',
        query: [...ofSite, ...page],
        answer: listed('visits'),
      },
      async ({ query }) =>
        pageJson('visits', await service.survey(peerIn(query, service)).visits(siteIn(query), pageIn(query))),
    ),
    owners(
      'storage',
      {
        summary: 'Volumes, what is saved, dead space, rot and upkeep of this peer',
        answer: { type: 'object' },
      },
      () => service.storage(),
    ),
    ...actionRoutes(service, owners),
  ]
}

function actionRoutes(
  { actions }: Console,
  owners: (
    path: string,
    operation: NonNullable<Route['operation']>,
    handle: (request: RouteRequest) => object,
  ) => Route,
): Route[] {
  const action = object({ id: { type: 'integer' }, kind: text, about: text, outcome: text, message: text })
  const write = { methods: ['POST'], host: 'archive', writes: true } as const
  return [
    owners(
      'actions',
      {
        summary: 'What was done from the console: by whom, when, and whether it can be undone; newest first',
        query: [parameter('before', 'those before this id'), parameter('limit', 'at most so many')],
        answer: object({ actions: { type: 'array', items: action } }),
      },
      ({ query }) => {
        const before = query.get('before')
        const { limit } = pageIn(query)
        return {
          actions: actions
            .list(limit, before === null ? undefined : numberIn('before', before))
            .map(actionJson),
        }
      },
    ),
    {
      ...write,
      path: '/api/v1/admin/actions',
      operation: {
        summary: 'Does something, and writes it down',
        body: {
          type: 'object',
          required: ['action'],
          properties: {
            action: { type: 'string', enum: actionKinds },
            site: text,
            host: text,
            url: text,
            every: {
              type: 'string',
              description: 'Of revisit-every: 1d, 1h-7d, never; left out: as it changes.',
            },
            reason: text,
            peer: text,
          },
        },
        answer: object({ action }),
      },
      handle: async (request) =>
        actionAnswer(
          await actions.carryOut(
            readAction(await request.jsonObject('{"action": "pause", "site": …}')),
            actorOf(request),
          ),
        ),
    },
    {
      ...write,
      path: '/api/v1/admin/actions/{id}/undo',
      operation: { summary: 'Takes an action back, where that can be done', answer: object({ action }) },
      handle: async (request) =>
        actionAnswer(await actions.undo(numberIn('id', request.parameters.id ?? ''), actorOf(request))),
    },
  ]
}

/** Who it is, as far as that is known: the owner, in a browser or by a program. */
export function actorOf(request: Pick<RouteRequest, 'header' | 'remoteAddress'>): Actor {
  const by = request.header('authorization') === undefined ? 'browser' : 'program'
  return { by, from: request.remoteAddress.slice(0, 100) }
}

function actionAnswer(record: ActionRecord): HttpAnswer {
  return jsonAnswer({ action: actionJson(record) })
}

function actionJson(record: ActionRecord): object {
  const { atMs, undoneAtMs, undo: _, ...rest } = record
  return {
    ...rest,
    at: new Date(atMs).toISOString(),
    undoneAt: undoneAtMs === undefined ? null : new Date(undoneAtMs).toISOString(),
    isUndoable: isUndoable(record),
  }
}

function pageJson(
  name: string,
  { rows, next }: { rows: readonly object[]; next: string | undefined },
): object {
  return { [name]: rows, next: next ?? null }
}

function peerIn(query: URLSearchParams, { self }: Console): string {
  return query.get('peer') || self
}

function siteIn(query: URLSearchParams): RingKey {
  const site = query.get('site') ?? ''
  return /^[0-9a-f]{40}$/.test(site) ? parseRingKey(site) : urlFromTyped(site).ringKey
}

function pageIn(query: URLSearchParams): PageQuestion {
  const limit = query.get('limit')
  return {
    after: query.get('after') || undefined,
    limit: limit === null ? limitDefault : Math.min(surveyPageMax, Math.max(1, numberIn('limit', limit))),
  }
}

function numberIn(name: string, written: string): number {
  const value = Number(written)
  if (written === '' || !Number.isSafeInteger(value) || value < 0)
    throw badParameter(name, written, 'a whole number')
  return value
}
