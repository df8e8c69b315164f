// `/api/v1/versions`, `/captures`, `/capture`: what the archive has, for programs.

import { type ArchivedCapture, type CaptureIndex, versionsOf } from '../../../model/archive.ts'
import { anyTime, chooseCapture } from '../../../model/capture-choice.ts'
import type { Awaitable } from '../../../model/listed.ts'
import { printTimestamp, timestampSpan } from '../../../model/timestamp.ts'
import type { Url } from '../../../model/url/url.ts'
import type { Clock } from '../../../platform/clock.ts'
import type { HttpAnswer } from '../../../platform/network/http-server.ts'
import { dataAnswer } from '../../answers.ts'
import { badParameter } from '../../api-error.ts'
import { checkNotTakenDown, notArchived } from '../../archived-url.ts'
import type { Route } from '../../route.ts'
import type { RouteRequest } from '../../route-request.ts'
import { count, object, parameter, selectionParameters, timestamp } from '../operation.ts'
import type { ArchiveService } from './archive-service.ts'
import { captureSchema, capturesAnswer, listMax, urlOf, versionsAnswer } from './capture-lists.ts'

const urlParameter = { ...parameter('url', 'the URL; http:// may be left out'), isRequired: true }

interface Needs {
  readonly archive: CaptureIndex
  readonly clock: Clock
  readonly service: ArchiveService
}

export function captureRoutes(needs: Needs): Route[] {
  const shared = { methods: ['GET'], host: 'archive' as const }
  return [
    {
      ...shared,
      path: '/api/v1/versions',
      operation: {
        summary:
          'The versions of a URL, oldest first; as a line of JSON each when asked for application/x-ndjson',
        query: [
          urlParameter,
          ...selectionParameters.slice(-2),
          parameter('limit', `at most so many; ${listMax} unless as lines`, count),
          parameter('reverse', 'newest first', { type: 'boolean' }),
        ],
        answer: object({ versions: { type: 'array', items: captureSchema } }),
      },
      handle: (request) => versionsAnswer(needs, request),
    },
    {
      ...shared,
      path: '/api/v1/captures',
      operation: {
        summary: 'The captures of a URL, prefix, host or site, or all, a page at a time',
        query: [
          ...selectionParameters,
          parameter('limit', `captures on a page: at most ${listMax}`, count),
          parameter('after', 'where the last page ended: its next'),
        ],
        answer: object({
          captures: { type: 'array', items: captureSchema },
          next: { type: ['string', 'null'] },
        }),
      },
      handle: (request) => capturesAnswer(needs, request),
    },
    {
      ...shared,
      path: '/api/v1/capture',
      operation: {
        summary: 'A capture as it came: HTTP head and payload, or the payload alone where there was no HTTP',
        query: [
          urlParameter,
          parameter('at', 'the version of this time, see Times; the newest when not given', timestamp),
          parameter('policy', 'nearest or not-newer', { type: 'string', enum: ['nearest', 'not-newer'] }),
        ],
        type: 'application/http',
      },
      handle: (request) => capture(needs, request),
    },
  ]
}

async function capture({ archive, service }: Needs, { query }: RouteRequest): Promise<HttpAnswer> {
  const url = urlOf(query)
  checkNotTakenDown(archive, url)
  const found = await find(archive, url, query)
  if (found === undefined) throw notArchived(url)
  const { head, sizeBytes, payload } = await service.read(found)
  const headBytes = head?.length ?? 0
  return dataAnswer(
    head === undefined ? 'application/octet-stream' : 'application/http; msgtype=response',
    joined(head, payload()),
    [
      ['Content-Length', String(headBytes + sizeBytes)],
      ['Content-Security-Policy', "sandbox; default-src 'none'"],
      ['Polyhistor-Timestamp', printTimestamp(found.capturedAtMs)],
      ['Polyhistor-Url', found.url],
      ['Polyhistor-Head-Bytes', String(headBytes)],
    ],
  )
}

function find(
  archive: CaptureIndex,
  url: Url,
  query: URLSearchParams,
): Awaitable<ArchivedCapture | undefined> {
  const at = query.get('at')
  const policy = query.get('policy') ?? 'nearest'
  if (policy !== 'nearest' && policy !== 'not-newer')
    throw badParameter('policy', policy, 'nearest or not-newer')
  const span = at === null || at === '' ? anyTime : timestampSpan(at)
  return chooseCapture(versionsOf(archive), { url, span, policy })
}

async function* joined(
  head: Uint8Array | undefined,
  payload: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  if (head !== undefined) yield head
  yield* payload
}
