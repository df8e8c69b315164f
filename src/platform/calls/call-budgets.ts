// What each peer may cost us: so many questions, and so much of this thread's time, as it is measured.
//
// A bucket of each per peer that fills up steadily. The limits are far above what honest peers do (a refill at disk speed, links at
// 20,000 a second): they keep one peer from taking the thread from all others. Time is what handlers take before they first wait; what
// they do later is bounded by each of them. In simulations, where work takes no time, only questions count.
// Invariants: `peersMax` peers at most, the one silent for longest forgotten first; who is over its budget is refused before its
// question is looked at, with an error that passes.

import { LruCache } from '../../model/lru-cache.ts'
import type { Clock } from '../clock.ts'
import type { PeerId } from '../network/network.ts'

interface CallBudgetLimits {
  readonly questionsPerSecond: number
  readonly questionsAtOnce: number
  /** Of each second. */
  readonly workMsPerSecond: number
  readonly workMsAtOnce: number
}

const callBudgetsDefault: CallBudgetLimits = {
  questionsPerSecond: 5_000,
  questionsAtOnce: 20_000,
  workMsPerSecond: 500,
  workMsAtOnce: 5_000,
}

interface Account {
  questions: number
  workMs: number
  filledAtMs: number
}

const peersMax = 4_096

export class CallBudgets {
  readonly #clock: Clock
  readonly #limits: CallBudgetLimits
  readonly #accounts = new LruCache<PeerId, Account>({ max: peersMax })

  constructor(needs: { clock: Clock }, limits: Partial<CallBudgetLimits> = {}) {
    this.#clock = needs.clock
    this.#limits = { ...callBudgetsDefault, ...limits }
  }

  /** Counts a question. False: it is one too many. */
  allows(peer: PeerId): boolean {
    const account = this.#accountOf(peer)
    if (account.questions < 1 || account.workMs <= 0) return false
    account.questions--
    return true
  }

  /** Runs the work, and counts the time until it first waits. */
  measured<T>(peer: PeerId, work: () => T): T {
    const startMs = this.#clock.monotonicMs()
    try {
      return work()
    } finally {
      this.#accountOf(peer).workMs -= this.#clock.monotonicMs() - startMs
    }
  }

  #accountOf(peer: PeerId): Account {
    const nowMs = this.#clock.monotonicMs()
    const { questionsPerSecond, questionsAtOnce, workMsPerSecond, workMsAtOnce } = this.#limits
    const account = this.#accounts.get(peer) ?? {
      questions: questionsAtOnce,
      workMs: workMsAtOnce,
      filledAtMs: nowMs,
    }
    const seconds = (nowMs - account.filledAtMs) / 1_000
    account.filledAtMs = nowMs
    account.questions = Math.min(questionsAtOnce, account.questions + seconds * questionsPerSecond)
    account.workMs = Math.min(workMsAtOnce, account.workMs + seconds * workMsPerSecond)
    this.#accounts.set(peer, account)
    return account
  }
}
