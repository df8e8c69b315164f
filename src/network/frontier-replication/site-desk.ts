// Site desk: answers what other peers ask about sites.
//
// Parcels and recalls count from the site's steward alone, of the epoch that it names: a fence or a state that somebody else
// made up would keep the true steward out, or pass for the newest. Who is unknown here is checked first; while that cannot be
// done, the answer is `later`.

import type { PeerId } from '../../platform/network.ts'
import type { ShadowBook } from './shadow-book.ts'
import { SiteError } from './site-error.ts'
import type { SiteFrontier, SiteId, SiteStewards } from './site-frontier.ts'
import { compare, isPossible, type Stage } from './stage.ts'
import {
  type JobCard,
  jobCards,
  type Parcel,
  type ParcelAnswer,
  parcelAnswers,
  type Shipment,
  sitePiece,
} from './wire/parcel.ts'
import {
  type HoldingAnswer,
  holdingAnswers,
  type Question,
  type RecallAnswer,
  recallAnswers,
  siteQuestion,
} from './wire/questions.ts'

interface Needs {
  readonly frontier: SiteFrontier
  readonly shadows: ShadowBook
  readonly stewards: Pick<SiteStewards, 'standing' | 'lastEpoch'>
  /** A peer is steward of the site, in this epoch. */
  supersede(site: SiteId, epoch: number): void
  /** Resolves when nothing of it is in our frontier: all we have is in the shadow. */
  putAway(site: SiteId): Promise<void>
  answerHolding(peer: PeerId, site: SiteId, stage: Stage): HoldingAnswer
}

const pieceBytes = 256 * 1024

export class SiteDesk {
  readonly #needs: Needs

  constructor(needs: Needs) {
    this.#needs = needs
  }

  async answer(from: PeerId, bytes: Uint8Array): Promise<Uint8Array> {
    const question = siteQuestion.decode(bytes)
    switch (question.kind) {
      case 'ship':
        return parcelAnswers.encode(await this.#take(from, question.shipment))
      case 'recall':
        return recallAnswers.encode(await this.#recall(from, question.sites))
      case 'fetch':
        return this.#fetch(question)
      case 'jobs':
        return jobCards.encode(this.#jobs(question.ids))
      case 'holdings':
        return holdingAnswers.encode(
          question.sites.map(({ site, stage }) => this.#needs.answerHolding(from, site, stage)),
        )
    }
  }

  async #take(from: PeerId, { jobs, parcels }: Shipment): Promise<ParcelAnswer[]> {
    const { shadows, stewards, supersede } = this.#needs
    const standings = await Promise.all(
      parcels.map(({ site, epoch }) => stewards.standing(site, epoch, from)),
    )
    const isTaken = (parcel: Parcel, index: number) => standings[index] === 'steward' && isSound(parcel)
    const accepted = parcels.filter(isTaken)
    const taken = accepted.length === 0 ? [] : await shadows.take(jobs, accepted)
    for (const [index, { site, epoch }] of accepted.entries())
      if (taken[index]!.kind !== 'superseded') supersede(site, epoch)
    const answers = taken.values()
    return parcels.map((parcel, index) => {
      if (isTaken(parcel, index)) return answers.next().value!
      if (standings[index] !== 'superseded') return { kind: 'later' }
      return { kind: 'superseded', epoch: Math.max(shadows.head(parcel.site).fence, parcel.epoch + 1) }
    })
  }

  /** First the fence, so that nothing of before comes in behind our answer; then what we have. */
  async #recall(from: PeerId, sites: readonly { site: SiteId; epoch: number }[]): Promise<RecallAnswer[]> {
    const { shadows, stewards } = this.#needs
    const standings = await Promise.all(sites.map(({ site, epoch }) => stewards.standing(site, epoch, from)))
    const own = sites.filter((_, index) => standings[index] === 'steward')
    await shadows.fence(own.map(({ site, epoch }) => ({ site, epoch, last: stewards.lastEpoch(site) })))
    return Promise.all(
      sites.map(async ({ site, epoch }, index) => {
        const standing = standings[index]
        if (standing === 'unsure') return 'later'
        if (standing === 'superseded' || shadows.head(site).fence > epoch) return 'superseded'
        return this.#holding(site, epoch)
      }),
    )
  }

  async #holding(site: SiteId, epoch: number): Promise<RecallAnswer> {
    const { shadows, supersede, putAway } = this.#needs
    supersede(site, epoch)
    await putAway(site)
    const { stage, established } = shadows.head(site)
    return { stage, established }
  }

  #fetch({ site, stage, from }: Extract<Question, { kind: 'fetch' }>): Uint8Array {
    const { shadows } = this.#needs
    const { stage: own } = shadows.head(site)
    if (own === undefined || compare(own, stage) !== 0)
      throw new SiteError('site-not-ready', `${site} is not here as it was asked for`)
    return sitePiece.encode(shadows.read(site, from, pieceBytes))
  }

  #jobs(ids: readonly string[]): JobCard[] {
    const { frontier, shadows } = this.#needs
    return ids.flatMap((id) => {
      const options = shadows.optionsOfJob(id) ?? frontier.optionsOfJob(id)
      return options === undefined ? [] : [{ id, options }]
    })
  }
}

/** Nothing in it is of a time after its steward's. */
function isSound({ epoch, since, established, load }: Parcel): boolean {
  const isLoadSound = load.upTo === undefined || isPossible(load.upTo, epoch)
  return since <= epoch && established <= epoch && isLoadSound
}
