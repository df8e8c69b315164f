// Becoming steward of a site: one attempt at deciding its next stewardship, by Paxos among the members of the last.
//
// First a majority promises not to listen to earlier attempts, and tells what it accepted of those: that must be finished, for
// it may have been chosen. Then a majority accepts. So two attempts never choose two stewardships for one epoch, and a steward
// whose grants run is not replaced, for its members do not accept.

import { PolyhistorError } from '../../errors.ts'
import type { PeerId } from '../../platform/network.ts'
import type { Partner } from './partner.ts'
import {
  type Ballot,
  electoratesAfter,
  epochOf,
  isBefore,
  isMajority,
  type SiteId,
  type Stewardship,
} from './stewardship.ts'
import type { Attempt, AttemptAnswer } from './wire/questions.ts'
import { electoratesMax } from './wire/stewardship-coding.ts'

export type ClaimOutcome =
  /** Ours, or what somebody else had begun: then try again. */
  | { readonly kind: 'decided'; readonly stewardship: Stewardship }
  /** `bound`: what members keep to, for `leftMs` at least. */
  | {
      readonly kind: 'refused'
      readonly bound: readonly Stewardship[]
      readonly leftMs: number | undefined
    }

export interface ClaimingNeeds {
  readonly self: PeerId
  partner(peer: PeerId): Partner
  /** It has been silent for so long that others may go on without it. */
  isGone(peer: PeerId): boolean
  /** Who would keep the site's copies if everybody who is not gone for good were there. */
  fullSet(site: SiteId): readonly PeerId[]
  /** What was done with the site before this epoch is known to be with a majority of its members. */
  isEstablished(site: SiteId, epoch: number): boolean
}

/** How often members that were unknown so far may name yet others. */
const recallsMax = 4

export class Claiming {
  readonly #needs: ClaimingNeeds
  /** The latest round heard of. */
  #round = 0

  constructor(needs: ClaimingNeeds) {
    this.#needs = needs
  }

  /** `wished`: whom the ring names, ourselves among them. `known`: what we know to be decided. `venture` is told what may be
   * decided from then on, whether we hear of it or not. */
  async claim(
    site: SiteId,
    wished: readonly PeerId[],
    known: Stewardship | undefined,
    venture: (wish: Stewardship) => void,
  ): Promise<ClaimOutcome> {
    const base = await this.#newest(site, wished, known)
    // Nobody whom we reach may have heard of the site, and others have: those who would know it decide its first. They decide, too,
    // when all who had a say are gone for good.
    const isLeft = base?.members.some((peer) => !this.#needs.isGone(peer)) ?? false
    const deciding = base !== undefined && isLeft ? base.members : this.#needs.fullSet(site)
    const before = electoratesAfter(base, base !== undefined && this.#needs.isEstablished(site, base.epoch))
    // So many that came to nothing, one after the other: wait until one of them is back.
    if (before.length > electoratesMax) return { kind: 'refused', bound: [], leftMs: undefined }
    const own = { epoch: epochOf(base) + 1, steward: this.#needs.self, members: wished, before }
    const ballot: Ballot = { round: ++this.#round, peer: this.#needs.self }
    const promises = await this.#attempt(deciding, { site, base, ballot, wish: undefined })
    if (!this.#isEnough(deciding, promises)) return refusalOf(promises)
    const wish = latestAccepted(promises) ?? own
    venture(wish)
    const answers = await this.#attempt(deciding, { site, base, ballot, wish })
    if (!this.#isEnough(deciding, answers)) return refusalOf(answers)
    await this.#ofAll(union(wish.members, deciding), (_, partner) =>
      partner.learn({ site, stewardship: wish }),
    )
    return { kind: 'decided', stewardship: wish }
  }

  layDown(site: SiteId, { epoch, members }: Stewardship): Promise<void> {
    return this.#ofAll(members, (_, partner) => partner.layDown({ site, epoch }))
  }

  async #newest(
    site: SiteId,
    wished: readonly PeerId[],
    known: Stewardship | undefined,
  ): Promise<Stewardship | undefined> {
    let newest = known
    const asked = new Set<PeerId>()
    for (let round = 0; round < recallsMax; round++) {
      const toAsk = union(wished, newest?.members ?? this.#needs.fullSet(site)).filter(
        (peer) => !asked.has(peer),
      )
      if (toAsk.length === 0) break
      await this.#ofAll(toAsk, async (peer, partner) => {
        asked.add(peer)
        const told = await partner.recall(site)
        if (epochOf(told) > epochOf(newest)) newest = told
      })
    }
    return newest
  }

  async #attempt(peers: readonly PeerId[], attempt: Attempt): Promise<Map<PeerId, AttemptAnswer>> {
    const answers = new Map<PeerId, AttemptAnswer>()
    await this.#ofAll(peers, async (peer, partner) => {
      const answer = await partner.attempt(attempt)
      answers.set(peer, answer)
      if (answer.kind === 'outbid') this.#round = Math.max(this.#round, answer.ballot.round)
    })
    return answers
  }

  #isEnough(deciding: readonly PeerId[], answers: ReadonlyMap<PeerId, AttemptAnswer>): boolean {
    const agrees = (peer: PeerId) => answers.get(peer)?.kind === 'agreed'
    const present = deciding.filter((peer) => agrees(peer) || !this.#needs.isGone(peer))
    return isMajority(present.filter(agrees).length, present)
  }

  /** Whoever does not answer has no say. */
  async #ofAll(
    peers: readonly PeerId[],
    ask: (peer: PeerId, partner: Partner) => Promise<unknown>,
  ): Promise<void> {
    await Promise.all(
      peers.map(async (peer) => {
        try {
          await ask(peer, this.#needs.partner(peer))
        } catch (error) {
          if (!(error instanceof PolyhistorError)) throw error
        }
      }),
    )
  }
}

/** What must be finished: of all that was accepted, what was tried last. */
function latestAccepted(promises: ReadonlyMap<PeerId, AttemptAnswer>): Stewardship | undefined {
  let latest: { ballot: Ballot; stewardship: Stewardship } | undefined
  for (const answer of promises.values()) {
    if (answer.kind !== 'agreed' || answer.accepted === undefined) continue
    if (latest === undefined || isBefore(latest.ballot, answer.accepted.ballot)) latest = answer.accepted
  }
  return latest?.stewardship
}

function refusalOf(answers: ReadonlyMap<PeerId, AttemptAnswer>): ClaimOutcome {
  const bound = [...answers.values()].filter((answer) => answer.kind === 'bound')
  return {
    kind: 'refused',
    bound: bound.map(({ to }) => to),
    leftMs: bound.length === 0 ? undefined : Math.min(...bound.map(({ leftMs }) => leftMs)),
  }
}

function union(a: readonly PeerId[], b: readonly PeerId[]): PeerId[] {
  return [...new Set([...a, ...b])]
}
