// Taking a site over: finds out who has its newest state, and brings that into our frontier.
//
// Everything that was acknowledged is with a majority of the members of the stewardship in whose time that was. So a majority
// is asked of each stewardship that may have acknowledged something and is not known to have handed it on; each of those who
// answer takes nothing of earlier stewards from then on, and the newest stage among them knows everything.

import { PolyhistorError } from '../../errors.ts'
import { MessageMalformed } from '../../formats/wire/message-bytes.ts'
import type { Clock } from '../../platform/clock.ts'
import { Gathering } from '../../platform/gathering.ts'
import type { PeerId } from '../../platform/network.ts'
import type { Random } from '../../platform/random.ts'
import { newCopyNumber } from './copy-number.ts'
import type { ShadowBook } from './shadow-book.ts'
import { SiteError, SiteSuperseded } from './site-error.ts'
import type { HeldStewardship, SiteEntry, SiteFrontier, SiteId } from './site-frontier.ts'
import { compare, notBegun, type Stage } from './stage.ts'
import type { Holding, Parcel } from './wire/parcel.ts'
import { readHoldings, readJobs, readPiece, sitesMax, writeQuestion } from './wire/questions.ts'

export interface TakeoverNeeds {
  readonly self: PeerId
  readonly clock: Clock
  readonly random: Random
  readonly frontier: SiteFrontier
  readonly shadows: ShadowBook
  /** Rejects with a PolyhistorError when the peer does not answer. */
  ask(peer: PeerId, question: Uint8Array): Promise<Uint8Array>
  /** Everything that was told to the frontier so far is on disk when it resolves. */
  flush(): Promise<void>
  isGone(peer: PeerId): boolean
}

interface Found {
  readonly stage: Stage
  readonly holders: readonly PeerId[]
}

interface SiteEpoch {
  readonly site: SiteId
  readonly epoch: number
}

const pieceBytes = 256 * 1024

export class Takeover {
  readonly #needs: TakeoverNeeds
  readonly #recalling = new Map<PeerId, Gathering<SiteEpoch, Holding | undefined>>()

  constructor(needs: TakeoverNeeds) {
    this.#needs = needs
  }

  /** Brings the newest state of the site into our frontier, and tells its stage. `hints`: who else may have something. Rejects
   * when too few answer. */
  async take(site: SiteId, held: HeldStewardship, hints: Iterable<PeerId>): Promise<Stage> {
    const { frontier, shadows } = this.#needs
    const found = await this.#newest(site, held, hints)
    const here = frontier.head(site)
    if (here?.stage !== undefined && compare(here.stage, found.stage) >= 0) {
      if (shadows.head(site).stage !== undefined) await shadows.drop(site)
      return here.stage
    }
    if (here !== undefined) await frontier.remove(site)
    if (compare(found.stage, notBegun) === 0) return notBegun
    const own = shadows.head(site).stage
    if (own === undefined || compare(own, found.stage) < 0) await this.#fetch(site, held.epoch, found)
    await this.#learnJobs(site, found.holders)
    await frontier.bringIn(site, this.#shadowOf(site), found.stage)
    await this.#needs.flush()
    await shadows.drop(site)
    return found.stage
  }

  async #newest(site: SiteId, held: HeldStewardship, hints: Iterable<PeerId>): Promise<Found> {
    const asked = new Set([...held.members, ...held.before.flatMap(({ members }) => members), ...hints])
    const holdings = new Map<PeerId, Holding>()
    await Promise.all(
      [...asked].map(async (peer) => {
        const holding = await this.#recall(peer, { site, epoch: held.epoch })
        if (holding !== undefined) holdings.set(peer, holding)
      }),
    )
    const established = Math.max(0, ...[...holdings.values()].map((holding) => holding.established))
    for (const { epoch, members } of held.before) {
      if (epoch < established || this.#isEnough(members, holdings)) continue
      throw new SiteError('site-not-ready', `Too few of the members of ${site} answer`)
    }
    return newestOf(holdings)
  }

  /** Those who are gone for good are not waited for. */
  #isEnough(members: readonly PeerId[], holdings: ReadonlyMap<PeerId, Holding>): boolean {
    const present = members.filter((peer) => holdings.has(peer) || !this.#needs.isGone(peer))
    const answered = present.filter((peer) => holdings.has(peer)).length
    return 2 * answered > present.length || present.length === 0
  }

  async #recall(peer: PeerId, asked: SiteEpoch): Promise<Holding | undefined> {
    if (peer === this.#needs.self) return this.#recallOwn(asked)
    let holding: Holding | undefined
    try {
      holding = await this.#recallingFrom(peer).ask(asked)
    } catch (error) {
      if (!(error instanceof PolyhistorError)) throw error
      return undefined
    }
    if (holding === undefined) throw new SiteSuperseded(asked.site)
    return holding
  }

  /** What is in our frontier counts as it is. */
  async #recallOwn({ site, epoch }: SiteEpoch): Promise<Holding | undefined> {
    const { frontier, shadows } = this.#needs
    await this.#needs.flush()
    const [head] = await shadows.fence([{ site, epoch }])
    if (head!.fence > epoch) throw new SiteSuperseded(site)
    const here = frontier.head(site)?.stage ?? notBegun
    const shadow = head!.stage ?? notBegun
    return { stage: compare(here, shadow) > 0 ? here : head!.stage, established: head!.established }
  }

