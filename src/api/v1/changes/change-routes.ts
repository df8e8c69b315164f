// `/api/v1/changes`: what changes on the sites of the archive, as it happens: Server-Sent Events, or a JSON object a line.
//
// What a reader has not taken is not read from the log: a slow one costs a page of memory for each peer, and loses nothing.

import { changeKinds } from '../../../changes/change-event.ts'
import { parseCursor } from '../../../changes/cursor.ts'
import type { StoredEvent } from '../../../changes/event-coding.ts'
import { EventFilter, type FilterOptions } from '../../../changes/event-filter.ts'
import type { ChangeStream, StreamOptions, Told } from '../../../changes/stream/change-stream.ts'
import { urlFromTyped } from '../../../model/url/url.ts'
import type { HttpAnswer } from '../../../platform/network/http-server.ts'
import { badParameter } from '../../api-error.ts'
import { Flags } from '../../query-values.ts'
import type { Route } from '../../route.ts'
import type { RouteRequest } from '../../route-request.ts'
import { parameter } from '../operation.ts'
import { type ChangeFormat, changeFormats, textOf } from './change-lines.ts'
import { StreamPlaces } from './stream-places.ts'

export interface ChangeService {
  stream(options: StreamOptions): ChangeStream
  isHidden(url: string): boolean
  nowMs(): number
}

const places = { owners: 50, strangers: 100, perAddress: 10 }
const beatMs = 15_000
const flag = { type: 'boolean' }

export function changeRoutes({ service }: { service: ChangeService }): Route[] {
  const streams = new StreamPlaces(places)
  return [
    {
      methods: ['GET'],
      host: 'archive',
      path: '/api/v1/changes',
      operation: {
        summary: 'Everything that changes on the sites of the archive, from a cursor on, as it happens',
        type: 'application/x-ndjson',
        query: [
          parameter(
            'since',
            'a cursor from an earlier answer, a time, how long ago that was (1h, 7d), or "now"; all that is kept unless told',
          ),
          parameter('follow', 'false: ends when all that there is was told', flag),
          parameter('site', 'of this site'),
          parameter('host', 'of this host'),
          parameter('prefix', 'of URLs that begin like this one'),
          parameter('pattern', 'of URLs in which this regular expression (RE2) is found'),
          parameter('kind', `of these kinds, with commas between: ${changeKinds.join(', ')}`),
          parameter('minChange', 'the least share of words that differ, 0 to 1', { type: 'number' }),
          parameter('job', 'of visits that this job asked for'),
          parameter('cosmetic', 'false: without changes of parts that differ at every visit', flag),
          parameter('documents', 'true: pages and documents only, no pictures, styles or scripts', flag),
          parameter('cursors', 'true: also tells cursors where there is no event for some time', flag),
        ],
      },
      handle: (request) => follow(service, streams, request),
    },
  ]
}

async function follow(
  service: ChangeService,
  streams: StreamPlaces,
  request: RouteRequest,
): Promise<HttpAnswer> {
  const { query, signal } = request
  const format = formatOf(request.header('accept') ?? '')
  const lastId = request.header('last-event-id')
  if (lastId) query.set('since', lastId)
  const headers = [
    ['Content-Type', changeFormats[format]],
    ['Cache-Control', 'no-store'],
    ['X-Content-Type-Options', 'nosniff'],
    ['X-Accel-Buffering', 'no'],
  ] as const
  if (request.method !== 'GET') return { status: 200, headers, body: undefined }
  const leave = streams.take(request)
  signal.addEventListener('abort', leave, { once: true })
  try {
    const changes = await wantedChanges(service, query, signal)
    return { status: 200, headers, body: written(changes, format, leave) }
  } catch (error) {
    leave()
    throw error
  }
}

async function* written(
  changes: AsyncIterable<Wanted>,
  format: ChangeFormat,
  leave: () => void,
): AsyncGenerator<Uint8Array> {
  try {
    for await (const { told, hasCursors } of changes) {
      const text = textOf(told, format, hasCursors)
      if (text !== '') yield Buffer.from(text)
    }
  } finally {
    leave()
  }
}

interface Wanted {
  readonly told: Told
  readonly hasCursors: boolean
}

/** What the parameters of the route ask for. Rejects before the first event, when they cannot be followed. */
export async function wantedChanges(
  service: ChangeService,
  query: URLSearchParams,
  signal: AbortSignal,
): Promise<AsyncIterable<Wanted>> {
  const flags = new Flags(query)
  const since = query.get('since') || undefined
  const cursor = since === undefined ? 0 : parseCursor(since, service.nowMs())
  const filter = new EventFilter(filterOf(query, flags))
  const isFollowing = query.get('follow') === null || flags.isOn('follow')
  const hasCursors = flags.isOn('cursors')
  const stream = service.stream({ cursor, isFollowing, signal })
  try {
    await stream.begin()
  } catch (error) {
    await stream.close()
    throw error
  }
  const isWanted = (event: StoredEvent) => filter.isWanted(event) && !service.isHidden(event.url)
  return filtered(service, stream, isWanted, hasCursors)
}

async function* filtered(
  service: ChangeService,
  stream: ChangeStream,
  isWanted: (event: StoredEvent) => boolean,
  hasCursors: boolean,
): AsyncGenerator<Wanted> {
  let toldAtMs = service.nowMs()
  for await (const told of stream.told()) {
    const events = told.kind === 'events' ? told.events.filter(isWanted) : []
    const isNothing = told.kind === 'events' && events.length === 0
    // A stream of which nothing is wanted is not to look dead.
    if (isNothing && service.nowMs() - toldAtMs < beatMs) continue
    toldAtMs = service.nowMs()
    if (isNothing) yield { told: { kind: 'beat', cursor: told.cursor }, hasCursors }
    else yield { told: told.kind === 'events' ? { ...told, events } : told, hasCursors }
  }
}

function formatOf(accept: string): ChangeFormat {
  return /\btext\/event-stream\b/i.test(accept) ? 'events' : 'lines'
}

function filterOf(query: URLSearchParams, flags: Flags): FilterOptions {
  const text = (name: string) => query.get(name) || undefined
  const [site, host, prefix, minChange] = [text('site'), text('host'), text('prefix'), text('minChange')]
  if (minChange !== undefined && !(Number(minChange) >= 0 && Number(minChange) <= 1))
    throw badParameter('minChange', minChange, 'a number from 0 to 1')
  return {
    site: site && urlFromTyped(site).site,
    host: host && urlFromTyped(host).host,
    prefix: prefix && urlFromTyped(prefix).href,
    pattern: text('pattern'),
    kinds: text('kind')?.split(','),
    minChange: minChange === undefined ? undefined : Number(minChange),
    job: text('job'),
    cosmetic: text('cosmetic') === undefined ? undefined : flags.isOn('cosmetic'),
    documentsOnly: flags.isOn('documents'),
  }
}
