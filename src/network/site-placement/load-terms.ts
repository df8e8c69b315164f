// What evening out the load trades.

import type { PlanTerms } from './load-plan.ts'
import { loadMax } from './wire/questions.ts'

export interface LoadTerms extends PlanTerms {
  /** How often moves are planned: more often is even sooner, and sees less of what the last moves did. */
  readonly planMs: number
  /** What was measured counts for so long: it takes a look at every queue in memory. */
  readonly measureMs: number
  /** What a peer has said counts for so long: who is silent gets nothing. */
  readonly heardMsMax: number
  /** A site that was moved stays for so long: less follows changes sooner, and moves more. */
  readonly restMs: number
  /** The same for one that went to a peer that is much nearer or farther: so long it is to be worth its way. */
  readonly farRestMs: number
  /** How often others are told how far we are from servers. */
  readonly timesMs: number
  /** A site that has had next to nothing to do for so long goes back to its owner: while it is elsewhere it is asked after every few
   * seconds, and its links go a second way. */
  readonly idleMs: number
  /** A site that its taker does not crawl after so long is ours again. */
  readonly failedMs: number
  /** Sites of ours at others. */
  readonly givenMax: number
  readonly loadMax: number
}

export const loadTermsDefault: LoadTerms = {
  margin: 1.1,
  nearWorth: 2,
  movesMax: 32,
  siteLoadMin: 5,
  planMs: 15_000,
  measureMs: 2_000,
  heardMsMax: 60_000,
  restMs: 600_000,
  farRestMs: 3_600_000,
  timesMs: 30_000,
  idleMs: 1_800_000,
  failedMs: 180_000,
  givenMax: 2_000,
  loadMax,
}
