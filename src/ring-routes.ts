// The ring in the API: who is there, and who owns a key.
//
//   GET /api/v1/ring                         what this peer knows of the ring
//   GET /api/v1/lookup?key=HEX | ?url=URL    owner, replicas and hops

import { jsonAnswer } from './api/answers.ts'
import { ApiError } from './api/api-error.ts'
import type { Route } from './api/route.ts'
import { parseRingKey, type RingKey, ringKeyOfSite } from './record/ring-key.ts'
import { parseUrl } from './record/url.ts'
import type { RingPeer } from './ring-peer.ts'

export function ringRoutes(ring: Pick<RingPeer, 'view' | 'lookup'>): Route[] {
  return [
    { methods: ['GET'], host: 'archive', path: '/api/v1/ring', handle: () => jsonAnswer(ring.view()) },
    {
      methods: ['GET'],
      host: 'archive',
      path: '/api/v1/lookup',
      handle: async ({ query }) => jsonAnswer(await ring.lookup(keyAskedFor(query))),
    },
  ]
}

function keyAskedFor(query: URLSearchParams): RingKey {
  const [key, url] = [query.get('key'), query.get('url')]
  if ((key === null) === (url === null)) {
    throw new ApiError('request-malformed', 'Ask for one key, or for one url: ?key=… or ?url=…')
  }
  return key === null ? ringKeyOfSite(parseUrl(url!).site) : parseRingKey(key)
}
