// Site rule: what the keepers of an archive want of the crawl of a site, a host, the URLs that match a pattern, one URL, or
// everything.
//
// Of several rules for a URL the most specific one that says something about a matter decides it: url, pattern, host, site, all;
// of several patterns the one that was set last. So a rule says only what it wants to differ.

import type { DailyHours } from './daily-hours.ts'
import type { VisitTarget } from './planned-visit.ts'

export type RuleTarget =
  | VisitTarget
  | { readonly kind: 'host'; readonly host: string }
  | { readonly kind: 'pattern'; readonly pattern: string }

export const ruleAccesses = ['allow', 'deny', 'pause'] as const
export type RuleAccess = (typeof ruleAccesses)[number]
export const browserUses = ['auto', 'always', 'never'] as const
export type BrowserUse = (typeof browserUses)[number]
export const rulePriorities = ['low', 'normal', 'high'] as const
export type RulePriority = (typeof rulePriorities)[number]

/** Each is as if there were no rule when undefined. */
export interface RuleFields {
  /** Allowed: in spite of a broader rule that denies. robots.txt is obeyed in any case. Paused: nothing is asked for, but what is
   * found is queued, unlike what is denied. */
  readonly access?: RuleAccess | undefined
  /** Between two requests to a host, at least. Never makes a pause shorter. */
  readonly delayMs?: number | undefined
  /** When its hosts may be asked. */
  readonly hours?: DailyHours | undefined
  /** How often it is visited again. */
  readonly fresh?: 'never' | FreshBounds | undefined
  /** Steps from a start, at most. */
  readonly depth?: number | undefined
  /** Kinds of resources to keep, with commas between. */
  readonly types?: string | undefined
  /** Of one response; what is larger is cut, and says so. */
  readonly bytesMax?: number | undefined
  readonly priority?: RulePriority | undefined
  /** Whether pages are shown in a browser. */
  readonly browser?: BrowserUse | undefined
}

export interface FreshBounds {
  readonly minMs: number
  readonly maxMs: number
}

export interface SiteRule extends RuleFields {
  readonly target: RuleTarget
  /** When it was set; 0 where that is not known. */
  readonly setAtMs: number
  /** The peer that set it; '' where there is no network. */
  readonly setBy: string
}

export const ruleFieldNames: readonly (keyof RuleFields)[] = [
  'access',
  'delayMs',
  'hours',
  'fresh',
  'depth',
  'types',
  'bytesMax',
  'priority',
  'browser',
]

/** About a host as a whole, and so not for one URL or a pattern. */
export const hostFieldNames: readonly (keyof RuleFields)[] = ['delayMs', 'hours']

/** Unlike that of any other target. */
export function ruleName(target: RuleTarget): string {
  switch (target.kind) {
    case 'all':
      return '*'
    case 'site':
      return `site ${target.site}`
    case 'host':
      return `host ${target.host}`
    case 'pattern':
      return `pattern ${target.pattern}`
    case 'url':
      return `url ${target.url}`
  }
}

/** For people: the rule for … */
export function targetWords(target: RuleTarget): string {
  switch (target.kind) {
    case 'all':
      return 'everything'
    case 'site':
      return `the site ${target.site}`
    case 'host':
      return `the host ${target.host}`
    case 'pattern':
      return `the pattern ${target.pattern}`
    case 'url':
      return target.url
  }
}

export function hasFields(fields: RuleFields): boolean {
  return ruleFieldNames.some((name) => fields[name] !== undefined)
}

/** Without who set it and when. */
export function fieldsOf(rule: RuleFields): RuleFields {
  const said = ruleFieldNames.filter((name) => rule[name] !== undefined)
  return Object.fromEntries(said.map((name) => [name, rule[name]])) as RuleFields
}

/** Whether two say the same. */
export function isSameRule(one: RuleFields | undefined, other: RuleFields | undefined): boolean {
  if (one === undefined || other === undefined) return one === other
  return ruleFieldNames.every((name) => JSON.stringify(one[name]) === JSON.stringify(other[name]))
}
