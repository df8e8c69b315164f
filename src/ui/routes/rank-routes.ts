// The most important sites of the archive; of one site its curve, who links to it, and its best pages.

import type { LinkService } from '../../model/page-link.ts'
import { urlFromTyped } from '../../model/url/url.ts'
import type { HttpAnswer } from '../../platform/network/http-server.ts'
import type { RankService } from '../../rank/rank-service.ts'
import { type PageRequest, type PageRoute, pageAnswer, queryOf } from '../http.ts'
import type { Layout } from '../markup/layout.ts'
import { PageError } from '../page-error.ts'
import { neighbourhoodOf } from '../screens/graph/neighbourhood-drawing.ts'
import { type RankedSite, rankOfSiteScreen, rankScreen } from '../screens/graph/rank.ts'

interface Needs {
  readonly ranks?: RankService | undefined
  readonly links?: LinkService | undefined
  readonly layout: Layout
}

const sitesShown = 50
/** Of so many sites the curve is drawn, and who links to them is asked: every one is a question to all peers. */
const explainedMax = 10
const pagesShown = 50
const linksCounted = 1_000
const charsMax = 4_000

export function rankPageRoutes(needs: Needs): PageRoute[] {
  return [
    {
      host: 'archive',
      path: /^\/rank$/,
      isPage: true,
      methods: ['GET'],
      handle: (request) => show(needs, request),
    },
  ]
}

async function show(needs: Needs, request: PageRequest): Promise<HttpAnswer> {
  const { ranks, layout } = needs
  if (ranks === undefined) throw new PageError('request-malformed')
  const typed = (new URLSearchParams(queryOf(request.target)).get('site') ?? '').trim().slice(0, charsMax)
  const screen = typed === '' ? await topSites(needs, ranks) : await ofSite(needs, ranks, typed)
  return pageAnswer(request, 200, layout.page(screen))
}

async function topSites({ links }: Needs, ranks: RankService) {
  const { ranked, computedMs } = await ranks.top({ isSites: true, limit: sitesShown })
  const sites = ranked.map(async ({ url, score }, place): Promise<RankedSite> => {
    const { site } = urlFromTyped(url)
    if (place >= explainedMax) return { site, score, points: [], linking: [] }
    const [points, { linking }] = await Promise.all([ranks.curve(site), linksOf(links, site, ['to'])])
    return { site, score, points, linking }
  })
  return rankScreen({ sites: await Promise.all(sites), computedMs })
}

async function ofSite({ links }: Needs, ranks: RankService, typed: string) {
  const { site } = urlFromTyped(typed)
  const [answer, points, neighbourhood] = await Promise.all([
    ranks.top({ isSites: false, site, limit: pagesShown }),
    ranks.curve(site),
    linksOf(links, site, ['to', 'from']),
  ])
  return rankOfSiteScreen({ site, pages: answer.ranked, points, neighbourhood })
}

async function linksOf(links: LinkService | undefined, site: string, directions: readonly ('to' | 'from')[]) {
  const of = { kind: 'site', site } as const
  const ask = async (direction: 'to' | 'from') =>
    links === undefined || !directions.includes(direction)
      ? []
      : (await links.links({ direction, of, limit: linksCounted })).links.filter(
          ({ goneMs }) => goneMs === undefined,
        )
  const [to, from] = await Promise.all([ask('to'), ask('from')])
  return neighbourhoodOf(site, to, from)
}
