// Site eviction: moves a site from our frontier to the replica store, when another peer crawls it.

import type { Random } from '../../platform/random.ts'
import { newCopyNumber } from './copy-number.ts'
import type { ReplicaStore } from './replica-store.ts'
import type { SiteFrontier, SiteId } from './site-frontier.ts'
import type { JobDefinition, SiteBatch } from './wire/site-batch.ts'

const pieceBytes = 256 * 1024

export class SiteEviction {
  readonly #frontier: SiteFrontier
  readonly #replicas: ReplicaStore
  readonly #random: Random
  readonly #underWay = new Map<SiteId, Promise<void>>()

  constructor(needs: { frontier: SiteFrontier; replicas: ReplicaStore; random: Random }) {
    this.#frontier = needs.frontier
    this.#replicas = needs.replicas
    this.#random = needs.random
  }

  /** Requires that no request of the site is under way and nothing is added to it. Callers meanwhile share one eviction. */
  evict(site: SiteId): Promise<void> {
    let underWay = this.#underWay.get(site)
    if (underWay === undefined) {
      underWay = this.#evict(site).finally(() => this.#underWay.delete(site))
      this.#underWay.set(site, underWay)
    }
    return underWay
  }

  /** Resolves when it is not being evicted. */
  async waitUntilSettled(site: SiteId): Promise<void> {
    await this.#underWay.get(site)
  }

  async #evict(site: SiteId): Promise<void> {
    const head = this.#frontier.head(site)
    if (head === undefined) return
    await this.#frontier.committed()
    if (this.#frontier.head(site)?.position !== undefined) await this.#copy(site)
    await this.#frontier.remove(site)
  }

  async #copy(site: SiteId): Promise<void> {
    const position = this.#frontier.head(site)!.position!
    // Our own state is accepted, whoever holds the lease now; a newer replica stays.
    const epoch = Math.max(position.epoch, this.#replicas.head(site).fence)
    const copy = newCopyNumber(this.#random)
    let from: string | undefined
    for (let index = 0; ; index++) {
      const { entries, next } = this.#frontier.read(site, from, pieceBytes)
      const load = { kind: 'copy', copy, index, upTo: next === undefined ? position : undefined } as const
      const siteBatch: SiteBatch = { site, epoch, since: epoch, established: 0, load, entries }
      const [answer] = await this.#replicas.take(this.#jobsOf(entries), [siteBatch])
      if (next === undefined || answer!.kind !== 'taken') return
      from = next
    }
  }

  #jobsOf(entries: SiteBatch['entries']): JobDefinition[] {
    const ids = new Set(entries.map(([name]) => this.#frontier.jobIdIn(name)))
    return [...ids].flatMap((id) => {
      const options = id === undefined ? undefined : this.#frontier.optionsOfJob(id)
      return id === undefined || options === undefined ? [] : [{ id, options }]
    })
  }
}
