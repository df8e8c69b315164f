// `/api/v1/imports`: takes in an archive that lies on the disk of this machine; `/api/v1/uploads`: one that is sent, as the body of the
// request, by whoever may write.
//
// Who stops reading stops the import; it goes on from there when asked for again.

import { jsonAnswer } from '../../answers.ts'
import { ApiError } from '../../api-error.ts'
import type { Route } from '../../route.ts'
import type { RouteRequest } from '../../route-request.ts'
import { object } from '../operation.ts'
import { WorkPlace } from '../work-answer.ts'
import type { ImportService } from './archive-service.ts'
import { permitOf } from './store-routes.ts'

const requestSchema = {
  type: 'object',
  required: ['path'],
  additionalProperties: false,
  properties: {
    path: {
      type: 'string',
      description: 'Absolute; of a .warc, .warc.gz, .warc.zst, .arc, .arc.gz or .wacz.',
    },
    permit: { type: 'string', description: 'Of a command of this home, for a path that no setting allows.' },
    again: { type: 'boolean', description: 'Read it once more although it was imported before.' },
  },
}

export function importRoutes({ imports }: { imports: ImportService }): Route[] {
  const place = new WorkPlace('Another import is under way. Try again when it is done.')
  return [
    {
      methods: ['POST'],
      host: 'archive',
      path: '/api/v1/imports',
      writes: true,
      isTokenOnly: true,
      operation: {
        summary: 'Takes in an archive from the disk of this machine; lines of progress, then the result',
        body: requestSchema,
        type: 'application/x-ndjson',
      },
      handle: async (request) => {
        const wanted = await requestOf(request)
        return place.answer(() => imports.import({ ...wanted, signal: request.signal }))
      },
    },
    {
      methods: ['GET'],
      host: 'archive',
      path: '/api/v1/uploads',
      isForOwner: true,
      operation: {
        summary: 'How large an archive can be sent now',
        answer: object({
          bytesMax: { type: 'integer', description: 'By setting, and by the room on disk.' },
        }),
      },
      // A browser that sends more than is taken is cut off, and cannot say why: so it asks first.
      handle: async () => jsonAnswer({ bytesMax: await imports.uploadBytesMax() }),
    },
    {
      methods: ['POST'],
      host: 'archive',
      path: '/api/v1/uploads',
      writes: true,
      operation: {
        summary:
          'Takes in the archive (WARC, ARC or WACZ) that is the body; lines of progress, then the result',
        type: 'application/x-ndjson',
      },
      handle: (request) =>
        place.answer(async () => {
          const chunks = request.stream(await imports.uploadBytesMax())
          return imports.upload({ chunks, signal: request.signal })
        }),
    },
  ]
}

async function requestOf(
  request: RouteRequest,
): Promise<{ path: string; permit: string | undefined; again: boolean }> {
  const body = (await request.json()) as { path?: unknown; permit?: unknown; again?: unknown } | null
  const { path, permit, again = false } = body ?? {}
  if (typeof path !== 'string' || !path.startsWith('/') || typeof again !== 'boolean')
    throw new ApiError('request-bad-parameter', 'Say which file: {"path": "/an/absolute/path.warc.gz"}.')
  return { path, permit: permitOf(permit), again }
}
