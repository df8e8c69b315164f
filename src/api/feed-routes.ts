// Feeds for feed readers: `/feeds/atom?url=…|prefix=…|site=…` for everybody who may read the archive, `/feeds/watch/KEY` for whoever was
// given that address by the watch's owner: feed readers cannot show a token.

import type { Feeds } from '../changes/feeds/feeds.ts'
import { pagesMax } from '../changes/feeds/feeds.ts'
import type { WatchTarget } from '../changes/watches/page-watch.ts'
import type { WatchService } from '../changes/watches/watches.ts'
import { atomType } from '../formats/atom/atom-feed.ts'
import { digestHex, digestOf } from '../model/digest.ts'
import { urlFromTyped } from '../model/url/url.ts'
import type { HttpAnswer } from '../platform/network/http-server.ts'
import { dataAnswer } from './answers.ts'
import { ApiError, badParameter } from './api-error.ts'
import type { Route } from './route.ts'
import type { RouteRequest } from './route-request.ts'

interface Needs {
  readonly feeds: Pick<Feeds, 'atom' | 'watchAtom'>
  readonly watches: Pick<WatchService, 'findByFeedKey'>
  /** Where this archive is read. */
  readonly origin: string
}

const tagChars = 32

export function feedRoutes({ feeds, watches, origin }: Needs): Route[] {
  return [
    {
      methods: ['GET'],
      host: 'archive',
      path: '/feeds/atom',
      handle: async (request) => {
        const target = feedTarget(request.query)
        const name = target.kind === 'site' ? target.site : target.url
        const path = `/feeds/atom?${new URLSearchParams({ [target.kind]: name })}`
        return answer(request, await feeds.atom(target, { origin, path, page: pageOf(request) }), 'no-cache')
      },
    },
    {
      methods: ['GET'],
      host: 'archive',
      path: '/feeds/watch/{key}',
      // Its key is the permission.
      isOpen: true,
      handle: async (request) => {
        const key = request.parameters.key!
        const view = watches.findByFeedKey(key)
        if (view === undefined) throw new ApiError('route-unknown', 'There is no such feed.')
        const address = { origin, path: `/feeds/watch/${key}`, page: pageOf(request) }
        return answer(request, feeds.watchAtom(view, address), 'private, no-cache')
      },
    },
  ]
}

/** Throws when it is not said, or said twice. */
export function feedTarget(query: URLSearchParams): WatchTarget {
  const said = (['url', 'prefix', 'site'] as const).filter((name) => query.get(name))
  const [kind] = said
  if (kind === undefined || said.length > 1)
    throw new ApiError('request-bad-parameter', 'Say what the feed is of: one of url, prefix or site.')
  const url = urlFromTyped(query.get(kind)!)
  return kind === 'site' ? { kind, site: url.site } : { kind, url: url.href }
}

function pageOf({ query }: RouteRequest): number {
  const written = query.get('page')
  const page = written === null ? 1 : Number(written)
  if (!Number.isInteger(page) || page < 1 || page > pagesMax)
    throw badParameter('page', written ?? '', `a number from 1 to ${pagesMax}`)
  return page
}

function answer(request: RouteRequest, xml: string, caching: string): HttpAnswer {
  const tag = `"${digestHex(digestOf('sha256', xml)).slice(0, tagChars)}"`
  const headers = [
    ['ETag', tag],
    ['Cache-Control', caching],
    ['Referrer-Policy', 'no-referrer'],
  ] as const
  const known = request
    .header('if-none-match')
    ?.split(',')
    .map((one) => one.trim().replace(/^W\//, ''))
  if (known?.some((one) => one === tag || one === '*')) return { status: 304, headers, body: undefined }
  return dataAnswer(atomType, xml, headers)
}
