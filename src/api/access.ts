// Who may write: whoever has the token, and the owner's browser. Where a request comes from gives no rights: other users,
// proxies and forwarders of this machine are as local as its owner.
//
// Tools send the token as `Authorization: Bearer …`. A browser gets a cookie for a one-time link (owner/), and writes with it
// only from our own pages: Origin and Sec-Fetch-Site say so, and no page can make them up. What names files of this machine
// takes the token only. A browser extension has a key that is good for `isForExtension` routes alone (owner/extension-keys.ts).

import type { HttpRequest } from '../platform/network/http-server.ts'
import { ApiError } from './api-error.ts'
import { bearerOf, type ExtensionKeys } from './owner/extension-keys.ts'
import type { OwnerCookie } from './owner/owner-cookie.ts'
import { isSameSecret } from './owner/same-secret.ts'

export class Access {
  readonly #cookie: OwnerCookie
  readonly #keys: ExtensionKeys | undefined
  readonly #token: string

  constructor(needs: { cookie: OwnerCookie; keys?: ExtensionKeys | undefined }, token: string) {
    this.#cookie = needs.cookie
    this.#keys = needs.keys
    this.#token = token
  }

  /** Throws unless this request may write; `isForExtension`: the key of an extension will do. */
  async checkWriting(request: HttpRequest, isForExtension = false): Promise<void> {
    const authorization = request.header('authorization')
    if (this.#isKey(authorization)) await this.#checkKey(request, isForExtension)
    else if (authorization !== undefined) this.#checkBearer(authorization)
    else await this.#checkCookie(request)
  }

  /** Throws unless this request may read an archive that is its owner's alone. Browsers send the cookie to every port of a name, and with
   * what pages there embed: only our own pages, and who typed the address, are answered. */
  async checkReading(request: HttpRequest): Promise<void> {
    if (await this.#isOwnersReading(request)) return
    throw new ApiError(
      'token-missing',
      'This archive is private. To read it, open the link that `polyhistor peer` printed, or run `polyhistor link` with the same --profile.',
    )
  }

  /** The same for what is the owner's alone of an archive that others may read. */
  async checkOwner(request: HttpRequest): Promise<void> {
    if (await this.#isOwnersReading(request)) return
    throw new ApiError(
      'token-missing',
      'This is for the owner of the archive: open the link that `polyhistor peer` printed, or run `polyhistor link` on its machine. Programs send the token, as "Authorization: Bearer TOKEN".',
    )
  }

  /** Throws for a token that is not ours. */
  async #isOwnersReading(request: HttpRequest): Promise<boolean> {
    if (request.header('authorization') !== undefined) {
      this.checkToken(request)
      return true
    }
    const site = request.header('sec-fetch-site')
    const isOurs = this.#cookie.isIn(request) && (site === 'same-origin' || site === 'none')
    return isOurs && !(await request.isOfOtherUser())
  }

  /** Throws unless this request has the token itself. */
  checkToken(request: Pick<HttpRequest, 'header'>): void {
    const authorization = request.header('authorization')
    if (authorization === undefined) {
      throw new ApiError(
        'token-missing',
        'What names files of this machine needs the token of this archive, as "Authorization: Bearer TOKEN"; it stands in the file token of its home folder.',
      )
    }
    this.#checkBearer(authorization)
  }

  isOwner(request: HttpRequest): boolean {
    const authorization = request.header('authorization')
    return authorization === undefined ? this.#cookie.isIn(request) : this.#isToken(authorization)
  }

  async #checkCookie(request: HttpRequest): Promise<void> {
    if (!this.#cookie.isIn(request)) {
      throw new ApiError(
        'token-missing',
        'Writing needs the token of this archive, as "Authorization: Bearer TOKEN"; it stands in the file token of its home folder, and commands take it from POLYHISTOR_TOKEN. In a browser, open the link that `polyhistor peer` printed, or run `polyhistor link` on its machine.',
      )
    }
    if (!isFromOurPage(request)) {
      throw new ApiError('origin-not-ours', 'Only the pages of this archive may write with its cookie.')
    }
    // Browsers send the cookie of a local name to every port of this machine: another user's server may have seen it.
    if (isLocalName(request.header('host')) && (await request.isOfOtherUser())) {
      throw new ApiError('origin-not-ours', 'This cookie is of a browser of another user of this machine.')
    }
  }

  #isKey(authorization: string | undefined): boolean {
    const bearer = bearerOf(authorization)
    return bearer !== undefined && this.#keys?.isValid(bearer) === true
  }

  async #checkKey(request: HttpRequest, isForExtension: boolean): Promise<void> {
    if (!isForExtension)
      throw new ApiError(
        'key-not-enough',
        'The key of a browser extension may archive and watch pages, and nothing else.',
      )
    if (isLocalName(request.header('host')) && (await request.isOfOtherUser()))
      throw new ApiError('origin-not-ours', 'This key is of a browser of another user of this machine.')
  }

  #checkBearer(authorization: string): void {
    if (!this.#isToken(authorization))
      throw new ApiError('token-wrong', 'This is not the token of this archive.')
  }

  #isToken(authorization: string): boolean {
    const token = bearerOf(authorization)
    return token !== undefined && isSameSecret(token, this.#token)
  }
}

/** Through a proxy the archive has another name, and the other end is the proxy's. */
function isLocalName(host: string | undefined): boolean {
  return /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?$/i.test(host ?? '')
}

/** The Host header was found to be ours before. */
function isFromOurPage(request: HttpRequest): boolean {
  const site = request.header('sec-fetch-site')
  if (site !== undefined && site !== 'same-origin') return false
  const origin = request.header('origin')
  if (origin === undefined) return site === 'same-origin'
  const host = request.header('host')?.toLowerCase()
  return origin === `http://${host}` || origin === `https://${host}`
}
