// Taking a site over: finds out who has its newest state, and brings that into our frontier.
//
// Everything that was acknowledged is with a majority of the members of the stewardship in whose time that was. So a majority
// is asked of each stewardship that may have acknowledged something and is not known to have handed it on; each of those who
// answer takes nothing of earlier stewards from then on, and the newest stage among them knows everything.
//
// One of them may lie. So a stage counts only if it can have been acknowledged: if it is with most members of a stewardship,
// or with those who answer and those who do not. And whoever says that it has the newest and does not give it is passed over
// after some times.

import { PolyhistorError } from '../../errors.ts'
import { MessageMalformed } from '../../formats/wire/message-bytes.ts'
import { Batchers, momentMs } from '../../platform/batcher.ts'
import type { Clock } from '../../platform/clock.ts'
import type { PeerId } from '../../platform/network.ts'
import type { Random } from '../../platform/random.ts'
import { newCopyNumber } from './copy-number.ts'
import type { ShadowBook } from './shadow-book.ts'
import { SiteError, SiteSuperseded } from './site-error.ts'
import type { HeldStewardship, SiteEntry, SiteFrontier, SiteId } from './site-frontier.ts'
import { compare, isAtLeast, isPossible, notBegun, type Stage } from './stage.ts'
import { type JobCard, jobCards, type Parcel, sitePiece, sitesMax } from './wire/parcel.ts'
import { type Holding, type RecallAnswer, recallAnswers, siteQuestion } from './wire/questions.ts'

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
  /** A peer says that somebody is steward in this epoch, or a later one: to be confirmed. */
  superseded(site: SiteId, epoch: number, peer: PeerId): void
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
/** Whoever says that it has the newest state, and does not give it so often, is passed over. */
const failuresMax = 10

export class Takeover {
  readonly #needs: TakeoverNeeds
  readonly #recalling: Batchers<PeerId, SiteEpoch, RecallAnswer>
  /** How often in a row peers did not give what they said they had; for sites that are being taken over. */
  readonly #failures = new Map<SiteId, Map<PeerId, number>>()

  constructor(needs: TakeoverNeeds) {
    this.#needs = needs
    this.#recalling = new Batchers(needs, { itemsMax: sitesMax, waitMs: momentMs }, async (peer, sites) =>
      recallAnswers.decode(
        await needs.ask(peer, siteQuestion.encode({ kind: 'recall', sites })),
        sites.length,
      ),
    )
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
    if (compare(found.stage, notBegun) === 0) {
      if (here !== undefined) await frontier.remove(site)
      return notBegun
    }
    await this.#bringHere(site, held.epoch, found)
    if (here !== undefined) await frontier.remove(site)
    await frontier.bringIn(site, this.#shadowOf(site), found.stage)
    await this.#needs.flush()
    await shadows.drop(site)
    this.#failures.delete(site)
    return found.stage
  }

