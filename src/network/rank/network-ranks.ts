// Network ranks: what all peers of a network know of ranks, asked of them at once and merged; and the door by which they ask us, for
// that and for the runs that compute them.
//
// A page's rank is with whoever computed it. Two may have it, when it has moved since: the later run counts, or the higher score of one
// run. What others say is a claim: what was taken down is left out.

import { unlessFails } from '../../errors.ts'
import { AnsweringTurns } from '../../platform/calls/answering-turns.ts'
import type { CallService } from '../../platform/calls/call-services.ts'
import type { PeerId } from '../../platform/network/network.ts'
import {
  type RankAnswer,
  type RankAsked,
  type RankPoint,
  type RankService,
  sortedRanks,
} from '../../rank/rank-service.ts'
import type { RankParticipant } from './rank-participant.ts'
import {
  partState,
  pointsMax,
  type RankQuestion,
  rankAnswer,
  rankedMax,
  rankPoints,
  rankQuestion,
} from './rank-questions.ts'

interface Needs {
  readonly own: RankService
  readonly participant: RankParticipant
  readonly calls: Pick<CallService, 'call' | 'answer'>
  /** Everybody known to be on the ring now, without ourselves. */
  peers(): readonly PeerId[]
  isHidden(href: string): boolean
}

const peersMax = 200
const answerMs = 4_000
/** Questions of others that are answered at once. */
const turns = { ofAll: 8, ofEach: 4 }
const nothing = new Uint8Array()

export class NetworkRanks implements RankService {
  readonly #needs: Needs
  readonly #turns = new AnsweringTurns(
    turns,
    'rank-busy',
    'This peer answers as many questions about ranks as it can',
  )

  constructor(needs: Needs) {
    this.#needs = needs
    needs.calls.answer((from, bytes) => this.#answer(from, rankQuestion.decode(bytes)))
  }

  async top(asked: RankAsked): Promise<RankAnswer> {
    const limit = Math.min(rankedMax, asked.limit)
    const question = { kind: 'top', ...asked, limit } as const
    const { own, isHidden } = this.#needs
    const [here, ...others] = await this.#askAll(own.top(asked), question, (bytes) =>
      rankAnswer.decode(bytes),
    )
    const answers = [here!, ...others.filter((answer) => answer !== undefined)]
    const newest = new Map<string, { url: string; score: number; computedMs: number }>()
    for (const { ranked, computedMs } of answers)
      for (const { url, score } of ranked) {
        const known = newest.get(url)
        const isLater = known === undefined || computedMs > known.computedMs
        if (isHidden(url) || !(isLater || (computedMs === known.computedMs && score > known.score))) continue
        newest.set(url, { url, score, computedMs })
      }
    const ranked = sortedRanks([...newest.values()].map(({ url, score }) => ({ url, score })))
    return {
      ranked: ranked.slice(0, asked.limit),
      isPartial: answers.length <= others.length || ranked.length > asked.limit || answers.some(isPartial),
      computedMs: Math.max(...answers.map(({ computedMs }) => computedMs)),
    }
  }

  async curve(site: string): Promise<readonly RankPoint[]> {
    const answers = await this.#askAll(this.#needs.own.curve(site), { kind: 'curve', site }, (bytes) =>
      rankPoints.decode(bytes),
    )
    const points = new Map<number, RankPoint>()
    for (const answer of answers)
      for (const point of answer ?? []) {
        const known = points.get(point.atMs)
        if (known === undefined || known.score < point.score) points.set(point.atMs, point)
      }
    return [...points.values()].sort((one, other) => one.atMs - other.atMs)
  }

  /** Ours first; of those who do not answer, or not to the question, undefined. */
  async #askAll<T>(
    own: Promise<T>,
    question: Parameters<typeof rankQuestion.encode>[0],
    read: (bytes: Uint8Array) => T,
  ): Promise<(T | undefined)[]> {
    const bytes = rankQuestion.encode(question)
    const { calls, peers } = this.#needs
    const ask = (peer: PeerId) =>
      unlessFails(calls.call(peer, bytes, { deadlineMs: answerMs, channel: 'bulk' }).then(read))
    return Promise.all([own, ...peers().slice(0, peersMax).map(ask)])
  }

  #answer(from: PeerId, question: RankQuestion): Uint8Array | Promise<Uint8Array> {
    const { participant } = this.#needs
    switch (question.kind) {
      case 'begin':
        participant.begin(from, question)
        return nothing
      case 'piece':
        participant.accept(from, question)
        return nothing
      case 'state':
        return partState.encode(participant.state(question.run, question.round))
      case 'top':
        return this.#turns.run(from, async () =>
          rankAnswer.encode(await this.#needs.own.top({ ...question, limit: Math.max(1, question.limit) })),
        )
      case 'curve':
        return this.#turns.run(from, async () =>
          rankPoints.encode((await this.#needs.own.curve(question.site)).slice(-pointsMax)),
        )
    }
  }
}

function isPartial(answer: RankAnswer): boolean {
  return answer.isPartial
}
