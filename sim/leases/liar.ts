// A member that lies about leases all the time: half of what it answers is made up, and it tells others, unasked, of
// leases that nobody decided and bids for what is not its own.

import { flags } from '../../src/formats/wire/message-fields.ts'
import type { Electorate, Lease, SiteId } from '../../src/network/leases/lease.ts'
import {
  type AttemptAnswer,
  attemptAnswers,
  memberQuestion,
  type Question,
  recollections,
} from '../../src/network/leases/wire/questions.ts'
import type { PeerId } from '../../src/platform/network/network.ts'
import type { SimulatedRandom } from '../../src/platform/simulated/random.ts'

export interface LiarNeeds {
  readonly self: PeerId
  readonly random: SimulatedRandom
  readonly sites: readonly SiteId[]
  readonly peers: readonly PeerId[]
  /** What was decided, as it knows. */
  decided(site: SiteId): Lease | undefined
  nowMs(): number
}

export class Liar {
  readonly #needs: LiarNeeds

  constructor(needs: LiarNeeds) {
    this.#needs = needs
  }

  /** undefined: what an honest member would. */
  answer(bytes: Uint8Array): Uint8Array | undefined {
    const { random } = this.#needs
    const question = memberQuestion.decode(bytes)
    if (question.kind === 'yield') return new Uint8Array()
    if (random.chance(0.5)) return undefined
    switch (question.kind) {
      case 'recall':
        return recollections.encode(
          question.sites.map((site) => ({ decided: this.#madeUp(site), accepted: undefined })),
        )
      case 'attempt':
        return attemptAnswers.encode(question.attempts.map(({ site, base }) => this.#vote(site, base)))
      case 'attest':
        return flags.encode(question.sites.map(() => true))
      default:
        return new Uint8Array()
    }
  }

  /** Something that no honest peer would say. */
  statement(): Question {
    const { random, sites, self } = this.#needs
    const site = sites[random.below(sites.length)]!
    const lease = this.#madeUp(site)
    if (random.chance(0.3)) return { kind: 'learn', sites: [{ site, lease }] }
    const base = random.chance(0.5) ? lease : this.#needs.decided(site)
    const proposal = random.chance(0.5) ? this.#following(base) : undefined
    return {
      kind: 'attempt',
      attempts: [{ site, base, ballot: { round: this.#round(), peer: self }, proposal }],
    }
  }

  #vote(site: SiteId, base: Lease | undefined): AttemptAnswer {
    const { random, self } = this.#needs
    const ballot = { round: this.#round(), peer: self }
    switch (random.below(5)) {
      case 0:
        return { kind: 'agreed', accepted: undefined }
      case 1:
        return {
          kind: 'agreed',
          accepted: { ballot: { ...ballot, round: 1 }, lease: this.#following(base) },
        }
      case 2:
        return { kind: 'outbid', ballot }
      case 3:
        return { kind: 'bound', to: this.#madeUp(site), leftMs: random.below(100_000) }
      default:
        return { kind: 'decided', decided: this.#madeUp(site) }
    }
  }

  #round(): number {
    const { random, nowMs } = this.#needs
    return random.chance(0.5) ? random.below(2 ** 24) : random.below(nowMs() + 7_200_000)
  }

  /** As if it came after what was decided, with itself or nobody as its lease holder. */
  #following(base: Lease | undefined): Lease {
    const before = base === undefined ? [] : [{ epoch: base.epoch, members: base.members }]
    return { ...this.#oneOf(base?.epoch ?? 0), before }
  }

  #madeUp(site: SiteId): Lease {
    const { random } = this.#needs
    const epoch = (this.#needs.decided(site)?.epoch ?? 0) + random.below(random.chance(0.8) ? 5 : 2 ** 40)
    const before = Array.from(
      { length: random.below(17) },
      (_, index): Electorate => ({
        epoch: index,
        members: this.#members(),
      }),
    )
    return { ...this.#oneOf(epoch), before }
  }

  #oneOf(epoch: number): Lease {
    const members = this.#members()
    return { epoch: epoch + 1, holder: members[0]!, members, before: [] }
  }

  #members(): PeerId[] {
    const { random, self, peers } = this.#needs
    if (random.chance(0.5)) return ['nobody', 'no one', 'nobody else'].slice(0, 1 + random.below(3))
    const first = random.below(peers.length)
    const others = [...peers.slice(first), ...peers.slice(0, first)].filter((peer) => peer !== self)
    return [self, ...others].slice(0, 1 + random.below(3))
  }
}
