import assert from 'node:assert/strict'
import { test } from 'vitest'
import { rewriteCss } from './css-rewriter.ts'
import { LinkRewriter } from './link-rewriter.ts'

const links = new LinkRewriter('20200101000000', 'http://a.org/c/s.css', 'http://replay.localhost:7070')
const rewritten = (text: string) => rewriteCss(text, (url, modifier) => links.rewrite(url, modifier))
const image = '/web/20200101000000im_/http://a.org'
const sheet = '/web/20200101000000cs_/http://a.org'

test.each([
  ['a{background:url(x.png)}', `a{background:url(${image}/c/x.png)}`],
  ['a{background:url( "/x.png" )}', `a{background:url( "${image}/x.png" )}`],
  ["a{background:URL('x.png'),url(y.png)}", `a{background:URL('${image}/c/x.png'),url(${image}/c/y.png)}`],
  ['@import "t.css" screen;', `@import "${sheet}/c/t.css" screen;`],
  ['@import url(t.css);', `@import url(${sheet}/c/t.css);`],
  ['@IMPORT/**/url("t.css")', `@IMPORT/**/url("${sheet}/c/t.css")`],
  ['@font-face{src:url(f.woff2) format("woff2")}', `@font-face{src:url(${image}/c/f.woff2) format("woff2")}`],
  [
    'a{background:image-set("x.png" 1x, url(y.png) 2x, "z.avif" type("image/avif"))}b{content:"x.png"}',
    `a{background:image-set("${image}/c/x.png" 1x, url(${image}/c/y.png) 2x, "${image}/c/z.avif" type("image/avif"))}b{content:"x.png"}`,
  ],
  ['a{background:url(a\\)b.png)}', `a{background:url(${image}/c/a\\)b.png)}`],
  ['a{background:url("\\2f x.png")}', `a{background:url("${image}/x.png")}`],
  // An end of the file is an end of everything.
  ['a{background:url(x.png', `a{background:url(${image}/c/x.png`],
])('%s', (text, expected) => {
  assert.equal(rewritten(text), expected)
})

test.each([
  '/* url(x.png) */ a{color:red}',
  'a{content:"url(x.png)"}',
  'a{background:url(data:image/png;base64,AA==)}',
  'a{fill:url(#g)}',
  '@namespace svg url(http://www.w3.org/2000/svg);',
  'a{background:url(x y.png)}',
  'a{background:url(x"y.png)}',
  'a{b:curl(x.png)}',
  'a{background:url()}',
  'a{background:url("x\n.png")}',
])('%j stays as it is', (text) => {
  assert.equal(rewritten(text), text)
})

test('a base with quotes and parentheses does not end the string it is put into', () => {
  const odd = new LinkRewriter('20200101000000', "http://a.org/o'n)e/s.css", 'http://replay.localhost:7070')
  const text = rewriteCss(`a{b:url('x.png');c:url(y.png)}`, (url, modifier) => odd.rewrite(url, modifier))
  assert.equal(
    text,
    `a{b:url('/web/20200101000000im_/http://a.org/o\\'n\\)e/x.png');c:url(/web/20200101000000im_/http://a.org/o\\'n\\)e/y.png)}`,
  )
})

test('a million marks take no more than their time', () => {
  const hostile = [
    `${'url('.repeat(100_000)}`,
    `a{b:${'image-set('.repeat(100_000)}`,
    `${'/*'.repeat(200_000)}`,
    `url(${'\\'.repeat(200_000)}`,
  ]
  for (const text of hostile) rewritten(text)
})
