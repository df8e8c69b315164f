// Routes: what the server answers, and to whom. Parts bring theirs (pages, replay, the ring), `app/` lists them all.

import type { HttpAnswer } from '../platform/network/http-server.ts'
import type { RouteRequest } from './route-request.ts'
import type { Operation } from './v1/operation.ts'

/** `archive`: the archive's own pages and interfaces. `replay`: archived pages, on an origin of their own. */
export type RouteHost = 'archive' | 'replay'

export interface Route {
  /** GET answers HEAD too. */
  readonly methods: readonly string[]
  readonly host: RouteHost
  /**
   * `/api/v1/jobs/{id}`: words and named parts, each between two slashes. `/web/{rest*}`: `rest` is all that follows in
   * the target as it came, query included. A regular expression that starts with `^\/word\b` is matched against the
   * path without the query, before the others of that word.
   */
  readonly path: string | RegExp
  /** Only with the token, or from our own pages in the owner's browser: see access.ts. */
  readonly writes?: boolean | undefined
  /** Of those that write: the key of a browser extension will do, too. */
  readonly isForExtension?: boolean | undefined
  /** Of those that write: only with the token. For all that name files of this machine. */
  readonly isTokenOnly?: boolean | undefined
  /** Of those that only read: for the owner alone, with the token or in the owner's browser. */
  readonly isForOwner?: boolean | undefined
  /** Answered to everybody, also by an archive that only its owner may read. */
  readonly isOpen?: boolean | undefined
  /** A page of the archive's own: its errors are pages too. */
  readonly isPage?: boolean | undefined
  /** Pages of others may read the answer too. */
  readonly isForEveryOrigin?: boolean | undefined
  /** What the OpenAPI document says of it, for routes of /api/v1. */
  readonly operation?: Operation | undefined
  handle(request: RouteRequest): HttpAnswer | Promise<HttpAnswer>
}
