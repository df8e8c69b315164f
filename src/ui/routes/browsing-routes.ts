// Browsing: the sites of the archive, and the pages of one of them.

import { parseUrl, urlFromTyped } from '../../model/url/url.ts'
import type { SearchService } from '../../search/search-answer.ts'
import type { PageArchive, PageSiteNames, TitleOf } from '../archive.ts'
import { lastWord, type PageRequest, type PageRoute, pageAnswer, queryOf } from '../http.ts'
import { type Html, html } from '../markup/html.ts'
import type { Layout, Screen } from '../markup/layout.ts'
import { calendarPath, downloadPath, sitePath } from '../markup/links.ts'
import { PageError } from '../page-error.ts'
import { sitesScreen } from '../screens/status/sites.ts'
import { urlListScreen } from '../screens/url-list.ts'
import { siteListOf } from '../site-list.ts'
import { sitesTexts } from '../texts/sites.ts'
import { urlListOf } from '../url-list.ts'

interface Needs {
  readonly archive: PageArchive
  readonly siteNames: PageSiteNames
  readonly titleOf: TitleOf
  readonly search?: SearchService | undefined
  readonly layout: Layout
  readonly breathe: () => Promise<void>
}

const sitesPerPage = 50
const typedCharsMax = 200

export function browsingRoutes(needs: Needs): PageRoute[] {
  const page = (path: RegExp, screen: (request: PageRequest) => Promise<Screen>): PageRoute => ({
    methods: ['GET'],
    host: 'archive',
    path,
    isPage: true,
    handle: async (request) => pageAnswer(request, 200, needs.layout.page(await screen(request))),
  })
  return [
    page(/^\/sites$/, ({ target }) => sites(needs, new URLSearchParams(queryOf(target)))),
    page(/^\/site\/[^/]+$/, ({ target }) => site(needs, target)),
  ]
}

async function sites(needs: Needs, query: URLSearchParams): Promise<Screen> {
  const containing = (query.get('q') ?? '').trim().slice(0, typedCharsMax)
  const after = query.get('after') ?? undefined
  const list = await siteListOf(needs, { containing, after, limit: sitesPerPage })
  return sitesScreen({ list, containing, isFirstPage: after === undefined })
}

async function site(needs: Needs, target: string): Promise<Screen> {
  // Whatever host stands there: pages are listed by site, so a host that is none has its site's.
  const name = urlFromTyped(lastWord(target)).site
  const query = new URLSearchParams(queryOf(target))
  const after = query.get('after') ?? undefined
  const isAll = query.has('all')
  const home = parseUrl(`http://${name}/`)
  if (needs.archive.isTakenDown(home)) throw new PageError('store-taken-down')
  const list = await urlListOf(
    needs,
    { kind: 'site', site: name },
    {
      kind: isAll ? 'all' : 'pages',
      after,
      hasPictures: true,
    },
  )
  return urlListScreen({
    title: sitesTexts.pagesOf({ site: name }),
    eyebrow: isAll ? sitesTexts.allOfEyebrow : sitesTexts.pagesOfEyebrow,
    heading: html`<bdi>${name}</bdi>`,
    typed: name,
    list,
    kind: isAll ? 'all' : 'pages',
    path: sitePath(name),
    isFirstPage: after === undefined,
    tools: [
      ...(needs.search === undefined ? [] : [siteSearchForm(name)]),
      html`<a href="${calendarPath(home.href)}">${sitesTexts.homeVersions}</a>`,
      html`<a href="${downloadPath('site', home.site)}" download>${sitesTexts.downloadAll}</a>`,
      html`<a href="/sites">${sitesTexts.allSites}</a>`,
    ],
  })
}

function siteSearchForm(site: string): Html {
  return html`<form class="narrow-search" action="/search" role="search" aria-label="${sitesTexts.thisSite}"><input type="hidden" name="site" value="${site}"><label class="unseen" for="within">${sitesTexts.wordsOn({ site })}</label>
<input id="within" name="q" type="search" autocomplete="off" required placeholder="${sitesTexts.searchOn({ site })}"><button type="submit">${sitesTexts.search}</button></form>`
}
