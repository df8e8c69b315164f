// The ring in the API: who is there, and who owns a key.
//
//   GET /api/v1/ring                         what this peer knows of the ring
//   GET /api/v1/ring.svg                     the same as a picture
//   GET /api/v1/lookup?key=HEX | ?url=URL    owner, replicas and hops

import { dataAnswer, jsonAnswer } from '../../api/answers.ts'
import { ApiError, badParameter } from '../../api/api-error.ts'
import type { Route } from '../../api/route.ts'
import { count, object, parameter } from '../../api/v1/operation.ts'
import { type RingKey, ringKeyOfSite } from '../../model/ring-key.ts'
import { parseUrl } from '../../model/url/url.ts'
import type { RingPeer } from './ring-peer.ts'
import { ringPicture } from './ring-picture.ts'

const pictureType = 'image/svg+xml; charset=utf-8'
const text = { type: 'string' }
const keeper = object({ peer: text, position: text, address: text })

export function ringRoutes(ring: Pick<RingPeer, 'view' | 'lookup'>): Route[] {
  return [
    {
      methods: ['GET'],
      host: 'archive',
      path: '/api/v1/ring',
      operation: { summary: 'What this peer knows of the ring: positions, arcs, peers, round trips' },
      handle: () => jsonAnswer(ring.view()),
    },
    {
      methods: ['GET'],
      host: 'archive',
      path: '/api/v1/ring.svg',
      operation: { summary: 'The ring as a picture', type: pictureType },
      handle: () =>
        dataAnswer(pictureType, ringPicture(ring.view()), [
          ['Cache-Control', 'no-store'],
          ['Content-Security-Policy', "sandbox; default-src 'none'; style-src 'unsafe-inline'"],
        ]),
    },
    {
      methods: ['GET'],
      host: 'archive',
      path: '/api/v1/lookup',
      operation: {
        summary: 'Who owns a key or a URL, and who keeps its copies',
        query: [
          parameter('key', 'a ring key: 40 lower-case hex digits'),
          parameter('url', 'a URL, whose site gives the key'),
        ],
        answer: object({ key: text, owner: keeper, replicas: { type: 'array', items: keeper }, hops: count }),
      },
      handle: async ({ query }) => jsonAnswer(await ring.lookup(keyAskedFor(query))),
    },
  ]
}

function keyAskedFor(query: URLSearchParams): RingKey {
  const [key, url] = [query.get('key'), query.get('url')]
  if (key !== null && url === null) {
    if (!/^[0-9a-f]{40}$/.test(key)) throw badParameter('key', key, '40 lower-case hex digits')
    return key as RingKey
  }
  if (url !== null && key === null) return ringKeyOfSite(parseUrl(url).site)
  throw new ApiError('request-malformed', 'Ask for one key, or for one url: ?key=… or ?url=…')
}
