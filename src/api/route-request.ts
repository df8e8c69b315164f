// A request on its route: with what the route's path has found in the target.

import type { HttpRequest } from '../platform/network/http-server.ts'
import { ApiError } from './api-error.ts'
import type { RouteHost } from './route.ts'

/** Forms and JSON that people and tools send; files come as streams. */
const bodyBytesMax = 1_000_000

export class RouteRequest {
  readonly method: string
  readonly host: RouteHost
  /** As it came. */
  readonly target: string
  /** What `{rest*}` stands for: raw, query included. */
  readonly rest: string
  /** What the named parts of the path stand for, percent-decoded. */
  readonly parameters: Readonly<Record<string, string>>
  readonly #request: HttpRequest
  readonly #isOwner: () => boolean
  #query: URLSearchParams | undefined
  /** By lower-case name. Parts take it out of the request and call it by itself. */
  readonly header = (name: string): string | undefined => this.#request.header(name)

  constructor(
    request: HttpRequest,
    host: RouteHost,
    rest: string,
    parameters: Readonly<Record<string, string>>,
    isOwner: () => boolean = () => false,
  ) {
    this.method = request.method
    this.host = host
    this.target = request.target
    this.rest = rest
    this.parameters = parameters
    this.#request = request
    this.#isOwner = isOwner
  }

  /** Whether it shows the token or the owner's cookie: for more room than strangers get, not for rights. */
  get isOwner(): boolean {
    return this.#isOwner()
  }

  /** Without the query. */
  get path(): string {
    const question = this.target.indexOf('?')
    return question === -1 ? this.target : this.target.slice(0, question)
  }

  /** The query as parameters: not for routes whose target holds an archived URL. */
  get query(): URLSearchParams {
    if (this.#query === undefined) {
      const question = this.target.indexOf('?')
      this.#query = new URLSearchParams(question === -1 ? '' : this.target.slice(question + 1))
    }
    return this.#query
  }

  get remoteAddress(): string {
    return this.#request.remoteAddress
  }

  get signal(): AbortSignal {
    return this.#request.signal
  }

  body(bytesMax: number): Promise<Uint8Array> {
    return this.#request.body(bytesMax)
  }

  stream(bytesMax: number): AsyncIterable<Uint8Array> {
    return this.#request.stream(bytesMax)
  }

  async text(bytesMax = bodyBytesMax): Promise<string> {
    return Buffer.from(await this.body(bytesMax)).toString('utf8')
  }

  async json(bytesMax = bodyBytesMax): Promise<unknown> {
    const type = this.header('content-type') ?? ''
    // A form of another site can send text/plain without being asked first; it cannot send this.
    if (!/^application\/json\b/i.test(type)) {
      throw new ApiError('request-not-json', 'Send JSON, with Content-Type: application/json.')
    }
    try {
      return JSON.parse(await this.text(bytesMax))
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error
      throw new ApiError('request-malformed', `The body is not valid JSON: ${error.message}`)
    }
  }

  /** `example`: for whoever sent something else. */
  async jsonObject<T extends object>(example: string): Promise<T> {
    const body = await this.json()
    if (typeof body === 'object' && body !== null && !Array.isArray(body)) return body as T
    throw new ApiError('request-malformed', `The body must be a JSON object, such as ${example}.`)
  }
}
