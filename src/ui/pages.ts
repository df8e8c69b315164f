// The archive's pages: all their routes, and the page for what goes wrong.

import type { Console } from '../console/console.ts'
import type { LinkService } from '../model/page-link.ts'
import type { NetworkStatus } from '../model/peer-status.ts'
import type { Url } from '../model/url/url.ts'
import type { HttpAnswer } from '../platform/network/http-server.ts'
import type { RankService } from '../rank/rank-service.ts'
import type { SearchService } from '../search/search-answer.ts'
import { parseComparing, parseReading, parseUntimed } from './address.ts'
import type {
  DocumentationFiles,
  PageAccounts,
  PageArchive,
  PageAssets,
  PageJobs,
  PageOwner,
  PagePictures,
  PageRules,
  PageServer,
  PageSettings,
  PageSiteNames,
  PageTables,
  PageTexts,
  PageVisits,
  PageWatching,
  TitleOf,
} from './archive.ts'
import { type AskedBy, type PageRoute, pageAnswer } from './http.ts'
import { Layout } from './markup/layout.ts'
import { guessesFor } from './near-misses.ts'
import { accountRoute } from './routes/account-route.ts'
import { assetRoute } from './routes/asset-route.ts'
import { browsingRoutes } from './routes/browsing-routes.ts'
import { type Comparing, compareRoute, pickedRoute } from './routes/compare-route.ts'
import { consoleRoutes } from './routes/console-routes.ts'
import { documentationRoutes } from './routes/documentation-routes.ts'
import { languageRoute } from './routes/language-route.ts'
import { linksRoutes } from './routes/links-routes.ts'
import { ownRoutes } from './routes/own-routes.ts'
import { ownerRoutes } from './routes/owner-routes.ts'
import { planRoute } from './routes/plan-route.ts'
import { rankPageRoutes } from './routes/rank-routes.ts'
import { readingRoutes } from './routes/reading-routes.ts'
import { rulesRoutes } from './routes/rules-routes.ts'
import { searchRoutes } from './routes/search-routes.ts'
import { settingsRoutes } from './routes/settings-routes.ts'
import { sqlRoutes } from './routes/sql-routes.ts'
import { thumbnailRoute } from './routes/thumbnail-route.ts'
import { toolsRoutes } from './routes/tools-routes.ts'
import { visitsRoutes } from './routes/visits-routes.ts'
import { watchesRoutes } from './routes/watches-routes.ts'
import { webhooksRoutes } from './routes/webhooks-routes.ts'
import { failureScreen } from './screens/failure.ts'
import { interfacesScreen, type ShownOperation } from './screens/interfaces.ts'
import { YearCache } from './year-cache.ts'

interface PagesNeeds {
  readonly archive: PageArchive
  readonly siteNames: PageSiteNames
  readonly titleOf: TitleOf
  readonly jobs: PageJobs
  readonly owner: PageOwner
  readonly server: PageServer
  readonly texts: PageTexts
  readonly pictures: PagePictures
  readonly accounts: PageAccounts
  readonly comparing: Comparing
  readonly assets: PageAssets
  readonly documentation?: DocumentationFiles | undefined
  readonly settings?: PageSettings | undefined
  readonly visits?: PageVisits | undefined
  readonly links?: LinkService | undefined
  readonly search?: SearchService | undefined
  readonly ranks?: RankService | undefined
  readonly tables?: PageTables | undefined
  readonly rules?: PageRules | undefined
  readonly watching?: PageWatching | undefined
  readonly console?: Console | undefined
  /** Of this peer and those it is with. */
  readonly networkStatus?: (() => Promise<NetworkStatus>) | undefined
  /** Whether what was listed for the page that is being made may lack something. */
  readonly isPartial?: (() => boolean) | undefined
  /** Lets others have the thread. */
  readonly breathe: () => Promise<void>
  /** Never goes back. */
  readonly monotonicMs: () => number
  /** Of the wall's clock. */
  readonly nowMs: () => number
}

interface Failure {
  readonly status: number
  readonly code: string
  readonly message: string
}

export interface Pages {
  readonly routes: readonly PageRoute[]
  /** The page that describes these, which are known when all routes are. */
  interfacesRoute(operations: readonly ShownOperation[]): PageRoute
  failurePage(failure: Failure, request: AskedBy & { readonly target: string }): Promise<HttpAnswer>
}

export function pagesOf(needs: PagesNeeds): Pages {
  const layout = new Layout(needs.assets, needs.isPartial)
  const shared = { ...needs, layout, years: new YearCache(needs.monotonicMs) }
  return {
    routes: [
      ...ownRoutes(shared),
      ...browsingRoutes(shared),
      ...settingsRoutes(shared),
      ...visitsRoutes(shared),
      ...watchesRoutes(shared),
      ...webhooksRoutes(shared),
      ...linksRoutes(shared),
      ...searchRoutes(shared),
      ...rankPageRoutes(shared),
      ...sqlRoutes(shared),
      planRoute(shared),
      ...rulesRoutes(shared),
      ...consoleRoutes(shared),
      ...toolsRoutes(shared),
      ...ownerRoutes(shared),
      ...readingRoutes(shared),
      compareRoute(shared),
      pickedRoute,
      languageRoute,
      assetRoute(needs.assets),
      ...documentationRoutes(shared),
      thumbnailRoute(needs),
      accountRoute(needs),
    ],
    interfacesRoute: (operations) => ({
      methods: ['GET'],
      host: 'archive',
      path: /^\/interfaces$/,
      isPage: true,
      handle: async (request) => pageAnswer(request, 200, layout.page(interfacesScreen(operations))),
    }),
    failurePage: async (failure, request) => {
      const url = archivedUrlIn(request.target)
      const screen = failureScreen({
        ...failure,
        url: url?.href,
        isOwner: needs.owner.isOwner(request),
        typed: typedIn(request.target),
        ...(failure.status === 404 && url !== undefined && (await guessesFor(needs, url))),
      })
      return pageAnswer(request, failure.status, layout.page(screen))
    },
  }
}

/** What the form at the top was sent with. */
function typedIn(target: string): string | undefined {
  const [path, query] = target.split('?', 2)
  return path === '/go' ? (new URLSearchParams(query).get('url') ?? undefined) : undefined
}

/** The archived URL that an address names, when it is one. */
function archivedUrlIn(target: string): Url | undefined {
  for (const parse of [parseReading, parseComparing, parseUntimed]) {
    try {
      return parse(target).url
    } catch {
      // Then it is another kind of address, or none; the failure at hand says so already.
    }
  }
  return undefined
}
