// `/api/v1/rules`: what the keepers of the archive want of the crawl of sites, hosts and patterns: seen, set, removed.

import type { ListedRule, RuleService } from '../../../crawl/rules/rule-service.ts'
import {
  fieldExpects,
  readRuleChange,
  readTarget,
  writeRule,
  writtenFieldNames,
} from '../../../crawl/rules/written-rule.ts'
import { targetWords } from '../../../model/jobs/site-rule.ts'
import { jsonAnswer } from '../../answers.ts'
import { ApiError } from '../../api-error.ts'
import type { Route } from '../../route.ts'
import { object, parameter } from '../operation.ts'

const text = (description: string) => ({ type: 'string', description })
const targetProperties = {
  site: text('For a registrable domain and all its hosts,'),
  host: text('for a host,'),
  pattern: text('for the URLs in which this regular expression (RE2) is found,'),
  url: text('for one URL,'),
  all: { type: 'boolean', description: 'or for everything, on this peer only.' },
}
const fieldProperties = Object.fromEntries(
  writtenFieldNames.map((name) => [
    name,
    { type: ['string', 'integer', 'null'], description: fieldExpects(name) },
  ]),
)
const ruleSchema = object({
  ...targetProperties,
  ...fieldProperties,
  setAt: { type: ['string', 'null'], format: 'date-time' },
  setBy: { type: ['string', 'null'], description: 'The peer that set it; null where there is no network.' },
  inForce: {
    type: 'boolean',
    description: 'False for patterns beyond what matching a URL may cost: those set first count.',
  },
})

export function ruleRoutes({ service }: { service: RuleService }): Route[] {
  const shared = { host: 'archive', path: '/api/v1/rules' } as const
  return [
    {
      ...shared,
      methods: ['GET'],
      operation: {
        summary: 'The rules for what is crawled, and how',
        answer: object({ rules: { type: 'array', items: ruleSchema } }),
      },
      handle: async () => jsonAnswer(ruleListJson(await service.list())),
    },
    {
      ...shared,
      methods: ['PUT'],
      writes: true,
      operation: {
        summary:
          'Sets a rule, or changes what is named of the one that there is; null takes a matter out. Holds on all peers within seconds',
        body: { type: 'object', properties: { ...targetProperties, ...fieldProperties } },
        answer: object({ rule: { ...ruleSchema, type: ['object', 'null'] } }),
      },
      handle: async (request) => {
        const wanted = readRuleChange(await request.jsonObject('{"site": …, "access": "deny"}'))
        if (Object.keys(wanted.set).length + wanted.unset.length === 0)
          throw new ApiError(
            'request-bad-parameter',
            `Say what the rule is to say: ${writtenFieldNames.join(', ')}.`,
          )
        const rule = await service.change(wanted)
        return jsonAnswer({ rule: rule === undefined ? null : ruleJson(rule) })
      },
    },
    {
      ...shared,
      methods: ['DELETE'],
      writes: true,
      operation: {
        summary: 'Removes a rule. What it held back goes on',
        query: Object.keys(targetProperties).map((name) => parameter(name, `the rule for this ${name}`)),
        answer: object({ removed: { type: 'boolean' } }),
      },
      handle: async ({ query }) => {
        const target = readTarget(Object.fromEntries(query))
        if (!(await service.remove(target)))
          throw new ApiError('rule-unknown', `There is no rule for ${targetWords(target)}.`)
        return jsonAnswer({ removed: true })
      },
    },
  ]
}

export function ruleListJson(rules: readonly ListedRule[]): { rules: object[] } {
  return { rules: rules.map(ruleJson) }
}

function ruleJson({ setAtMs, setBy, isInForce, ...rule }: ListedRule): object {
  return {
    ...writeRule(rule),
    setAt: setAtMs === 0 ? null : new Date(setAtMs).toISOString(),
    setBy: setBy || null,
    inForce: isInForce,
  }
}
