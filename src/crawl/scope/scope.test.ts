import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { parseUrl } from '../../model/url/url.ts'
import type { DiscoveryKind } from '../frontier/discovery.ts'
import { redirectsMax, requisiteHopsMax, Scope, type ScopeKind, type ScopeOptions } from './scope.ts'
import { TypeFilter, typeOfMedia } from './type-filter.ts'

const seed = 'https://www.example.co.uk/docs/guide/start.html?x=1'

interface Question {
  kind?: DiscoveryKind
  depth?: number
  requisiteHops?: number
  redirects?: number
}

function refusal(
  options: ScopeOptions,
  href: string,
  question: Question = {},
  seeds = [seed],
): string | undefined {
  const scope = new Scope(
    options,
    seeds.map((text) => parseUrl(text)),
  )
  return scope.refusal({
    url: parseUrl(href),
    kind: 'navigation',
    depth: 1,
    requisiteHops: 0,
    redirects: 0,
    ...question,
  })
}

function holds(scope: ScopeKind, href: string): boolean {
  return refusal({ scope }, href) === undefined
}

describe('scope', () => {
  test('takes in what its kind says', () => {
    const cases: [string, ScopeKind[]][] = [
      [seed, ['page', 'prefix', 'host', 'site', 'any']],
      ['https://www.example.co.uk/docs/guide/next.html', ['prefix', 'host', 'site', 'any']],
      ['http://www.example.co.uk/docs/guide/', ['prefix', 'host', 'site', 'any']],
      ['https://www.example.co.uk/docs/guide', ['host', 'site', 'any']],
      ['https://www.example.co.uk/docs/guidebook/', ['host', 'site', 'any']],
      ['https://www.example.co.uk:8443/docs/guide/', ['host', 'site', 'any']],
      ['https://shop.example.co.uk/', ['site', 'any']],
      ['https://other.co.uk/', ['any']],
    ]
    for (const [href, kinds] of cases) {
      for (const kind of ['page', 'prefix', 'host', 'site', 'any'] as const) {
        assert.equal(holds(kind, href), kinds.includes(kind), `${kind} ${href}`)
      }
    }
  })

  test('takes in what a page needs, on whatever host, but not for ever', () => {
    const style = 'https://cdn.elsewhere.test/x.css'
    const needed = { kind: 'requisite', requisiteHops: 1 } as const
    assert.equal(refusal({ scope: 'page' }, style, needed), undefined)
    assert.equal(refusal({ scope: 'page' }, style, { ...needed, requisiteHops: requisiteHopsMax }), undefined)
    assert.match(
      refusal({ scope: 'any' }, style, { ...needed, requisiteHops: requisiteHopsMax + 1 })!,
      /steps/,
    )
    assert.equal(
      refusal({ scope: 'page' }, style, { kind: 'redirect', requisiteHops: 1, redirects: 1 }),
      undefined,
    )
  })

  test('ends at its depth, and redirects end somewhere', () => {
    assert.equal(refusal({ scope: 'any', depth: 2 }, seed, { depth: 2 }), undefined)
    assert.equal(refusal({ scope: 'any', depth: 2 }, seed, { depth: 3 }), 'depth 3 is more than 2')
    assert.match(refusal({ scope: 'any' }, seed, { kind: 'seed', redirects: redirectsMax + 1 })!, /redirects/)
  })

  test('is narrowed by patterns, which exclude first', () => {
    const options: ScopeOptions = { scope: 'any', include: ['/docs/', '\\.pdf$'], exclude: ['[?&]print='] }
    assert.equal(refusal(options, 'http://a.test/docs/x'), undefined)
    assert.equal(refusal(options, 'http://a.test/x.pdf'), undefined)
    assert.equal(refusal(options, 'http://a.test/x'), 'no include pattern matches')
    assert.equal(refusal(options, 'http://a.test/docs/x?print=1'), 'excluded by [?&]print=')
    assert.equal(refusal(options, 'http://a.test/x?print=1', { kind: 'seed' }), undefined)
    // What a page needs comes with it, unless it is excluded by name.
    const needed = { kind: 'requisite', requisiteHops: 1 } as const
    assert.equal(refusal(options, 'http://cdn.test/x.css', needed), undefined)
    assert.equal(refusal(options, 'http://cdn.test/x.css?print=1', needed), 'excluded by [?&]print=')
  })

  test('refuses patterns that are none, or cannot be matched in linear time', () => {
    for (const pattern of [
      '(',
      '[',
      'a)(b',
      '(?=a+)+',
      '(?<!a)b',
      '(\\w)\\1',
      '(a{100}){100}',
      '.{600}',
      'a'.repeat(2_000),
    ]) {
      assert.throws(
        () => new Scope({ scope: 'any', include: [pattern] }, []),
        { code: 'scope-pattern-malformed' },
        pattern,
      )
    }
    const large = Array.from({ length: 20 }, (_, index) => `.{400}${index}`)
    assert.throws(() => new Scope({ scope: 'any', exclude: large }, []), /all together/)
    assert.throws(() => new Scope({ scope: 'any', exclude: ['(?!a)'] }, []), /look-around/)
  })

  test('matches what people write, and what would take other engines for ever', () => {
    const url = `http://www.example.com/a/b-c/${'a'.repeat(500)}?x=1&y=2.jpg`
    for (const pattern of [
      '(a|b)c|example',
      '[(+*]*',
      '\\/a\\/',
      '(?:jpe?g|png)$',
      '^https?://[^/]+/a',
      '(\\d{4})*',
      '(/[^/]+)+$',
      '^https?://([a-z0-9-]+\\.)*example\\.com/',
      '(?:[?&]\\w+=[^?&]*)*$',
      '(?<part>-[a-z]+)*',
      '(a+)+',
      '(a|a)*',
      '\\u0061\\x61',
      '[\\w-]+',
    ]) {
      assert.equal(refusal({ scope: 'any', include: [pattern] }, url), undefined, pattern)
    }
    for (const pattern of ['.*.*.*~', '(a+)+$~', '(.*)*~', '(a|[a-z])*~', '((a+)b?)+~', '(x+x+)+y~'])
      assert.equal(refusal({ scope: 'any', include: [pattern] }, url), 'no include pattern matches', pattern)
  })

  test('of a job that was stored with a pattern of an earlier version is there, and follows nothing', () => {
    const seed = parseUrl('http://a.test/')
    const scope = new Scope({ scope: 'any', exclude: ['(?=a)'] }, [seed], { isStored: true })
    const asked = { url: seed, depth: 1, requisiteHops: 0, redirects: 0 }
    assert.equal(scope.refusal({ ...asked, kind: 'seed' }), undefined)
    assert.match(scope.refusal({ ...asked, kind: 'navigation' })!, /look-around/)
  })
})

