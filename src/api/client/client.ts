// `polyhistor/client`: the HTTP interface of a peer for programs, in a browser or in Node. See docs/api.md.
//
// Needs nothing but `fetch`, and imports nothing. Invariants: whatever a peer refuses rejects with a PeerRefusal that has its code;
// a list that is not all is told (`isPartial`), never silently short; every retry and buffer is bounded.

import type {
  ArchivedLink,
  ArchivedVersion,
  ChangeEvent,
  ChangeFilter,
  Job,
  NewJob,
  NewWatch,
  Ranked,
  SearchResult,
  Watch,
} from './answers.ts'

export type * from './answers.ts'

export interface ClientOptions {
  /** What lets its holder write: the file `token` of the peer's home. Reading needs none. */
  readonly token?: string
  /** Another `fetch` than the one of this platform. */
  readonly fetch?: typeof fetch
}

/** What a peer answered when it did not do what it was asked. */
export class PeerRefusal extends Error {
  readonly status: number
  /** Stable, such as `not-archived`. */
  readonly code: string

  constructor(status: number, code: string, message: string) {
    super(message)
    this.name = 'PeerRefusal'
    this.status = status
    this.code = code
  }

  /** Whether the same may succeed later. */
  get isPassing(): boolean {
    return this.status === 503 || this.status === 429
  }
}

interface Stoppable {
  readonly signal?: AbortSignal
}

interface TimeSpan {
  /** 1 to 14 digits: a year, a day, a second. */
  readonly from?: string
  readonly to?: string
}

export type CaptureSelection = TimeSpan &
  (
    | { readonly url: string }
    | { readonly prefix: string }
    | { readonly host: string }
    | { readonly site: string }
  )

export interface FollowOptions extends ChangeFilter, Stoppable {
  /** A cursor, a time, `1h`, or `now`; everything that is kept unless told. */
  readonly since?: string
  /** False: ends with what there is. */
  readonly follow?: boolean
  /** How often in a row the connection may be lost before that is an error; 20 unless told. */
  readonly attemptsMax?: number
  /** Told where nothing changes, too: up to here all was told. Keep it to go on from there. */
  readonly onCursor?: (cursor: string) => void
}

const attemptsMaxDefault = 20
const pauseMsMin = 250
const pauseMsMax = 30_000
/** An event has a few kilobytes; a line without an end is no event. */
const lineCharsMax = 4_000_000

export class PolyhistorClient {
  readonly #origin: string
  readonly #token: string | undefined
  readonly #fetch: typeof fetch

  /** `address`: where the peer answers, such as `http://localhost:7070`. */
  constructor(address: string, { token, fetch: given }: ClientOptions = {}) {
    this.#origin = new URL(address).origin
    this.#token = token
    this.#fetch = given ?? ((...asked) => fetch(...asked))
  }

  /** Pages by their words: see docs/search.md for what a query can say. */
  search(
    query: string,
    options: {
      readonly site?: string
      readonly at?: string
      readonly limit?: number
      readonly cursor?: string
    } & Stoppable = {},
  ): Promise<SearchResult> {
    const { signal, ...more } = options
    return this.#get('/api/v1/search', { q: query, ...more }, signal)
  }

  /** Of a URL, oldest first. */
  async versions(
    url: string,
    options: TimeSpan & { readonly limit?: number; readonly reverse?: boolean } & Stoppable = {},
  ): Promise<ArchivedVersion[]> {
    const { signal, ...more } = options
    return (await this.#get<{ versions: ArchivedVersion[] }>('/api/v1/versions', { url, ...more }, signal))
      .versions
  }

  /** All captures of a URL, prefix, host or site, read a page at a time as they are asked for. */
  async *captures(
    selection: CaptureSelection,
    { signal }: Stoppable = {},
  ): AsyncGenerator<ArchivedVersion, void> {
    let after: string | null | undefined
    do {
      const query = { ...selection, ...(after && { after }) }
      const page: { captures: ArchivedVersion[]; next: string | null } = await this.#get(
        '/api/v1/captures',
        query,
        signal,
      )
      yield* page.captures
      after = page.next
    } while (after)
  }

  /** The answer that was archived, as it came; the version nearest to `at`, or the newest. */
  read(url: string, { at = '', signal }: { readonly at?: string } & Stoppable = {}): Promise<Response> {
    return this.#ask(at === '' ? `/web/id_/${url}` : `/web/${at}id_/${url}`, { signal })
  }

  /** Where people read it. */
  address(url: string, at?: string): string {
    return `${this.#origin}/web/${at === undefined ? '' : `${at}/`}${url}`
  }

  /** Links of a page (`from`), or those that lead to it (`to`). */
  links(
    options: ({ readonly from: string } | { readonly to: string }) & {
      /** Of, or to, all pages of its site. */
      readonly site?: boolean
      readonly at?: string
      readonly limit?: number
    } & Stoppable,
  ): Promise<{ readonly links: readonly ArchivedLink[]; readonly isPartial: boolean }> {
    const { signal, ...query } = options
    return this.#get('/api/v1/links', query, signal)
  }

  /** The most important pages, or sites. */
  rank(
    options: {
      readonly top?: number
      readonly site?: string
      readonly of?: 'pages' | 'sites'
    } & Stoppable = {},
  ): Promise<{
    readonly ranked: readonly Ranked[]
    readonly isPartial: boolean
    readonly computed: string | null
  }> {
    const { signal, ...query } = options
    return this.#get('/api/v1/rank', query, signal)
  }

