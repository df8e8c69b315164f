// A rule as it lies on disk. Rules for visits of earlier versions had a target and bounds, and are read as well.

import * as v from 'valibot'
import { PolyhistorError } from '../../errors.ts'
import { fieldsOf, hasFields, type SiteRule } from '../../model/jobs/site-rule.ts'
import { checkRule } from './rule-schema.ts'

const spanMs = v.pipe(v.number(), v.finite(), v.minValue(0))
const formerRule = v.object({
  target: v.unknown(),
  bounds: v.optional(v.object({ minMs: spanMs, maxMs: spanMs })),
})
const storedRule = v.object({
  rule: v.unknown(),
  setAtMs: v.pipe(v.number(), v.finite()),
  setBy: v.string(),
})

export function writeStoredRule(rule: SiteRule): Uint8Array {
  const { target, setAtMs, setBy } = rule
  return Buffer.from(JSON.stringify({ rule: { target, ...fieldsOf(rule) }, setAtMs, setBy }))
}

/** undefined for a damaged one: a frontier opens without it. */
export function readStoredRule(stored: Uint8Array): SiteRule | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(stored).toString())
    const rule = v.is(storedRule, value)
      ? { ...checkRule(value.rule), setAtMs: value.setAtMs, setBy: value.setBy }
      : formerVisitRule(value)
    return hasFields(rule) ? rule : undefined
  } catch (error) {
    if (error instanceof SyntaxError || v.isValiError(error) || error instanceof PolyhistorError)
      return undefined
    throw error
  }
}

function formerVisitRule(value: unknown): SiteRule {
  const { target, bounds } = v.parse(formerRule, value)
  // Spans of owners alone had no bounds.
  return { ...checkRule({ target }), fresh: bounds ?? 'never', setAtMs: 0, setBy: '' }
}
