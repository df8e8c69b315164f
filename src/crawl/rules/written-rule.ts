// A rule as people write it, on the command line, in forms, in JSON and in the TOML file: {site: 'example.org', delay: '5s'}.
//
// Invariant: reading what was written gives the same rule.

import { BadValue, bytes, duration, type Kind, oneOf, wholeNumber } from '../../config/kinds.ts'
import { parseDailyHours, printDailyHours } from '../../model/jobs/daily-hours.ts'
import {
  browserUses,
  type RuleFields,
  type RuleTarget,
  ruleAccesses,
  rulePriorities,
} from '../../model/jobs/site-rule.ts'
import { tryParseUrl, urlFromTyped } from '../../model/url/url.ts'
import { parseFresh } from '../recrawl/fresh-rules.ts'
import { checkTypes } from '../scope/type-filter.ts'
import { checkRule, RuleMalformed, type RuleStatement, ruleBounds } from './rule-schema.ts'

export type WrittenRule = Readonly<Record<string, string | number | boolean>>

interface Field<Name extends keyof RuleFields> {
  readonly name: Name
  readonly expects: string
  /** undefined for what cannot be read. */
  read(written: unknown): RuleFields[Name]
  print(value: NonNullable<RuleFields[Name]>): string | number
}

function field<Name extends keyof RuleFields>(from: Field<Name>): Field<keyof RuleFields> {
  return from as unknown as Field<keyof RuleFields>
}

/** By the name that people write. */
const fields: Readonly<Record<string, Field<keyof RuleFields>>> = {
  access: field({
    name: 'access',
    expects: 'allow, deny or pause',
    read: (written) => readBy(oneOf(...ruleAccesses), written),
    print: (access) => access,
  }),
  delay: field({
    name: 'delayMs',
    expects: 'a pause such as 5s or 2m, at most a day',
    read: (written) => within(readBy(duration, written), 0, ruleBounds.delayMsMax),
    print: (delayMs) => duration.print(delayMs),
  }),
  hours: field({
    name: 'hours',
    expects: 'the hours of each day, UTC, such as 22:00-06:00',
    read: (written) => parseDailyHours(String(written)),
    print: printDailyHours,
  }),
  fresh: field({
    name: 'fresh',
    expects: 'how often pages are visited again: 1d, 1h-7d, or never',
    read: readFresh,
    print: (fresh) => (fresh === 'never' ? fresh : `${spanText(fresh.minMs)}-${spanText(fresh.maxMs)}`),
  }),
  depth: field({
    name: 'depth',
    expects: `steps from a start, a whole number from 0 to ${ruleBounds.depthMax}`,
    read: (written) => readBy(wholeNumber(0, ruleBounds.depthMax), written),
    print: (depth) => depth,
  }),
  types: field({
    name: 'types',
    expects: 'kinds to keep, such as html,image',
    read: readTypes,
    print: (types) => types,
  }),
  size: field({
    name: 'bytesMax',
    expects: 'the most that is kept of a response, such as 10MB; at least 1kB',
    read: (written) => within(readBy(bytes, written), ruleBounds.bytesMin, ruleBounds.bytesMax),
    print: (size) => bytes.print(size),
  }),
  priority: field({
    name: 'priority',
    expects: rulePriorities.join(', '),
    read: (written) => readBy(oneOf(...rulePriorities), written),
    print: (priority) => priority,
  }),
  browser: field({
    name: 'browser',
    expects: browserUses.join(', '),
    read: (written) => readBy(oneOf(...browserUses), written),
    print: (use) => use,
  }),
}

export const writtenFieldNames: readonly string[] = Object.keys(fields)
const targetNames = ['site', 'host', 'pattern', 'url', 'all'] as const

/** What people write for it. */
export function writtenName(name: keyof RuleFields): string {
  return writtenFieldNames.find((written) => fields[written]!.name === name)!
}

/** What each is to be, for help and error messages. */
export function fieldExpects(name: string): string {
  return fields[name]!.expects
}

/** What is wanted of a rule that there may be already: the fields named, set or, with null or `none`, taken out. */
export interface RuleChange {
  readonly target: RuleTarget
  readonly set: RuleFields
  readonly unset: readonly (keyof RuleFields)[]
}

