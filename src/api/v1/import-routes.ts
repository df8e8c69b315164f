// `/api/v1/imports`: takes in an archive that lies on the disk of this machine.
//
// The answer goes on as long as the import does, a line of JSON each: `progress` now and then, `result` or `error` at the
// end. Who stops reading stops the import; it goes on from there when asked for again.

import { dataAnswer, linesType } from '../answers.ts'
import { ApiError } from '../api-error.ts'
import type { Route } from '../route.ts'
import type { RouteRequest } from '../route-request.ts'
import type { ImportDesk, ImportLine } from './archive-desk.ts'

const wishSchema = {
  type: 'object',
  required: ['path'],
  additionalProperties: false,
  properties: {
    path: {
      type: 'string',
      description: 'Absolute; of a .warc, .warc.gz, .warc.zst, .arc, .arc.gz or .wacz.',
    },
    again: { type: 'boolean', description: 'Read it once more although it was imported before.' },
  },
}

export function importRoutes({ imports }: { imports: ImportDesk }): Route[] {
  let isRunning = false
  return [
    {
      methods: ['POST'],
      host: 'archive',
      path: '/api/v1/imports',
      writes: true,
      operation: {
        summary: 'Takes in an archive from the disk of this machine; lines of progress, then the result',
        body: wishSchema,
        type: 'application/x-ndjson',
      },
      handle: async (request) => {
        const wish = await wishOf(request)
        if (isRunning)
          throw new ApiError('too-many-streams', 'Another import is under way. Try again when it is done.')
        isRunning = true
        try {
          const lines = await imports.import({ ...wish, signal: request.signal })
          return dataAnswer(
            linesType,
            freeing(lines, () => {
              isRunning = false
            }),
          )
        } catch (error) {
          isRunning = false
          throw error
        }
      },
    },
  ]
}

async function* freeing(lines: AsyncIterable<ImportLine>, free: () => void): AsyncGenerator<Uint8Array> {
  try {
    for await (const line of lines) yield Buffer.from(`${JSON.stringify(line)}\n`)
  } finally {
    free()
  }
}

async function wishOf(request: RouteRequest): Promise<{ path: string; again: boolean }> {
  if (!request.isLoopback)
    throw new ApiError(
      'import-not-local',
      'Archives are imported from the disk of the machine that the peer runs on, by somebody there.',
    )
  const body = (await request.json()) as { path?: unknown; again?: unknown } | null
  const { path, again = false } = body ?? {}
  if (typeof path !== 'string' || !path.startsWith('/') || typeof again !== 'boolean')
    throw new ApiError('request-bad-parameter', 'Say which file: {"path": "/an/absolute/path.warc.gz"}.')
  return { path, again }
}
