// Gated kinds: announcements that count by their author's role, and what they say of the right that they were made by.
//
// They are read loosely here, as this folder must not know those of takedowns and rules, which ask it: what is not in order has been
// refused by its own kind before.

import type { RuleTarget } from '../../model/jobs/site-rule.ts'
import type { TakedownTarget } from '../../store/takedowns/takedown-record.ts'
import { siteOfRule, siteOfTakedown } from './role-authority.ts'

export const gatedKinds = ['takedown', 'rule', 'visit'] as const

export function isGated(kind: string): kind is (typeof gatedKinds)[number] {
  return (gatedKinds as readonly string[]).includes(kind)
}

/** The grant that its author acts by, none in those from before there were roles, and the site that it is for. undefined for what
 * cannot be read. */
export function rightIn(
  kind: (typeof gatedKinds)[number],
  value: Uint8Array,
): { readonly by: string | undefined; readonly site: string } | undefined {
  try {
    const { by, target } = JSON.parse(Buffer.from(value).toString()) as { by?: unknown; target: unknown }
    const site =
      kind === 'takedown' ? siteOfTakedown(target as TakedownTarget) : siteOfRule(target as RuleTarget)
    return { by: typeof by === 'string' ? by : undefined, site }
  } catch {
    return undefined
  }
}
