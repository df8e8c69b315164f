// The rules of a home, for its owner: through the crawler that is open, or one that is opened for this. Where there is a network,
// all but those for everything are the network's.

import type { Frontier } from '../../crawl/frontier/frontier.ts'
import { checkRule } from '../../crawl/rules/rule-schema.ts'
import type { ListedRule, RuleService } from '../../crawl/rules/rule-service.ts'
import type { RuleChange } from '../../crawl/rules/written-rule.ts'
import {
  fieldsOf,
  hasFields,
  type RuleFields,
  type RuleTarget,
  type SiteRule,
} from '../../model/jobs/site-rule.ts'
import type { NetworkRules } from '../../network/rules/network-rules.ts'
import { SerialQueue } from '../../platform/serial-queue.ts'
import type { Store } from '../../store/store.ts'
import { version } from '../../version.ts'
import { userAgentOf } from './crawler.ts'
import { openCrawlerToAsk } from './crawler-to-ask.ts'

export { ruleListJson } from '../../api/v1/jobs/rule-routes.ts'
export type { ListedRule } from '../../crawl/rules/rule-service.ts'
export {
  printRulesFile,
  type RulesChange,
  readRulesFile,
  ruleChanges,
} from '../../crawl/rules/rules-file.ts'
export {
  readRuleChange,
  readTarget,
  writeFields,
  writeTarget,
  writtenName,
} from '../../crawl/rules/written-rule.ts'

type RulesOfFrontier = Pick<Frontier, 'rules' | 'setRule' | 'removeRule' | 'nowMs'>

interface Needs {
  readonly frontier: RulesOfFrontier
  /** Other URLs may be due, or due sooner. */
  readonly whenChanged?: (() => void) | undefined
  /** Carries rules out, here and on all other peers. */
  readonly network?: Pick<NetworkRules, 'set' | 'remove'> | undefined
}

export class HomeRules implements RuleService {
  readonly #needs: Needs
  /** Changes go one after the other: each begins with what the rule says now. */
  readonly #queue = new SerialQueue()

  constructor(needs: Needs) {
    this.#needs = needs
  }

  get isShared(): boolean {
    return this.#needs.network !== undefined
  }

  list(): ListedRule[] {
    return this.#needs.frontier.rules.all().map((rule) => this.#listed(rule))
  }

  change(wanted: RuleChange): Promise<ListedRule | undefined> {
    return this.#queue.run(async () => {
      const { target, set, unset } = wanted
      const { rules } = this.#needs.frontier
      const before = rules.get(target)
      const left = Object.entries({ ...(before && fieldsOf(before)), ...set }).filter(
        ([name]) => !unset.includes(name as keyof RuleFields),
      )
      const fields = Object.fromEntries(left) as RuleFields
      checkRule({ target, ...fields })
      if (hasFields(fields)) await this.#put(target, fields)
      else if (before !== undefined) await this.#remove(target)
      const after = rules.get(target)
      return after && this.#listed(after)
    })
  }

  remove(target: RuleTarget): Promise<boolean> {
    return this.#queue.run(async () => {
      if (this.#needs.frontier.rules.get(target) === undefined) return false
      await this.#remove(target)
      return true
    })
  }

  #listed(rule: SiteRule): ListedRule {
    return { ...rule, isInForce: this.#needs.frontier.rules.isInForce(rule) }
  }

  async #put(target: RuleTarget, fields: RuleFields): Promise<void> {
    const { frontier, network, whenChanged } = this.#needs
    if (network !== undefined && target.kind !== 'all') return network.set(target, fields)
    await frontier.setRule({ ...fields, target, setAtMs: Math.floor(frontier.nowMs()), setBy: '' })
    whenChanged?.()
  }

  async #remove(target: RuleTarget): Promise<void> {
    const { frontier, network, whenChanged } = this.#needs
    if (network !== undefined && target.kind !== 'all') return network.remove(target)
    await frontier.removeRule(target)
    whenChanged?.()
  }
}

/** Without a running peer. */
export async function withHomeRules<T>(
  folder: string,
  store: Store,
  work: (rules: HomeRules) => Promise<T>,
): Promise<T> {
  const crawler = await openCrawlerToAsk(folder, store, { userAgent: userAgentOf(version), allowed: [] })
  try {
    return await work(new HomeRules(crawler))
  } finally {
    await crawler.close()
  }
}
