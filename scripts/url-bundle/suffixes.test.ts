import assert from 'node:assert/strict'
import { getDomain, getPublicSuffix } from 'tldts'
import { describe, test } from 'vitest'
import { suffixRules } from './suffix-rules.ts'
import { Suffixes } from './suffixes.ts'

// As site.ts asks.
const options = { allowPrivateDomains: true, extractHostname: false, validateHostname: false }
const rules = await suffixRules()
const all = `${rules.names}\n${rules.marked}`.split('\n')

function assertAsTldts(suffixes: Suffixes, host: string): void {
  assert.equal(suffixes.suffixOf(host), getPublicSuffix(host, options), `suffix of ${host}`)
  assert.equal(suffixes.domainOf(host), getDomain(host, options), `domain of ${host}`)
}

/** The rule as a name, the names above it, and names below each. */
function hostsAt(rule: string): string[] {
  const labels = rule.replace(/^[!-]/, '').replaceAll('*', 'some').split('.')
  const above = labels.map((_, index) => labels.slice(index).join('.'))
  return above.flatMap((name) => [name, `b.a.${name}`])
}

describe('public suffixes in the bundle of `polyhistor url`', () => {
  test('are those of tldts at every rule, for whoever asks for many', () => {
    assert(all.length > 9_000, `${all.length} rules`)
    const suffixes = new Suffixes(rules)
    for (const host of new Set(all.flatMap(hostsAt))) assertAsTldts(suffixes, host)
  })

  test('and for whoever asks for one', () => {
    const some = all.filter((rule, index) => /^[!-]/.test(rule) || index % 2_000 === 0)
    for (const host of some.flatMap(hostsAt)) assertAsTldts(new Suffixes(rules), host)
  })

  test('and of hosts that no rule knows', () => {
    const unknown = ['localhost', 'a.localhost', 'nas.lan', 'a.nas.lan', 'a.b.nas.lan', 'foo_bar.example.com']
    for (const host of [...unknown, '192.0.2.1', '[2001:db8::1]', '[::1]'])
      assertAsTldts(new Suffixes(rules), host)
  })
})
