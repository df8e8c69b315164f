import assert from 'node:assert/strict'
import { test } from 'vitest'
import { testProperties } from '../../model/fixtures/property-tests.ts'
import { properties } from './html-scanner.fuzz.ts'
import { HtmlScanner } from './html-scanner.ts'

function textsOf(html: string, stopAt = Number.POSITIVE_INFINITY): string[] {
  const texts: string[] = []
  let tags = 0
  const scanner = new HtmlScanner(html, {
    onopentagname() {},
    onattribname() {},
    onattribdata() {},
    onopentagend: () => {
      if (++tags === stopAt) scanner.stop()
    },
    onselfclosingtag() {},
    onclosetag() {},
    ontext: (start, end) => texts.push(html.slice(start, end)),
    oncdata() {},
    isInForeignContext: () => false,
  })
  scanner.read()
  return texts
}

test('text at the end of a page is told, raw text as well, with or without its end tag', () => {
  assert.deepEqual(textsOf('a<b>c'), ['a', 'c'])
  assert.deepEqual(textsOf('<title>a <b> c'), ['a <b> c'])
  assert.deepEqual(textsOf('<style>a</style'), ['a</style'])
  assert.deepEqual(textsOf('<script>a</script >b'), ['a', 'b'])
  assert.deepEqual(textsOf('a <'), ['a ', '<'])
  assert.deepEqual(textsOf('a </'), ['a ', '</'])
})

test('a tag that does not end is not text', () => {
  assert.deepEqual(textsOf('a<b c="d>e'), ['a'])
  assert.deepEqual(textsOf('a<!-- b > c'), ['a'])
})

test('who has had enough is told nothing more', () => {
  assert.deepEqual(textsOf('a<b>c<d>e', 2), ['a', 'c'])
  assert.deepEqual(textsOf('a<title>c</title>d', 1), ['a'])
})

testProperties(properties, 3_000)
