// Replica check: reports our copies of sites to the sites' owners now and then. So an owner that is new or lost its disk learns
// of its sites, and copies that are not needed any more are dropped.

import { PolyhistorError } from '../../errors.ts'
import type { Clock } from '../../platform/clock.ts'
import type { PeerId } from '../../platform/network/network.ts'
import { PeriodicTask } from '../../platform/periodic-task.ts'
import type { Random } from '../../platform/random.ts'
import type { LogPosition } from './log-position.ts'
import type { ReplicaStore } from './replica-store.ts'
import type { SiteId, SiteLeases, SitePlaces } from './site-frontier.ts'
import type { SiteTerms } from './site-terms.ts'
import { type HoldingAnswer, holdingAnswers, siteQuestion } from './wire/questions.ts'
import { sitesMax } from './wire/site-batch.ts'

interface Needs {
  readonly clock: Clock
  readonly random: Random
  readonly replicas: ReplicaStore
  readonly places: SitePlaces
  ask(peer: PeerId, question: Uint8Array): Promise<Uint8Array>
  readonly leases: Pick<SiteLeases, 'checkHolder' | 'findLaterEpoch'>
  isLeased(site: SiteId): boolean
}

interface Held {
  readonly site: SiteId
  readonly position: LogPosition
}

/** After a change of neighbours: more changes may follow. */
const soonMs = 2_000
const againMs = 5_000

export class ReplicaCheck {
  readonly #needs: Needs
  readonly #terms: SiteTerms
  #task: PeriodicTask | undefined
  #isRunning = false
  /** Ownership has changed since the last check. */
  #isOld = true
  /** Sites without a known crawler when their owners were last asked. */
  #coming = 0
  #isClosed = false

  constructor(needs: Needs, terms: SiteTerms) {
    this.#needs = needs
    this.#terms = terms
  }

  start(): void {
    const { random } = this.#needs
    const { checkMs } = this.#terms
    this.#task = new PeriodicTask(this.#needs, checkMs, () => this.#run(), {
      firstMs: Math.min(soonMs, checkMs * random.fraction()),
      jitter: { share: 0.5, random },
    })
  }

  /** Ownership may have changed. */
  runSoon(): void {
    this.#isOld = true
    this.#task?.runWithin(soonMs)
  }

  /** Sites of others that may have no crawler: at least one while owners are still to be asked. */
  get unsettled(): number {
    return this.#coming + (this.#isOld || this.#isRunning ? 1 : 0)
  }

  close(): void {
    this.#isClosed = true
    void this.#task?.close()
  }

  async #run(): Promise<void> {
    this.#isRunning = true
    this.#isOld = false
    this.#coming = await this.#checkAll()
    this.#isRunning = false
    if (this.#coming > 0) this.#task?.runWithin(againMs)
  }

  /** In the order of the ring, so that each owner is looked up once. Gives the number of sites without a known crawler. */
  async #checkAll(): Promise<number> {
    const { places, replicas } = this.#needs
    const held: Held[] = []
    for (const { site, head } of replicas.sites()) {
      if (head.position === undefined || this.#needs.isLeased(site) || places.leads(site)) continue
      held.push({ site, position: head.position })
    }
    let coming = 0
    for (let start = 0; start < held.length && !this.#isClosed; ) {
      let count = 1
      try {
        const first = held[start]!.site
        const owner = await places.ownerOf(first)
        const isIts = (site: SiteId): boolean => site <= owner.upTo || owner.upTo < first
        while (start + count < held.length && count < sitesMax && isIts(held[start + count]!.site)) count++
        const some = held.slice(start, start + count)
        if (owner.peer === places.self)
          coming += await this.#tellLeaders(some, ({ site }) => places.placedAt(site))
        else coming += await this.#tell(owner.peer, some)
      } catch (error) {
        if (!(error instanceof PolyhistorError)) throw error
        coming += count
      }
      start += count
    }
    return coming
  }

  async #tell(owner: PeerId, held: readonly Held[]): Promise<number> {
    const answers = await this.#report(owner, held)
    const leaders = new Map(
      held.flatMap((one, index) => {
        const answer = answers[index]!
        return typeof answer === 'string' ? [] : [[one, answer.peer] as const]
      }),
    )
    return countComing(answers) + (await this.#tellLeaders([...leaders.keys()], (one) => leaders.get(one)))
  }

  /** Sites that other members crawl for their owner, perhaps; the rest has no crawler yet. */
  async #tellLeaders(held: readonly Held[], leaderOf: (one: Held) => PeerId | undefined): Promise<number> {
    let coming = 0
    for (const [leader, some] of Map.groupBy(held, leaderOf))
      coming += leader === undefined ? some.length : await this.#tellLeader(leader, some)
    return coming
  }

  /** Ourselves, perhaps: then that is still to begin. */
  async #tellLeader(leader: PeerId, held: readonly Held[]): Promise<number> {
    if (leader === this.#needs.places.self) return held.length
    try {
      const answers = await this.#report(leader, held)
      return countComing(answers) + answers.filter((answer) => typeof answer !== 'string').length
    } catch (error) {
      if (!(error instanceof PolyhistorError)) throw error
      return held.length
    }
  }

  async #report(peer: PeerId, held: readonly Held[]): Promise<readonly HoldingAnswer[]> {
    const { ask, replicas, isLeased } = this.#needs
    const answers = holdingAnswers.decode(
      await ask(peer, siteQuestion.encode({ kind: 'holdings', sites: held })),
      held.length,
    )
    for (const [index, { site, position }] of held.entries()) {
      if (answers[index] !== 'drop' || isLeased(site)) continue
      if (await this.#isHolder(peer, site, position.epoch)) await replicas.drop(site)
    }
    return answers
  }

  /** Nobody drops a replica on the word of a peer that does not hold the lease: it may have been away, or lie. */
  async #isHolder(owner: PeerId, site: SiteId, epoch: number): Promise<boolean> {
    const { leases } = this.#needs
    if ((await leases.checkHolder(site, epoch, owner)) === 'holder') return true
    const later = await leases.findLaterEpoch(site, epoch + 1, owner)
    return later !== undefined && (await leases.checkHolder(site, later, owner)) === 'holder'
  }
}

function countComing(answers: readonly HoldingAnswer[]): number {
  return answers.filter((answer) => answer === 'coming').length
}
