// Answers what other peers ask of our log. Each of them has a budget of questions, and a few under way at once; beyond that they are
// refused, for a question may read some of the log and takes a few milliseconds of this thread.

import { PolyhistorError } from '../../errors.ts'
import { AnsweringTurns } from '../../platform/calls/answering-turns.ts'
import type { CallService } from '../../platform/calls/call-services.ts'
import type { Clock } from '../../platform/clock.ts'
import type { PeerId } from '../../platform/network/network.ts'
import type { CaptureLog } from '../../proof/log/capture-log.ts'
import { encodeHead } from '../../proof/log/log-head.ts'
import { TokenBuckets } from '../announcements/token-buckets.ts'
import { type LogAnswer, type LogQuestion, logAnswer, logQuestion } from './log-messages.ts'

const turns = { ofAll: 64, ofEach: 4 }
const busy = ['log-busy', 'You have too many questions about the log.'] as const
const budget = { burst: 60, perMinute: 300 }
/** What was captured just now waits for the next head: for a stranger one is signed early, so often at most. */
const updateMs = 30_000
/** Heads behind the moment of signing in which a stranger's capture is looked for. */
const headsMax = 8

export class LogHandler {
  readonly #log: CaptureLog
  readonly #clock: Clock
  readonly #budgets: TokenBuckets
  #updatedAtMs = Number.NEGATIVE_INFINITY
  readonly #turns = new AnsweringTurns(turns, ...busy)

  constructor(needs: { calls: CallService; log: CaptureLog; clock: Clock }) {
    this.#log = needs.log
    this.#clock = needs.clock
    this.#budgets = new TokenBuckets(() => needs.clock.monotonicMs())
    needs.calls.answer(async (from, bytes) =>
      logAnswer.encode(await this.#counted(from, logQuestion.decode(bytes))),
    )
  }

  async #counted(from: PeerId, question: LogQuestion): Promise<LogAnswer> {
    return this.#turns.run(from, () => {
      if (!this.#budgets.take(from, 1, budget)) throw new PolyhistorError(...busy, { retry: 'later' })
      return this.#answer(question)
    })
  }

  async #answer(question: LogQuestion): Promise<LogAnswer> {
    if (question.kind === 'consistency') {
      const path = await this.#log.consistency(question.first, question.second)
      return path === undefined ? { kind: 'unknown' } : { kind: 'consistency', path }
    }
    const found = (await this.#find(question)) ?? ((await this.#update()) && (await this.#find(question)))
    if (!found) return { kind: 'unknown' }
    const { index, path, head, before } = found
    return {
      kind: 'inclusion',
      index,
      path: [...path],
      head: encodeHead(head),
      before: before && { head: encodeHead(before) },
    }
  }

  #find({ leaf, signedAtMs }: Extract<LogQuestion, { kind: 'inclusion' }>) {
    return this.#log.inclusion(leaf, signedAtMs, headsMax)
  }

  async #update(): Promise<boolean> {
    const nowMs = this.#clock.monotonicMs()
    if (nowMs - this.#updatedAtMs < updateMs) return false
    this.#updatedAtMs = nowMs
    await this.#log.update()
    return true
  }
}
