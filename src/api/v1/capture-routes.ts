// `/api/v1/versions`, `/captures`, `/capture`: what the archive has, for programs.

import { printDigest } from '../../record/digest.ts'
import { printTimestamp, timestampSpan } from '../../record/timestamp.ts'
import { type Url, urlFromTyped } from '../../record/url.ts'
import type { Clock } from '../../world/clock.ts'
import type { HttpAnswer } from '../../world/http-server.ts'
import { dataAnswer, gathered, jsonAnswer, linesType } from '../answers.ts'
import { ApiError, badParameter } from '../api-error.ts'
import type { ArchivedCapture, CaptureIndex } from '../archive.ts'
import { checkNotTakenDown, notArchived } from '../archived-url.ts'
import { type Batches, backwardOf, forward, forwardOf } from '../capture-batches.ts'
import { Flags } from '../query-values.ts'
import type { Route } from '../route.ts'
import type { RouteRequest } from '../route-request.ts'
import type { ArchiveDesk } from './archive-desk.ts'
import { count, object, parameter, selectionParameters, timestamp } from './operation.ts'
import { betweenOf, selectionOf } from './selection.ts'

const listMaxDefault = 100
const listMax = 1_000
const endOfTimeMs = Date.UTC(9999, 0)
const urlParameter = { ...parameter('url', 'the URL; http:// may be left out'), isRequired: true }

interface Needs {
  readonly archive: CaptureIndex
  readonly clock: Clock
  readonly desk: ArchiveDesk
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
      handle: (request) => versions(needs, request),
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
      handle: (request) => captures(needs, request),
    },
    {
      ...shared,
      path: '/api/v1/capture',
      operation: {
        summary: 'A capture as it came: HTTP head and payload, or the payload alone where there was no HTTP',
        query: [
          urlParameter,
          parameter('at', 'the version nearest to this time; the newest when not given', timestamp),
          parameter('policy', 'nearest or not-newer', { type: 'string', enum: ['nearest', 'not-newer'] }),
        ],
        type: 'application/http',
      },
      handle: (request) => capture(needs, request),
    },
  ]
}

const captureSchema = object({
  url: { type: 'string', format: 'uri' },
  surt: { type: 'string' },
  timestamp: { type: 'string' },
  capturedAt: { type: 'string', format: 'date-time' },
  status: { type: 'integer' },
  mime: { type: 'string' },
  kind: { type: 'string', enum: ['full', 'plain', 'same', 'delta', 'not-modified'] },
  content: { type: ['string', 'null'] },
  payloadBytes: { type: 'integer' },
  storedBytes: { type: 'integer' },
  recordId: { type: 'string', format: 'uuid' },
})

export function captureJson(capture: ArchivedCapture): object {
  const { url, surt, status, mime, kind, content, payloadBytes, storedBytes, recordId } = capture
  return {
    url,
    surt,
    timestamp: printTimestamp(capture.capturedAtMs),
    capturedAt: new Date(capture.capturedAtMs).toISOString(),
    status,
    mime,
    kind,
    content:
      content === undefined
        ? null
        : `${printDigest(content.digest)}${content.overflow === 0 ? '' : `.${content.overflow}`}`,
    payloadBytes,
    storedBytes,
    recordId,
  }
}

function versions(needs: Needs, request: RouteRequest): HttpAnswer | Promise<HttpAnswer> {
  const { query } = request
  const flags = new Flags(query)
  const url = urlOf(query)
  checkNotTakenDown(needs.archive, url)
  const between = betweenOf(query)
  const found = flags.isOn('reverse')
    ? backwardOf(needs, url, between)
    : forwardOf(needs, url, { ...between, firstSize: flags.count('limit') || undefined })
  const limit = flags.count('limit')
  if ((request.header('accept') ?? '').includes('application/x-ndjson'))
    return dataAnswer(linesType, gathered(lines(found, limit)))
  return listed(found, Math.min(limit ?? listMax, listMax))
}

async function listed(batches: Batches, limit: number): Promise<HttpAnswer> {
  return jsonAnswer({ versions: (await firstOf(batches, limit)).map(captureJson) })
}

async function* lines(batches: Batches, limit = Number.POSITIVE_INFINITY): AsyncGenerator<string> {
  let left = limit
  for await (const batch of batches) {
    yield batch
      .slice(0, left)
      .map((capture) => `${JSON.stringify(captureJson(capture))}\n`)
      .join('')
    left -= batch.length
    if (left <= 0) return
  }
}

async function firstOf(batches: Batches, limit: number): Promise<ArchivedCapture[]> {
  const found: ArchivedCapture[] = []
  if (limit === 0) return found
  for await (const batch of batches) {
    found.push(...batch.slice(0, limit - found.length))
    if (found.length >= limit) break
  }
  return found
}

async function captures(needs: Needs, { query }: RouteRequest): Promise<HttpAnswer> {
  const limit = Math.min(new Flags(query).count('limit') || listMaxDefault, listMax)
  const selection = selectionOf(query) ?? { kind: 'all' as const }
  const wish = { ...betweenOf(query), selection, after: query.get('after') || undefined, firstSize: limit }
  const found = await firstOf(forward(needs, wish), limit)
  const next = found.length < limit ? null : found.at(-1)!.cursor
  return jsonAnswer({ captures: found.map(captureJson), next })
}

async function capture({ archive, desk }: Needs, { query }: RouteRequest): Promise<HttpAnswer> {
  const url = urlOf(query)
  checkNotTakenDown(archive, url)
  const found = find(archive, url, query)
  if (found === undefined) throw notArchived(url)
  const { head, sizeBytes, payload } = await desk.read(found)
  const headBytes = head?.length ?? 0
  return dataAnswer(
    head === undefined ? 'application/octet-stream' : 'application/http; msgtype=response',
    joined(head, payload()),
    [
      ['Content-Length', String(headBytes + sizeBytes)],
      ['Content-Security-Policy', "sandbox; default-src 'none'"],
      ['Polyhistor-Timestamp', printTimestamp(found.capturedAtMs)],
      ['Polyhistor-Head-Bytes', String(headBytes)],
    ],
  )
}

function find(archive: CaptureIndex, url: Url, query: URLSearchParams): ArchivedCapture | undefined {
  const at = query.get('at')
  const policy = query.get('policy') ?? 'nearest'
  if (policy !== 'nearest' && policy !== 'not-newer')
    throw badParameter('policy', policy, 'nearest or not-newer')
  const span = at === null || at === '' ? undefined : timestampSpan(at)
  if (policy === 'nearest' && span !== undefined) return archive.nearest(url, span.fromMs)
  const [newest] = archive.versions(url, { toMs: span?.toMs ?? endOfTimeMs, reverse: true, limit: 1 })
  return newest
}

async function* joined(
  head: Uint8Array | undefined,
  payload: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  if (head !== undefined) yield head
  yield* payload
}

function urlOf(query: URLSearchParams): Url {
  const url = query.get('url')
  if (!url) throw new ApiError('request-bad-parameter', 'Say which page: url=https://example.com/.')
  return urlFromTyped(url)
}
