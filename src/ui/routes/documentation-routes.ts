// The documentation that came with the program, at /docs. Its pages were made when it was built, each file as it is now.

import type { HttpAnswer } from '../../platform/network/http-server.ts'
import type { DocumentationFiles } from '../archive.ts'
import { type PageRequest, type PageRoute, pageHeaders, redirectAnswer } from '../http.ts'
import { PageError } from '../page-error.ts'

interface Needs {
  readonly documentation?: DocumentationFiles | undefined
}

export function documentationRoutes({ documentation }: Needs): PageRoute[] {
  if (documentation === undefined) return []
  const route = (path: RegExp, handle: PageRoute['handle']): PageRoute => ({
    methods: ['GET'],
    host: 'archive',
    path,
    isPage: true,
    isOpen: true,
    handle,
  })
  return [
    // Its links are relative, and would lead elsewhere from there.
    route(/^\/docs$/, async () => redirectAnswer('/docs/')),
    route(/^\/docs\//, (request) => fileAnswer(documentation, request)),
  ]
}

async function fileAnswer(documentation: DocumentationFiles, request: PageRequest): Promise<HttpAnswer> {
  const path = request.target.split('?', 1)[0]!.slice('/docs/'.length)
  const file = await documentation.file(path === '' || path.endsWith('/') ? `${path}index.html` : path)
  if (file === undefined) throw new PageError('docs-page-missing')
  if (file.type.startsWith('text/html'))
    return { status: 200, headers: pageHeaders(request, '/docs/assets/'), body: file.bytes }
  return {
    status: 200,
    headers: [
      ['Content-Type', file.type],
      // Names of assets carry a hash of what is in them.
      ['Cache-Control', path.startsWith('assets/') ? 'public, max-age=31536000, immutable' : 'no-cache'],
      ['X-Content-Type-Options', 'nosniff'],
      ['Cross-Origin-Resource-Policy', 'same-origin'],
    ],
    body: file.bytes,
  }
}
