// `/api/v1`: who answers here.

import { jsonAnswer } from '../answers.ts'
import type { Route } from '../route.ts'

interface About {
  readonly version: string
  readonly instance: string
}

export function aboutRoutes({ version, instance }: About): Route[] {
  return [
    {
      methods: ['GET'],
      host: 'archive',
      path: '/api/v1',
      operation: { summary: 'Who answers here' },
      handle: () => jsonAnswer({ program: 'polyhistor', version, instance, openapi: '/api/v1/openapi.json' }),
    },
  ]
}
