// Who may write: whoever has the token, and our own pages in a browser on this machine.
//
// Tools send the token as `Authorization: Bearer …`. A browser is given a cookie with the pages of the archive, when it
// runs on this machine: its socket is local, it asked for us by a local name, and nothing shows that somebody else's
// request was passed on to us. The cookie is not the token but made from it, for cookies know no ports: every server of
// this machine under the same name is sent it. So the cookie alone is not enough to write: the request must also say
// that it comes from a page of our own (Origin, or Sec-Fetch-Site), which no page can make up.

import { createHmac, timingSafeEqual } from 'node:crypto'
import type { HttpRequest } from '../world/http-server.ts'
import { ApiError } from './api-error.ts'
import type { Hosts } from './hosts.ts'

export const cookieName = 'polyhistor-write'

/** Headers by which proxies tell whose request they pass on. */
const forwardingHeaders = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-real-ip']

export class Access {
  readonly #hosts: Hosts
  readonly #token: string
  readonly #cookie: string

  constructor(needs: { hosts: Hosts }, token: string) {
    this.#hosts = needs.hosts
    this.#token = token
    this.#cookie = createHmac('sha256', token).update(cookieName).digest('base64url')
  }

  /** Throws unless this request may write. */
  checkWriting(request: HttpRequest): void {
    const authorization = request.header('authorization')
    if (authorization !== undefined) this.#checkToken(authorization)
    else this.#checkCookie(request)
  }

  #checkCookie(request: HttpRequest): void {
    if (!this.#hasCookie(request)) {
      throw new ApiError(
        'token-missing',
        'Writing needs the token of this archive, as "Authorization: Bearer TOKEN"; it stands in the file token of its home folder. A browser on the same machine gets the right to write with any page of the archive.',
      )
    }
    if (!isFromOurPage(request)) {
      throw new ApiError('origin-not-ours', 'Only the pages of this archive may write with its cookie.')
    }
  }

  /** The Set-Cookie header for a browser that is to have the cookie and has not. */
  cookieFor(request: HttpRequest): string | undefined {
    if (!this.#isLocalBrowser(request) || this.#hasCookie(request)) return undefined
    return `${cookieName}=${this.#cookie}; Path=/; HttpOnly; SameSite=Strict`
  }

  #isLocalBrowser(request: HttpRequest): boolean {
    if (!request.isLoopback || !this.#hosts.isLocal(request.header('host'))) return false
    // nginx, unless told otherwise, passes requests on as HTTP/1.0, under our name and without a word about it.
    if (request.version !== '1.1') return false
    return forwardingHeaders.every((name) => request.header(name) === undefined)
  }

  #checkToken(authorization: string): void {
    const token = /^Bearer +([\w-]+)$/i.exec(authorization.trim())?.[1]
    if (token === undefined || !isSame(token, this.#token)) {
      throw new ApiError('token-wrong', 'This is not the token of this archive.')
    }
  }

  #hasCookie(request: HttpRequest): boolean {
    for (const pair of (request.header('cookie') ?? '').split(';')) {
      const equals = pair.indexOf('=')
      if (pair.slice(0, equals).trim() === cookieName && isSame(pair.slice(equals + 1).trim(), this.#cookie))
        return true
    }
    return false
  }
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

/** Takes as long whether or not they are alike. */
function isSame(given: string, expected: string): boolean {
  const left = Buffer.from(given)
  const right = Buffer.from(expected)
  return left.length === right.length && timingSafeEqual(left, right)
}
