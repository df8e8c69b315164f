// Lists of captures for programs: all versions of a URL, or captures of a selection a page at a time.

import type { ArchivedCapture, CaptureIndex } from '../../../model/archive.ts'
import { captureJson } from '../../../model/capture-json.ts'
import { type Url, urlFromTyped } from '../../../model/url/url.ts'
import type { Clock } from '../../../platform/clock.ts'
import type { HttpAnswer } from '../../../platform/network/http-server.ts'
import { dataAnswer, gathered, jsonAnswer, linesType } from '../../answers.ts'
import { ApiError } from '../../api-error.ts'
import { checkNotTakenDown } from '../../archived-url.ts'
import { type Batches, backwardOf, forward, forwardOf } from '../../capture-batches.ts'
import { Flags } from '../../query-values.ts'
import type { RouteRequest } from '../../route-request.ts'
import { object } from '../operation.ts'
import { betweenOf, selectionOf } from './selection.ts'

interface Needs {
  readonly archive: CaptureIndex
  readonly clock: Clock
}

const listMaxDefault = 100
export const listMax = 1_000

export const captureSchema = object({
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

export function versionsAnswer(needs: Needs, request: RouteRequest): HttpAnswer | Promise<HttpAnswer> {
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

export async function capturesAnswer(needs: Needs, { query }: RouteRequest): Promise<HttpAnswer> {
  const limit = Math.min(new Flags(query).count('limit') || listMaxDefault, listMax)
  const selection = selectionOf(query) ?? { kind: 'all' as const }
  const wanted = { ...betweenOf(query), selection, after: query.get('after') || undefined, firstSize: limit }
  const found = await firstOf(forward(needs, wanted), limit)
  const next = found.length < limit ? null : found.at(-1)!.cursor
  return jsonAnswer({ captures: found.map(captureJson), next })
}

export function urlOf(query: URLSearchParams): Url {
  const url = query.get('url')
  if (!url) throw new ApiError('request-bad-parameter', 'Say which page: url=https://example.com/.')
  return urlFromTyped(url)
}
