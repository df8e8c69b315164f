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

export class Html {
  readonly [holds]: readonly (string | Spoken)[]

  private constructor(parts: readonly (string | Spoken)[]) {
    this[holds] = parts
  }

  /** For the functions below, which alone can name the symbol. */
  static [holds](parts: readonly (string | Spoken)[]): Html {
    return new Html(parts)
  }

  in(locale: Locale): string {
    let markup = ''
    for (const part of this[holds]) markup += typeof part === 'string' ? part : part(locale).in(locale)
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
  const parts: (string | Spoken)[] = [strings[0]!]
  for (const [index, value] of values.entries()) {
    add(parts, value)
    addMarkup(parts, strings[index + 1]!)
  }
  return Html[holds](parts)
}

/** What is said one way or another, by language. */
export function spoken(say: Spoken): Html {
  return Html[holds]([say])
}

/** A sentence that has no translation: of the crawler, say, which tells the log and the terminal the same. */
export function inEnglish(sentence: string): Html {
  return spoken(({ language, mark }) =>
    language === 'en' && mark === undefined ? html`${sentence}` : html`<span lang="en">${sentence}</span>`,
  )
}

export const nothing: Html = html``

function add(parts: (string | Spoken)[], value: Part): void {
  if (value instanceof Html) for (const part of value[holds]) addMarkup(parts, part)
  else if (typeof value === 'string') addMarkup(parts, escaped(value))
  else if (typeof value === 'number') addMarkup(parts, String(value))
  else if (value !== undefined && value !== false) for (const each of value) add(parts, each)
}

/** Strings are joined, so that markup without texts is one string, however deep it was made. */
function addMarkup(parts: (string | Spoken)[], part: string | Spoken): void {
  const last = parts.length - 1
  if (typeof part === 'string' && typeof parts[last] === 'string') parts[last] += part
  else parts.push(part)
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
