import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { foundIn } from './fixtures/extraction.ts'
import { parseLinkHeader } from './link-header.ts'

describe('Link headers', () => {
  const cases: readonly (readonly [header: string, ...links: string[]])[] = [
    ['', ...[]],
    ['<x>; rel=next', 'x next '],
    ['<x>;rel="next"', 'x next '],
    ['<x>; REL = "next prev"; type="text/html"', 'x next prev text/html'],
    ['<x>; rel=a, <y>; rel=b', 'x a ', 'y b '],
    ['<x>; title="a, <b>; rel=c"; rel=d', 'x d '],
    ['<x>; title="a \\" , <b>"; rel=d', 'x d '],
    ['<x,y;z>; rel=a', 'x,y;z a '],
    ['<x>; rel=a; rel=b', 'x a '],
    ['<x>', 'x  '],
    ['<x>; rel="a', 'x a '],
    ['<x>;;; ; rel=a;', 'x a '],
    ['<x>; crossorigin; rel=a', 'x a '],
    ["<x>; title*=UTF-8''a%20b; rel=a", 'x a '],
    ['nonsense, <x>; rel=a', 'x a '],
    ['<x; rel=a', ...[]],
    ['<x>; anchor="/other"; rel=a, <y>; anchor="#here"; rel=b', 'y b '],
  ]
  for (const [header, ...links] of cases) {
    test(header, () => {
      assert.deepEqual(
        parseLinkHeader(header).map(({ url, rel, type }) => `${url} ${rel} ${type}`),
        links,
      )
    })
  }
})

describe('what headers point to', () => {
  test('Link, by relation', () => {
    const value =
      '<a>; rel=preload, <b>; rel=stylesheet, <c>; rel=next, <d>; rel=preconnect, ' +
      '<e>; rel=alternate; type="application/rss+xml", <f>; rel="icon", <g>; rel=sitemap, <h>; rel=manifest'
    assert.deepEqual(foundIn({ body: '', headers: [['LINK', value]] }), [
      'Link header preload → /dir/a',
      'Link header stylesheet → /dir/b',
      'Link header page → /dir/c',
      'Link header feed → /dir/e',
      'Link header icon → /dir/f',
      'Link header sitemap → /dir/g',
      'Link header manifest → /dir/h',
    ])
  })

  test('Location and Refresh', () => {
    const headers = [
      ['Location', '/new#x'],
      ['refresh', '0; url=other'],
    ] as const
    assert.deepEqual(foundIn({ body: '', headers }), [
      'Location header → /new',
      'Refresh header → /dir/other',
    ])
  })

  test('in UTF-8 where they are not encoded', () => {
    const headers = [['Location', Buffer.from('/é').toString('latin1')]] as const
    assert.deepEqual(foundIn({ body: '', headers }), ['Location header → /%C3%A9'])
  })

  test('from where the response came, whatever the base of the page', () => {
    const body = '<base href="/b/"><a href="y">'
    const headers = [['Link', '<x>; rel=next']] as const
    assert.deepEqual(foundIn({ body, type: 'text/html', headers }), [
      'Link header page → /dir/x',
      'a href → /b/y',
    ])
  })
})
