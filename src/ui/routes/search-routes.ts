// Searching, and what browsers need to offer it.

import { PolyhistorError } from '../../errors.ts'
import { tryParseLink } from '../../model/url/url.ts'
import type { HttpAnswer } from '../../platform/network/http-server.ts'
import { queryCharsMax } from '../../search/query/parse-query.ts'
import { hitsDefault, type SearchService } from '../../search/search-answer.ts'
import type { PageArchive, PageServer } from '../archive.ts'
import { type PageRequest, type PageRoute, pageAnswer, queryOf } from '../http.ts'
import { html } from '../markup/html.ts'
import type { Layout } from '../markup/layout.ts'
import { type SearchAsked, searchScreen } from '../screens/versions/search.ts'
import { withThumbnails } from '../thumbnails.ts'

interface Needs {
  readonly archive: Pick<PageArchive, 'viewTimes'>
  readonly search?: SearchService | undefined
  readonly server: Pick<PageServer, 'archiveOrigin'>
  readonly layout: Layout
  readonly nowMs: () => number
}

/** Pictures bear the time of their capture. */
const nearMs = 60_000

export function searchRoutes(needs: Needs): PageRoute[] {
  return [
    {
      host: 'archive',
      path: /^\/search$/,
      isPage: true,
      methods: ['GET'],
      handle: (request) => show(needs, request),
    },
    {
      host: 'archive',
      path: /^\/opensearch\.xml$/,
      isPage: false,
      methods: ['GET'],
      handle: async () => description(needs.server.archiveOrigin),
    },
  ]
}

async function show({ archive, search, layout, nowMs }: Needs, request: PageRequest): Promise<HttpAnswer> {
  const query = new URLSearchParams(queryOf(request.target))
  const given = (name: string): string => (query.get(name) ?? '').trim()
  const [text, at] = [given('q').slice(0, queryCharsMax), given('at')]
  // Who chooses another time below the field means that one.
  const asked: SearchAsked = { text: at === '' ? text : withoutTimes(text), site: given('site'), at }
  const cursor = given('cursor') || undefined
  const data = { asked, isFirstPage: cursor === undefined, year: new Date(nowMs()).getUTCFullYear() }
  if (search === undefined || (asked.text === '' && asked.site === ''))
    return pageAnswer(request, 200, layout.page(searchScreen({ ...data, answer: undefined })))
  try {
    const question = {
      text: asked.text,
      site: asked.site || undefined,
      at: asked.at || undefined,
      limit: hitsDefault,
      cursor,
      hasFacets: true,
    }
    const answer = await search.search(question)
    const found = answer.hits.map((hit) => ({ ...hit, site: tryParseLink(hit.href)?.site ?? '' }))
    const pageOf = ({ href, timeMs }: (typeof found)[number]) => ({ url: href, capturedAtMs: timeMs })
    const hits = await withThumbnails(archive, found, pageOf, nearMs)
    return pageAnswer(request, 200, layout.page(searchScreen({ ...data, answer: { ...answer, hits } })))
  } catch (error) {
    if (!(error instanceof PolyhistorError) || error.code !== 'search-bad-query') throw error
    const screen = searchScreen({ ...data, answer: undefined, trouble: error.message })
    return pageAnswer(request, 400, layout.page(screen))
  }
}

/** What the words say of the time of versions is left out; phrases stay as they are. */
function withoutTimes(text: string): string {
  const words = text.match(/-?(?:[a-z]+:)?"[^"]*"?|\S+/gi) ?? []
  return words.filter((word) => !/^(?:at|before|after):/i.test(word)).join(' ')
}

/** OpenSearch 1.1: browsers take the archive into their list of search engines. */
function description(origin: string): HttpAnswer {
  const body = html`<?xml version="1.0" encoding="UTF-8"?>
<OpenSearchDescription xmlns="http://a9.com/-/spec/opensearch/1.1/">
<ShortName>Polyhistor</ShortName>
<Description>Search this web archive: pages as they are, and as they were</Description>
<InputEncoding>UTF-8</InputEncoding>
<Url type="text/html" method="get" template="${origin}/search?q={searchTerms}"/>
<Url type="application/json" method="get" template="${origin}/api/v1/search?q={searchTerms}"/>
</OpenSearchDescription>
`
  return {
    status: 200,
    headers: [
      ['Content-Type', 'application/opensearchdescription+xml; charset=utf-8'],
      ['X-Content-Type-Options', 'nosniff'],
      ['Cache-Control', 'no-cache'],
    ],
    body: body.toString(),
  }
}
