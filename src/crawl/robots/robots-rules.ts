// Robots rules: what a robots file means for one crawler, and the verdict on each URL (RFC 9309, section 2.2).
//
// Invariants: groups that name the crawler's token are taken together, and only without any the groups for everyone;
// of the rules that match, the one with the most octets decides, Allow before Disallow where they are equal;
// `/robots.txt` is always allowed; the same input gives the same verdict.

import { targetForms } from './path-normal-form.ts'
import { PathPattern } from './path-pattern.ts'
import { everyAgent, productTokenOf } from './product-token.ts'
import {
  type RobotsFile,
  type RobotsGroup,
  type RuleKind,
  textOfOctets,
  type WrittenRule,
} from './robots-file.ts'

interface DecidingRule {
  readonly kind: RuleKind
  /** The pattern as written. */
  readonly text: string
  readonly line: number
}

/** The line that decides, as one would write it. */
export function printRule({ kind, text, line }: DecidingRule): string {
  return `line ${line}: ${kind === 'allow' ? 'Allow' : 'Disallow'}: ${text}`
}

interface AppliedGroup {
  /** The crawler's token, or `*`. */
  readonly agent: string
  /** The first user-agent line of each group that was taken. */
  readonly lines: readonly number[]
}

export interface RobotsVerdict {
  readonly isAllowed: boolean
  /** undefined when no rule matched. */
  readonly rule: DecidingRule | undefined
  /** undefined when no group is for this crawler. */
  readonly group: AppliedGroup | undefined
  /** Why there is no file to go by, where that is why nothing is allowed. */
  readonly trouble?: string | undefined
}

/** Why a URL is disallowed. */
export function printRefusal({ rule, trouble }: RobotsVerdict): string {
  if (rule !== undefined) return printRule(rule)
  return `it cannot be reached${trouble === undefined ? '' : ` (${trouble})`}, so everything is disallowed`
}

export class RobotsRules {
  readonly group: AppliedGroup | undefined
  /** The longest that the groups ask for; undefined when they ask for none. */
  readonly crawlDelayMs: number | undefined
  readonly sitemaps: readonly string[]
  /** The most specific first, so that the first match decides. */
  readonly #rules: readonly { readonly pattern: PathPattern; readonly written: WrittenRule }[]

  constructor(file: RobotsFile, agent: string) {
    const { name, groups } = groupsFor(file, productTokenOf(agent))
    this.group = groups.length === 0 ? undefined : { agent: name, lines: groups.map(({ line }) => line) }
    const delays = groups.flatMap(({ crawlDelayMs }) => crawlDelayMs ?? [])
    this.crawlDelayMs = delays.length === 0 ? undefined : delays.reduce((a, b) => Math.max(a, b))
    this.sitemaps = file.sitemaps
    this.#rules = groups
      .flatMap(({ rules }) => rules)
      .map((written) => ({ pattern: new PathPattern(written.octets), written }))
      .sort((a, b) => b.pattern.octets - a.pattern.octets || rankOf(a.written) - rankOf(b.written))
  }

  /** On a request target: path and query, as Url.target has them. */
  verdictOn(target: string): RobotsVerdict {
    const { group } = this
    if (target === '/robots.txt' || this.#rules.length === 0)
      return { isAllowed: true, rule: undefined, group }
    const forms = targetForms(target)
    const decider = this.#rules.find(({ pattern }) => pattern.matches(forms))?.written
    if (decider === undefined) return { isAllowed: true, rule: undefined, group }
    const { kind, line, octets } = decider
    return { isAllowed: kind === 'allow', rule: { kind, text: textOfOctets(octets), line }, group }
  }
}

function rankOf({ kind }: WrittenRule): number {
  return kind === 'allow' ? 0 : 1
}

function groupsFor(file: RobotsFile, token: string): { name: string; groups: RobotsGroup[] } {
  const named = token === '' ? [] : file.groups.filter(({ agents }) => agents.includes(token))
  if (named.length > 0) return { name: token, groups: named }
  return { name: everyAgent, groups: file.groups.filter(({ agents }) => agents.includes(everyAgent)) }
}
