// Site rules: all rules that hold on this peer, and what they say of a URL or a host. On a network these are the network's, and
// this peer's own for everything.
//
// For each matter the most specific rule that says something about it decides: url, pattern, host, site, everything; of several
// patterns the newest. Few, and all in memory; kept beside the queues of visits, where rules for visits lay before there were
// others: those are read as well.
// Invariants: at most rulesMax rules. All patterns together cost a URL no more than patternSizeMax steps a character: those set
// first are in force, the others are kept and said to be not.

import { hash } from 'node:crypto'
import { PolyhistorError } from '../../errors.ts'
import { type DailyHours, nextWithin } from '../../model/jobs/daily-hours.ts'
import {
  type RuleFields,
  type RuleTarget,
  ruleFieldNames,
  ruleName,
  type SiteRule,
} from '../../model/jobs/site-rule.ts'
import { type LinearPattern, linearPattern } from '../../model/linear-pattern.ts'
import { LruCache } from '../../model/lru-cache.ts'
import { tryParseUrl, type Url } from '../../model/url/url.ts'
import type { BufferedTable } from '../frontier/write-buffer.ts'
import { readStoredRule, writeStoredRule } from './stored-rule.ts'

export const rulesMax = 10_000
const patternsMax = 100
const patternSizeMax = 5_000
/** Longer URLs are matched by their beginning. */
const patternedCharsMax = 1_000
/** Hosts whose terms are kept ready. */
const hostsMax = 10_000
/** Behind the queues, before the note of replanning: see recrawl-schedule.ts. */
const keyPrefix = Buffer.of(0xfe)
const nameBytes = 16

class RulesFull extends PolyhistorError {
  constructor() {
    super('visit-rules-full', `There are ${rulesMax} rules already. Remove some first.`)
  }
}

/** What the rules say of a URL, and for each matter which rule. */
export interface RuleVerdict {
  readonly fields: RuleFields
  readonly sources: Readonly<Partial<Record<keyof RuleFields, SiteRule>>>
}

/** What they say of a host as a whole. */
export interface HostTerms {
  readonly delayMs: number
  readonly hours: DailyHours | undefined
  /** Before hosts of lower levels, when both may be asked. */
  readonly level: number
}

type Place = Pick<Url, 'href' | 'host' | 'site'>

interface PatternRule {
  readonly rule: SiteRule
  readonly pattern: LinearPattern
}

const nothingSaid: RuleVerdict = { fields: {}, sources: {} }
const noTerms: HostTerms = { delayMs: 0, hours: undefined, level: 0 }
export const priorityLevels = { low: -1, normal: 0, high: 1 } as const

export class SiteRules {
  readonly #table: BufferedTable
  readonly #rules = new Map<string, SiteRule>()
  readonly #terms = new LruCache<string, HostTerms>({ max: hostsMax })
  /** In force, the newest first; undefined when they are to be chosen anew. */
  #patterns: readonly PatternRule[] | undefined
  #denials = 0
  #priorities = 0

  constructor(table: BufferedTable) {
    this.#table = table
    for (const [, stored] of table.range(keyPrefix, Buffer.of(0xff))) {
      const rule = readStoredRule(stored)
      if (rule !== undefined) this.#remember(rule)
    }
  }

  get isEmpty(): boolean {
    return this.#rules.size === 0
  }

  /** False when no URL is denied, whatever it is. */
  get hasDenials(): boolean {
    return this.#denials > 0
  }

  /** False when no host comes before another. */
  get hasPriorities(): boolean {
    return this.#priorities > 0
  }

