// `/api/v1/rank`: the most important pages or sites, by PageRank of the link graph of all peers.

import { urlFromTyped } from '../../model/url/url.ts'
import type { RankAnswer, RankAsked, RankService } from '../../rank/rank-service.ts'
import { jsonAnswer } from '../answers.ts'
import { badParameter } from '../api-error.ts'
import { limitIn } from '../query-values.ts'
import type { Route } from '../route.ts'
import { object, parameter } from './operation.ts'

const topDefault = 20
export const topMax = 1_000
const score = { type: 'number', description: 'The share of all ranks, which sum up to 1' }

export function rankRoutes({ ranks }: { ranks: RankService }): Route[] {
  return [
    {
      methods: ['GET'],
      host: 'archive',
      path: '/api/v1/rank',
      isForEveryOrigin: true,
      operation: {
        summary: 'The most important pages or sites, by PageRank of the links between all archived pages',
        query: [
          parameter('top', `at most so many; ${topDefault} unless told`),
          parameter('site', 'only pages of this site'),
          parameter('of', 'pages unless told, or sites'),
        ],
        answer: object({
          ranked: { type: 'array', items: object({ url: { type: 'string' }, score }) },
          isPartial: { type: 'boolean' },
          computed: { type: ['string', 'null'], description: 'When ranks were computed last.' },
        }),
      },
      handle: async ({ query }) => jsonAnswer(rankJson(await ranks.top(rankAskedOf(query)))),
    },
    {
      methods: ['GET'],
      host: 'archive',
      path: '/api/v1/rank/curve',
      isForEveryOrigin: true,
      operation: {
        summary: 'The score of a site over time, oldest first',
        query: [parameter('site', 'the site')],
        answer: object({
          points: {
            type: 'array',
            items: object({ time: { type: 'string', format: 'date-time' }, score }),
          },
        }),
      },
      handle: async ({ query }) => {
        const site = siteOf(query.get('site'))
        if (site === undefined) throw badParameter('site', '', 'the name of a site')
        const points = await ranks.curve(site)
        return jsonAnswer({
          points: points.map((point) => ({ time: new Date(point.atMs).toISOString(), score: point.score })),
        })
      },
    },
  ]
}

export function rankAskedOf(query: URLSearchParams): RankAsked {
  const of = query.get('of') ?? 'pages'
  if (of !== 'pages' && of !== 'sites') throw badParameter('of', of, 'pages or sites')
  const site = siteOf(query.get('site'))
  return {
    isSites: of === 'sites' && site === undefined,
    site,
    limit: limitIn('top', query.get('top'), topDefault, topMax),
  }
}

export function rankJson({ ranked, isPartial, computedMs }: RankAnswer) {
  return { ranked, isPartial, computed: computedMs === 0 ? null : new Date(computedMs).toISOString() }
}

function siteOf(written: string | null): string | undefined {
  return written === null || written === '' ? undefined : urlFromTyped(written).site
}
