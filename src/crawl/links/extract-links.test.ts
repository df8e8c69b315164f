import assert from 'node:assert/strict'
import fc from 'fast-check'
import { describe, test } from 'vitest'
import { properties } from './extract-links.fuzz.ts'
import { extract, foundInHtml } from './fixtures/extraction.ts'
import { linksOf } from './link.ts'
import { linksMax } from './link-collector.ts'

const million = 1_000_000

/** Each would take minutes in quadratic time. What comes after it in the page must still be found. */
const harmless: Record<string, string> = {
  'deep nesting': '<div><a>'.repeat(million / 4),
  'forms in forms': '<form>'.repeat(million / 4),
  'tags that close nothing': '</x></p>'.repeat(million / 4),
  'attributes without end': `<p ${'x '.repeat(million)}>`,
  'the same attribute without end': `<p ${'style="" '.repeat(million / 8)}>`,
  'a value without end': `<a href="${'x'.repeat(5 * million)}">`,
  'a style without end': `<p style="${'url('.repeat(million)}">`,
  'a style element of open strings': `<style>${'"\n'.repeat(million)}</style>`,
  'a style element of open comments': `<style>url(${'/*'.repeat(million)}</style>`,
  'a style element of sets': `<style>${'image-set("'.repeat(million / 4)}</style>`,
  'a style element of escapes': `<style>url("${'\\'.repeat(million)}")</style>`,
  'a srcset of commas': `<img srcset="${','.repeat(million)}">`,
  'a srcset of parentheses': `<img srcset="${'a ( '.repeat(million)}">`,
  'a refresh of blanks': `<meta http-equiv=refresh content="0${' '.repeat(million)}">`,
  'references without end': `<a href="/?${'&amp'.repeat(million)}">`,
  'names without end': `<a href="/?&${'a'.repeat(million)}">`,
  'a relation without end': `<link rel="${'x '.repeat(million)}" href="/">`,
  'directives without end': `<meta name=robots content="${'a:,'.repeat(million)}">`,
  'comments without end': '<!-- -- >'.repeat(million / 4).concat('-->'),
  'a tag name without end': `<${'x'.repeat(million)}>`,
  'a title without end': `<title>${'&amp;'.repeat(million)}</title>`,
  'images in images': '<svg><title>'.repeat(million / 8).concat('</svg>'),
}

describe('hostile pages', () => {
  for (const [name, html] of Object.entries(harmless)) {
    test(name, () => {
      const found = foundInHtml(`<html>${html}<a href="/after">`)
      assert.equal(found.at(-1), 'a href → /after')
    })
  }

  test('pages that never come to an end', () => {
    for (const start of [
      '<',
      '<a href="',
      '<!--',
      '<![CDATA[',
      '&',
      '<script>',
      '<style>',
      '<title>',
      '<svg><style>',
      '<?',
    ]) {
      foundInHtml(start + '<'.repeat(million))
      foundInHtml(start.repeat(million / 8))
    }
  })

  test('50 MB of one line', () => {
    const body = Buffer.alloc(50 * million, 'no link, ')
    body.write('<a href="/first">', 0)
    body.write('<a href="/last">', body.length - 20)
    const { hrefs, isCut } = extract({ body, type: 'text/html' })
    assert.deepEqual(
      { hrefs, isCut },
      { hrefs: 'http://example.com/first\nhttp://example.com/last', isCut: false },
    )
  })

  test('50 MB in one attribute', () => {
    const body = Buffer.alloc(50 * million, 'x')
    body.write('<a href="', 0)
    body.write('"><a href="/last">', body.length - 20)
    assert.equal(extract({ body, type: 'text/html' }).hrefs, 'http://example.com/last')
  })

  test('binary called HTML, and text that turns into it', () => {
    const noise = Uint8Array.from({ length: 4 * million }, (_, i) => (i * 2_654_435_761) >>> 23)
    assert.equal(extract({ body: noise, type: 'text/html' }).format, 'none')
    const turning = Buffer.concat([Buffer.from(`<a href="x">${' '.repeat(2_000)}`), noise])
    assert.equal(linksOf(extract({ body: turning, type: 'text/html' }))[0]?.href, 'http://example.com/dir/x')
  })

  test('more links than are kept: the first ones are', () => {
    const body = Array.from({ length: linksMax + 10 }, (_, i) => `<a href="/${i}">`).join('')
    const found = extract({ body, type: 'text/html' })
    assert.equal(found.isCut, true)
    assert.equal(found.marks.length, linksMax)
    assert.ok(found.hrefs.endsWith(`/${linksMax - 1}`))
    assert.equal(extract({ body: '<a href="/x">'.repeat(linksMax + 10), type: 'text/html' }).isCut, false)
  })

  test('links too long to be kept in number', () => {
    const long = 'x'.repeat(8_000)
    const body = Array.from({ length: 5_000 }, (_, i) => `<a href="/${i}${long}">`).join('')
    const found = extract({ body, type: 'text/html' })
    assert.equal(found.isCut, true)
    assert.ok(found.marks.length < 2_500 && found.marks.length > 1_000)
  })

  test('sitemaps, style sheets, lists and headers without end', () => {
    const endless: readonly (readonly [body: string, type: string])[] = [
      [`<urlset>${'<url><loc>'.repeat(million / 4)}`, 'application/xml'],
      [`<urlset><loc>${'&amp;'.repeat(million)}`, 'application/xml'],
      [`<rss ${'a="b" '.repeat(million / 4)}>`, 'application/xml'],
      [`<rss>${'<link>'.repeat(million / 4)}`, 'application/xml'],
      ['<!-- -->'.repeat(million / 8), 'application/xml'],
      ['<!DOCTYPE '.repeat(million / 8), 'application/xml'],
      ['@import '.repeat(million / 4), 'text/css'],
      ['url(a'.repeat(million), 'text/css'],
      [`#EXTM3U\n#${'URI="'.repeat(million / 4)}`, 'application/x-mpegurl'],
      [`http://a/${' '.repeat(million)}x`, 'text/plain'],
    ]
    for (const [body, type] of endless)
      assert.equal(extract({ body, type }).marks.length < 2, true, body.slice(0, 20))
    for (const value of ['<a>;', '<a>; ', ' ;', '<', '<a>;x="', '\\"', '<a>; rel=', ',']) {
      extract({ body: '', headers: [['Link', `<b>; ${value.repeat(million / 4)}`]] })
      extract({ body: '', headers: [['Refresh', `0;${value.repeat(million / 4)}`]] })
    }
  })
})

describe('properties', () => {
  for (const { name, property } of properties) {
    test(name, () => fc.assert(property as fc.IProperty<unknown>, { numRuns: 300, seed: 8288 }))
  }
})
