import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { markedLocale } from '../fixtures/marked-locale.ts'
import { html } from '../markup/html.ts'
import { locales } from './locale.ts'
import { messagesOf } from './message.ts'

const { en, de } = locales

const texts = messagesOf({
  en: {
    title: 'Plain & <strong>strong</strong>',
    keeps: '{name} keeps <all>all {number} pages</all>, <code>x</code> too',
    pages: { one: 'one page', other: '{count} pages' },
    braces: 'a { b < c',
  },
  de: {
    title: 'Schlicht & <strong>kräftig</strong>',
    keeps: '<all>Alle {number} Seiten</all> hat {name}, auch <code>x</code>',
    pages: { one: 'eine Seite', other: '{count} Seiten' },
    braces: 'a { b < c',
  },
})

describe('messages', () => {
  test('are put into a language when they are written out', () => {
    const page = html`<h1>${texts.title}</h1>`
    assert.equal(page.in(en), '<h1>Plain &amp; <strong>strong</strong></h1>')
    assert.equal(page.in(de), '<h1>Schlicht &amp; <strong>kräftig</strong></h1>')
    assert.equal(String(page), page.in(en))
  })

  test('take values and elements in the order of each language, with numbers as it writes them', () => {
    const said = texts.keeps({
      name: '<script>',
      number: 1_234,
      all: (words) => html`<a href="/x">${words}</a>`,
    })
    assert.equal(said.in(en), '&lt;script&gt; keeps <a href="/x">all 1,234 pages</a>, <code>x</code> too')
    assert.equal(said.in(de), '<a href="/x">Alle 1.234 Seiten</a> hat &lt;script&gt;, auch <code>x</code>')
  })

  test('have a form for each plural', () => {
    assert.deepEqual(
      [0, 1, 2_000].map((count) => texts.pages({ count }).in(de)),
      ['0 Seiten', 'eine Seite', '2.000 Seiten'],
    )
  })

  test('are text where nothing has a name', () => {
    assert.equal(texts.braces.in(en), 'a { b &lt; c')
  })

  test('are read by scripts as text', () => {
    assert.equal(texts.title.textIn(de), 'Schlicht & kräftig')
    assert.equal(
      texts.keeps({ name: `"'<>&`, number: 1, all: (words) => words }).textIn(en),
      `"'<>& keeps all 1 pages, x too`,
    )
  })

  test('are marked as a whole in the language of tests, their values are not', () => {
    const said = texts.keeps({ name: 'a', number: 3, all: (words) => html`<b>${words}</b>` }).in(markedLocale)
    assert.equal(said, 'a ｋｅｅｐｓ <b>ａｌｌ 3 ｐａｇｅｓ</b>, <code>ｘ</code> ｔｏｏ')
  })
})

test('a translation has the same texts with the same names: else it does not compile', () => {
  const en = { a: 'one {x}', b: { one: 'a', other: '{count}' } } as const
  const b = { one: 'a', other: '{count}' } as const
  messagesOf({ en, de: { a: 'eins {x}', b } })
  // @ts-expect-error b is missing.
  messagesOf({ en: { ...en }, de: { a: 'eins {x}' } }).a
  // @ts-expect-error c is superfluous.
  messagesOf({ en, de: { a: 'eins {x}', b, c: 'drei' } })
  // @ts-expect-error {x} is missing.
  messagesOf({ en, de: { a: 'eins', b } })
  // @ts-expect-error {y} is superfluous.
  messagesOf({ en, de: { a: 'eins {x} {y}', b } })
  // @ts-expect-error <link> is missing.
  messagesOf({ en: { a: '<link>one</link>' }, de: { a: 'eins' } })
  // @ts-expect-error b depends on a number.
  messagesOf({ en, de: { a: 'eins {x}', b: '{count}' } })
  const messages = messagesOf({ en, de: { a: 'eins {x}', b } })
  // @ts-expect-error Its value is missing.
  assert.equal(String(messages.a({})), 'one ')
})