  async jobs(options: Stoppable = {}): Promise<Job[]> {
    return (await this.#get<{ jobs: Job[] }>('/api/v1/jobs', {}, options.signal)).jobs
  }

  job(id: string, options: Stoppable = {}): Promise<Job> {
    return this.#get(`/api/v1/jobs/${encodeURIComponent(id)}`, {}, options.signal)
  }

  /** Begins a crawl. Needs the token. */
  crawl(job: NewJob, options: Stoppable = {}): Promise<Job> {
    return this.#send('POST', '/api/v1/jobs', job, options.signal)
  }

  /** `pause`, `resume` or `cancel`. Needs the token. */
  controlJob(id: string, action: 'pause' | 'resume' | 'cancel', options: Stoppable = {}): Promise<Job> {
    return this.#send('POST', `/api/v1/jobs/${encodeURIComponent(id)}/${action}`, {}, options.signal)
  }

  /** Those of this peer's owner. Needs the token. */
  async watches(options: Stoppable = {}): Promise<Watch[]> {
    return (await this.#get<{ watches: Watch[] }>('/api/v1/watches', {}, options.signal)).watches
  }

  /** Needs the token. */
  watch(watch: NewWatch, options: Stoppable = {}): Promise<Watch> {
    return this.#send('POST', '/api/v1/watches', watch, options.signal)
  }

  /** Needs the token. */
  async unwatch(id: string, options: Stoppable = {}): Promise<void> {
    await this.#ask(`/api/v1/watches/${encodeURIComponent(id)}`, { method: 'DELETE', signal: options.signal })
  }

  /**
   * What changes, as it does. At least once: an event may come again after the connection was lost, and none is missing. It goes on by
   * itself from where it was, on a peer that was restarted, too. Each event has the `cursor` to go on from, on any peer. Rejects when
   * what is asked for is not kept any more (code `cursor-too-old`), and when the peer is away for too long.
   */
  async *changes(options: FollowOptions = {}): AsyncGenerator<ChangeEvent, void> {
    const { signal, attemptsMax = attemptsMaxDefault, onCursor, follow = true, ...filter } = options
    let { since } = filter
    for (let failures = 0; ; ) {
      try {
        const query = { ...filter, since, kind: filter.kind?.join(','), follow, cursors: true }
        const response = await this.#ask(`/api/v1/changes${queryText(query)}`, {
          signal,
          headers: { Accept: 'application/x-ndjson' },
        })
        for await (const line of linesOf(response)) {
          const told = JSON.parse(line) as Partial<ChangeEvent> & { gap?: unknown }
          failures = 0
          if (told.cursor !== undefined) since = told.cursor
          if (told.gap !== undefined)
            throw new PeerRefusal(
              410,
              'cursor-too-old',
              'Some changes are not kept any more: the reader fell behind.',
            )
          if (told.id !== undefined) yield told as ChangeEvent
          if (told.cursor !== undefined) onCursor?.(told.cursor)
        }
        if (!follow) return
      } catch (error) {
        const isFinal = error instanceof PeerRefusal && !error.isPassing
        if (signal?.aborted || isFinal || failures >= attemptsMax) throw error
      }
      await paused(Math.min(pauseMsMax, pauseMsMin * 2 ** failures++), signal)
    }
  }

  async #get<T>(path: string, query: Query, signal: AbortSignal | undefined): Promise<T> {
    const response = await this.#ask(path + queryText(query), { signal })
    return response.json() as Promise<T>
  }

  async #send<T>(method: string, path: string, body: object, signal: AbortSignal | undefined): Promise<T> {
    const headers = { 'Content-Type': 'application/json' }
    const response = await this.#ask(path, { method, headers, body: JSON.stringify(body), signal })
    return response.json() as Promise<T>
  }

  async #ask(path: string, init: Asked): Promise<Response> {
    const { signal, headers, ...rest } = init
    const response = await this.#fetch(this.#origin + path, {
      ...rest,
      headers: { ...headers, ...(this.#token !== undefined && { Authorization: `Bearer ${this.#token}` }) },
      ...(signal !== undefined && { signal }),
    })
    if (response.ok) return response
    throw await refusalOf(response)
  }
}

type Query = Readonly<Record<string, string | number | boolean | undefined>>

interface Asked {
  readonly method?: string
  readonly headers?: Record<string, string>
  readonly body?: string
  readonly signal?: AbortSignal | undefined
}

function queryText(query: Query): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined)
  return given.length === 0
    ? ''
    : `?${new URLSearchParams(given.map(([name, value]) => [name, String(value)]))}`
}

/** What was not JSON came from something before the peer, such as a proxy. */
async function refusalOf(response: Response): Promise<PeerRefusal> {
  const text = await response.text().catch(() => '')
  try {
    const { error } = JSON.parse(text) as { error: { code: string; message: string } }
    return new PeerRefusal(response.status, error.code, error.message)
  } catch {
    return new PeerRefusal(response.status, 'http-error', `The peer answered with status ${response.status}.`)
  }
}

/** Lines of a body, without the empty ones. A line that was cut off is not told. */
async function* linesOf(response: Response): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  const reader = response.body!.getReader()
  let rest = ''
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      const lines = (rest + decoder.decode(value, { stream: true })).split('\n')
      rest = lines.pop()!
      if (rest.length > lineCharsMax) throw new Error('A line of the stream has no end.')
      for (const line of lines) if (line !== '') yield line
    }
  } finally {
    await reader.cancel().catch(() => {})
  }
}

function paused(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason)
    const stopped = (): void => {
      clearTimeout(timer)
      reject(signal!.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stopped)
      resolve()
    }, ms)
    signal?.addEventListener('abort', stopped, { once: true })
  })
}