describe('types', () => {
  test('are told by name before the fetch, in doubt for it', () => {
    const html = new TypeFilter('html')
    assert.equal(html.refusal(parseUrl('http://a.test/x.png')), 'type image is not wanted')
    for (const path of ['', 'x', 'x.html', 'x.php', 'x.png?download=1', 'v1.2', 'x.weird']) {
      assert.equal(html.refusal(parseUrl(`http://a.test/${path}`)), undefined, path)
    }
    assert.equal(new TypeFilter('html,image').refusal(parseUrl('http://a.test/x.PNG')), undefined)
    assert.equal(new TypeFilter().refusal(parseUrl('http://a.test/x.zip')), undefined)
  })

  test('are told by media type afterwards', () => {
    const filter = new TypeFilter('html, image')
    assert.deepEqual(
      [
        'text/html; charset=utf-8',
        'IMAGE/PNG',
        'application/xhtml+xml',
        'text/css',
        'application/pdf',
        '',
      ].map((type) => filter.keeps(type)),
      [true, true, true, false, false, false],
    )
    assert.equal(typeOfMedia('application/javascript'), 'script')
    assert.equal(typeOfMedia('application/x-font-ttf'), 'font')
  })

  test('that do not exist are named', () => {
    assert.throws(() => new TypeFilter('html,pictures'), /"pictures" is no type/)
  })
})
