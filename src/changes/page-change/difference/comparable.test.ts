import assert from 'node:assert/strict'
import { test } from 'vitest'
import { parseUrl } from '../../../model/url/url.ts'
import { comparableHtml, comparableText } from './comparable.ts'

const url = parseUrl('https://a.example/folder/page')

test('what a reader sees, line by line', () => {
  const { lines, title } = comparableHtml(
    `<!doctype html><html><head><title> A
      title </title><style>p{}</style></head><body>
      <h1>Head<i>line</i></h1><p>One   <b>two</b><br>three &amp; four<p>five<img alt="a picture"><script>no</script>
      <ul><li>first<li>second</ul><table><tr><td>a<td>b</table><noscript>no</noscript><!-- no -->
      <svg><text>no</text></svg><button>Press</button><input type=submit value=Send>`,
    url,
  )
  assert.equal(title, 'A title')
  assert.deepEqual(lines, [
    'Headline',
    'One two',
    'three & four',
    'five a picture',
    'first',
    'second',
    'a',
    'b',
    'Press',
    'Send',
  ])
})

test('text before any body is seen, and a head that is not closed hides nothing of it', () => {
  assert.deepEqual(comparableHtml('plain words', url).lines, ['plain words'])
  assert.deepEqual(comparableHtml('<head><title>t</title><body><p>words', url).lines, ['words'])
})

test('links are absolute, by the base that the page gives', () => {
  const { links } = comparableHtml(
    '<a href="x">to <b>x</b></a><a href="#top">no</a><a href="javascript:1">no</a><a>no</a>',
    url,
  )
  assert.deepEqual(links, [{ href: 'https://a.example/folder/x', text: 'to x' }])
  const based = comparableHtml(
    '<base href="https://b.example/"><base href="https://c.example/"><a href="x">',
    url,
  )
  assert.deepEqual(based.links, [{ href: 'https://b.example/x', text: '' }])
})

test('limits cut, and say so', () => {
  const limits = { lines: 3, links: 2, lineChars: 10 }
  const many = comparableHtml('<p>1<p>2<p>3<p>4', url, limits)
  assert.deepEqual([many.lines, many.isCut], [['1', '2', '3'], true])
  assert.deepEqual(comparableHtml('<p>1<p>2<p>3', url, limits).isCut, false)
  assert.deepEqual(comparableText('0123456789ab', limits).lines, ['0123456789', 'ab'])
  assert(comparableHtml('<a href=1></a><a href=2></a><a href=3></a>', url, limits).isCut)
  assert(comparableText('1\n2\r\n3\r4', limits).isCut)
})

test.each([
  ['open tags', '<div>'],
  ['links', '<a href=x>'],
  ['attributes', '<a '.concat('b=c '.repeat(9))],
  ['hidden things within each other', '<svg><template>'],
  ['titles', '<title>'],
  ['character references', '&amp;'],
])('a megabyte of nothing but %s is read in one go', (_, piece) => {
  comparableHtml(piece.repeat(1_000_000 / piece.length), url)
})

test('what hides is over where it closes, and SVG where a paragraph starts', () => {
  const { lines } = comparableHtml(
    '<svg><title>no</title><p>one</p><template><template>no</template>no</template>two<svg/>three',
    url,
  )
  assert.deepEqual(lines, ['one', 'twothree'])
})
