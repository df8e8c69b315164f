// `/api/v1/settings/reload`: the settings as they are written now, for whoever has the token.

import { jsonAnswer } from '../answers.ts'
import type { Route } from '../route.ts'
import { object } from './operation.ts'

const change = {
  type: 'object',
  properties: { name: { type: 'string' }, from: { type: 'string' }, to: { type: 'string' } },
}

/** `reload` gives what the answer below says; throws 'configuration-invalid' for settings that cannot be read; then nothing is changed. */
export function settingsRoutes({ reload }: { reload: () => object }): Route[] {
  return [
    {
      methods: ['POST'],
      host: 'archive',
      path: '/api/v1/settings/reload',
      writes: true,
      operation: {
        summary: 'Reads the settings again: what can change while the peer runs does, the rest is named',
        answer: object({
          changed: { type: 'array', items: change, description: 'What holds from now on.' },
          needsRestart: { type: 'array', items: change, description: 'What holds from the next start on.' },
        }),
      },
      handle: async () => jsonAnswer(reload()),
    },
  ]
}
