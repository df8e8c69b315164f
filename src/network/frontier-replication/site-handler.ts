// Site handler: answers other peers' requests about sites.
//
// Batches and recalls are accepted only from the holder of the epoch's lease: a made-up fence would lock the true holder out, and
// a made-up state could pass for the newest. An unknown holder is verified first; while that is not possible, the answer is
// `later`.

import type { PeerId } from '../../platform/network/network.ts'
import { compare, isPossible, type LogPosition } from './log-position.ts'
import type { ReplicaStore } from './replica-store.ts'
import { SiteError } from './site-error.ts'
import type { SiteFrontier, SiteId, SiteLeases } from './site-frontier.ts'
import {
  type HoldingAnswer,
  holdingAnswers,
  type Question,
  type RecallAnswer,
  recallAnswers,
  siteQuestion,
} from './wire/questions.ts'
import {
  type JobDefinition,
  jobDefinitions,
  type Shipment,
  type SiteBatch,
  type SiteBatchAnswer,
  siteBatchAnswers,
  sitePiece,
} from './wire/site-batch.ts'

interface Needs {
  readonly frontier: SiteFrontier
  readonly replicas: ReplicaStore
  readonly leases: Pick<SiteLeases, 'checkHolder' | 'lastEpoch'>
  /** A peer holds the site's lease of this epoch. */
  supersede(site: SiteId, epoch: number): void
  /** Resolves when nothing of it is in our frontier any more: all we have is in the replica. */
  evict(site: SiteId): Promise<void>
  answerHolding(peer: PeerId, site: SiteId, position: LogPosition): HoldingAnswer
}

const pieceBytes = 256 * 1024

export class SiteHandler {
  readonly #needs: Needs

  constructor(needs: Needs) {
    this.#needs = needs
  }

  async answer(from: PeerId, bytes: Uint8Array): Promise<Uint8Array> {
    const question = siteQuestion.decode(bytes)
    switch (question.kind) {
      case 'ship':
        return siteBatchAnswers.encode(await this.#take(from, question.shipment))
      case 'recall':
        return recallAnswers.encode(await this.#recall(from, question.sites))
      case 'fetch':
        return this.#fetch(question)
      case 'jobs':
        return jobDefinitions.encode(this.#jobs(question.ids))
      case 'holdings':
        return holdingAnswers.encode(
          question.sites.map(({ site, position }) => this.#needs.answerHolding(from, site, position)),
        )
    }
  }

  async #take(from: PeerId, { jobs, batches }: Shipment): Promise<SiteBatchAnswer[]> {
    const { replicas, leases, supersede } = this.#needs
    const standings = await Promise.all(
      batches.map(({ site, epoch }) => leases.checkHolder(site, epoch, from)),
    )
    const isTaken = (siteBatch: SiteBatch, index: number) =>
      standings[index] === 'holder' && isSound(siteBatch)
    const accepted = batches.filter(isTaken)
    const taken = accepted.length === 0 ? [] : await replicas.take(jobs, accepted)
    for (const [index, { site, epoch }] of accepted.entries())
      if (taken[index]!.kind !== 'superseded') supersede(site, epoch)
    const answers = taken.values()
    return batches.map((siteBatch, index) => {
      if (isTaken(siteBatch, index)) return answers.next().value!
      if (standings[index] !== 'superseded') return { kind: 'later' }
      return { kind: 'superseded', epoch: Math.max(replicas.head(siteBatch.site).fence, siteBatch.epoch + 1) }
    })
  }

  /** Sets the fence first, so that no earlier change is accepted after our answer; then reads what we have. */
  async #recall(from: PeerId, sites: readonly { site: SiteId; epoch: number }[]): Promise<RecallAnswer[]> {
    const { replicas, leases } = this.#needs
    const standings = await Promise.all(sites.map(({ site, epoch }) => leases.checkHolder(site, epoch, from)))
    const own = sites.filter((_, index) => standings[index] === 'holder')
    await replicas.fence(own.map(({ site, epoch }) => ({ site, epoch, last: leases.lastEpoch(site) })))
    return Promise.all(
      sites.map(async ({ site, epoch }, index) => {
        const standing = standings[index]
        if (standing === 'unsure') return 'later'
        if (standing === 'superseded' || replicas.head(site).fence > epoch) return 'superseded'
        return this.#holding(site, epoch)
      }),
    )
  }

  async #holding(site: SiteId, epoch: number): Promise<RecallAnswer> {
    const { replicas, supersede, evict } = this.#needs
    supersede(site, epoch)
    await evict(site)
    const { position, established } = replicas.head(site)
    return { position, established }
  }

  #fetch({ site, position, from }: Extract<Question, { kind: 'fetch' }>): Uint8Array {
    const { replicas } = this.#needs
    const { position: own } = replicas.head(site)
    if (own === undefined || compare(own, position) !== 0)
      throw new SiteError('site-not-ready', `${site} is not here as it was asked for`)
    return sitePiece.encode(replicas.read(site, from, pieceBytes))
  }

  #jobs(ids: readonly string[]): JobDefinition[] {
    const { frontier, replicas } = this.#needs
    return ids.flatMap((id) => {
      const options = replicas.optionsOfJob(id) ?? frontier.optionsOfJob(id)
      return options === undefined ? [] : [{ id, options }]
    })
  }
}

/** None of its log positions is later than its lease allows. */
function isSound({ epoch, since, established, load }: SiteBatch): boolean {
  const isLoadSound = load.upTo === undefined || isPossible(load.upTo, epoch)
  return since <= epoch && established <= epoch && isLoadSound
}
