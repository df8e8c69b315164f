// Upkeep of the change log: drops what is too old, and the oldest where all events together are too many.
//
// A little at a time, in the order of stamps. Only of sites that are this frontier's: of others, whoever crawls them decides.

import type { ChangeLog } from './change-log.ts'
import { indexStart } from './event-keys.ts'

export interface LogLimits {
  readonly keepAgeMs: number
  readonly keepBytes: number
}

/** Events looked at in one step. */
const stepMax = 2_000

export class LogUpkeep {
  readonly #needs: { log: ChangeLog; isOpen(site: Buffer): boolean }
  readonly #limits: LogLimits
  /** What was counted so far in this round, and up to where. */
  #bytes = 0
  #counted: Buffer = indexStart
  /** Of all events, when they were last counted. */
  #bytesThen = 0
  #dropped: Buffer = indexStart

  constructor(needs: { log: ChangeLog; isOpen(site: Buffer): boolean }, limits: LogLimits) {
    this.#needs = needs
    this.#limits = limits
  }

  /** True when there is no more to do for now. */
  step(nowMs: number): boolean {
    const isCounted = this.#count()
    const isDropped = this.#drop(nowMs)
    return isCounted && isDropped
  }

  #count(): boolean {
    let looks = 0
    for (const { key, bytes } of this.#needs.log.sizes(this.#counted, stepMax)) {
      this.#bytes += bytes
      this.#counted = key
      looks++
    }
    if (looks === stepMax) return false
    this.#bytesThen = this.#bytes
    this.#bytes = 0
    this.#counted = indexStart
    return true
  }

  #drop(nowMs: number): boolean {
    const { log, isOpen } = this.#needs
    const { keepAgeMs, keepBytes } = this.#limits
    let looks = 0
    for (const { key, stamp, site, bytes } of [...log.sizes(this.#dropped, stepMax)]) {
      if (stamp >= nowMs - keepAgeMs && this.#bytesThen <= keepBytes) {
        this.#dropped = indexStart
        return true
      }
      looks++
      this.#dropped = key
      if (!isOpen(site)) continue
      log.drop(key)
      this.#bytesThen -= bytes
    }
    if (looks === stepMax) return false
    this.#dropped = indexStart
    return true
  }
}
