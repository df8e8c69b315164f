import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import {
  isRobotsMetaName,
  noDirectives,
  parseDirectives,
  type RobotsDirectives,
  strictest,
} from './robots-directives.ts'

const may2027Ms = Date.UTC(2027, 4, 7, 15, 0, 0)

const cases: readonly (readonly [values: string[], expected: Partial<RobotsDirectives>])[] = [
  [[], {}],
  [[''], {}],
  [['all'], {}],
  [['noarchive'], { noArchive: true }],
  [['NoArchive , NOFOLLOW'], { noArchive: true, noFollow: true }],
  [['none'], { noFollow: true, noIndex: true }],
  [['index, follow'], {}],
  [['noindex  nofollow'], { noIndex: true, noFollow: true }],
  [['me: noarchive nofollow, other: noindex'], { noArchive: true, noFollow: true }],
  [['no archive'], {}],
  [['noindex', 'nofollow'], { noIndex: true, noFollow: true }],
  [['noindexx, no-archive, nofollow:'], {}],
  [['googlebot: noarchive'], {}],
  [['me: noarchive'], { noArchive: true }],
  [['Me : noarchive, nofollow'], { noArchive: true, noFollow: true }],
  [['*: noindex'], { noIndex: true }],
  [['noindex, googlebot: nofollow, noarchive'], { noIndex: true }],
  [['googlebot: nofollow, me: noarchive'], { noArchive: true }],
  [['googlebot: nofollow', 'noarchive'], { noArchive: true }],
  [['max-snippet: 20, noarchive'], { noArchive: true }],
  [['unavailable_after: 2027-05-07T15:00:00Z'], { unavailableAfterMs: may2027Ms }],
  [
    ['unavailable_after: Friday, 7 May 2027 15:00:00 GMT, noindex'],
    { unavailableAfterMs: may2027Ms, noIndex: true },
  ],
  [
    ['unavailable_after: 07 May 2027 15:00:00 GMT', 'unavailable_after: 2030-01-01'],
    { unavailableAfterMs: may2027Ms },
  ],
  [['unavailable_after: some day, nofollow'], { noFollow: true }],
  [[`${'x,'.repeat(100_000)}noindex`], {}],
]

describe('directives', () => {
  for (const [values, expected] of cases) {
    test(JSON.stringify(values).slice(0, 80), () => {
      assert.deepEqual(parseDirectives(values, 'Me/1.0'), { ...noDirectives, ...expected })
    })
  }

  test('meta elements are for everyone or for us', () => {
    assert.equal(isRobotsMetaName(' Robots', 'me'), true)
    assert.equal(isRobotsMetaName('ME', 'me/1'), true)
    assert.equal(isRobotsMetaName('googlebot', 'me'), false)
    assert.equal(isRobotsMetaName('', '1'), false)
  })

  test('the strictest of header and page holds', () => {
    const header = { ...noDirectives, noFollow: true, unavailableAfterMs: 5 }
    const page = { ...noDirectives, noIndex: true, unavailableAfterMs: 3 }
    assert.deepEqual(strictest(header, page), {
      noArchive: false,
      noFollow: true,
      noIndex: true,
      unavailableAfterMs: 3,
    })
    assert.deepEqual(strictest(header, noDirectives), header)
    assert.deepEqual(strictest(noDirectives, page), page)
  })
})
