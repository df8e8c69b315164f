import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, test } from 'vitest'
import { surtOf } from './surt.ts'
import { tryParseUrl } from './url.ts'

/** URL, its key, and the rule that the case shows. */
type SurtCase = readonly [url: string, surt: string, rule: string]
const fixture = new URL('../fixtures/surt-cases.json', import.meta.url)
const cases: readonly SurtCase[] = JSON.parse(readFileSync(fixture, 'utf8'))

test.each(cases)('%j has the key %s: %s', (url, surt) => {
  assert.equal(surtOf(url), surt)
  const parsed = tryParseUrl(url)
  // Schemes written twice are mended only where a person typed them.
  if (parsed !== null && !url.includes('://http')) assert.equal(parsed.surt, surt)
})

test('no text has the key -', () => {
  assert.equal(surtOf(''), '-')
  assert.equal(surtOf(' \n'), '-')
})

test('a text that is too long is refused', () => {
  assert.throws(() => surtOf(`http://a/${'b'.repeat(70_000)}`), { code: 'url-too-long' })
})

describe('hostile texts take no longer than others', () => {
  const part = (text: string) => text.repeat(Math.floor(65_000 / text.length))
  const hostile = {
    'deep encoding': `http://a/%${part('25')}`,
    'encoding by encoding': `http://a/${part('%2%35')}`,
    'dots above the root': `http://a/${part('..%2f')}`,
    slashes: `http://a/${part('/')}`,
    'dots in the host': `http://a${part('.')}b/`,
    'dots in a host that is none': `http:// a${part('.')}b/`,
    'ColdFusion names': `http://a/?${part('cfid=')}`,
    'ColdFusion pairs without a value': `http://a/?${part('cfid=&cftoken=1&')}`,
    'session ids': `http://a/?${part(`sid=${'0'.repeat(32)}&`)}`,
    'ASP segments': `http://a/${part(`(S(${'0'.repeat(24)}))/`)}?.aspx`,
    'encoded ASP segments before a question mark': `http://a/${part(`(S(${'0'.repeat(24)}))/`)}%3f.aspx`,
    'ASP segment with many ids': `http://a/(${part(`S(${'0'.repeat(24)})`)}/a.aspx`,
    ampersands: `http://a/?${part('&')}`,
    colons: `http://${part(':')}`,
    'at signs': `http://${part('@')}`,
    schemes: part('http://'),
    'a long number as host': `http://${part('9')}/`,
    spaces: `x${part(' ')}x`,
  }
  // Linear work on 65 kB takes a few milliseconds, quadratic work seconds: so often, it does not end in a test's time.
  test.each(Object.entries(hostile))('%s', (_, text) => {
    for (let time = 0; time < 50; time++) surtOf(text)
  })
})
