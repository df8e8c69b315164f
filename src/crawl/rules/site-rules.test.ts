import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { nextWithin, parseDailyHours, printDailyHours } from '../../model/jobs/daily-hours.ts'
import type { RuleFields, RuleTarget, SiteRule } from '../../model/jobs/site-rule.ts'
import { parseUrl } from '../../model/url/url.ts'
import { ruleRefusal } from './rule-refusal.ts'
import { printRulesFile, readRulesFile, ruleChanges } from './rules-file.ts'
import { rulesMax, SiteRules } from './site-rules.ts'
import { readRule, readRuleChange, writeRule } from './written-rule.ts'

type Table = ConstructorParameters<typeof SiteRules>[0]

/** As a table of the frontier, in memory. */
function memoryTable(stored: readonly (readonly [string, Uint8Array])[] = []): Table & { size: number } {
  const map = new Map<string, Uint8Array>(stored)
  return {
    range: () => [...map].map(([key, value]) => [Buffer.from(key, 'latin1'), value]),
    put: (key: Buffer, value: Uint8Array) => map.set(key.toString('latin1'), value),
    remove: (key: Buffer) => map.delete(key.toString('latin1')),
    get size() {
      return map.size
    },
  } as unknown as Table & { size: number }
}

function rule(target: RuleTarget, fields: RuleFields, setAtMs = 0): SiteRule {
  return { target, ...fields, setAtMs, setBy: 'p' }
}

const site = { kind: 'site', site: 'a.test' } as const
const host = { kind: 'host', host: 'www.a.test' } as const
const page = parseUrl('http://www.a.test/private/page')

describe('site rules', () => {
  test('the most specific rule decides each matter for itself', () => {
    const rules = new SiteRules(memoryTable())
    rules.put(rule({ kind: 'all' }, { depth: 9, access: 'deny' }))
    rules.put(rule(site, { access: 'allow', types: 'html' }))
    rules.put(rule(host, { delayMs: 5_000 }))
    rules.put(rule({ kind: 'pattern', pattern: '/private/' }, { access: 'deny' }, 1))
    const { fields, sources } = rules.of(page)
    assert.deepEqual(fields, { depth: 9, access: 'deny', types: 'html', delayMs: 5_000 })
    assert.equal(sources.access!.target.kind, 'pattern')
    assert.equal(rules.denialOf(page)!.target.kind, 'pattern')
    assert.equal(rules.denialOf(parseUrl('http://a.test/')), undefined)
    assert.equal(rules.denialOf(parseUrl('http://b.test/'))!.target.kind, 'all')
    rules.put(rule({ kind: 'url', url: page.href }, { access: 'allow' }))
    assert.equal(rules.denialOf(page), undefined)
    assert.equal(rules.freshOf(parseUrl('http://b.test/')), 'never', 'what is denied is not visited again')
  })

  test('of several patterns the newest decides', () => {
    const rules = new SiteRules(memoryTable())
    rules.put(rule({ kind: 'pattern', pattern: 'a\\.test' }, { depth: 1 }, 2))
    rules.put(rule({ kind: 'pattern', pattern: 'private' }, { depth: 2 }, 3))
    rules.put(rule({ kind: 'pattern', pattern: 'test/' }, { depth: 3 }, 1))
    assert.equal(rules.of(page).fields.depth, 2)
    rules.remove({ kind: 'pattern', pattern: 'private' })
    assert.equal(rules.of(page).fields.depth, 1)
  })

  test('patterns beyond what a URL may cost are kept, and not in force: those set first are', () => {
    const rules = new SiteRules(memoryTable())
    const pattern = (index: number) => ({ kind: 'pattern', pattern: `.{400}${index}` }) as const
    for (let index = 0; index < 30; index++) rules.put(rule(pattern(index), { depth: 1 }, index))
    const inForce = rules.all().filter((each) => rules.isInForce(each))
    assert(inForce.length > 5 && inForce.length < 15, String(inForce.length))
    assert(rules.isInForce(rules.get(pattern(0))!))
    assert(!rules.isInForce(rules.get(pattern(29))!))
  })

  test('are there after a restart; damaged ones are passed over, and those for visits of earlier versions read', () => {
    const table = memoryTable()
    const rules = new SiteRules(table)
    rules.put(
      rule(site, { access: 'deny', hours: { from: 60, to: 30 }, fresh: { minMs: 60_000, maxMs: 90_000 } }, 7),
    )
    assert.deepEqual(new SiteRules(table).all(), rules.all())
    const stored = [
      '{',
      'null',
      '{"target":5}',
      '{"target":{"kind":"site"}}',
      '{"target":{"kind":"all"},"bounds":{"minMs":1,"maxMs":2}}',
      '{"target":{"kind":"site","site":"b.test"}}',
      '{"rule":{"target":{"kind":"site","site":"c.test"},"depth":-1},"setAtMs":1,"setBy":""}',
    ].map((text, index) => [String(index), Buffer.from(text)] as const)
    assert.deepEqual(new SiteRules(memoryTable(stored)).all(), [
      { target: { kind: 'all' }, fresh: { minMs: 1, maxMs: 2 }, setAtMs: 0, setBy: '' },
      { target: { kind: 'site', site: 'b.test' }, fresh: 'never', setAtMs: 0, setBy: '' },
    ])
  })

  test('there are not more than fit', () => {
    const rules = new SiteRules(memoryTable())
    const numbered = (index: number) => rule({ kind: 'site', site: `${index}.test` }, { access: 'deny' })
    for (let index = 0; index < rulesMax; index++) rules.put(numbered(index))
    assert.throws(() => rules.put(numbered(rulesMax)), { code: 'visit-rules-full' })
    rules.put({ ...numbered(1), access: 'allow' })
    assert.equal(rules.all().length, rulesMax)
  })

  test('keep what is found from being queued: denied, too deep, of another type; seeds were asked for', () => {
    const rules = new SiteRules(memoryTable())
    rules.put(rule(site, { depth: 2, types: 'html' }))
    rules.put(rule(host, { access: 'deny' }))
    const refusal = (href: string, depth = 1, kind = 'navigation') =>
      ruleRefusal(rules, { url: parseUrl(href), kind, depth })
    assert.equal(refusal('http://www.a.test/'), 'denied by the rule for the host www.a.test')
    assert.equal(refusal('http://www.a.test/', 0, 'seed'), undefined)
    assert.match(refusal('http://a.test/x', 3)!, /depth 3 is more than 2, by the rule for the site a\.test/)
    assert.match(refusal('http://a.test/x.png')!, /type image is not wanted/)
    assert.equal(refusal('http://a.test/x'), undefined)
    assert.equal(refusal('http://b.test/x.png', 9), undefined)
  })
})

