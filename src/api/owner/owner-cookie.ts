// The cookie by which a browser shows that it is the owner's: given for a one-time link, and for nothing else.
//
// The value is an expiry time and a MAC over it and the host it was given for. A cookie knows no ports: the browser sends it
// to every server under the same name, so the cookie alone is not enough to write (see access.ts), and one that was given for
// another name is worth nothing here. The secret behind the MAC has no other use: whoever replaces it signs every browser out.

import { createHmac } from 'node:crypto'
import { isSameSecret } from './same-secret.ts'

export const cookieName = 'polyhistor-owner'

const cookieLifeSeconds = 180 * 86_400

/** What is asked of a request. */
export interface Asked {
  header(name: string): string | undefined
}

export class OwnerCookie {
  readonly #nowMs: () => number
  #secret: string

  constructor(needs: { nowMs: () => number }, secret: string) {
    this.#nowMs = needs.nowMs
    this.#secret = secret
  }

  /** The Set-Cookie header for the browser that sent this request. */
  headerFor(request: Asked, isSecure: boolean): string {
    const expiresAt = Math.floor(this.#nowMs() / 1_000) + cookieLifeSeconds
    const value = `${expiresAt}.${this.#mac(expiresAt, hostOf(request))}`
    const more = `Path=/; Max-Age=${cookieLifeSeconds}; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}`
    return `${cookieName}=${value}; ${more}`
  }

  isIn(request: Asked): boolean {
    for (const pair of (request.header('cookie') ?? '').split(';')) {
      const equals = pair.indexOf('=')
      if (pair.slice(0, equals).trim() !== cookieName) continue
      if (this.#isValid(pair.slice(equals + 1).trim(), hostOf(request))) return true
    }
    return false
  }

  /** Cookies given before are worth nothing any more. */
  replaceSecret(secret: string): void {
    this.#secret = secret
  }

  #isValid(value: string, host: string): boolean {
    const [, expiry, mac] = /^(\d{1,12})\.([\w-]{43})$/.exec(value) ?? []
    if (expiry === undefined || mac === undefined) return false
    return Number(expiry) * 1_000 > this.#nowMs() && isSameSecret(mac, this.#mac(Number(expiry), host))
  }

  #mac(expiresAt: number, host: string): string {
    return createHmac('sha256', this.#secret)
      .update(`${cookieName}\n${expiresAt}\n${host}`)
      .digest('base64url')
  }
}

function hostOf(request: Asked): string {
  return (request.header('host') ?? '').toLowerCase()
}
