// Served sites: whose events may be read here, and since when.
//
// Where several frontiers share the sites, a site's events are read from the one that crawls it. Each site that is taken over gets
// the next number, its generation: a reader that knows the generations up to some number knows which sites it has not read here yet,
// and reads those from its cursor on before it goes on with all. Without other frontiers all sites are of generation 0.

import type { RingKey } from '../../../model/ring-key.ts'
import type { SiteGate } from '../sites/site-gate.ts'
import { prefixOfSite } from '../sites/site-keys.ts'
import type { SiteNames } from '../sites/site-names.ts'

/** Sites looked at in one go: after a start there may be many. */
const looksMax = 1_000

export class ServedSites {
  readonly #gate: SiteGate
  readonly #names: SiteNames
  #generation = 0
  readonly #generations = new Map<RingKey, number>()
  /** Taken over, but not open yet. */
  readonly #coming = new Set<RingKey>()

  constructor(needs: { gate: SiteGate; names: SiteNames }) {
    this.#gate = needs.gate
    this.#names = needs.names
  }

  opened(site: RingKey): void {
    this.#generations.delete(site)
    this.#coming.add(site)
  }

  closed(site: RingKey): void {
    this.#generations.delete(site)
    this.#coming.delete(site)
  }

  /** Of the last site that was taken over. */
  get generation(): number {
    let looks = Math.min(looksMax, this.#coming.size)
    for (const site of this.#coming) {
      if (looks-- === 0) break
      this.#coming.delete(site)
      // Those that are not are looked at again after all others.
      if (this.#gate.isOpen(site)) this.#generations.set(site, ++this.#generation)
      else this.#coming.add(site)
    }
    return this.#generation
  }

  /** Sites that are here and cannot be read yet. */
  get comingCount(): number {
    return this.#coming.size
  }

  /** The prefixes of those that were taken over behind this generation and can be read, as text. */
  takenAfter(generation: number): string[] {
    const taken: string[] = []
    if (generation === this.#generation) return taken
    for (const [site, own] of this.#generations)
      if (own > generation) taken.push(prefixOfSite(site).toString('latin1'))
    return taken
  }

  /** Of the site whose entries start like this. undefined: it is not read here. */
  generationOf(prefix: Buffer): number | undefined {
    if (!this.#gate.isShared) return 0
    const site = this.#names.at(prefix)
    return site !== undefined && this.#gate.isOpen(site) ? this.#generations.get(site) : undefined
  }
}
