import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { urlsOfSrcset } from './srcset.ts'

describe('srcset', () => {
  const cases: readonly (readonly [srcset: string, ...urls: string[]])[] = [
    ['', ...[]],
    [' , ,, ', ...[]],
    ['a', 'a'],
    ['a 1x, b 2x', 'a', 'b'],
    ['a 1x,b 2x', 'a', 'b'],
    ['a, b', 'a', 'b'],
    ['a,b 1x', 'a,b'],
    ['a,,, b', 'a', 'b'],
    [',a 1x,', 'a'],
    ['\n a\t100w ,\f b\r200w', 'a', 'b'],
    ['data:image/gif;base64,AAA= 1x, b 2x', 'data:image/gif;base64,AAA=', 'b'],
    ['w_100,h_50/a.jpg 1x, w_200,h_100/a.jpg 2x', 'w_100,h_50/a.jpg', 'w_200,h_100/a.jpg'],
    ['a (b, c) 1x, d', 'a', 'd'],
    ['a (b, c', 'a'],
    ['a 1x 2x nonsense, b', 'a', 'b'],
    ['a\u00a0b 1x, c', 'a\u00a0b', 'c'],
  ]
  for (const [srcset, ...urls] of cases) {
    test(JSON.stringify(srcset), () => {
      const found = urlsOfSrcset(srcset)
      assert.deepEqual(
        found.map(({ url }) => url),
        urls,
      )
      for (const { url, start } of found) assert.equal(srcset.slice(start, start + url.length), url)
    })
  }
})
