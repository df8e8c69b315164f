import assert from 'node:assert/strict'
import fc from 'fast-check'
import { describe, test } from 'vitest'
import { analysePage } from './analysed-page.ts'
import { textOfHtml } from './html-text.ts'
import { languageOf, signOf } from './language.ts'
import { documentTypeOf, textOfPayload } from './page-text.ts'
import { termOf, termsOf } from './stemming.ts'
import { properties } from './words.fuzz.ts'
import { wordsIn } from './words.ts'

const words = (text: string): string[] => Array.from(wordsIn(text), ({ word }) => word)

describe('the text of HTML', () => {
  test('is what a reader sees, by field', () => {
    const page = textOfHtml(`<!doctype html><html lang="en-GB"><head><title> A &amp; B\n</title>
<meta name="Description" content="About both"><style>p { color: red }</style></head><body>
<nav><a href="/">Home</a></nav><script>var hidden = "x"</script><h1>Both <em>of</em> them</h1>
<p>One<b>word</b>. Two</p><img alt="a photo"><noscript>none</noscript><svg><title>icon</title></svg></body>`)
    assert.deepEqual(page, {
      title: 'A & B',
      description: 'About both',
      headings: ['Both of them'],
      body: 'Both of them\nOneword. Two\na photo',
      language: 'en-gb',
    })
  })

  test('is there where a page never closes its navigation', () => {
    assert.match(textOfHtml('<body><header><nav>menu</header><main>the text</main>').body, /the text/)
  })

  test('takes time in proportion to the page, whatever its nesting', () => {
    const { body } = textOfHtml(`${'<div><nav><h1>'.repeat(200_000)}x${'</nav>'.repeat(200_000)}text`)
    assert.equal(typeof body, 'string')
  })
})

test('types that have a text are told by their media type', () => {
  assert.equal(documentTypeOf('text/html; charset=utf-8'), 'html')
  assert.equal(documentTypeOf('application/pdf'), 'pdf')
  assert.equal(documentTypeOf('text/plain'), 'text')
  assert.equal(documentTypeOf('text/css'), undefined)
  assert.equal(documentTypeOf('image/png'), undefined)
})

test('charsets are undone', async () => {
  const bytes = Buffer.from('<meta charset=iso-8859-1><title>Caf\xe9</title>', 'latin1')
  const page = { type: 'html', bytes, contentType: 'text/html', contentEncoding: undefined } as const
  assert.equal((await textOfPayload(page)).title, 'Café')
})

describe('words', () => {
  test('are lower case, composed, and without possessives', () => {
    assert.deepEqual(words("The Dog's BONE, cafe\u0301 & 5"), ['the', 'dog', 'bone', 'café', '5'])
  })

  test('of scripts without spaces are segmented', () => {
    assert.deepEqual(words('私は東京都').slice(0, 4), ['私', 'は', '東京', '都'])
    assert.ok(words('ภาษาไทยง่าย').length > 1)
  })

  test('are found by their stem, without accents', () => {
    assert.equal(termOf('häuser', 'de'), termOf('haus', 'de'))
    assert.equal(termOf('running', 'en'), 'run')
    assert.equal(termOf('café', 'fr'), 'caf')
    assert.ok(termsOf('running').includes('run'))
    assert.ok(termsOf('running').includes('running'))
    assert.ok(termsOf('running').length < 8)
  })
})

test.each([
  [
    'en',
    'The quick fox jumps over the lazy dog, and it was not for the first time that this was seen by them.',
  ],
  [
    'de',
    'Der schnelle Fuchs springt über den faulen Hund, und das ist nicht das erste Mal, dass sie es sehen.',
  ],
  [
    'fr',
    'Le renard rapide saute sur le chien, et ce n’est pas la première fois que les gens le voient dans un bois.',
  ],
  [
    'es',
    'El zorro salta sobre el perro y no es la primera vez que los vecinos lo ven en el bosque por la tarde.',
  ],
  ['ru', 'Лиса прыгает через собаку, и это не первый раз, что он был в лесу и не на улице.'],
  ['ja', '狐は犬を飛び越えます。それは初めてではありません。'],
  ['zh', '狐狸跳过了懒狗,这不是第一次。'],
  ['el', 'Η αλεπού πηδάει πάνω από τον σκύλο και δεν είναι η πρώτη φορά.'],
])('%s is told by the text, whatever the template says', (language, text) => {
  assert.equal(languageOf(words(text).map(signOf), language === 'en' ? '' : 'en-US'), language)
})

test('the same page gives the same terms, however many words it has', () => {
  const text = textOfHtml(`<title>T</title>${'word '.repeat(300_000)}`)
  const page = { href: 'http://a.test/x-y', type: 'html', text, anchors: ['b', 'a'] } as const
  const analysed = analysePage(page)
  assert.deepEqual(analysePage(page), analysed)
  assert.equal(analysed.length, 50_000)
  assert.ok(analysed.terms.length < 2_000)
})

for (const { name, property } of properties)
  test(name, () => {
    fc.assert(property as fc.IRawProperty<unknown>, { numRuns: 200, seed: 20 })
  })
