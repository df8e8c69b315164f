// Talks to a running peer for a command: the same questions over HTTP that the command would ask the store.
//
// What the peer refuses comes as an error with the peer's own code and sentence, so that exit codes stay the same.

import { PolyhistorError } from '../../errors.ts'
import { readLines } from '../input/lines.ts'

export class PeerError extends PolyhistorError {}

interface ServerEvent {
  readonly name: string
  readonly data: unknown
}

export class PeerClient {
  readonly url: string
  /** The home folder of the peer, where it is on this machine. */
  readonly home: string | undefined
  readonly #token: string | undefined

  constructor(url: string, token: string | undefined, home?: string) {
    this.url = url
    this.home = home
    this.#token = token
  }

  async get<T>(path: string, query: Record<string, string | undefined> = {}): Promise<T> {
    return (await (await this.open(path, query)).json()) as T
  }

  post<T>(path: string, body: object = {}): Promise<T> {
    return this.#send<T>('POST', path, body)
  }

  put<T>(path: string, body: object = {}): Promise<T> {
    return this.#send<T>('PUT', path, body)
  }

  patch<T>(path: string, body: object): Promise<T> {
    return this.#send<T>('PATCH', path, body)
  }

  async delete<T>(path: string): Promise<T> {
    return (await (await this.#fetch(path, { method: 'DELETE' })).json()) as T
  }

  /** An answer that is a JSON document a line. */
  async *postLines<T>(path: string, body: object, signal: AbortSignal): AsyncGenerator<T> {
    const headers = { 'Content-Type': 'application/json' }
    const response = await this.#fetch(path, { method: 'POST', headers, body: JSON.stringify(body), signal })
    for await (const line of readLines(this.body(response), lineBytesMax)) yield JSON.parse(line) as T
  }

  /** The answer itself, for what is streamed. */
  open(
    path: string,
    query: Record<string, string | undefined> = {},
    options: { accept?: string; signal?: AbortSignal } = {},
  ): Promise<Response> {
    const given = Object.entries(query).filter((pair): pair is [string, string] => pair[1] !== undefined)
    const search = given.length === 0 ? '' : `?${new URLSearchParams(given)}`
    const { accept = 'application/json', signal } = options
    return this.#fetch(`${path}${search}`, { headers: { Accept: accept }, ...(signal && { signal }) })
  }

  /** A JSON document a line. */
  async *lines<T>(path: string, query: Record<string, string | undefined> = {}): AsyncGenerator<T> {
    const response = await this.open(path, query, { accept: 'application/x-ndjson' })
    for await (const line of readLines(this.body(response), lineBytesMax)) yield JSON.parse(line) as T
  }

  /** Server-Sent Events, to the end of the stream. */
  async *events(path: string): AsyncGenerator<ServerEvent> {
    const response = await this.open(path, {}, { accept: 'text/event-stream' })
    let name = 'message'
    let data = ''
    for await (const line of readLines(this.body(response), lineBytesMax)) {
      if (line.startsWith('event: ')) name = line.slice(7)
      else if (line.startsWith('data: ')) data += line.slice(6)
      else if (line === '' && data !== '') {
        yield { name, data: JSON.parse(data) }
        name = 'message'
        data = ''
      }
    }
  }

  /** Its bytes; one that is cut off ends with an error. */
  async *body(response: Response): AsyncGenerator<Uint8Array> {
    try {
      if (response.body !== null) yield* response.body
    } catch (error) {
      throw this.#gone(error)
    }
  }

  async #send<T>(method: string, path: string, body: object): Promise<T> {
    const headers = { 'Content-Type': 'application/json' }
    return (await (await this.#fetch(path, { method, headers, body: JSON.stringify(body) })).json()) as T
  }

  async #fetch(path: string, options: RequestInit): Promise<Response> {
    const headers = new Headers(options.headers)
    if (this.#token !== undefined) headers.set('Authorization', `Bearer ${this.#token}`)
    let response: Response
    try {
      response = await fetch(`${this.url}${path}`, { ...options, headers, redirect: 'error' })
    } catch (error) {
      if (options.signal?.aborted) throw error
      throw this.#gone(error)
    }
    if (response.ok) return response
    throw await refusal(response)
  }

  #gone(cause: unknown): PeerError {
    const why = (cause as { cause?: Error }).cause?.message ?? (cause as Error).message
    return new PeerError('peer-unreachable', `The peer at ${this.url} cannot be reached: ${why}`, {
      retry: 'later',
      cause,
    })
  }
}

const lineBytesMax = 16 * 1024 * 1024

async function refusal(response: Response): Promise<PeerError> {
  const text = await response.text().catch(() => '')
  const retry = response.status === 503 || response.status === 507 ? 'later' : 'never'
  try {
    const { code, message } = (JSON.parse(text) as { error: { code: string; message: string } }).error
    return new PeerError(code, message, { retry })
  } catch {
    return new PeerError('peer-refused', `The peer answered ${response.status}: ${text.slice(0, 200)}`, {
      retry,
    })
  }
}