/** Throws RuleMalformed. */
export function readRuleChange(written: Readonly<Record<string, unknown>>): RuleChange {
  const target = readTarget(written)
  const unset: (keyof RuleFields)[] = []
  const set: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(written)) {
    if ((targetNames as readonly string[]).includes(name) || value === undefined) continue
    const read = fields[name]
    if (read === undefined)
      throw new RuleMalformed(
        `A rule has no ${JSON.stringify(name.slice(0, 40))}. It takes ${[...targetNames, ...writtenFieldNames].join(', ')}.`,
      )
    if (value === null || value === '' || value === 'none') unset.push(read.name)
    else set[read.name] = readField(name, read, value)
  }
  checkRule({ target, ...set })
  return { target, set: set as RuleFields, unset }
}

/** A whole rule. Throws RuleMalformed. */
export function readRule(written: Readonly<Record<string, unknown>>): RuleStatement {
  const { target, set } = readRuleChange(written)
  return { target, ...set }
}

export function writeRule({ target, ...said }: RuleStatement): WrittenRule {
  return { ...writeTarget(target), ...writeFields(said) }
}

export function writeTarget(target: RuleTarget): WrittenRule {
  switch (target.kind) {
    case 'all':
      return { all: true }
    case 'site':
      return { site: target.site }
    case 'host':
      return { host: target.host }
    case 'pattern':
      return { pattern: target.pattern }
    case 'url':
      return { url: target.url }
  }
}

export function writeFields(said: RuleFields): WrittenRule {
  const written: Record<string, string | number> = {}
  for (const [name, { name: own, print }] of Object.entries(fields)) {
    const value = said[own]
    if (value !== undefined) written[name] = print(value)
  }
  return written
}

/** Throws RuleMalformed. */
export function readTarget(written: Readonly<Record<string, unknown>>): RuleTarget {
  const named = targetNames.filter((name) => isSaid(written[name]))
  if (named.length !== 1)
    throw new RuleMalformed('Say what the rule is for, one of: site, host, pattern, url, or all.')
  const [name] = named
  const value = written[name!]
  if (name === 'all') {
    if (value !== true && value !== 'true') throw new RuleMalformed('"all" is true or left out.')
    return { kind: 'all' }
  }
  if (typeof value !== 'string') throw new RuleMalformed(`"${name}" is a text.`)
  const target = targetOf(name!, value.trim())
  checkRule({ target })
  return target
}

function targetOf(name: Exclude<(typeof targetNames)[number], 'all'>, value: string): RuleTarget {
  if (name === 'pattern') return { kind: 'pattern', pattern: value }
  if (name === 'url') return { kind: 'url', url: typedUrl(value, 'URL').href }
  const url = typedUrl(value, name)
  return name === 'site' ? { kind: 'site', site: url.site } : { kind: 'host', host: url.host }
}

function typedUrl(text: string, what: string): { href: string; site: string; host: string } {
  try {
    const url = urlFromTyped(text)
    if (tryParseUrl(url.href) !== null) return url
  } catch {
    // Told below, in the words of rules.
  }
  throw new RuleMalformed(`${JSON.stringify(text.slice(0, 80))} is no ${what}.`)
}

function isSaid(value: unknown): boolean {
  return value !== undefined && value !== null && value !== '' && value !== false
}

function readField(name: string, from: Field<keyof RuleFields>, written: unknown): unknown {
  const value = from.read(written)
  if (value !== undefined) return value
  throw new RuleMalformed(
    `${name} is ${JSON.stringify(String(written).slice(0, 80))}, but must be ${from.expects}.`,
  )
}

function readBy<T>(kind: Kind<T>, written: unknown): T | undefined {
  try {
    return kind.read(written)
  } catch (error) {
    if (error instanceof BadValue) return undefined
    throw error
  }
}

function within(value: number | undefined, from: number, to: number): number | undefined {
  return value !== undefined && value >= from && value <= to ? value : undefined
}

function readFresh(written: unknown): RuleFields['fresh'] {
  if (written === 'never') return 'never'
  try {
    const bounds = parseFresh(String(written))
    return bounds.minMs < ruleBounds.freshMsMin || bounds.maxMs > ruleBounds.freshMsMax ? undefined : bounds
  } catch {
    return undefined
  }
}

function readTypes(written: unknown): string | undefined {
  try {
    // All of them is a choice, too: in spite of a broader rule.
    return checkTypes(String(written)) ?? 'all'
  } catch {
    return undefined
  }
}

const spanUnits: readonly (readonly [unit: string, ms: number])[] = [
  ['w', 604_800_000],
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
]

/** In the largest unit that needs no more digits than can be read. */
function spanText(ms: number): string {
  for (const [unit, unitMs] of spanUnits) {
    const text = String(ms / unitMs)
    if (/^[1-9]\d{0,5}(?:\.\d{1,3})?$/.test(text)) return `${text}${unit}`
  }
  return `${ms / 1_000}s`
}