test('hours go over midnight, and begin when they begin', () => {
  const night = parseDailyHours('22:00 - 6:00 UTC')!
  assert.equal(printDailyHours(night), '22:00-06:00')
  const at = (time: string) => Date.parse(`2026-01-01T${time}:00Z`)
  assert.equal(nextWithin(night, at('23:10')), at('23:10'))
  assert.equal(nextWithin(night, at('05:59')), at('05:59'))
  assert.equal(nextWithin(night, at('06:00')), at('22:00'))
  const day = parseDailyHours('09:00-17:30')!
  assert.equal(nextWithin(day, at('17:30')), Date.parse('2026-01-02T09:00:00Z'))
  assert.equal(nextWithin(parseDailyHours('20:00-24:00')!, at('00:00')), at('20:00'))
  for (const text of [
    '',
    '22-6',
    '25:00-06:00',
    '22:60-06:00',
    '06:00-06:00',
    '22:00-06:00 CET',
    '00:00-24:00',
  ])
    assert.equal(parseDailyHours(text), undefined, text)
})

describe('rules as people write them', () => {
  const written = {
    site: 'a.test',
    access: 'deny',
    delay: '90s',
    hours: '22:00-06:00',
    fresh: '1.5h-7d',
    depth: 3,
    types: 'html,image',
    size: '10MB',
    priority: 'low',
    browser: 'never',
  }

  test('what is written can be read again, and the other way round', () => {
    const read = readRule(written)
    assert.deepEqual(readRule(writeRule(read)), read)
    assert.equal(read.delayMs, 90_000)
    for (const target of [{ host: 'WWW.A.test' }, { pattern: '/x/' }, { url: 'a.test/x' }, { all: true }]) {
      const one = readRule({ ...target, depth: 1 })
      assert.deepEqual(readRule(writeRule(one)), one)
    }
    assert.deepEqual(readRule({ site: 'https://www.a.test/x', depth: '2' }).target, site)
  })

  test.each<[object, RegExp]>([
    [{}, /Say what the rule is for/],
    [{ site: 'a.test', host: 'b.test' }, /one of/],
    [{ site: 'a.test', deny: true }, /A rule has no "deny"\. It takes site, host/],
    [{ site: 'a.test', access: 'maybe' }, /access is "maybe", but must be allow, deny or pause/],
    [{ site: 'a.test', delay: '5' }, /delay is "5", but must be a pause such as 5s/],
    [{ site: 'a.test', delay: '2d' }, /at most a day/],
    [{ site: 'a.test', hours: '22-6' }, /such as 22:00-06:00/],
    [{ site: 'a.test', fresh: '1s' }, /fresh is "1s"/],
    [{ site: 'a.test', size: '10' }, /at least 1kB/],
    [{ pattern: '(', depth: 1 }, /The pattern "\(" cannot be used/],
    [{ pattern: '(?=a)', depth: 1 }, /look-around/],
    [{ pattern: '/x/', delay: '5s' }, /Delay and hours are for a host as a whole/],
    [{ url: `http://a.test/${'x'.repeat(3_000)}`, depth: 1 }, /at most 2000 characters/],
    [{ site: 'a b', depth: 1 }, /is no site/],
  ])('%j is refused, and the sentence says why', (rule, sentence) => {
    assert.throws(
      () => readRule(rule as never),
      (error: Error & { code: string }) => {
        assert.equal(error.code, 'rule-malformed')
        assert.match(error.message, sentence)
        return true
      },
    )
  })

  test('none takes a matter out', () => {
    assert.deepEqual(readRuleChange({ site: 'a.test', delay: 'none', depth: null, size: '1MB' }), {
      target: site,
      set: { bytesMax: 1_000_000 },
      unset: ['delayMs', 'depth'],
    })
  })
})

