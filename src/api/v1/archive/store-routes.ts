// `/api/v1/contents`, `/folders`, `/upkeep`: the store itself, for the commands of its owner.

import type { HttpAnswer } from '../../../platform/network/http-server.ts'
import { isBucketAddress } from '../../../platform/storage/bucket.ts'
import { dataAnswer, jsonAnswer } from '../../answers.ts'
import { badParameter } from '../../api-error.ts'
import type { Route } from '../../route.ts'
import type { RouteRequest } from '../../route-request.ts'
import { object } from '../operation.ts'
import { WorkPlace } from '../work-answer.ts'
import type { FolderMode, PutRequest, StoreService, UpkeepRequest } from './archive-service.ts'

const text = { type: 'string' }
const modes: readonly unknown[] = ['regular', 'compare', 'force-new'] satisfies PutRequest['mode'][]
const folderModes: readonly unknown[] = ['writable', 'read-only'] satisfies FolderMode[]
const tasks: readonly unknown[] = [
  'scrub',
  'compact',
  'move-off',
  'move-volumes',
] satisfies UpkeepRequest['task'][]

export function storeRoutes({ service }: { service: StoreService }): Route[] {
  const owners = { host: 'archive' as const, writes: true }
  const paths = { ...owners, isTokenOnly: true }
  const upkeep = new WorkPlace('Upkeep of the store is under way already. Try again when it is done.')
  const folders = async () => jsonAnswer({ folders: await service.folders() })
  return [
    {
      ...paths,
      methods: ['POST'],
      path: '/api/v1/contents',
      operation: {
        summary: 'Keeps the bytes of a file of this machine, by themselves, under their content key',
        body: object({ path: text, permit: text, mode: { enum: modes }, folder: text, type: text }),
        answer: object({ key: text }),
        status: 201,
      },
      handle: async (request) => jsonAnswer({ key: await service.put(await putRequestOf(request)) }, 201),
    },
    {
      ...owners,
      methods: ['GET'],
      path: '/api/v1/contents/{key}',
      operation: { summary: 'The bytes of a content, by its key', type: 'application/octet-stream' },
      handle: ({ parameters }) => contentAnswer(service.content(parameters.key!)),
    },
    {
      ...owners,
      methods: ['DELETE'],
      path: '/api/v1/contents/{key}',
      operation: { summary: 'Takes one put of a content back' },
      handle: async ({ parameters }) => {
        await service.delete(parameters.key!)
        return jsonAnswer({ key: parameters.key })
      },
    },
    {
      ...owners,
      methods: ['GET'],
      path: '/api/v1/folders',
      operation: {
        summary: 'The folders that volumes lie in',
        answer: object({ folders: { type: 'array' } }),
      },
      handle: folders,
    },
    {
      ...paths,
      methods: ['POST'],
      path: '/api/v1/folders',
      operation: {
        summary: 'Adds a volume folder, or says whether one is written to',
        body: object({ path: text, permit: text, mode: { enum: folderModes }, isNew: { type: 'boolean' } }),
        answer: object({ folders: { type: 'array' } }),
      },
      handle: async (request) => {
        const { path, permit, mode, isNew } = await fieldsOf(request)
        if (!folderModes.includes(mode)) throw badParameter('mode', String(mode), 'writable or read-only')
        await service.setFolder(
          { path: placeIn('path', path), permit: permitOf(permit) },
          mode as FolderMode,
          isNew === true,
        )
        return folders()
      },
    },
    {
      ...paths,
      methods: ['POST'],
      path: '/api/v1/upkeep',
      operation: {
        summary:
          'Scrubs, compacts, moves everything off a folder, or closed volumes to another place; lines of progress, then the result',
        body: object({
          task: { enum: tasks },
          bytesPerSecond: { type: 'number', minimum: 1_000 },
          restart: { type: 'boolean' },
          deadShare: { type: 'number', minimum: 0, maximum: 1 },
          folder: text,
          to: text,
          from: text,
          names: { type: 'array', items: text },
        }),
        type: 'application/x-ndjson',
      },
      handle: async (request) => {
        const wanted = upkeepRequestOf(await fieldsOf(request))
        return upkeep.answer(() => service.upkeep(wanted, request.signal))
      },
    },
  ]
}

/** The first bytes are waited for: what is not here, or known to be damaged, is an error and not an answer cut short. */
async function contentAnswer(content: AsyncIterable<Uint8Array>): Promise<HttpAnswer> {
  const chunks = content[Symbol.asyncIterator]()
  const first = await chunks.next()
  return dataAnswer('application/octet-stream', joined(first, chunks), [['Cache-Control', 'no-store']])
}

async function* joined(
  first: IteratorResult<Uint8Array>,
  rest: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  try {
    for (let next = first; !next.done; next = await rest.next()) yield next.value
  } finally {
    await rest.return?.()
  }
}

async function putRequestOf(request: RouteRequest): Promise<PutRequest> {
  const { path, permit, mode = 'regular', folder, type } = await fieldsOf(request)
  if (!modes.includes(mode)) throw badParameter('mode', String(mode), 'regular, compare or force-new')
  return {
    path: absolute(path),
    permit: permitOf(permit),
    mode: mode as PutRequest['mode'],
    folder: folder === undefined ? undefined : absolute(folder),
    type: type === undefined ? undefined : String(type),
  }
}

function upkeepRequestOf({ task, ...fields }: Record<string, unknown>): UpkeepRequest {
  switch (task) {
    case 'scrub':
      return {
        task,
        bytesPerSecond: numberIn(fields, 'bytesPerSecond', 1_000),
        restart: fields.restart === true,
      }
    case 'compact':
      return { task, deadShare: numberIn(fields, 'deadShare', 0) }
    case 'move-off':
      return { task, folder: placeIn('folder', fields.folder) }
    case 'move-volumes':
      return {
        task,
        to: placeIn('to', fields.to),
        from: fields.from === undefined ? undefined : placeIn('from', fields.from),
        names: namesIn(fields.names),
      }
    default:
      throw badParameter('task', String(task), 'scrub, compact, move-off or move-volumes')
  }
}

async function fieldsOf(request: RouteRequest): Promise<Record<string, unknown>> {
  return { ...((await request.json()) as object | null) }
}

function numberIn(fields: Record<string, unknown>, name: string, min: number): number | undefined {
  const value = fields[name]
  if (value === undefined) return undefined
  if (typeof value !== 'number' || value < min)
    throw badParameter(name, String(value), `a number from ${min} up`)
  return value
}

/** What stands for a file in the home: see the paths that are allowed. */
export function permitOf(permit: unknown): string | undefined {
  if (permit === undefined || typeof permit === 'string') return permit
  throw badParameter('permit', String(permit), 'a text')
}

/** A folder of this machine, or a bucket. */
function placeIn(name: string, place: unknown): string {
  if (typeof place === 'string' && (place.startsWith('/') || isBucketAddress(place))) return place
  throw badParameter(name, String(place), 'an absolute path, or s3://BUCKET/PREFIX')
}

function namesIn(names: unknown): string[] | undefined {
  if (names === undefined) return undefined
  if (Array.isArray(names) && names.every((name) => typeof name === 'string')) return names
  throw badParameter('names', String(names), 'names of volumes')
}

function absolute(path: unknown): string {
  if (typeof path === 'string' && path.startsWith('/')) return path
  throw badParameter('path', String(path), 'an absolute path')
}
