// Take-over of a site: finds the newest replica of its frontier, and loads it into ours.
//
// Every acknowledged change is with a majority of the members of its lease. So a majority is asked of each lease that may have
// acknowledged changes and is not known to have been taken over; each member that answers refuses earlier lease holders from then
// on, and the newest log position among the answers contains everything.
//
// One of them may lie. So a log position counts only if it can have been acknowledged: by a majority of a lease's members,
// counting those that did not answer. A peer that claims the newest state and does not deliver it is skipped after some failures. The
// last lease holder may have lied, too: entries of jobs that nobody can say anything about are left out after as many.

import { PolyhistorError, unlessFails } from '../../errors.ts'
import { MessageMalformed } from '../../formats/wire/message-bytes.ts'
import { Batchers, momentMs } from '../../platform/batcher.ts'
import type { Clock } from '../../platform/clock.ts'
import type { PeerId } from '../../platform/network/network.ts'
import type { Random } from '../../platform/random.ts'
import { newCopyNumber } from './copy-number.ts'
import { compare, isAtLeast, isPossible, type LogPosition, logStart } from './log-position.ts'
import type { ReplicaStore } from './replica-store.ts'
import { SiteError, SiteSuperseded } from './site-error.ts'
import {
  type HeldLease,
  namingEntry,
  type SiteEntry,
  type SiteFrontier,
  type SiteId,
} from './site-frontier.ts'
import { type Holding, type RecallAnswer, recallAnswers, siteQuestion } from './wire/questions.ts'
import {
  isJobId,
  type JobDefinition,
  jobDefinitions,
  jobsMax,
  type SiteBatch,
  sitePiece,
  sitesMax,
} from './wire/site-batch.ts'

interface TakeoverNeeds {
  readonly self: PeerId
  readonly clock: Clock
  readonly random: Random
  readonly frontier: SiteFrontier
  readonly replicas: ReplicaStore
  /** Rejects with a PolyhistorError when the peer does not answer. */
  ask(peer: PeerId, question: Uint8Array): Promise<Uint8Array>
  /** Resolves when all changes of the frontier so far are on disk. */
  flush(): Promise<void>
  isGone(peer: PeerId): boolean
  /** A peer reports a lease of this epoch or a later one: to be confirmed. */
  onSuperseded(site: SiteId, epoch: number, peer: PeerId): void
}

interface Found {
  readonly position: LogPosition
  readonly holders: readonly PeerId[]
}

interface SiteEpoch {
  readonly site: SiteId
  readonly epoch: number
}

const pieceBytes = 256 * 1024
/** A peer that fails so often to deliver the newest state that it claims is skipped. */
const failuresMax = 10
/** Jobs of one site that another peer is asked about: honest sites have a few. */
const jobsAskedMax = 20 * jobsMax

export class Takeover {
  readonly #needs: TakeoverNeeds
  readonly #recalling: Batchers<PeerId, SiteEpoch, RecallAnswer>
  /** Failures in a row to deliver a claimed state, for sites that are being taken over. */
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

  /** Loads the newest state of the site into our frontier, and gives its log position. `hints`: other peers that may have a copy.
   * Rejects when too few answer. */
  async take(site: SiteId, held: HeldLease, hints: Iterable<PeerId>): Promise<LogPosition> {
    const { frontier, replicas } = this.#needs
    const found = await this.#newest(site, held, hints)
    const here = frontier.head(site)
    if (here?.position !== undefined && compare(here.position, found.position) >= 0) {
      if (replicas.head(site).position !== undefined) await replicas.drop(site)
      return here.position
    }
    if (compare(found.position, logStart) === 0) {
      if (here !== undefined) await frontier.remove(site)
      return logStart
    }
    await this.#bringHere(site, held.epoch, found)
    if (here !== undefined) await frontier.remove(site)
    await frontier.bringIn(site, this.#replicaOf(site), found.position)
    await this.#needs.flush()
    await replicas.drop(site)
    this.#failures.delete(site)
    return found.position
  }

  /** Into our replica, with its jobs. */
  async #bringHere(site: SiteId, epoch: number, found: Found): Promise<void> {
    const { replicas } = this.#needs
    const own = replicas.head(site).position
    if (own !== undefined && compare(own, found.position) === 0)
      return this.#learnOwnJobs(site, found.holders)
    const giver = await this.#fetch(site, epoch, found)
    try {
      await this.#learnJobs(site, found.holders)
    } catch (error) {
      // The copy is unusable, and must not pass for one of ours.
      this.#failed(site, giver)
      await replicas.drop(site)
      throw error
    }
  }

