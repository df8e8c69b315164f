// `/api/v1/status`: how this peer and its network do.

import type { NetworkStatus } from '../../model/peer-status.ts'
import { jsonAnswer } from '../answers.ts'
import type { Route } from '../route.ts'

interface StatusService {
  status(): Promise<NetworkStatus>
}

export function statusRoutes({ service }: { service: StatusService }): Route[] {
  return [
    {
      methods: ['GET'],
      host: 'archive',
      path: '/api/v1/status',
      operation: {
        summary: 'Peers, copies, repair, links and disk of the whole network, as far as it answers',
      },
      handle: async () => jsonAnswer(await service.status()),
    },
  ]
}
