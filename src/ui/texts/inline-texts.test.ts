// Templates of pages have no words between their tags: also those that no test shows. Scripts put none into pages.

import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'vitest'

const root = join(import.meta.dirname, '../../..')

/** The texts of all templates in a source, one in another on its own; `§` stands for a value. */
function templatesIn(source: string): string[] {
  const found: string[] = []
  let at = 0
  const endOf = (mark: string): number => {
    const end = source.indexOf(mark, at)
    return end === -1 ? source.length : end + mark.length - 1
  }
  const code = (isNested: boolean): void => {
    for (let depth = 0; at < source.length; at++) {
      const character = source[at]!
      if (source.startsWith('//', at)) at = endOf('\n')
      else if (source.startsWith('/*', at)) at = endOf('*/')
      else if (character === "'" || character === '"') literal(character)
      else if (character === '`') template(/html$/.test(source.slice(0, at)))
      else if (character === '{') depth++
      else if (character === '}' && depth-- === 0 && isNested) return
    }
  }
  const literal = (quote: string): void => {
    for (at++; at < source.length && source[at] !== quote && source[at] !== '\n'; at++)
      if (source[at] === '\\') at++
  }
  const template = (isMarkup: boolean): void => {
    let text = ''
    for (at++; at < source.length && source[at] !== '`'; at++) {
      if (source[at] === '\\') at++
      else if (source.startsWith('${', at)) {
        at += 2
        code(true)
        text += '§'
      } else text += source[at]
    }
    if (isMarkup) found.push(text)
  }
  code(false)
  return found
}

/** Written the same in every language. */
const sameEverywhere = /\b(?:Polyhistor|UTC|s)\b|https?:\S*|\/s\b/g
const literalElements = /<(code|pre|script|svg class="mark")[^>]*>.*?<\/(?:code|pre|script|svg)>/gs
const spoken = /\s(?:title|aria-label|placeholder|alt|abbr)="([^"]*)"/g

function wordsIn(template: string): string[] {
  const markup = template.replace(literalElements, ' ')
  const texts = [markup.replace(/<[^>]*>/g, ' '), ...[...markup.matchAll(spoken)].map(([, value]) => value!)]
  return texts
    .map((text) => text.replace(sameEverywhere, '').replace(/&\w+;|example\.\w+/g, ''))
    .filter((text) => /\p{L}/u.test(text))
    .map((text) => text.trim())
}

const screens = globSync('src/ui/{screens,console,routes,markup}/**/*.ts', { cwd: root }).filter(
  (file) => !/\.(?:test|fuzz)\.ts$/.test(file) && readFileSync(join(root, file), 'utf8').includes('html`'),
)
/** Of OpenSearch, for browsers, which know no language there. */
const notPages = ['src/ui/routes/search-routes.ts']

describe('templates', () => {
  test.each(screens.filter((file) => !notPages.includes(file)))('%s', (file) => {
    const source = readFileSync(join(root, file), 'utf8')
    // A piece of an attribute, or of a tag, has words that nobody reads.
    const pages = templatesIn(source).filter((text) => !/^ [\w-]+(?:=|$)/.test(text))
    assert.deepEqual(pages.flatMap(wordsIn), [])
  })

  test('words in templates are found, those in code are not', () => {
    const source = ['const a = html`<p title="here">$', "{b ? html`there` : 'code'}</p>` // `html` `x`"].join(
      '',
    )
    assert.deepEqual(templatesIn(source).flatMap(wordsIn), ['there', 'here'])
    assert.deepEqual(templatesIn('x`no markup`'), [])
  })
})

test('scripts have no sentences of their own', () => {
  const scripts = globSync('web/*.ts', { cwd: root }).filter((file) => !/docs\.ts|config\.ts/.test(file))
  const sentences = scripts.flatMap((file) => {
    const source = readFileSync(join(root, file), 'utf8').replace(/^\s*(?:\/\/|\/?\*).*$/gm, '')
    return [...source.matchAll(/['`]([A-Z][a-z]+[ .][^'`]*|[^'`]*[a-z] [a-z]+ [a-z][^'`]*)['`]/g)].map(
      ([, text]) => text!,
    )
  })
  const selectors = /[#.[:]|=>|\n/
  assert.deepEqual(
    sentences.filter((text) => !selectors.test(text.replace(/[.:] |\.$/g, ''))),
    [],
  )
})
