// The scanner beside htmlparser2's tokenizer.

import assert from 'node:assert/strict'
import fc from 'fast-check'
import { Tokenizer } from 'htmlparser2'
import { hostileMarkup } from './fixtures/hostile-markup.ts'
import { type HtmlListener, HtmlScanner } from './html-scanner.ts'

type Told = readonly [what: string, text: string]

/** Notes what it is told. Within `svg` it is in foreign context. */
class Notes implements HtmlListener {
  readonly told: Told[] = []
  readonly #text: string
  #isForeign = false

  constructor(text: string) {
    this.#text = text
  }

  isInForeignContext(): boolean {
    return this.#isForeign
  }

  onopentagname(start: number, end: number): void {
    this.#note('tag', start, end)
    if (/^svg$/i.test(this.#text.slice(start, end))) this.#isForeign = true
  }

  onclosetag(start: number, end: number): void {
    this.#note('end tag', start, end)
    if (/^svg$/i.test(this.#text.slice(start, end))) this.#isForeign = false
  }

  onattribname(start: number, end: number): void {
    this.#note('name', start, end)
  }

  onattribdata(start: number, end: number): void {
    this.#note('value', start, end)
  }

  onopentagend(): void {
    this.told.push(['open', ''])
  }

  onselfclosingtag(): void {
    this.told.push(['closed', ''])
  }

  ontext(start: number, end: number): void {
    this.#note('text', start, end)
  }

  oncdata(start: number, end: number, offset: number): void {
    this.#note('cdata', start, end - offset)
  }

  #note(what: string, start: number, end: number): void {
    this.told.push([what, `${start} ${this.#text.slice(start, end)}`])
  }
}

function byTokenizer(text: string, isXhtml: boolean): readonly Told[] {
  const notes = new Notes(text)
  const untold = {
    onattribentity() {},
    onattribend() {},
    oncomment() {},
    ondeclaration() {},
    onend() {},
    onprocessinginstruction() {},
    ontextentity() {},
  }
  const callbacks = new Proxy(notes, {
    get: (target, name) => {
      const method = Reflect.get(target, name) ?? Reflect.get(untold, name)
      return typeof method === 'function' ? method.bind(target) : method
    },
  })
  const tokenizer = new Tokenizer(
    { decodeEntities: false, recognizeSelfClosing: isXhtml },
    callbacks as unknown as ConstructorParameters<typeof Tokenizer>[1],
  )
  tokenizer.write(text)
  tokenizer.end()
  return notes.told
}

function byScanner(text: string, isXhtml: boolean): readonly Told[] {
  const notes = new Notes(text)
  new HtmlScanner(text, notes, { closesThemselves: isXhtml }).read()
  return notes.told
}

/** Up to the last tag: of one that never ends each says something else. */
function wholeOf(told: readonly Told[]): readonly Told[] {
  const isEnd = ([what]: Told): boolean => what === 'open' || what === 'closed' || what === 'end tag'
  const last = told.findLastIndex(isEnd)
  return told.slice(0, last + 1)
}

const moreMarkup = [
  ...[
    '<title>',
    '</title>',
    '<TextArea>',
    '</textarea >',
    '<plaintext>',
    '<xmp>',
    '</xmp/',
    '<iframe>',
    '</IFRAME>',
  ],
  ...[
    '<noembed>',
    '</noembed>',
    '<noframes',
    '</noframes>',
    '</scr',
    'script',
    '</script',
    '<scripty>',
    '<script/>',
  ],
  ...[
    '<!',
    '<!-',
    '<!--->',
    '--!>',
    '<!-- a --!><b>',
    '-',
    '!',
    '[',
    ']',
    '<!doctype html>',
    '<!DOCTYP',
    '<?xml ?>',
    '<a/',
    ' / ',
    '</>',
  ],
  ...['</ a>', '<b c=d', "e='f'", 'g = "h"', 'i=', '==', '\t', '\f', '\v', '\r'],
]

const markup = hostileMarkup(moreMarkup, 40)

export const properties = [
  {
    name: 'the scanner tells what the tokenizer tells',
    property: fc.property(markup, fc.boolean(), (text, isXhtml) => {
      assert.deepEqual(
        wholeOf(byScanner(text, isXhtml)),
        wholeOf(byTokenizer(text, isXhtml)),
        JSON.stringify(text),
      )
    }),
  },
]
