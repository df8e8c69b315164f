// The archive's pages: all their routes, and the page for what goes wrong.

import type { NetworkStatus } from '../record/peer-status.ts'
import type { HttpAnswer } from '../world/http-server.ts'
import { parseComparing, parseReading } from './address.ts'
import type { PageArchive, PageAssets, PageJobs, PageOwner, PageServer, PageTexts } from './archive.ts'
import { type AskedBy, type PageRoute, pageAnswer } from './http.ts'
import { Layout } from './layout.ts'
import { assetRoute } from './routes/asset-route.ts'
import { type Comparing, compareRoute } from './routes/compare-route.ts'
import { ownRoutes } from './routes/own-routes.ts'
import { ownerRoutes } from './routes/owner-routes.ts'
import { readingRoutes } from './routes/reading-routes.ts'
import { failureScreen } from './screens/failure.ts'
import { YearCache } from './year-cache.ts'

export interface PagesNeeds {
  readonly archive: PageArchive
  readonly jobs: PageJobs
  readonly owner: PageOwner
  readonly server: PageServer
  readonly texts: PageTexts
  readonly comparing: Comparing
  readonly assets: PageAssets
  /** Of this peer and those it is with. */
  readonly networkStatus?: (() => Promise<NetworkStatus>) | undefined
  /** Whether what was listed for the page that is being made may lack something. */
  readonly isPartial?: (() => boolean) | undefined
  /** Lets others have the thread. */
  readonly breathe: () => Promise<void>
  /** Never goes back. */
  readonly monotonicMs: () => number
}

interface Failure {
  readonly status: number
  readonly code: string
  readonly message: string
}

export interface Pages {
  readonly routes: readonly PageRoute[]
  failurePage(failure: Failure, request: AskedBy & { readonly target: string }): HttpAnswer
}

export function pagesOf(needs: PagesNeeds): Pages {
  const layout = new Layout(needs.assets, needs.isPartial)
  const shared = { ...needs, layout, years: new YearCache(needs.monotonicMs) }
  return {
    routes: [
      ...ownRoutes(shared),
      ...ownerRoutes(shared),
      ...readingRoutes(shared),
      compareRoute(shared),
      assetRoute(needs.assets),
    ],
    failurePage: (failure, request) => {
      const isOwner = needs.owner.isOwner(request)
      const screen = failureScreen({ ...failure, url: archivedUrlIn(request.target), isOwner })
      return pageAnswer(request, failure.status, layout.page(screen))
    },
  }
}

/** The archived URL that an address names, when it is one. */
function archivedUrlIn(target: string): string | undefined {
  for (const parse of [parseReading, parseComparing]) {
    try {
      return parse(target).url.href
    } catch {
      // Then it is another kind of address, or none; the failure at hand says so already.
    }
  }
  return undefined
}
