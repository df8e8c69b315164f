// `/api/v1/links`: which page links to which, from a page or site or to one, as of any time.

import type { LinkAnswer, LinkQuestion, LinkService, PageLink } from '../../model/page-link.ts'
import { timestampSpan } from '../../model/timestamp.ts'
import { urlFromTyped } from '../../model/url/url.ts'
import { jsonAnswer } from '../answers.ts'
import { ApiError } from '../api-error.ts'
import { limitIn } from '../query-values.ts'
import type { Route } from '../route.ts'
import { object, parameter, timestamp } from './operation.ts'

const limitDefault = 1_000
const limitMax = 10_000
const moment = { type: 'string', format: 'date-time' }
const linkSchema = object({
  from: { type: 'string' },
  to: { type: 'string' },
  relation: { type: 'string', description: 'The element and attribute, or header: a href, img src …' },
  nofollow: { type: 'boolean' },
  text: { type: 'string', description: 'What it is linked with.' },
  firstSeen: moment,
  lastSeen: { ...moment, description: 'When a version of the page had it last.' },
  gone: { type: ['string', 'null'], description: 'When a version first lacked it.' },
})

export function linkRoutes({ links }: { links: LinkService }): Route[] {
  return [
    {
      methods: ['GET'],
      host: 'archive',
      path: '/api/v1/links',
      isForEveryOrigin: true,
      operation: {
        summary: 'The links from a page, or those that lead to it, on all peers',
        query: [
          parameter('from', 'links of this page'),
          parameter('to', 'links to this page'),
          parameter('site', 'true: of, or to, all pages of its site', { type: 'boolean' }),
          parameter('at', 'as of this time: 1 to 14 digits; all that are known unless told', timestamp),
          parameter('limit', `at most so many; ${limitDefault} unless told`),
        ],
        answer: object({ links: { type: 'array', items: linkSchema }, isPartial: { type: 'boolean' } }),
      },
      handle: async ({ query }) => jsonAnswer(linksJson(await links.links(linkQuestionOf(query)))),
    },
  ]
}

export function linkQuestionOf(query: URLSearchParams): LinkQuestion {
  const [from, to] = [query.get('from'), query.get('to')]
  if ((from === null) === (to === null))
    throw new ApiError('request-bad-parameter', 'Say which links: from=URL or to=URL.')
  const url = urlFromTyped((from ?? to)!)
  const isSite = query.get('site') === 'true'
  const at = query.get('at')
  return {
    direction: from === null ? 'to' : 'from',
    of: isSite ? { kind: 'site', site: url.site } : { kind: 'url', href: url.href },
    // The end of it: what stood there in that year, say.
    ...(at !== null && at !== '' && { atMs: timestampSpan(at).toMs - 1 }),
    limit: limitIn('limit', query.get('limit'), limitDefault, limitMax),
  }
}

export function linksJson({ links, isPartial }: LinkAnswer): { links: LinkJson[]; isPartial: boolean } {
  return { links: links.map(linkJson), isPartial }
}

export type LinkJson = ReturnType<typeof linkJson>

function linkJson({ from, to, relation, isNoFollow, text, firstSeenMs, lastSeenMs, goneMs }: PageLink) {
  return {
    from,
    to,
    relation,
    nofollow: isNoFollow,
    text,
    firstSeen: new Date(firstSeenMs).toISOString(),
    lastSeen: new Date(lastSeenMs).toISOString(),
    gone: goneMs === undefined ? null : new Date(goneMs).toISOString(),
  }
}
