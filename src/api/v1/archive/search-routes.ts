// `/api/v1/search`: the words of archived pages, as of any time.

import {
  hitsDefault,
  hitsMax,
  type SearchAnswer,
  type SearchHit,
  type SearchQuestion,
  type SearchService,
  type SnippetPart,
} from '../../../search/search-answer.ts'
import { jsonAnswer } from '../../answers.ts'
import { limitIn } from '../../query-values.ts'
import type { Route } from '../../route.ts'
import { count, object, parameter } from '../operation.ts'

const moment = { type: 'string', format: 'date-time' }
const counts = { type: 'array', items: object({ name: { type: 'string' }, count }) }
const hitSchema = object({
  url: { type: 'string' },
  time: { ...moment, description: 'Of a capture that shows the text.' },
  title: { type: 'string' },
  snippet: { type: 'string', description: 'HTML: text, with what was looked for in <mark>.' },
  score: { type: 'number' },
  language: { type: 'string' },
  type: { type: 'string', enum: ['html', 'text', 'pdf'] },
  since: { ...moment, description: 'When the page was first seen with this text.' },
  until: { type: ['string', 'null'], description: 'When it was first seen without it.' },
  versions: { ...count, description: 'Texts that the page had in all.' },
  verified: {
    type: 'boolean',
    description:
      'Title and snippet come from captures that this peer has checked, and not from what another tells.',
  },
})

export function searchRoutes({ search }: { search: SearchService }): Route[] {
  return [
    {
      methods: ['GET'],
      host: 'archive',
      path: '/api/v1/search',
      isForEveryOrigin: true,
      operation: {
        summary: 'Pages by their words, as they are or as they were',
        query: [
          parameter(
            'q',
            'words, "phrases", -without, OR, site: url: title: lang: type: before: after: at: (see docs/search.md)',
          ),
          parameter('site', 'only this site, or host'),
          parameter('at', 'as of this time: 2020, 2020-05-01; ever: all versions'),
          parameter('limit', `at most so many, up to ${hitsMax}; ${hitsDefault} unless told`),
          parameter('cursor', 'of an earlier answer: what comes behind it'),
          parameter('facets', 'true: how many there are by site, year, type and language', {
            type: 'boolean',
          }),
        ],
        answer: object({
          total: count,
          partial: { type: 'boolean', description: 'Not everything was searched.' },
          missing: {
            type: 'array',
            items: { type: 'string' },
            description: 'What was not searched, where the answer is partial.',
          },
          hits: { type: 'array', items: hitSchema },
          cursor: { type: ['string', 'null'] },
          suggestion: { type: ['string', 'null'] },
          facets: object({ sites: counts, years: counts, types: counts, languages: counts }),
        }),
      },
      handle: async ({ query }) => jsonAnswer(searchJson(await search.search(searchQuestionOf(query)))),
    },
  ]
}

export function searchQuestionOf(query: URLSearchParams): SearchQuestion {
  const given = (name: string): string | undefined => query.get(name) || undefined
  return {
    text: query.get('q') ?? '',
    site: given('site'),
    at: given('at'),
    limit: limitIn('limit', query.get('limit') || null, hitsDefault, hitsMax),
    cursor: given('cursor'),
    hasFacets: query.get('facets') === 'true',
  }
}

export type SearchJson = ReturnType<typeof searchJson>

export function searchJson(answer: SearchAnswer) {
  const { total, isPartial, missing, hits, cursor, suggestion, facets } = answer
  return {
    total,
    partial: isPartial,
    missing,
    hits: hits.map(hitJson),
    cursor: cursor ?? null,
    suggestion: suggestion ?? null,
    ...(facets !== undefined && { facets }),
  }
}

function hitJson(hit: SearchHit) {
  const { href, timeMs, title, snippet, score, language, type, version, versions, isTold = false } = hit
  return {
    url: href,
    time: new Date(timeMs).toISOString(),
    title,
    snippet: snippetHtml(snippet),
    score,
    language,
    type,
    since: new Date(version.firstMs).toISOString(),
    until: version.endMs === null ? null : new Date(version.endMs).toISOString(),
    versions,
    verified: !isTold,
  }
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

function snippetHtml(parts: readonly SnippetPart[]): string {
  return parts
    .map(({ text, isMarked }) => {
      const escaped = text.replace(/[&<>"]/g, (character) => entities[character]!)
      return isMarked ? `<mark>${escaped}</mark>` : escaped
    })
    .join('')
}