  /** In the order of their names: everything, hosts, patterns, sites, URLs. */
  all(): SiteRule[] {
    return [...this.#rules].sort(([left], [right]) => (left < right ? -1 : 1)).map(([, rule]) => rule)
  }

  get(target: RuleTarget): SiteRule | undefined {
    return this.#rules.get(ruleName(target))
  }

  of(url: Place): RuleVerdict {
    if (this.#rules.size === 0) return nothingSaid
    const fields: Record<string, unknown> = {}
    const sources: Partial<Record<keyof RuleFields, SiteRule>> = {}
    for (const rule of this.#matching(url)) {
      for (const name of ruleFieldNames) {
        if (rule[name] === undefined || sources[name] !== undefined) continue
        fields[name] = rule[name]
        sources[name] = rule
      }
    }
    return { fields: fields as RuleFields, sources }
  }

  /** The rule that denies or pauses it, if one does. */
  denialOf(url: Place): SiteRule | undefined {
    if (this.#denials === 0) return undefined
    const deciding = this.#firstSaying(url, 'access')
    return deciding !== undefined && isHolding(deciding) ? deciding : undefined
  }

  freshOf(url: Place): RuleFields['fresh'] {
    if (this.#rules.size === 0) return undefined
    // What must not be asked for is not visited again either.
    return this.denialOf(url) !== undefined ? 'never' : this.#firstSaying(url, 'fresh')?.fresh
  }

  /** By its name and port. */
  termsOf(authority: string): HostTerms {
    if (this.#rules.size === 0) return noTerms
    let terms = this.#terms.get(authority)
    if (terms === undefined) this.#terms.set(authority, (terms = this.#termsOf(authority)))
    return terms
  }

  /** When the host may be asked from `nowMs` on, as far as its hours go. */
  opensAtMs(authority: string, nowMs: number): number {
    const { hours } = this.termsOf(authority)
    return hours === undefined ? nowMs : nextWithin(hours, nowMs)
  }

  /** Whether it counts: patterns beyond what a URL may cost do not. */
  isInForce({ target }: SiteRule): boolean {
    if (target.kind !== 'pattern') return true
    return this.#inForce().some(({ rule }) => ruleName(rule.target) === ruleName(target))
  }

  put(rule: SiteRule): void {
    const name = ruleName(rule.target)
    if (!this.#rules.has(name) && this.#rules.size >= rulesMax) throw new RulesFull()
    this.#forget(name)
    this.#remember(rule)
    this.#table.put(keyOf(name), writeStoredRule(rule))
  }

  /** False when there was none. */
  remove(target: RuleTarget): boolean {
    const name = ruleName(target)
    this.#table.remove(keyOf(name))
    return this.#forget(name)
  }

  #remember(rule: SiteRule): void {
    this.#rules.set(ruleName(rule.target), rule)
    this.#count(rule, 1)
  }

  #forget(name: string): boolean {
    const rule = this.#rules.get(name)
    if (rule === undefined) return false
    this.#rules.delete(name)
    this.#count(rule, -1)
    return true
  }

  #count(rule: SiteRule, more: 1 | -1): void {
    const { priority } = rule
    if (isHolding(rule)) this.#denials += more
    if (priority !== undefined) this.#priorities += more
    this.#terms.clear()
    this.#patterns = undefined
  }

  #firstSaying(url: Place, name: keyof RuleFields): SiteRule | undefined {
    for (const rule of this.#matching(url)) if (rule[name] !== undefined) return rule
    return undefined
  }

  /** The most specific first. */
  *#matching({ href, host, site }: Place): Generator<SiteRule> {
    const own = this.#rules.get(`url ${href}`)
    if (own !== undefined) yield own
    const text = href.length > patternedCharsMax ? href.slice(0, patternedCharsMax) : href
    for (const { rule, pattern } of this.#inForce()) if (pattern.test(text)) yield rule
    yield* this.#ofHost(host, site)
  }

  *#ofHost(host: string, site: string): Generator<SiteRule> {
    for (const name of [`host ${host}`, `site ${site}`, '*']) {
      const rule = this.#rules.get(name)
      if (rule !== undefined) yield rule
    }
  }

  #termsOf(authority: string): HostTerms {
    const url = tryParseUrl(`http://${authority}/`)
    const rules = url === null ? [] : [...this.#ofHost(url.host, url.site)]
    return {
      delayMs: rules.find(({ delayMs }) => delayMs !== undefined)?.delayMs ?? 0,
      hours: rules.find(({ hours }) => hours !== undefined)?.hours,
      level: priorityLevels[rules.find(({ priority }) => priority !== undefined)?.priority ?? 'normal'],
    }
  }

  #inForce(): readonly PatternRule[] {
    if (this.#patterns !== undefined) return this.#patterns
    const chosen: PatternRule[] = []
    let size = 0
    for (const rule of [...this.#rules.values()].sort(bySetting)) {
      if (rule.target.kind !== 'pattern' || chosen.length >= patternsMax) continue
      const pattern = linearPattern(rule.target.pattern, 'nowhere')
      if (size + pattern.size > patternSizeMax) continue
      size += pattern.size
      chosen.push({ rule, pattern })
    }
    this.#patterns = chosen.reverse()
    return this.#patterns
  }
}

/** Nothing is asked for because of it. */
function isHolding({ access }: SiteRule): boolean {
  return access === 'deny' || access === 'pause'
}

/** All peers order them alike. */
function bySetting(left: SiteRule, right: SiteRule): number {
  if (left.setAtMs !== right.setAtMs) return left.setAtMs - right.setAtMs
  const [one, other] = [left, right].map(({ setBy, target }) => `${setBy} ${ruleName(target)}`)
  return one! < other! ? -1 : 1
}

/** URLs may be longer than keys. */
function keyOf(name: string): Buffer {
  return Buffer.concat([keyPrefix, hash('sha256', name, 'buffer').subarray(0, nameBytes)])
}
