// `/api/v1/seed-lists`: the URLs of a list on the web, for a crawl to start from. The peer fetches it, with the addresses that it may ask.

import { urlFromTyped } from '../../../model/url/url.ts'
import { jsonAnswer } from '../../answers.ts'
import { ApiError } from '../../api-error.ts'
import type { Route } from '../../route.ts'
import { object } from '../operation.ts'

export interface SeedListService {
  /** Rejects with 'seeds-malformed' for what cannot be had or read. */
  seedsAt(
    url: ReturnType<typeof urlFromTyped>,
  ): Promise<{ readonly format: string; readonly urls: readonly string[]; readonly skipped: number }>
}

/** Each may have megabytes, and take minutes. */
const underWayMax = 4

export function seedListRoutes({ lists }: { lists: SeedListService }): Route[] {
  let underWay = 0
  return [
    {
      methods: ['POST'],
      host: 'archive',
      path: '/api/v1/seed-lists',
      writes: true,
      operation: {
        summary: 'The URLs of a list on the web: a sitemap, a feed, OPML, bookmarks, or one a line',
        body: { type: 'object', required: ['url'], properties: { url: { type: 'string' } } },
        answer: object({
          format: { type: 'string' },
          urls: { type: 'array', items: { type: 'string' } },
          skipped: { type: 'integer', description: 'No web addresses, or more than a crawl may start from.' },
        }),
      },
      handle: async (request) => {
        const body = (await request.json()) as { url?: unknown } | null
        if (typeof body?.url !== 'string')
          throw new ApiError(
            'request-malformed',
            'The body of this request must be a JSON object with the url of the list.',
          )
        if (underWay >= underWayMax)
          throw new ApiError(
            'too-many-streams',
            `${underWay} lists are being fetched already. Try again later.`,
          )
        underWay++
        try {
          const { format, urls, skipped } = await lists.seedsAt(urlFromTyped(body.url))
          return jsonAnswer({ format, urls, skipped })
        } finally {
          underWay--
        }
      },
    },
  ]
}
