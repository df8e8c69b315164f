// Markup that cannot be injected into: a template whose every value is escaped, unless it is such markup itself.
//
// Invariant: an Html holds only text that this module escaped or that stands in our own source. Nothing else can make
// one: there is no way to mark a string as safe. Values belong in text or between quotes; attribute names, tag names and
// script are never values.
//
// Texts, numbers and dates in it are put into a language when it is written out (`in`), so that screens are made without knowing
// who will read them.

import { type Locale, locales } from '../language/locale.ts'

const holds = Symbol('markup')

type Spoken = (locale: Locale) => Html
/** What is the same in all languages is a string, however deep it was made; other markup stays as it is until it is written out. */
type Held = string | Spoken | readonly (string | Html)[]

export class Html {
  readonly [holds]: Held

  private constructor(held: Held) {
    this[holds] = held
  }

  /** For the functions below, which alone can name the symbol. */
  static [holds](held: Held): Html {
    return new Html(held)
  }

  in(locale: Locale): string {
    const held = this[holds]
    if (typeof held === 'string') return held
    if (typeof held === 'function') return held(locale).in(locale)
    let markup = ''
    for (const part of held) markup += typeof part === 'string' ? part : part.in(locale)
    return markup
  }

  /** What a reader sees of it, for a script that puts it into a page as text. Only for words, numbers and plain elements. */
  textIn(locale: Locale): string {
    const text = this.in(locale).replace(/<[^>]*>/g, '')
    return text.replace(/&(?:amp|lt|gt|quot|#39);/g, (entity) => characters[entity]!)
  }

  /** In English, the language of the sources. */
  toString(): string {
    return this.in(locales.en)
  }
}

/** What a template takes: markup, text to be escaped, lists of both; nothing for undefined and false. */
export type Part = Html | string | number | undefined | false | readonly Part[]

export function html(strings: TemplateStringsArray, ...values: readonly Part[]): Html {
  const parts: (string | Html)[] = [strings[0]!]
  for (let index = 0; index < values.length; index++) {
    add(parts, values[index])
    addMarkup(parts, strings[index + 1]!)
  }
  return Html[holds](parts.length === 1 ? (parts[0] as string) : parts)
}

/** What is said one way or another, by language. */
export function spoken(say: Spoken): Html {
  return Html[holds](say)
}

/** A sentence that has no translation: of the crawler, say, which tells the log and the terminal the same. */
export function inEnglish(sentence: string): Html {
  return spoken(({ language, mark }) =>
    language === 'en' && mark === undefined ? html`${sentence}` : html`<span lang="en">${sentence}</span>`,
  )
}

export const nothing: Html = html``

function add(parts: (string | Html)[], value: Part): void {
  if (value instanceof Html) {
    const held = value[holds]
    if (typeof held === 'string') addMarkup(parts, held)
    else parts.push(value)
  } else if (typeof value === 'string') addMarkup(parts, escaped(value))
  else if (typeof value === 'number') addMarkup(parts, String(value))
  else if (value !== undefined && value !== false) for (const each of value) add(parts, each)
}

function addMarkup(parts: (string | Html)[], markup: string): void {
  const last = parts.length - 1
  if (typeof parts[last] === 'string') parts[last] += markup
  else parts.push(markup)
}

const replacements: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
  // A parser would drop it or complain.
  '\0': '\uFFFD',
}

function escaped(text: string): string {
  return text.replace(/[&<>"'\0]/g, (character) => replacements[character]!)
}

const characters = Object.fromEntries(
  Object.entries(replacements).map(([character, entity]) => [entity, character]),
)
