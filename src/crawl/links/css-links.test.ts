import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { scanCss } from './css-links.ts'
import { foundIn } from './fixtures/extraction.ts'

function urlsIn(css: string): string[] {
  const urls: string[] = []
  scanCss(css, (url, source) => urls.push(source === 'css import' ? `@${url}` : url))
  return urls
}

/** CSS, and the URLs in it; those of imports with an @ in front. */
const cases: Record<string, readonly (readonly [css: string, ...urls: string[]])[]> = {
  'url()': [
    ['a{b:url(x)}', 'x'],
    ['a{b:url( x )}', 'x'],
    ['a{b:url("x")}', 'x'],
    ["a{b:url( 'x y' )}", 'x y'],
    ['a{b:URL(x)}', 'x'],
    ['a{b:url(x),url(y)}', 'x', 'y'],
    ['a{b:url()} c{d:url("")}', ...[]],
    ['a{b:url(a(b)} c{d:url(e)}', 'e'],
    ['a{b:url(a"b)} c{d:url(e)}', 'e'],
    ['a{b:url(a b)} c{d:url(e)}', 'e'],
    ['a{b:url("x" c)} d{e:url(f)}', 'x', 'f'],
    ['a{b:myurl(x)} a{b:my-url(y)}', ...[]],
    ['a{b:local("x"),url(y)format("woff2")}', 'y'],
    ['a{b:url(x', 'x'],
    ['a{b:url("x', 'x'],
    ['a{b:url(', ...[]],
    ['a{b:url("x\n)} c{d:url(e)}', 'e'],
  ],
  '@import': [
    ['@import "x";', '@x'],
    ["@import 'x' screen;", '@x'],
    ['@import url(x);', '@x'],
    ['@IMPORT URL( "x" ) supports(display: grid);', '@x'],
    ['@import/**/"x";', '@x'],
    ['@import"x";@import"y"', '@x', '@y'],
    ['@important "x";', ...[]],
    ['@import x; a{b:url(c)}', 'c'],
  ],
  'image-set()': [
    ['a{b:image-set("x" 1x, "y" 2x)}', 'x', 'y'],
    ['a{b:-webkit-image-set(url(x) 1x, url("y") 2x)}', 'x', 'y'],
    ['a{b:image-set("x" type("image/avif"), url(y) type("image/png"))} c{d:"e"}', 'x', 'y'],
    ['a{b:image-set(/* "z" */ "x" 1x)}', 'x'],
    ['a{b:image-set("x" 1x', 'x'],
  ],
  'what is no link': [
    ['/* url(x) */ a{b:url(y)}', 'y'],
    ['/* url(x)', ...[]],
    ['a{content:"url(x)"}', ...[]],
    ["a{content:'\\'url(x)'}", ...[]],
    ['a{content:"/*"} b{c:url(d)} /* */', 'd'],
    ['a\\"b{c:url(d)}', 'd'],
    ['@namespace svg url(http://www.w3.org/2000/svg); a{b:url(c)}', 'c'],
    ['a{b:url(data:image/png;base64,AAA=)} c{d:url("DATA:x")} e{f:url(g)}', 'g'],
  ],
  escapes: [
    ['a{b:url(x\\)y)}', 'x)y'],
    ['a{b:url("x\\"y")}', 'x"y'],
    ['a{b:url("\\78 y\\000079")}', 'xyy'],
    ['a{b:url("x\\\ny")}', 'xy'],
    ['a{b:url("x\\\r\ny")}', 'xy'],
    ['a{b:url(x\\29 y)}', 'x)y'],
    ['a{b:url(x\\000029y)}', 'x)y'],
    ['a{b:url(x\\29  y)} c{d:url(e)}', 'e'],
    ['a{b:url("\\0")}', '\ufffd'],
    ['a{b:url("\\d800")}', '\ufffd'],
    ['a{b:url("\\ffffff")}', '\ufffd'],
    ['a{b:url(x\\', 'x\\'],
  ],
}

for (const [title, sheets] of Object.entries(cases)) {
  describe(title, () => {
    for (const [css, ...urls] of sheets) test(css, () => assert.deepEqual(urlsIn(css), urls))
  })
}

test('a style sheet of its own', () => {
  const body = Buffer.from('@charset "windows-1252"; a{b:url(../\xe9.png)} @import "x.css";', 'latin1')
  const found = ['css url → /%C3%A9.png', 'css import → /dir/x.css']
  assert.deepEqual(foundIn({ body, type: 'text/css' }), found)
  assert.deepEqual(foundIn({ body, href: 'http://example.com/dir/a.css?v=1' }), found)
})
