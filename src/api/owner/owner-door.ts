// How a browser becomes the owner's: new links for whoever has the token, the cookie for whoever opens one, a key for its extension,
// and an end to all of them.

import { jsonAnswer } from '../answers.ts'
import type { Route } from '../route.ts'
import type { RouteRequest } from '../route-request.ts'
import { count, object } from '../v1/operation.ts'
import { type ExtensionKeys, extensionKeyRoute } from './extension-keys.ts'
import type { Asked, OwnerCookie } from './owner-cookie.ts'
import { linkLifeMs, type OwnerLinks } from './owner-links.ts'

interface OwnerDoorNeeds {
  readonly cookie: OwnerCookie
  readonly links: OwnerLinks
  readonly keys: ExtensionKeys
  /** Throws unless it shows the token. */
  readonly checkToken: (request: RouteRequest) => void
  /** Where the links lead: `http://localhost:7070`. */
  readonly archiveOrigin: string
  /** Makes and keeps a new secret for the cookie, and gives it. */
  readonly newSecret: () => Promise<string>
}

export class OwnerDoor {
  readonly #needs: OwnerDoorNeeds

  constructor(needs: OwnerDoorNeeds) {
    this.#needs = needs
  }

  newLink(): string {
    const { archiveOrigin, links } = this.#needs
    return `${archiveOrigin}/owner/${links.newCode()}`
  }

  isOwner(request: Asked): boolean {
    return this.#needs.cookie.isIn(request)
  }

  /** The Set-Cookie header that this code is good for; undefined when it was used, is too old or made up. */
  redeem(code: string, request: Asked): string | undefined {
    const { cookie, links, archiveOrigin } = this.#needs
    if (!links.redeem(code)) return undefined
    const { protocol, host } = new URL(archiveOrigin)
    return cookie.headerFor(request, protocol === 'https:' && request.header('host')?.toLowerCase() === host)
  }

  /** Signs every browser out. */
  async revoke(): Promise<void> {
    this.#needs.links.revoke()
    const secret = await this.#needs.newSecret()
    this.#needs.cookie.replaceSecret(secret)
    this.#needs.keys.replaceSecret(secret)
  }

  routes(): Route[] {
    const { keys, links, checkToken } = this.#needs
    const shared = { host: 'archive' as const, path: '/api/v1/links', writes: true, isTokenOnly: true }
    return [
      {
        ...shared,
        methods: ['POST'],
        operation: {
          summary: 'A link that makes the browser that opens it first the owner’s',
          answer: object({ url: { type: 'string' }, expiresInMs: count }),
          status: 201,
        },
        handle: () => jsonAnswer({ url: this.newLink(), expiresInMs: linkLifeMs }, 201),
      },
      {
        ...shared,
        methods: ['DELETE'],
        operation: { summary: 'Takes the owner’s rights from all browsers, and from links not yet used' },
        handle: async () => {
          await this.revoke()
          return jsonAnswer({})
        },
      },
      extensionKeyRoute({ keys, checkToken, redeem: (code) => links.redeem(code) }),
    ]
  }
}