  /** Into our shadow, with its jobs. */
  async #bringHere(site: SiteId, epoch: number, found: Found): Promise<void> {
    const { shadows } = this.#needs
    const own = shadows.head(site).stage
    if (own !== undefined && compare(own, found.stage) === 0) return this.#learnJobs(site, found.holders)
    const giver = await this.#fetch(site, epoch, found)
    try {
      await this.#learnJobs(site, found.holders)
    } catch (error) {
      // What it gave is of no use, and must not pass for something that we had.
      this.#failed(site, giver)
      await shadows.drop(site)
      throw error
    }
  }

  async #newest(site: SiteId, held: HeldStewardship, hints: Iterable<PeerId>): Promise<Found> {
    const asked = new Set([...held.members, ...held.before.flatMap(({ members }) => members), ...hints])
    const answers = new Map<PeerId, RecallAnswer>()
    await Promise.all(
      [...asked].map(async (peer) => {
        const answer = await this.#recall(peer, { site, epoch: held.epoch })
        if (answer !== undefined) answers.set(peer, answer)
      }),
    )
    const holdings = this.#holdings(site, held.epoch, answers)
    const established = this.#established(holdings)
    for (const { epoch, members } of held.before) {
      if (epoch < established || this.#isEnough(members, holdings)) continue
      throw new SiteError('site-not-ready', `Too few of the members of ${site} answer`)
    }
    const electorates = [held.members, ...held.before.map(({ members }) => members)]
    return newestOf(holdings, (stage) => electorates.some((members) => canHave(members, holdings, stage)))
  }

  /** What can be true of what was answered. That one peer takes us for superseded is to be confirmed; two need not be. */
  #holdings(site: SiteId, epoch: number, answers: ReadonlyMap<PeerId, RecallAnswer>): Map<PeerId, Holding> {
    const superseding = [...answers.keys()].filter((peer) => answers.get(peer) === 'superseded')
    if (superseding.length > 1) throw new SiteSuperseded(site)
    for (const peer of superseding) this.#needs.superseded(site, epoch + 1, peer)
    const holdings = new Map<PeerId, Holding>()
    for (const [peer, answer] of answers) {
      if (answer === 'superseded' || answer === 'later') continue
      const { stage, established } = answer
      const isPassedOver = (this.#failures.get(site)?.get(peer) ?? 0) >= failuresMax
      const counts = stage !== undefined && isPossible(stage, epoch) && !isPassedOver
      holdings.set(peer, {
        stage: counts ? stage : undefined,
        established: established <= epoch ? established : 0,
      })
    }
    return holdings
  }

  /** As we know it, or two others say. */
  #established(holdings: ReadonlyMap<PeerId, Holding>): number {
    const { self } = this.#needs
    const told = [...holdings].filter(([peer]) => peer !== self).map(([, { established }]) => established)
    const [, second = 0] = told.sort((one, other) => other - one)
    return Math.max(holdings.get(self)?.established ?? 0, second)
  }

  /** Those who are gone for good are not waited for. */
  #isEnough(members: readonly PeerId[], holdings: ReadonlyMap<PeerId, Holding>): boolean {
    const present = members.filter((peer) => holdings.has(peer) || !this.#needs.isGone(peer))
    const answered = present.filter((peer) => holdings.has(peer)).length
    return 2 * answered > present.length || present.length === 0
  }

  async #recall(peer: PeerId, asked: SiteEpoch): Promise<RecallAnswer | undefined> {
    if (peer === this.#needs.self) return this.#recallOwn(asked)
    try {
      return await this.#recalling.add(peer, asked)
    } catch (error) {
      if (!(error instanceof PolyhistorError)) throw error
      return undefined
    }
  }

  /** What is in our frontier counts as it is. */
  async #recallOwn({ site, epoch }: SiteEpoch): Promise<Holding> {
    const { frontier, shadows } = this.#needs
    await this.#needs.flush()
    const [head] = await shadows.fence([{ site, epoch, last: epoch }])
    const here = frontier.head(site)?.stage ?? notBegun
    const shadow = head!.stage ?? notBegun
    return { stage: compare(here, shadow) > 0 ? here : head!.stage, established: head!.established }
  }

  /** From whoever of them has it: tells who gave it. */
  async #fetch(site: SiteId, epoch: number, { stage, holders }: Found): Promise<PeerId> {
    let failure: unknown
    for (const peer of holders) {
      if (peer === this.#needs.self) continue
      try {
        await this.#fetchFrom(peer, site, epoch, stage)
        return peer
      } catch (error) {
        if (!(error instanceof PolyhistorError)) throw error
        this.#failed(site, peer)
        failure = error
      }
    }
    throw failure ?? new SiteError('site-not-ready', `Nobody has ${site} any more`)
  }

  #failed(site: SiteId, peer: PeerId): void {
    const failures = this.#failures.get(site) ?? new Map<PeerId, number>()
    failures.set(peer, (failures.get(peer) ?? 0) + 1)
    this.#failures.set(site, failures)
  }

  async #fetchFrom(peer: PeerId, site: SiteId, epoch: number, stage: Stage): Promise<void> {
    const { ask, shadows, random } = this.#needs
    const copy = newCopyNumber(random)
    let from: string | undefined
    for (let index = 0; ; index++) {
      const { entries, next } = sitePiece.decode(
        await ask(peer, siteQuestion.encode({ kind: 'fetch', site, stage, from })),
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
    const { frontier, shadows, self } = this.#needs
    const ids = new Set<string>()
    for (const [name] of this.#shadowOf(site)) {
      const id = frontier.jobIdIn(name)
      if (id !== undefined && frontier.optionsOfJob(id) === undefined) ids.add(id)
    }
    for (const peer of [self, ...holders.filter((holder) => holder !== self)]) {
      if (ids.size === 0) break
      const told = peer === self ? ownCards(shadows, ids) : await this.#jobsOf(peer, [...ids])
      for (const { id, options } of told) {
        if (!ids.has(id) || !frontier.isJob(id, options)) continue
        frontier.joinJob(options)
        ids.delete(id)
      }
    }
    for (const id of ids) throw new SiteError('site-not-ready', `Nobody says what job ${id} is`)
  }

  async #jobsOf(peer: PeerId, ids: string[]): Promise<readonly JobCard[]> {
    try {
      return jobCards.decode(await this.#needs.ask(peer, siteQuestion.encode({ kind: 'jobs', ids })))
    } catch (error) {
      if (!(error instanceof PolyhistorError)) throw error
      return []
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

/** Of the stages that can have been acknowledged the newest; where there is none, the newest that anybody tells of. */
function newestOf(
  holdings: ReadonlyMap<PeerId, Holding>,
  canBeAcknowledged: (stage: Stage) => boolean,
): Found {
  const stages = [...holdings.values()]
    .flatMap(({ stage }) => stage ?? [])
    .sort((one, other) => compare(other, one))
  const stage = stages.find(canBeAcknowledged) ?? stages[0] ?? notBegun
  const holders = [...holdings].filter(
    ([, held]) => held.stage !== undefined && compare(held.stage, stage) === 0,
  )
  return { stage, holders: holders.map(([peer]) => peer) }
}

/** Whether most of them may have the site as far as that: those who say so, and those who do not answer. */
function canHave(members: readonly PeerId[], holdings: ReadonlyMap<PeerId, Holding>, stage: Stage): boolean {
  const may = members.filter((peer) => {
    const holding = holdings.get(peer)
    return holding === undefined || isAtLeast(holding.stage, stage)
  })
  return 2 * may.length > members.length
}

function ownCards(shadows: ShadowBook, ids: ReadonlySet<string>): JobCard[] {
  return [...ids].flatMap((id) => {
    const options = shadows.optionsOfJob(id)
    return options === undefined ? [] : [{ id, options }]
  })
}
