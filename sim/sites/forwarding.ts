// Links on their way to the owners of their sites, as a link exchange would bring them: to whom the ring names, by anybody's
// belief, again and again until they are acknowledged.

import { PolyhistorError } from '../../src/errors.ts'
import type { RingKey } from '../../src/model/ring-key.ts'
import type { Url } from '../../src/model/url/url.ts'
import type { SimulatedWorld } from '../../src/platform/simulated/world.ts'

interface Needs {
  readonly world: SimulatedWorld
  /** Takes links of a site to whoever somebody believes to own it. False: nobody is there. */
  take(site: RingKey, urls: Url[]): Promise<boolean>
  fail(error: unknown): void
}

const forwardMs = 500

export class Forwarding {
  readonly acknowledged = new Set<string>()
  readonly #needs: Needs
  readonly #waiting = new Map<string, Url>()

  constructor(needs: Needs) {
    this.#needs = needs
  }

  get waiting(): number {
    return this.#waiting.size
  }

  add(...urls: readonly Url[]): void {
    for (const url of urls) this.#waiting.set(url.href, url)
  }

  /** Goes on for as long as the simulation does. */
  start(): void {
    const { simulation, random } = this.#needs.world
    simulation.schedule(random.between(0, 2 * forwardMs), () => {
      this.start()
      const bySite = new Map<RingKey, Url[]>()
      for (const url of this.#waiting.values())
        bySite.set(url.ringKey, [...(bySite.get(url.ringKey) ?? []), url])
      for (const [site, urls] of bySite) void this.#forward(site, urls)
    })
  }

  async #forward(site: RingKey, urls: Url[]): Promise<void> {
    try {
      if (!(await this.#needs.take(site, urls))) return
      for (const { href } of urls) {
        this.acknowledged.add(href)
        this.#waiting.delete(href)
      }
    } catch (error) {
      if (!(error instanceof PolyhistorError)) this.#needs.fail(error)
    }
  }
}
