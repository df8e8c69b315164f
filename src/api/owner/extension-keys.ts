// Keys for browser extensions of the owner: each may archive single pages, and nothing else (routes with `isForExtension`).
//
// An extension's storage is copied about with the browser's profile, so it is never given the token. The key is an expiry time and a MAC
// over it, made from the secret of the owner's cookies: `polyhistor link --revoke` ends them together. It is given for a one-time link
// or for the token. Under a local name it is taken from our own user's processes only, for another user's program may have listened
// at our port while we were not running, and been sent it.

import { createHmac } from 'node:crypto'
import { jsonAnswer } from '../answers.ts'
import { ApiError } from '../api-error.ts'
import type { Route } from '../route.ts'
import type { RouteRequest } from '../route-request.ts'
import { isSameSecret } from './same-secret.ts'

const lifeMs = 180 * 86_400_000
const purpose = 'polyhistor-extension'

export class ExtensionKeys {
  readonly #nowMs: () => number
  #secret: string

  constructor(needs: { nowMs: () => number }, secret: string) {
    this.#nowMs = needs.nowMs
    this.#secret = secret
  }

  newKey(): string {
    const expiresAt = Math.floor((this.#nowMs() + lifeMs) / 1_000)
    return `x.${expiresAt}.${this.#mac(expiresAt)}`
  }

  isValid(key: string): boolean {
    const [, expiry, mac] = /^x\.(\d{1,12})\.([\w-]{43})$/.exec(key) ?? []
    if (expiry === undefined || mac === undefined) return false
    return Number(expiry) * 1_000 > this.#nowMs() && isSameSecret(mac, this.#mac(Number(expiry)))
  }

  /** Keys given before are worth nothing any more. */
  replaceSecret(secret: string): void {
    this.#secret = secret
  }

  #mac(expiresAt: number): string {
    return createHmac('sha256', this.#secret).update(`${purpose}\n${expiresAt}`).digest('base64url')
  }
}

/** In the form `Bearer …`; undefined for anything else. */
export function bearerOf(authorization: string | undefined): string | undefined {
  return /^Bearer +([\w.-]+)$/i.exec(authorization?.trim() ?? '')?.[1]
}

interface KeyRouteNeeds {
  readonly keys: ExtensionKeys
  /** True once for each code of a one-time link. */
  readonly redeem: (code: string) => boolean
  readonly checkToken: (request: RouteRequest) => void
}

/** Shown as `Authorization: Link CODE`, or the token. No page of another site can use it: it would have to be allowed such a header first,
 * and could not read the answer. */
export function extensionKeyRoute({ keys, redeem, checkToken }: KeyRouteNeeds): Route {
  return {
    methods: ['POST'],
    host: 'archive',
    path: '/extension-key',
    handle: (request) => {
      const code = /^Link +([\w-]+)$/i.exec(request.header('authorization')?.trim() ?? '')?.[1]
      if (code === undefined) checkToken(request)
      else if (!redeem(code))
        throw new ApiError(
          'owner-link-spent',
          'This link was used, is too old, or was not given by this archive.',
        )
      return jsonAnswer({ key: keys.newKey() }, 201, [['Cache-Control', 'no-store']])
    },
  }
}
