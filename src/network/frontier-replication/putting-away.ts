// Putting a site away: what our frontier has of it becomes a shadow, and leaves the frontier.

import type { Random } from '../../platform/random.ts'
import { newCopyNumber } from './copy-number.ts'
import type { ShadowBook } from './shadow-book.ts'
import type { SiteFrontier, SiteId } from './site-frontier.ts'
import type { JobCard, Parcel } from './wire/parcel.ts'

const pieceBytes = 256 * 1024

export class PuttingAway {
  readonly #frontier: SiteFrontier
  readonly #shadows: ShadowBook
  readonly #random: Random
  readonly #underWay = new Map<SiteId, Promise<void>>()

  constructor(needs: { frontier: SiteFrontier; shadows: ShadowBook; random: Random }) {
    this.#frontier = needs.frontier
    this.#shadows = needs.shadows
    this.#random = needs.random
  }

  /** Nothing of the site may be under way, and nothing may be added to it. Once for all who ask meanwhile. */
  putAway(site: SiteId): Promise<void> {
    let underWay = this.#underWay.get(site)
    if (underWay === undefined) {
      underWay = this.#putAway(site).finally(() => this.#underWay.delete(site))
      this.#underWay.set(site, underWay)
    }
    return underWay
  }

  /** Resolves when it is not being put away. */
  async settled(site: SiteId): Promise<void> {
    await this.#underWay.get(site)
  }

  async #putAway(site: SiteId): Promise<void> {
    const head = this.#frontier.head(site)
    if (head === undefined) return
    await this.#frontier.committed()
    if (this.#frontier.head(site)?.stage !== undefined) await this.#copy(site)
    await this.#frontier.remove(site)
  }

  async #copy(site: SiteId): Promise<void> {
    const stage = this.#frontier.head(site)!.stage!
    // Our own word is taken, whoever is steward now; should the shadow be newer, it stays.
    const epoch = Math.max(stage.epoch, this.#shadows.head(site).fence)
    const copy = newCopyNumber(this.#random)
    let from: string | undefined
    for (let index = 0; ; index++) {
      const { entries, next } = this.#frontier.read(site, from, pieceBytes)
      const load = { kind: 'copy', copy, index, upTo: next === undefined ? stage : undefined } as const
      const parcel: Parcel = { site, epoch, since: epoch, established: 0, load, entries }
      const [answer] = await this.#shadows.take(this.#jobsOf(entries), [parcel])
      if (next === undefined || answer!.kind !== 'taken') return
      from = next
    }
  }

  #jobsOf(entries: Parcel['entries']): JobCard[] {
    const ids = new Set(entries.map(([name]) => this.#frontier.jobIdIn(name)))
    return [...ids].flatMap((id) => {
      const options = id === undefined ? undefined : this.#frontier.optionsOfJob(id)
      return id === undefined || options === undefined ? [] : [{ id, options }]
    })
  }
}