  #recallingFrom(peer: PeerId): Gathering<SiteEpoch, Holding | undefined> {
    let gathering = this.#recalling.get(peer)
    if (gathering === undefined) {
      gathering = new Gathering(this.#needs, sitesMax, async (sites) =>
        readHoldings(await this.#needs.ask(peer, writeQuestion({ kind: 'recall', sites })), sites.length),
      )
      this.#recalling.set(peer, gathering)
    }
    return gathering
  }

  /** From whoever of them has it. */
  async #fetch(site: SiteId, epoch: number, { stage, holders }: Found): Promise<void> {
    let failure: unknown
    for (const peer of holders) {
      try {
        return await this.#fetchFrom(peer, site, epoch, stage)
      } catch (error) {
        if (!(error instanceof PolyhistorError)) throw error
        failure = error
      }
    }
    throw failure ?? new SiteError('site-not-ready', `Nobody has ${site} any more`)
  }

  async #fetchFrom(peer: PeerId, site: SiteId, epoch: number, stage: Stage): Promise<void> {
    const { ask, shadows, random } = this.#needs
    const copy = newCopyNumber(random)
    let from: string | undefined
    for (let index = 0; ; index++) {
      const { entries, next } = readPiece(
        await ask(peer, writeQuestion({ kind: 'fetch', site, stage, from })),
      )
      const upTo = next === undefined ? stage : undefined
      const load = { kind: 'copy', copy, index, upTo } as const
      const parcel: Parcel = { site, epoch, since: epoch, established: 0, load, entries }
      const [answer] = await shadows.take([], [parcel])
      if (answer!.kind !== 'taken') throw new SiteSuperseded(site)
      if (next === undefined) return
      // Whoever never comes to an end is not listened to for ever.
      if (from !== undefined && next <= from) throw new MessageMalformed('pieces of a site that do not go on')
      from = next
    }
  }

  /** Without its job an entry would be passed over. */
  async #learnJobs(site: SiteId, holders: readonly PeerId[]): Promise<void> {
    const { frontier, shadows, ask, self } = this.#needs
    const ids = new Set<string>()
    for (const [name] of this.#shadowOf(site)) {
      const id = frontier.jobIdIn(name)
      if (id !== undefined && frontier.optionsOfJob(id) === undefined) ids.add(id)
    }
    const missing = [...ids].filter((id) => shadows.optionsOfJob(id) === undefined)
    for (const peer of missing.length === 0 ? [] : holders) {
      if (peer === self) continue
      await shadows.take(readJobs(await ask(peer, writeQuestion({ kind: 'jobs', ids: missing }))), [])
      break
    }
    for (const id of ids) {
      const options = shadows.optionsOfJob(id)
      if (options === undefined) throw new SiteError('site-not-ready', `Nobody says what job ${id} is`)
      frontier.joinJob(options)
      if (frontier.optionsOfJob(id) === undefined)
        throw new SiteError('site-not-ready', `Job ${id} is not what others say it is`)
    }
  }

  *#shadowOf(site: SiteId): Generator<SiteEntry> {
    let from: string | undefined
    do {
      const { entries, next } = this.#needs.shadows.read(site, from, pieceBytes)
      yield* entries
      from = next
    } while (from !== undefined)
  }
}

function newestOf(holdings: ReadonlyMap<PeerId, Holding>): Found {
  let stage = notBegun
  for (const holding of holdings.values()) {
    if (holding.stage !== undefined && compare(holding.stage, stage) > 0) stage = holding.stage
  }
  const holders = [...holdings].filter(
    ([, holding]) => holding.stage !== undefined && compare(holding.stage, stage) === 0,
  )
  return { stage, holders: holders.map(([peer]) => peer) }
}
