// What a rule may say: others of the network wrote it, and every crawler follows it. Also the form in which rules lie on disk.
//
// Invariant: whatever passes can be carried out by any peer: patterns compile and are small, spans and sizes are within bounds.

import * as v from 'valibot'
import { PolyhistorError } from '../../errors.ts'
import {
  browserUses,
  hasFields,
  hostFieldNames,
  type RuleFields,
  type RuleTarget,
  ruleAccesses,
  rulePriorities,
} from '../../model/jobs/site-rule.ts'
import { linearPattern, PatternRefused } from '../../model/linear-pattern.ts'
import { tryParseUrl } from '../../model/url/url.ts'
import { TypeFilter } from '../scope/type-filter.ts'

/** The message is a sentence for whoever set the rule. */
export class RuleMalformed extends PolyhistorError {
  constructor(message: string) {
    super('rule-malformed', message)
  }
}

const hostCharsMax = 253
export const ruleUrlCharsMax = 2_000
const patternCharsMax = 500
const minuteMs = 60_000
const dayMs = 24 * 60 * minuteMs
export const ruleBounds = {
  delayMsMax: dayMs,
  /** Politeness keeps visits apart anyway; a rule below this is no plan. */
  freshMsMin: minuteMs,
  freshMsMax: 100 * 366 * dayMs,
  depthMax: 1_000,
  bytesMin: 1_024,
  bytesMax: 2 ** 40,
} as const

function whole(from: number, to: number) {
  return v.pipe(v.number(), v.safeInteger(), v.minValue(from), v.maxValue(to))
}

const spanMs = v.pipe(
  v.number(),
  v.finite(),
  v.minValue(ruleBounds.freshMsMin, 'Pages are not visited more often than once a minute.'),
  v.maxValue(ruleBounds.freshMsMax, 'A century is the longest interval.'),
)
const minute = whole(0, 24 * 60 - 1)

const fields = {
  access: v.optional(v.picklist(ruleAccesses)),
  delayMs: v.optional(v.pipe(v.number(), v.minValue(0), v.maxValue(ruleBounds.delayMsMax))),
  hours: v.optional(
    v.pipe(
      v.strictObject({ from: minute, to: minute }),
      v.check(({ from, to }) => from !== to, 'Hours that begin when they end are none.'),
    ),
  ),
  fresh: v.optional(
    v.union([
      v.literal('never'),
      v.pipe(
        v.strictObject({ minMs: spanMs, maxMs: spanMs }),
        v.check(({ minMs, maxMs }) => minMs <= maxMs, 'The shortest interval is longer than the longest.'),
      ),
    ]),
  ),
  depth: v.optional(whole(0, ruleBounds.depthMax)),
  types: v.optional(
    v.pipe(
      v.string(),
      v.maxLength(200),
      v.check((types) => isTypes(types), 'It names types that there are not.'),
    ),
  ),
  bytesMax: v.optional(whole(ruleBounds.bytesMin, ruleBounds.bytesMax)),
  priority: v.optional(v.picklist(rulePriorities)),
  browser: v.optional(v.picklist(browserUses)),
}

const target = v.variant('kind', [
  v.strictObject({ kind: v.literal('all') }),
  v.strictObject({
    kind: v.literal('site'),
    site: v.pipe(
      v.string(),
      v.maxLength(hostCharsMax),
      v.check((site) => tryParseUrl(`http://${site}/`)?.site === site, 'That is no site.'),
    ),
  }),
  v.strictObject({
    kind: v.literal('host'),
    host: v.pipe(
      v.string(),
      v.maxLength(hostCharsMax),
      v.check((host) => tryParseUrl(`http://${host}/`)?.host === host, 'That is no host.'),
    ),
  }),
  v.strictObject({
    kind: v.literal('url'),
    url: v.pipe(
      v.string(),
      v.maxLength(ruleUrlCharsMax, `A rule is for URLs of at most ${ruleUrlCharsMax} characters.`),
      v.check((url) => tryParseUrl(url)?.href === url, 'That is no URL.'),
    ),
  }),
  v.strictObject({
    kind: v.literal('pattern'),
    pattern: v.pipe(
      v.string(),
      v.minLength(1),
      v.maxLength(patternCharsMax, `A pattern has at most ${patternCharsMax} characters.`),
      v.rawCheck(({ dataset, addIssue }) => {
        if (!dataset.typed) return
        const fault = patternFault(dataset.value)
        if (fault !== undefined) addIssue({ message: fault })
      }),
    ),
  }),
])

const statement = v.pipe(
  v.strictObject({ target, ...fields }),
  v.check(
    (rule) => isOfHosts(rule.target) || hostFieldNames.every((name) => rule[name] === undefined),
    'Delay and hours are for a host as a whole: set them for a site, a host or everything.',
  ),
)

export type RuleStatement = { readonly target: RuleTarget } & RuleFields

/** Throws RuleMalformed. */
export function checkRule(rule: unknown): RuleStatement {
  const read = v.safeParse(statement, rule, { abortEarly: true })
  if (!read.success) throw new RuleMalformed(sentenceOf(read.issues[0]))
  return read.output
}

/** One that says nothing is no rule. */
export function checkSaying(rule: RuleStatement): RuleStatement {
  if (hasFields(rule)) return rule
  throw new RuleMalformed('The rule says nothing: allow, deny, or set a limit.')
}

export function isOfHosts({ kind }: RuleTarget): boolean {
  return kind === 'all' || kind === 'site' || kind === 'host'
}

function sentenceOf(issue: v.BaseIssue<unknown>): string {
  const path = issue.path?.map(({ key }) => String(key)).join('.')
  return path === undefined ? issue.message : `${path}: ${issue.message}`
}

function patternFault(source: string): string | undefined {
  try {
    linearPattern(source, 'nowhere')
    return undefined
  } catch (error) {
    if (error instanceof PatternRefused) return error.message
    throw error
  }
}

function isTypes(text: string): boolean {
  try {
    new TypeFilter(text)
    return true
  } catch {
    return false
  }
}