describe('the file of rules', () => {
  const rules = [
    readRule({ site: 'a.test', access: 'deny', fresh: 'never' }),
    readRule({ pattern: '\\.pdf$', size: '5MB', priority: 'high' }),
    readRule({ all: true, hours: '22:00-06:00' }),
  ]

  test('comes back as it was', () => {
    assert.deepEqual(readRulesFile(printRulesFile(rules)), rules)
    assert.deepEqual(readRulesFile(printRulesFile([])), [])
  })

  test('says which rule is wrong, and how', () => {
    const refused: [string, RegExp][] = [
      ['[[rule]]\nsite = "a.test"', /Rule 1: The rule says nothing/],
      [
        '[[rule]]\nsite = "a.test"\ndepth = 1\n[[rule]]\nsite = "a.test"\ndepth = 2',
        /Rule 2: there are two rules for the site a\.test/,
      ],
      ['[rule]\nsite = "a.test"', /double brackets/],
      ['[[rules]]\nsite = "a.test"', /no "rules"/],
      ['[[rule]\n', /no TOML/],
      ['[[rule]]\nsite = "a.test"\ndelay = "soon"', /Rule 1: delay is "soon"/],
    ]
    for (const [text, sentence] of refused)
      assert.throws(
        () => readRulesFile(text),
        (error: Error & { code: string }) => {
          assert.equal(error.code, 'rules-file-malformed')
          assert.match(error.message, sentence)
          return true
        },
      )
  })

  test('says what it would change', () => {
    const now = [rules[0]!, { ...rules[1]!, depth: 2 }, readRule({ host: 'b.test', depth: 1 })]
    const changes = ruleChanges(now, rules, { isWhole: true })
    assert.deepEqual(
      changes.map(({ kind, rule }) => [kind, rule.target.kind]),
      [
        ['change', 'pattern'],
        ['add', 'all'],
        ['remove', 'host'],
      ],
    )
    assert.deepEqual(changes[0]!.wanted!.unset, ['depth'])
    assert.deepEqual(ruleChanges(rules, rules, { isWhole: true }), [])
    assert.equal(ruleChanges(now, rules, { isWhole: false }).length, 2)
  })
})
