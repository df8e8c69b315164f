// Which peer this extension is connected to, and its key.
//
// Kept in the browser's local storage, never in the one that is synchronised: that is copied to the maker of the browser. The key is good
// for archiving pages and for nothing else (docs/extension.md). The extension may reach the host of its peer, and no other.

import type { BrowserApi } from './browser-api.ts'

export interface Connection {
  /** `http://localhost:7070` */
  readonly origin: string
  readonly key: string
}

const name = 'connection'

export class Connections {
  readonly #browser: BrowserApi

  constructor(browser: BrowserApi) {
    this.#browser = browser
  }

  async current(): Promise<Connection | undefined> {
    const { [name]: kept } = await this.#browser.storage.local.get(name)
    if (typeof kept !== 'object' || kept === null) return undefined
    const { origin, key } = kept as Partial<Connection>
    return typeof origin === 'string' && typeof key === 'string' ? { origin, key } : undefined
  }

  /** Must be called while a click is being handled: the browser asks the owner. */
  allow(origin: string): Promise<boolean> {
    return this.#browser.permissions.request({ origins: [this.#patternOf(origin)] })
  }

  async keep(connection: Connection): Promise<void> {
    const before = await this.current()
    await this.#browser.storage.local.set({ [name]: connection })
    if (before !== undefined && before.origin !== connection.origin) await this.#forbid(before.origin)
  }

  async end(): Promise<void> {
    const before = await this.current()
    await this.#browser.storage.local.remove(name)
    if (before !== undefined) await this.#forbid(before.origin)
  }

  async #forbid(origin: string): Promise<void> {
    await this.#browser.permissions.remove({ origins: [this.#patternOf(origin)] })
  }

  /** Firefox knows no ports in patterns. */
  #patternOf(origin: string): string {
    const { protocol, hostname, host } = new URL(origin)
    const isFirefox = this.#browser.runtime.getURL('').startsWith('moz-extension:')
    return `${protocol}//${isFirefox ? hostname : host}/*`
  }
}

/** What was typed into the form: a one-time link, or an address and the token. */
export type Offer =
  | { readonly origin: string; readonly code: string }
  | { readonly origin: string; readonly token: string }

/** A string says what is wrong with it. */
export function offerOf(address: string, token: string): Offer | string {
  const url = URL.parse(/^https?:\/\//i.test(address.trim()) ? address.trim() : `http://${address.trim()}`)
  if (url === null || url.username !== '' || url.password !== '')
    return 'This is no address. Give the link that `polyhistor link` prints, or an address such as http://localhost:7070.'
  if (url.protocol === 'http:' && !isThisMachine(url.hostname))
    return 'Without https everybody on the way could read the key. Only an archive on this machine may be reached with http.'
  const code = /^\/owner\/([\w-]+)$/.exec(url.pathname)?.[1]
  if (code !== undefined) return { origin: url.origin, code }
  if (/^[\w-]+$/.test(token.trim())) return { origin: url.origin, token: token.trim() }
  return 'Give the whole link that `polyhistor link` prints, or the token beside the address.'
}

function isThisMachine(hostname: string): boolean {
  return /^(?:localhost|.+\.localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname)
}
