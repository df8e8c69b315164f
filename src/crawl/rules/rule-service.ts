// What interfaces and pages ask of the rules: of one peer, or of a whole network.

import type { RuleTarget, SiteRule } from '../../model/jobs/site-rule.ts'
import type { Awaitable } from '../../model/listed.ts'
import type { RuleChange } from './written-rule.ts'

export interface ListedRule extends SiteRule {
  /** Patterns beyond what a URL may cost do not count. */
  readonly isInForce: boolean
}

export interface RuleService {
  /** Whether other peers hear of them: all but those for everything. */
  readonly isShared: boolean
  /** In the order of their names. */
  list(): Awaitable<readonly ListedRule[]>
  /** Gives the rule as it is then; undefined when nothing is left of it. Throws RuleMalformed. */
  change(wanted: RuleChange): Promise<ListedRule | undefined>
  /** False when there was none. */
  remove(target: RuleTarget): Promise<boolean>
}