  /** Our copy came from the lease holder of then: what it made up is not waited for without end. */
  async #learnOwnJobs(site: SiteId, holders: readonly PeerId[]): Promise<void> {
    const { self } = this.#needs
    try {
      await this.#learnJobs(site, holders)
    } catch (error) {
      this.#failed(site, self)
      if (!(error instanceof PolyhistorError) || this.#failuresOf(site, self) < failuresMax) throw error
    }
  }

  async #newest(site: SiteId, held: HeldLease, hints: Iterable<PeerId>): Promise<Found> {
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
    return newestOf(holdings, (position) =>
      electorates.some((members) => canHave(members, holdings, position)),
    )
  }

  /** The plausible ones of the answers. One report that we are superseded has to be confirmed; two do not. */
  #holdings(site: SiteId, epoch: number, answers: ReadonlyMap<PeerId, RecallAnswer>): Map<PeerId, Holding> {
    const superseding = [...answers.keys()].filter((peer) => answers.get(peer) === 'superseded')
    if (superseding.length > 1) throw new SiteSuperseded(site)
    for (const peer of superseding) this.#needs.onSuperseded(site, epoch + 1, peer)
    const holdings = new Map<PeerId, Holding>()
    for (const [peer, answer] of answers) {
      if (answer === 'superseded' || answer === 'later') continue
      const { position, established } = answer
      const isPassedOver = peer !== this.#needs.self && this.#failuresOf(site, peer) >= failuresMax
      const counts = position !== undefined && isPossible(position, epoch) && !isPassedOver
      holdings.set(peer, {
        position: counts ? position : undefined,
        established: established <= epoch ? established : 0,
      })
    }
    return holdings
  }

  /** The last established epoch, by our record or as two others say. */
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
    return unlessFails(this.#recalling.add(peer, asked))
  }

  /** Our own state needs no check. */
  async #recallOwn({ site, epoch }: SiteEpoch): Promise<Holding> {
    const { frontier, replicas } = this.#needs
    await this.#needs.flush()
    const [head] = await replicas.fence([{ site, epoch, last: epoch }])
    const here = frontier.head(site)?.position ?? logStart
    const replica = head!.position ?? logStart
    return { position: compare(here, replica) > 0 ? here : head!.position, established: head!.established }
  }

  /** From one of the holders; gives which. */
  async #fetch(site: SiteId, epoch: number, { position, holders }: Found): Promise<PeerId> {
    let failure: unknown
    for (const peer of holders) {
      if (peer === this.#needs.self) continue
      try {
        await this.#fetchFrom(peer, site, epoch, position)
        return peer
      } catch (error) {
        if (!(error instanceof PolyhistorError)) throw error
        this.#failed(site, peer)
        failure = error
      }
    }
    throw failure ?? new SiteError('site-not-ready', `Nobody has ${site} any more`)
  }

  #failuresOf(site: SiteId, peer: PeerId): number {
    return this.#failures.get(site)?.get(peer) ?? 0
  }

  #failed(site: SiteId, peer: PeerId): void {
    const failures = this.#failures.get(site) ?? new Map<PeerId, number>()
    failures.set(peer, (failures.get(peer) ?? 0) + 1)
    this.#failures.set(site, failures)
  }

  async #fetchFrom(peer: PeerId, site: SiteId, epoch: number, position: LogPosition): Promise<void> {
    const { ask, replicas, random } = this.#needs
    const copy = newCopyNumber(random)
    let from: string | undefined
    for (let index = 0; ; index++) {
      const { entries, next } = sitePiece.decode(
        await ask(peer, siteQuestion.encode({ kind: 'fetch', site, position, from })),
      )
      const upTo = next === undefined ? position : undefined
      const load = { kind: 'copy', copy, index, upTo } as const
      const siteBatch: SiteBatch = { site, epoch, since: epoch, established: 0, load, entries }
      const [answer] = await replicas.take([], [siteBatch])
      if (answer!.kind !== 'taken') throw new SiteSuperseded(site)
      if (next === undefined) return
      // A peer that sends pieces without end is cut off.
      if (from !== undefined && next <= from) throw new MessageMalformed('pieces of a site that do not go on')
      from = next
    }
  }

  /** An entry without its job would be skipped. */
  async #learnJobs(site: SiteId, holders: readonly PeerId[]): Promise<void> {
    const { frontier, replicas, self } = this.#needs
    const ids = new Set<string>()
    for (const [name] of this.#replicaOf(site)) {
      const id = frontier.jobIdIn(name)
      if (id !== undefined && frontier.optionsOfJob(id) === undefined) ids.add(id)
    }
    for (const peer of [self, ...holders.filter((holder) => holder !== self)]) {
      if (ids.size === 0) break
      const told = peer === self ? ownCards(replicas, ids) : await this.#jobsOf(peer, ids)
      for (const { id, options } of told) {
        if (!ids.has(id) || !frontier.isJob(id, options)) continue
        frontier.joinJob(options)
        ids.delete(id)
      }
    }
    for (const id of ids) throw new SiteError('site-not-ready', `Nobody says what job ${id} is`)
  }

  /** As many as are known by the first failure, of so many questions at most. */
  async #jobsOf(peer: PeerId, ids: Iterable<string>): Promise<readonly JobDefinition[]> {
    const wanted = [...ids].filter(isJobId).slice(0, jobsAskedMax)
    const told: JobDefinition[] = []
    try {
      for (let start = 0; start < wanted.length; start += jobsMax) {
        const question = siteQuestion.encode({ kind: 'jobs', ids: wanted.slice(start, start + jobsMax) })
        told.push(...jobDefinitions.decode(await this.#needs.ask(peer, question)))
      }
    } catch (error) {
      if (!(error instanceof PolyhistorError)) throw error
    }
    return told
  }

  /** What tells its name comes first, and once more in its place. */
  *#replicaOf(site: SiteId): Generator<SiteEntry> {
    const [first] = this.#needs.replicas.read(site, namingEntry, 1).entries
    if (first?.[0] === namingEntry) yield first
    let from: string | undefined
    do {
      const { entries, next } = this.#needs.replicas.read(site, from, pieceBytes)
      yield* entries
      from = next
    } while (from !== undefined)
  }
}

