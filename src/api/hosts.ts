// Which of our hosts a request is for, by its Host header.
//
// A name that is not ours is refused: a page of another site may have had its own name point at this machine (DNS
// rebinding), and would then be of the same origin as we are. The addresses of this machine count as the archive's host.

import type { RouteHost } from './route.ts'

export interface Origins {
  /** `http://localhost:7070` */
  readonly archive: string
  /** `http://replay.localhost:7070` */
  readonly replay: string
}

export class Hosts {
  readonly #byName = new Map<string, RouteHost>()

  /** `port`: where we listen, under the names of this machine too. `more`: further names of the archive's host. */
  constructor(origins: Origins, port: number, more: readonly string[] = []) {
    const local = ['localhost', '127.0.0.1', '[::1]'].map((name) => (port === 80 ? name : `${name}:${port}`))
    for (const name of [...local, ...more]) this.#byName.set(name, 'archive')
    this.#byName.set(authorityOf(origins.archive), 'archive')
    this.#byName.set(authorityOf(origins.replay), 'replay')
  }

  of(hostHeader: string | undefined): RouteHost | undefined {
    if (hostHeader === undefined) return undefined
    // A few comparisons cost less than a look-up by a name that has just come over the network: that has no hash yet.
    for (const [name, host] of this.#byName) if (name === hostHeader) return host
    return this.#byName.get(hostHeader.toLowerCase())
  }
}

/** As browsers put it into the Host header: without the scheme's usual port. */
function authorityOf(origin: string): string {
  return new URL(origin).host
}
