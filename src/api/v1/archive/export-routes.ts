// `/api/v1/export`: captures as a WARC or WACZ file, made while it is downloaded, or made first and read in parts by who asks for
// a range: see export-parts.ts.
//
// How it went is known only when the last byte has been sent: an answer names its export, and `/api/v1/exports/{id}`
// tells of it afterwards.

import type { ArchiveSelection, ExportRequest } from '../../../model/archive.ts'
import { anyTime } from '../../../model/capture-choice.ts'
import { timestampSpan } from '../../../model/timestamp.ts'
import { urlFromTyped } from '../../../model/url/url.ts'
import type { Clock } from '../../../platform/clock.ts'
import type { HttpAnswer } from '../../../platform/network/http-server.ts'
import { jsonAnswer } from '../../answers.ts'
import { ApiError, badParameter } from '../../api-error.ts'
import type { Route } from '../../route.ts'
import type { RouteRequest } from '../../route-request.ts'
import { StreamPlaces } from '../changes/stream-places.ts'
import { parameter, selectionParameters } from '../operation.ts'
import type { ArchiveService } from './archive-service.ts'
import { ExportParts } from './export-parts.ts'
import { betweenOf, selectionOf } from './selection.ts'

/** Each reads, and compresses what it resolves, as fast as it can. */
const exportLimits = { owners: 4, strangers: 4, perAddress: 2 }
const rememberedMax = 100

interface Remembered {
  isDone: boolean
  readonly result: object
}

export class Exports {
  readonly #service: ArchiveService
  readonly #parts: ExportParts
  readonly #remembered = new Map<string, Remembered>()
  readonly #places = new StreamPlaces(exportLimits)
  #last = 0
  #takedowns = ''

  constructor(needs: { service: ArchiveService; clock: Clock }) {
    this.#service = needs.service
    this.#parts = new ExportParts({ monotonicMs: () => needs.clock.monotonicMs() })
  }

  routes(): Route[] {
    return [
      {
        methods: ['GET'],
        host: 'archive',
        path: '/api/v1/export',
        isForEveryOrigin: true,
        operation: {
          summary:
            'Captures of a URL, prefix, host or site, a page with all it needs, or all, as a WARC or WACZ file',
          query: [
            parameter('format', 'warc (.warc.gz) or wacz', { type: 'string', enum: ['warc', 'wacz'] }),
            ...selectionParameters,
            parameter('page', 'one version of this page, with everything it needs, from all hosts'),
            parameter('at', 'with page: the version nearest to this time; 1 to 14 digits'),
            parameter('title', 'the title of a WACZ'),
          ],
          type: 'application/octet-stream',
        },
        handle: (request) => this.#start(request),
      },
      {
        methods: ['GET'],
        host: 'archive',
        path: '/api/v1/exports/{id}',
        operation: { summary: 'How an export went, by the Polyhistor-Export header of its answer' },
        handle: ({ parameters }) => {
          const found = this.#remembered.get(parameters.id!)
          if (found === undefined) throw new ApiError('export-unknown', 'Nothing is known of this export.')
          return jsonAnswer({ done: found.isDone, ...found.result })
        },
      },
    ]
  }

  /** Files that were made before a takedown may hold what is hidden since; those before a release lack what is shown again. */
  forgetTakenDown(): void {
    const times = Array.from(this.#service.takedowns(), ({ atMs }) => atMs)
    const takedowns = `${times.length} ${times.reduce((last, atMs) => Math.max(last, atMs), 0)}`
    if (takedowns !== this.#takedowns) this.#parts.forget()
    this.#takedowns = takedowns
  }

  async #start(request: RouteRequest): Promise<HttpAnswer> {
    const { query, signal } = request
    const format = query.get('format') ?? 'wacz'
    if (format !== 'warc' && format !== 'wacz') throw badParameter('format', format, 'warc or wacz')
    const page = query.get('page') ? await this.#pageOf(request) : undefined
    const selection = page?.selection ?? selectionOf(query) ?? { kind: 'all' }
    const filename = `${nameOf(selection)}.${format === 'warc' ? 'warc.gz' : 'wacz'}`
    const title = query.get('title') ?? page?.title
    const exportRequest = {
      format,
      selection,
      ...betweenOf(query),
      ...page?.exportRequest,
      title,
      filename,
    } as const
    const headers = [
      ['Content-Type', format === 'warc' ? 'application/warc' : 'application/wacz'],
      ['Content-Disposition', `attachment; filename="${filename}"`],
      ['X-Content-Type-Options', 'nosniff'],
      ['Cache-Control', 'no-store'],
    ] as const
    this.forgetTakenDown()
    const wanted = request.header('range')
    if (wanted !== undefined || request.method === 'HEAD') {
      const name = JSON.stringify({
        ...exportRequest,
        captures: page?.exportRequest.captures.map(({ cursor }) => cursor),
        pages: [],
      })
      return this.#parts.answer(name, wanted, headers, () => this.#makeFile(exportRequest, request))
    }
    const leave = this.#places.take(request)
    signal.addEventListener('abort', leave, { once: true })
    const { chunks, result } = this.#service.export({ ...exportRequest, signal })
    const id = String(++this.#last)
    const remembered = { isDone: false, result }
    this.#remember(id, remembered)
    return {
      status: 200,
      headers: [...headers, ['Accept-Ranges', 'bytes'], ['Polyhistor-Export', id]],
      body: this.#counted(chunks, remembered, leave),
    }
  }

  /** One version of a page: what it needs is looked for before anything is answered. */
  async #pageOf({ query, signal }: RouteRequest) {
    if (selectionOf(query) !== undefined)
      throw new ApiError('request-bad-parameter', 'Choose page, or url, prefix, host or site.')
    const url = urlFromTyped(query.get('page')!)
    const at = query.get('at')
    const found = await this.#service.pageCaptures(url, at ? timestampSpan(at) : anyTime, signal)
    if (found === undefined) throw new ApiError('not-archived', `${url.href} is not in this archive.`)
    const { page, captures } = found
    const exportRequest = { captures, pages: [page], mainPageUrl: page.url }
    return { selection: { kind: 'url', url: url.href } as const, title: page.url, exportRequest }
  }

  /** Also when whoever asked first has gone: others may wait for it. */
  async #makeFile(exportRequest: ExportRequest, request: RouteRequest) {
    const leave = this.#places.take(request)
    try {
      return await this.#service.exportFile(exportRequest)
    } finally {
      leave()
    }
  }

  async *#counted(
    chunks: AsyncIterable<Uint8Array>,
    remembered: Remembered,
    leave: () => void,
  ): AsyncGenerator<Uint8Array> {
    try {
      yield* chunks
      remembered.isDone = true
    } finally {
      leave()
    }
  }

  #remember(id: string, remembered: Remembered): void {
    this.#remembered.set(id, remembered)
    const [oldest] = this.#remembered.keys()
    if (this.#remembered.size > rememberedMax) this.#remembered.delete(oldest!)
  }
}

/** A file name that any system takes, and that says what is in the file. */
function nameOf(selection: ArchiveSelection): string {
  switch (selection.kind) {
    case 'all':
      return 'archive'
    case 'host':
      return tame(selection.host)
    case 'site':
      return tame(selection.site)
    default:
      return tame(selection.url.replace(/^https?:\/\//, ''))
  }
}

function tame(text: string): string {
  return (
    text
      .replace(/[^A-Za-z0-9.-]+/g, '-')
      .replace(/^[-.]+|[-.]+$/g, '')
      .slice(0, 80) || 'archive'
  )
}
