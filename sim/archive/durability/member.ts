// A member: one peer of a durability run.

import { type AbsenceHistory, newlyKnown } from '../../../src/network/replication/copies/absence-history.ts'
import type { Arc } from './arc.ts'
import type { Life } from './churn-model.ts'
import type { Transfer } from './transfers.ts'

export class Member {
  readonly number: number
  readonly name: string
  readonly network: string
  readonly life: Life
  isOnline: boolean
  isRegionUp = true
  /** Its disk is lost, or it will never come back: what nobody but the simulator and the oracle knows. */
  isGone = false
  isLeaving = false
  absentSinceMs: number | undefined
  /** Its patience is over. */
  isMissed = false
  history: AbsenceHistory
  readonly holds = new Set<Arc>()
  /** What it sends and gets now, one at a time each. */
  sending: Transfer | undefined
  getting: Transfer | undefined

  constructor(number: number, life: Life) {
    this.number = number
    this.name = `peer-${number}`
    this.network = `region-${life.region}`
    this.life = life
    this.history = newlyKnown(life.joinsAtMs)
    this.isOnline = life.isOnlineAtFirst
  }

  get isPresent(): boolean {
    return this.isOnline && this.isRegionUp && !this.isGone
  }
}
