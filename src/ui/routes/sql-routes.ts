// Questions in SQL, for the owner.

import { PolyhistorError } from '../../errors.ts'
import type { HttpAnswer } from '../../platform/network/http-server.ts'
import type { PageOwner, PageTables } from '../archive.ts'
import { type PageRequest, type PageRoute, pageAnswer } from '../http.ts'
import type { Layout } from '../markup/layout.ts'
import { sqlScreen } from '../screens/sql.ts'

interface Needs {
  readonly tables?: PageTables | undefined
  readonly owner: PageOwner
  readonly layout: Layout
}

const queryCharsMax = 20_000

export function sqlRoutes(needs: Needs): PageRoute[] {
  const shared = { host: 'archive', path: /^\/sql$/, isPage: true } as const
  return [
    { ...shared, methods: ['GET'], handle: (request) => show(needs, request) },
    { ...shared, methods: ['POST'], writes: true, handle: (request) => ask(needs, request) },
  ]
}

async function show({ owner, layout }: Needs, request: PageRequest): Promise<HttpAnswer> {
  return pageAnswer(request, 200, layout.page(sqlScreen({ query: '', isOwner: owner.isOwner(request) })))
}

async function ask({ tables, layout }: Needs, request: PageRequest): Promise<HttpAnswer> {
  const query = (new URLSearchParams(await request.text()).get('query') ?? '').slice(0, queryCharsMax)
  const page = { query, isOwner: true }
  try {
    const answer = await tables?.sql(query)
    return pageAnswer(request, 200, layout.page(sqlScreen({ ...page, answer })))
  } catch (error) {
    if (!(error instanceof PolyhistorError)) throw error
    return pageAnswer(request, 400, layout.page(sqlScreen({ ...page, mistake: error.message })))
  }
}
