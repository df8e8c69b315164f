// Site desk: answers what other peers ask about sites.

import type { PeerId } from '../../platform/network.ts'
import type { ShadowBook } from './shadow-book.ts'
import { SiteError } from './site-error.ts'
import type { SiteFrontier, SiteId } from './site-frontier.ts'
import type { Stage } from './stage.ts'
import { compare } from './stage.ts'
import type { Holding, HoldingAnswer, JobCard, Question } from './wire/parcel.ts'
import {
  readQuestion,
  writeHoldingAnswers,
  writeHoldings,
  writeJobCards,
  writeParcelAnswers,
  writePiece,
} from './wire/questions.ts'

interface Needs {
  readonly frontier: SiteFrontier
  readonly shadows: ShadowBook
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
    const question = readQuestion(bytes)
    switch (question.kind) {
      case 'ship':
        return this.#take(question)
      case 'recall':
        return writeHoldings(await this.#recall(question.sites))
      case 'fetch':
        return this.#fetch(question)
      case 'jobs':
        return writeJobCards(this.#jobs(question.ids))
      case 'holdings':
        return writeHoldingAnswers(
          question.sites.map(({ site, stage }) => this.#needs.answerHolding(from, site, stage)),
        )
    }
  }

  async #take({ jobs, parcels }: Extract<Question, { kind: 'ship' }>): Promise<Uint8Array> {
    const answers = await this.#needs.shadows.take(jobs, parcels)
    for (const [index, { site, epoch }] of parcels.entries())
      if (answers[index]!.kind !== 'superseded') this.#needs.supersede(site, epoch)
    return writeParcelAnswers(answers)
  }

  /** First the fence, so that nothing of before comes in behind our answer; then what we have. */
  async #recall(sites: readonly { site: SiteId; epoch: number }[]): Promise<(Holding | undefined)[]> {
    const { shadows, supersede, putAway } = this.#needs
    const fenced = await shadows.fence(sites)
    return Promise.all(
      sites.map(async ({ site, epoch }, index) => {
        if (fenced[index]!.fence > epoch) return undefined
        supersede(site, epoch)
        await putAway(site)
        const { stage, established } = shadows.head(site)
        return { stage, established }
      }),
    )
  }

  #fetch({ site, stage, from }: Extract<Question, { kind: 'fetch' }>): Uint8Array {
    const { shadows } = this.#needs
    const { stage: own } = shadows.head(site)
    if (own === undefined || compare(own, stage) !== 0)
      throw new SiteError('site-not-ready', `${site} is not here as it was asked for`)
    return writePiece(shadows.read(site, from, pieceBytes))
  }

  #jobs(ids: readonly string[]): JobCard[] {
    const { frontier, shadows } = this.#needs
    return ids.flatMap((id) => {
      const options = shadows.optionsOfJob(id) ?? frontier.optionsOfJob(id)
      return options === undefined ? [] : [{ id, options }]
    })
  }
}
