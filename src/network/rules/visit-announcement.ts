// How often a site or a page is visited again, as peers of earlier versions announced it. Nobody writes these any more: a rule
// (rule-announcement.ts) says that and more. Networks still hold them, and what they say counts until a rule says otherwise.

import { RuleMalformed } from '../../crawl/rules/rule-schema.ts'
import type { FreshBounds, RuleTarget } from '../../model/jobs/site-rule.ts'
import type { AnnouncementKind } from '../announcements/announcement-kind.ts'
import { checkAnnounced, type RuleAnnouncement, ruleKind } from './rule-announcement.ts'

interface VisitStatement {
  readonly target: RuleTarget
  /** `resume`: as if there were no rule. */
  readonly state: 'every' | 'stop' | 'resume'
  /** Of 'every'. */
  readonly bounds?: FreshBounds
}

export const visitKind: AnnouncementKind = {
  ...ruleKind,
  kind: 'visit',
  slot: () => '',
  countMax: 1_000,
  bytesMax: 512 * 1024,
  changes: { burst: 100, perMinute: 30 },
  fault: ({ name, value }) => {
    const rule = readVisitAnnouncement(value)
    if (typeof rule === 'string') return rule
    const kind = rule.target?.kind
    if (kind !== 'site' && kind !== 'url') return 'it is for neither a site nor a page'
    return checkAnnounced(name, rule)
  },
}

/** As the rule that it is now. Gives why it is none. */
export function readVisitAnnouncement(value: Uint8Array): RuleAnnouncement | string {
  try {
    const { target, state, bounds, ...more } = JSON.parse(Buffer.from(value).toString()) as VisitStatement
    if (Object.keys(more).length > 0) return 'it says more than it may'
    if (state === 'resume') return { target, isRemoved: true }
    if (state !== 'every' && state !== 'stop') return 'it says neither how often nor to stop'
    if (state === 'every' && bounds === undefined) return 'it does not say how often'
    return { target, isRemoved: false, fresh: state === 'stop' ? 'never' : bounds! }
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof TypeError || error instanceof RuleMalformed)
      return error.message
    throw error
  }
}
