// The life of a request: which host, which route, who may, the route's answer; and what became of errors.
//
// Never throws: what goes wrong is an answer with a status from statuses.ts. Faults of ours are told to the log.

import type { Awaitable } from '../model/listed.ts'
import type { Log } from '../platform/log.ts'
import type { HttpAnswer, HttpRequest } from '../platform/network/http-server.ts'
import type { Access } from './access.ts'
import { ApiError, quoted } from './api-error.ts'
import { boundedHead } from './bounded-head.ts'
import { type FailurePage, failureAnswer, failureOf } from './failure.ts'
import type { Hosts } from './hosts.ts'
import type { Route, RouteHost } from './route.ts'
import { RouteRequest } from './route-request.ts'
import { type Match, Router } from './router.ts'

interface ApiNeeds {
  readonly hosts: Hosts
  readonly access: Access
  readonly log: Log
  readonly failurePage?: FailurePage | undefined
}

export interface ApiOptions {
  /** Whether pages of other sites may read what is there for tools. */
  readonly isReadableByAll: boolean
  /** Only its owner may read it. Archived pages get no cookie: their host has a name that only the owner is told. */
  readonly isPrivate?: boolean | undefined
}

const everyOrigin: readonly [string, string] = ['Access-Control-Allow-Origin', '*']

export class Api {
  readonly #needs: ApiNeeds
  readonly #options: ApiOptions
  readonly #routers: Record<RouteHost, Router>

  constructor(needs: ApiNeeds, routes: readonly Route[], options: ApiOptions) {
    this.#needs = needs
    this.#options = options
    const of = (host: RouteHost) => new Router(routes.filter((route) => route.host === host))
    this.#routers = { archive: of('archive'), replay: of('replay') }
  }

  /** At once where neither the check nor the route has anything to wait for. */
  answer(request: HttpRequest): Awaitable<HttpAnswer> {
    let route: Route | undefined
    try {
      const match = this.#match(request)
      if ('preflight' in match) return match.preflight
      route = match.route
      const asked = this.#asked(request, match)
      const allowed = this.#checkAllowed(request, route)
      const answer =
        allowed === undefined ? route.handle(asked) : allowed.then(() => match.route.handle(asked))
      if (!(answer instanceof Promise)) return this.#finished(answer, route)
      return answer
        .then((it) => this.#finished(it, match.route))
        .catch((error) => this.#failed(error, request, match.route))
    } catch (error) {
      return this.#failed(error, request, route)
    }
  }

  /** Throws, or rejects, unless this request may take this route. */
  #checkAllowed(request: HttpRequest, route: Route): Promise<void> | undefined {
    const isClosed = this.#isClosed(route)
    if (!isClosed && route.isForOwner !== true && route.isTokenOnly !== true && route.writes !== true)
      return undefined
    return this.#checkOwner(request, route, isClosed)
  }

  async #checkOwner(request: HttpRequest, route: Route, isClosed: boolean): Promise<void> {
    const { access } = this.#needs
    if (isClosed) await access.checkReading(request)
    else if (route.isForOwner) await access.checkOwner(request)
    if (route.isTokenOnly) access.checkToken(request)
    else if (route.writes) await access.checkWriting(request, route.isForExtension)
  }

  #finished(answer: HttpAnswer, route: Route): HttpAnswer {
    return boundedHead(this.#dressed(answer, route))
  }

  #isClosed({ host, isOpen }: Route): boolean {
    return this.#options.isPrivate === true && host === 'archive' && isOpen !== true
  }

  #asked(request: HttpRequest, { route, rest, parameters }: Match): RouteRequest {
    const isOwner = () => this.#needs.access.isOwner(request)
    return new RouteRequest(request, route.host, rest, parameters, isOwner)
  }

  #match(request: HttpRequest) {
    const hostName = request.header('host')
    const host = this.#needs.hosts.of(hostName)
    if (host === undefined) {
      throw new ApiError(
        'host-not-ours',
        `This archive is not known as ${quoted(hostName ?? '')}. Its owner can name it so with the settings http.archiveOrigin and http.replayOrigin.`,
      )
    }
    // A target in absolute form could name another host than the Host header does.
    if (!request.target.startsWith('/') && request.target !== '*')
      throw new ApiError('request-malformed', 'Ask for a path of this archive, such as /.')
    const found = this.#routers[host].find(request.method, request.target)
    if (found === undefined) throw new ApiError('route-unknown', 'There is nothing at this address.')
    if ('match' in found) return found.match
    if (request.method === 'OPTIONS') return { preflight: this.#preflight(found.allowed) }
    throw new MethodNotAllowed(request.method, found.allowed)
  }

  /** What may be done here; and to browsers, which ask for another site's page, that reading may be tried. */
  #preflight(allowed: readonly string[]): HttpAnswer {
    const headers: (readonly [string, string])[] = [['Allow', listed(allowed)]]
    if (this.#options.isReadableByAll && allowed.includes('GET')) {
      headers.push(
        everyOrigin,
        ['Access-Control-Allow-Methods', 'GET, HEAD'],
        ['Access-Control-Allow-Headers', 'Accept-Datetime, Range'],
        ['Access-Control-Max-Age', '3600'],
      )
    }
    return { status: 204, headers, body: undefined }
  }

  #dressed(answer: HttpAnswer, route: Route): HttpAnswer {
    if (route.isForEveryOrigin !== true || !this.#options.isReadableByAll) return answer
    const exposed = [
      'Access-Control-Expose-Headers',
      'Link, Memento-Datetime, Content-Location, Content-Range, Accept-Ranges, ETag, Polyhistor-Partial',
    ] as const
    return { ...answer, headers: [...answer.headers, everyOrigin, exposed] }
  }

  async #failed(error: unknown, request: HttpRequest, route: Route | undefined): Promise<HttpAnswer> {
    const isOwner = this.#needs.access.isOwner(request)
    const failure = failureOf(error, isOwner)
    if (failure.status === 500)
      this.#needs.log.error({ err: error, target: loggedTarget(request.target) }, 'A request failed')
    // The page names what is archived near by.
    const failurePage = this.#options.isPrivate && !isOwner ? undefined : this.#needs.failurePage
    const answer = await failureAnswer(failure, request, route, failurePage)
    const more: (readonly [string, string])[] = []
    if (error instanceof MethodNotAllowed) more.push(['Allow', listed(error.allowed)])
    if (failure.status === 503) more.push(['Retry-After', '30'])
    const dressed = { ...answer, headers: [...answer.headers, ...more] }
    return route === undefined ? dressed : this.#dressed(dressed, route)
  }
}

/** Without the code of a one-time link. */
function loggedTarget(target: string): string {
  return target.startsWith('/owner/') ? '/owner/…' : target.slice(0, 200)
}

class MethodNotAllowed extends ApiError {
  readonly allowed: readonly string[]

  constructor(method: string, allowed: readonly string[]) {
    super('method-not-allowed', `${quoted(method)} is not for this address; it takes ${listed(allowed)}.`)
    this.allowed = allowed
  }
}

function listed(methods: readonly string[]): string {
  return [...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].join(', ')
}
