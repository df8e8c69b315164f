// Archiving from the browser: what the bookmarklet and the extension are, and the question that the bookmarklet leads to.

import { urlFromTyped } from '../../model/url/url.ts'
import type { PageOwner, PageServer } from '../archive.ts'
import { type PageRequest, type PageRoute, pageAnswer, queryOf } from '../http.ts'
import type { Layout } from '../markup/layout.ts'
import { archiveRequestScreen, toolsScreen } from '../screens/browser-tools.ts'

interface Needs {
  readonly owner: PageOwner
  readonly server: Pick<PageServer, 'archiveOrigin'>
  readonly layout: Layout
}

export function toolsRoutes({ owner, server, layout }: Needs): PageRoute[] {
  const shared = { methods: ['GET'], host: 'archive', isPage: true } as const
  return [
    {
      ...shared,
      path: /^\/tools$/,
      handle: async (request) => pageAnswer(request, 200, layout.page(toolsScreen(server.archiveOrigin))),
    },
    {
      ...shared,
      path: /^\/archive$/,
      handle: async (request) => {
        const { href } = urlFromTyped(new URLSearchParams(queryOf(request.target)).get('url') ?? '')
        return pageAnswer(request, 200, layout.page(archiveRequestScreen(href, isOwner(owner, request))))
      },
    },
  ]
}

/** The cookie is not sent when another site's page leads here; when our form is sent, it is. */
function isOwner(owner: PageOwner, request: PageRequest): boolean | undefined {
  if (owner.isOwner(request)) return true
  return /^(?:none|same-origin)$/.test(request.header('sec-fetch-site') ?? '') ? false : undefined
}
