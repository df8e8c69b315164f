// What links to a page or site, and where it links to.

import type { LinkAnswer, LinkDirection, LinkService } from '../../model/page-link.ts'
import { timestampSpan } from '../../model/timestamp.ts'
import { tryParseLink, urlFromTyped } from '../../model/url/url.ts'
import type { HttpAnswer } from '../../platform/network/http-server.ts'
import { type PageRequest, type PageRoute, pageAnswer, queryOf } from '../http.ts'
import type { Layout } from '../markup/layout.ts'
import { PageError } from '../page-error.ts'
import { linksScreen } from '../screens/graph/links.ts'
import { neighbourhoodOf } from '../screens/graph/neighbourhood-drawing.ts'

interface Needs {
  readonly links?: LinkService | undefined
  readonly layout: Layout
}

const shownMax = 200
/** For the picture. */
const countedMax = 2_000
const charsMax = 4_000

export function linksRoutes(needs: Needs): PageRoute[] {
  return [
    {
      host: 'archive',
      path: /^\/links$/,
      isPage: true,
      methods: ['GET'],
      handle: (request) => show(needs, request),
    },
  ]
}

async function show({ links, layout }: Needs, request: PageRequest): Promise<HttpAnswer> {
  const query = new URLSearchParams(queryOf(request.target))
  const direction: LinkDirection = query.has('from') ? 'from' : 'to'
  const typed = (query.get(direction) ?? '').trim().slice(0, charsMax)
  if (links === undefined || typed === '') throw new PageError('request-malformed')
  const url = urlFromTyped(typed)
  // A name alone is a site, what has a path is a page.
  const isSite = /^[^/]+$/.test(typed)
  const of = isSite ? ({ kind: 'site', site: url.site } as const) : ({ kind: 'url', href: url.href } as const)
  const at = query.get('at')
  const time = at ? { atMs: timestampSpan(at).toMs - 1 } : {}
  const found = await links.links({ direction, of, ...time, limit: isSite ? countedMax : shownMax })
  const answer = isSite ? fromOthers(found, url.site, direction) : found
  const screen = linksScreen({
    direction,
    name: isSite ? url.site : url.href,
    isSite,
    site: url.site,
    answer,
    neighbourhood: isSite ? await neighbourhood(links, url.site, time) : undefined,
  })
  return pageAnswer(request, 200, layout.page(screen))
}

/** Of a site, what others have to do with it; its own pages among themselves only where there is nothing else. */
function fromOthers(answer: LinkAnswer, site: string, direction: LinkDirection): LinkAnswer {
  const others = answer.links.filter(
    ({ from, to }) => tryParseLink(direction === 'to' ? from : to)?.site !== site,
  )
  const links = others.length > 0 ? others : answer.links
  return { links: links.slice(0, shownMax), isPartial: answer.isPartial || links.length > shownMax }
}

async function neighbourhood(links: LinkService, site: string, time: { readonly atMs?: number }) {
  const of = { kind: 'site', site } as const
  const [to, from] = await Promise.all(
    (['to', 'from'] as const).map((direction) => links.links({ direction, of, ...time, limit: countedMax })),
  )
  return neighbourhoodOf(site, to!.links, from!.links)
}
