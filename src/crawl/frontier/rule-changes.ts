// Rule changes: what a rule that comes or goes means for what is queued and planned already.
//
// Invariant: a rule holds from the moment at which it is set; what it moves is moved by and by, a little at a time.

import type { RuleFields, RuleTarget, SiteRule } from '../../model/jobs/site-rule.ts'
import type { SteadyClock } from '../../platform/steady-clock.ts'
import type { FetchScheduler } from './fetch-scheduler.ts'
import type { FrontierTables } from './frontier-tables.ts'

/** Visits moved at a time. */
const visitsAtOnce = 200

export class RuleChanges {
  readonly #tables: FrontierTables
  readonly #scheduler: FetchScheduler
  readonly #clock: SteadyClock

  constructor(needs: { tables: FrontierTables; scheduler: FetchScheduler; clock: SteadyClock }) {
    this.#tables = needs.tables
    this.#scheduler = needs.scheduler
    this.#clock = needs.clock
  }

  async set(rule: SiteRule): Promise<void> {
    const before = this.#tables.siteRules.get(rule.target)
    this.#tables.siteRules.put(rule)
    await this.#changed(rule.target, before, rule)
  }

  async remove(target: RuleTarget): Promise<void> {
    const before = this.#tables.siteRules.get(target)
    if (this.#tables.siteRules.remove(target)) await this.#changed(target, before, {})
  }

  async #changed(target: RuleTarget, before: RuleFields = {}, after: RuleFields): Promise<void> {
    this.#tables.buffer.checkpoint()
    const isOtherAccess = before.access !== after.access
    if (isOtherAccess) await this.#lookAtHeld()
    const isOtherFresh = JSON.stringify(before.fresh) !== JSON.stringify(after.fresh)
    if (isOtherFresh || isOtherAccess) await this.#moveVisits(target)
  }

  async #lookAtHeld(): Promise<void> {
    for (let isFirst = true; this.#scheduler.rulesChanged({ isFirst }); isFirst = false) await this.#breathe()
    await this.#breathe()
  }

  async #moveVisits(target: RuleTarget): Promise<void> {
    const { recrawl } = this.#tables
    let after: Buffer | undefined
    do {
      after = recrawl.applyRules(target, visitsAtOnce, this.#clock.nowMs(), after)
      await this.#breathe()
    } while (after !== undefined)
  }

  async #breathe(): Promise<void> {
    this.#tables.buffer.checkpoint()
    await this.#tables.buffer.room()
  }
}
