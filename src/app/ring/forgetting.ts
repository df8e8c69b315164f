// Forgets a peer that will not come back, so that its copies are replaced at once instead of after the usual wait.

import { jsonAnswer } from '../../api/answers.ts'
import { badParameter } from '../../api/api-error.ts'
import type { Route } from '../../api/route.ts'
import { object } from '../../api/v1/operation.ts'
import type { PeerId } from '../../platform/network/network.ts'

const wanted = object({ peer: { type: 'string' } })

/** `forget` takes a peer's id, or the end of it, and gives the whole. */
export function forgettingRoute(forget: (peer: string) => Promise<PeerId>): Route {
  return {
    methods: ['POST'],
    host: 'archive',
    path: '/api/v1/network/forget',
    writes: true,
    operation: {
      summary: 'No longer wait for a peer that is away: it will not come back',
      body: wanted,
      answer: wanted,
    },
    handle: async (request) => {
      const { peer } = ((await request.json()) ?? {}) as { peer?: unknown }
      if (typeof peer !== 'string' || peer === '')
        throw badParameter('peer', String(peer), 'the id of a peer, or the end of it')
      return jsonAnswer({ peer: await forget(peer) })
    },
  }
}
