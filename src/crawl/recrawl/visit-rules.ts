// Visit rules: what the owner of this peer wants of planned visits: how often at most and at least, or not at all. On a network also
// what other members want of sites and pages.
//
// For one URL, for a site, or for everything; the closest rule counts, and comes before what the peer was started with
// (`--fresh`). Few, and all in memory; kept beside the queues of visits.

import { hash } from 'node:crypto'
import * as v from 'valibot'
import { PolyhistorError } from '../../errors.ts'
import type { VisitRule, VisitTarget } from '../../model/planned-visit.ts'
import type { Url } from '../../model/url.ts'
import type { BufferedTable } from '../frontier/write-buffer.ts'

export const visitRulesMax = 10_000
/** Behind the queues, before the note of replanning: see recrawl-schedule.ts. */
const keyPrefix = Buffer.of(0xfe)
const nameBytes = 16

const spanMs = v.pipe(v.number(), v.finite(), v.minValue(0))
const ruleSchema = v.object({
  target: v.variant('kind', [
    v.object({ kind: v.literal('all') }),
    v.object({ kind: v.literal('site'), site: v.string() }),
    v.object({ kind: v.literal('url'), url: v.string() }),
  ]),
  bounds: v.optional(v.object({ minMs: spanMs, maxMs: spanMs })),
})

class VisitRulesFull extends PolyhistorError {
  constructor() {
    super('visit-rules-full', `There are ${visitRulesMax} rules for visits already. Take some back first.`)
  }
}

export class VisitRules {
  readonly #table: BufferedTable
  readonly #rules = new Map<string, VisitRule>()

  constructor(table: BufferedTable) {
    this.#table = table
    for (const [, stored] of table.range(keyPrefix, Buffer.of(0xff))) {
      const rule = storedRule(stored)
      if (rule !== undefined) this.#rules.set(nameOf(rule.target), rule)
    }
  }

  get isEmpty(): boolean {
    return this.#rules.size === 0
  }

  /** In the order of their names: everything, sites, URLs. */
  all(): VisitRule[] {
    return [...this.#rules].sort(([left], [right]) => (left < right ? -1 : 1)).map(([, rule]) => rule)
  }

  get(target: VisitTarget): VisitRule | undefined {
    return this.#rules.get(nameOf(target))
  }

  of({ href, site }: Pick<Url, 'href' | 'site'>): VisitRule | undefined {
    if (this.#rules.size === 0) return undefined
    const targets: VisitTarget[] = [{ kind: 'url', url: href }, { kind: 'site', site }, { kind: 'all' }]
    for (const target of targets) {
      const rule = this.#rules.get(nameOf(target))
      if (rule !== undefined) return rule
    }
    return undefined
  }

  put(rule: VisitRule): void {
    const name = nameOf(rule.target)
    if (!this.#rules.has(name) && this.#rules.size >= visitRulesMax) throw new VisitRulesFull()
    this.#rules.set(name, rule)
    this.#table.put(keyOf(name), Buffer.from(JSON.stringify(rule)))
  }

  /** False when there was none. */
  remove(target: VisitTarget): boolean {
    const name = nameOf(target)
    this.#table.remove(keyOf(name))
    return this.#rules.delete(name)
  }
}

/** undefined for a damaged one: a frontier opens without it. */
function storedRule(stored: Uint8Array): VisitRule | undefined {
  try {
    const { target, bounds } = v.parse(ruleSchema, JSON.parse(Buffer.from(stored).toString()))
    return { target, bounds }
  } catch (error) {
    if (error instanceof SyntaxError || v.isValiError(error)) return undefined
    throw error
  }
}

function nameOf(target: VisitTarget): string {
  switch (target.kind) {
    case 'all':
      return '*'
    case 'site':
      return `site ${target.site}`
    case 'url':
      return `url ${target.url}`
  }
}

/** URLs may be longer than keys. */
function keyOf(name: string): Buffer {
  return Buffer.concat([keyPrefix, hash('sha256', name, 'buffer').subarray(0, nameBytes)])
}
