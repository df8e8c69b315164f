// A rule as all peers of a network know it: an announcement under the name of what it is for. The latest counts, of those whose author may
// set it (src/network/roles/): so each author has its own, and nobody displaces another's without the right to.
//
// A rule that was taken back is announced as well: who was away must hear of that, too.
// A rule for everything is no announcement: it is the owner's word for what the own peer crawls.

import { checkRule, RuleMalformed, ruleUrlCharsMax } from '../../crawl/rules/rule-schema.ts'
import {
  fieldsOf,
  hasFields,
  type RuleFields,
  type RuleTarget,
  ruleName,
} from '../../model/jobs/site-rule.ts'
import type { AnnouncementKind } from '../announcements/announcement-kind.ts'

export type RuleAnnouncement = RuleFields & {
  readonly target: RuleTarget
  /** As if there were no rule. */
  readonly isRemoved: boolean
  /** The grant that its author acts by; not in those from before there were roles. */
  readonly by?: string | undefined
}

/** Rules that one author may have. */
const countMax = 2_000

export const ruleKind: AnnouncementKind = {
  kind: 'rule',
  nameBytesMax: 3 * ruleUrlCharsMax,
  valueBytesMax: 4 * ruleUrlCharsMax,
  countMax,
  bytesMax: 1024 * 1024,
  // A file of rules is imported at once.
  changes: { burst: countMax, perMinute: 60 },
  fault: ({ name, value }) => {
    const rule = readRuleAnnouncement(value)
    return typeof rule === 'string' ? rule : checkAnnounced(name, rule)
  },
  // Those from before there were roles lie where they lay.
  slot: ({ value, peer }) => {
    const rule = readRuleAnnouncement(value)
    return typeof rule === 'string' || rule.by === undefined ? '' : peer
  },
}

/** Why it cannot be announced under this name; undefined when it can. */
export function checkAnnounced(
  name: string,
  { isRemoved, by, ...rule }: RuleAnnouncement,
): string | undefined {
  if (by !== undefined && !/^[\w-]{22}$/.test(by)) return 'it does not say by which right'
  try {
    const checked = checkRule(rule)
    if (checked.target.kind === 'all') return 'a rule for everything is for the own peer'
    if (hasFields(checked) === isRemoved) return 'a rule says something, or is taken back'
    return ruleName(checked.target) === name ? undefined : 'its name is not that of its target'
  } catch (error) {
    if (error instanceof RuleMalformed) return error.message
    throw error
  }
}

export function writeRuleAnnouncement({ target, isRemoved, by, ...rule }: RuleAnnouncement): Uint8Array {
  const right = by === undefined ? {} : { by }
  const said = isRemoved ? { target, isRemoved } : { target, ...fieldsOf(rule) }
  return Buffer.from(JSON.stringify({ ...said, ...right }))
}

/** Gives why it is none. What it says is checked by `checkAnnounced`. */
export function readRuleAnnouncement(value: Uint8Array): RuleAnnouncement | string {
  try {
    const read: unknown = JSON.parse(Buffer.from(value).toString())
    if (typeof read !== 'object' || read === null) return 'it is no rule'
    const { isRemoved, by, ...rule } = read as { isRemoved?: unknown; by?: unknown; target: RuleTarget }
    if (by !== undefined && typeof by !== 'string') return 'it does not say by which right'
    if (isRemoved !== undefined && isRemoved !== true) return 'it does not say whether it was taken back'
    return { ...rule, isRemoved: isRemoved === true, ...(by !== undefined && { by }) }
  } catch (error) {
    if (error instanceof SyntaxError) return error.message
    throw error
  }
}