/** The newest log position that can have been acknowledged; where there is none, the newest one reported. */
function newestOf(
  holdings: ReadonlyMap<PeerId, Holding>,
  canBeAcknowledged: (position: LogPosition) => boolean,
): Found {
  const stages = [...holdings.values()]
    .flatMap(({ position }) => position ?? [])
    .sort((one, other) => compare(other, one))
  const position = stages.find(canBeAcknowledged) ?? stages[0] ?? logStart
  const holders = [...holdings].filter(
    ([, held]) => held.position !== undefined && compare(held.position, position) === 0,
  )
  return { position, holders: holders.map(([peer]) => peer) }
}

/** Whether a majority may have it: those that say so, and those that do not answer. */
function canHave(
  members: readonly PeerId[],
  holdings: ReadonlyMap<PeerId, Holding>,
  position: LogPosition,
): boolean {
  const canCrawl = members.filter((peer) => {
    const holding = holdings.get(peer)
    return holding === undefined || isAtLeast(holding.position, position)
  })
  return 2 * canCrawl.length > members.length
}

function ownCards(replicas: ReplicaStore, ids: ReadonlySet<string>): JobDefinition[] {
  return [...ids].flatMap((id) => {
    const options = replicas.optionsOfJob(id)
    return options === undefined ? [] : [{ id, options }]
  })
}
