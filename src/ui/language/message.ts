// Messages: the texts of the pages, written once in each language, as markup that is put into the reader's language when it is
// written out.
//
// In a text `{name}` stands for a value, `<name>…</name>` for words that the page makes a link or the like of, and `<strong>` and
// the other plain elements for themselves. A text that depends on a number has a form for each plural of its language, and
// `{count}` is that number. All other characters are text: they are escaped as values are.
//
// The types check that German has the same texts as English, each with the same names, no more and no fewer.

import { type Html, html, type Part, spoken } from '../markup/html.ts'
import type { Language, Locale } from './locale.ts'

type Forms = { readonly other: string } & { readonly [form in Intl.LDMLPluralRule]?: string }
type Text = string | Forms
type Texts = Readonly<Record<string, Text>>

const plainElements = {
  strong: (inside: Html) => html`<strong>${inside}</strong>`,
  code: (inside: Html) => html`<code>${inside}</code>`,
  b: (inside: Html) => html`<b>${inside}</b>`,
  i: (inside: Html) => html`<i>${inside}</i>`,
} as const

type Plain = keyof typeof plainElements

type ValueNames<Written extends string> = Written extends `${string}{${infer Name}}${infer Rest}`
  ? Name | ValueNames<Rest>
  : never
type ElementNames<Written extends string> = Written extends `${string}</${infer Name}>${infer Rest}`
  ? Exclude<Name, Plain> | ElementNames<Rest>
  : never
type NamesIn<Written extends string> = ValueNames<Written> | `</${ElementNames<Written>}>`

type ValuesOf<Written extends string> = { readonly [name in ValueNames<Written>]: Part } & {
  readonly [name in ElementNames<Written>]: (inside: Html) => Html
}

type Message<Said extends Text> = Said extends string
  ? [NamesIn<Said>] extends [never]
    ? Html
    : (values: ValuesOf<Said>) => Html
  : Said extends { readonly other: infer Other extends string }
    ? (values: { readonly count: number } & Omit<ValuesOf<Other>, 'count'>) => Html
    : never

export type Messages<Said extends Texts> = { readonly [key in keyof Said]: Message<Said[key]> }

/** The form that has all names. */
type WholeForm<Said> = Said extends string
  ? Said
  : Said extends { readonly other: infer Other extends string }
    ? Other
    : never
type Same<One, Other> = [One] extends [Other] ? ([Other] extends [One] ? true : false) : false
type Shape<Said> = Said extends string ? 'text' : 'forms'

/** What a translation has to be: the error names the text that is missing, superfluous, or has other names in it. */
export type TranslationOf<English extends Texts, Own extends Texts> = {
  readonly [key in keyof English]: key extends keyof Own
    ? Same<NamesIn<WholeForm<English[key]>>, NamesIn<WholeForm<Own[key]>>> extends true
      ? Shape<English[key]> extends Shape<Own[key]>
        ? Own[key]
        : never
      : never
    : Text
} & { readonly [key in Exclude<keyof Own, keyof English>]: never }

/** The messages of a screen, from its texts in all languages. */
export function messagesOf<const English extends Texts, const German extends Texts>(texts: {
  readonly en: English
  readonly de: German & TranslationOf<English, German>
}): Messages<English> {
  const said: Readonly<Record<Language, Texts>> = texts
  const messages = Object.keys(texts.en).map((key) => [
    key,
    messageOf({ en: said.en[key]!, de: said.de[key]! }),
  ])
  return Object.fromEntries(messages) as Messages<English>
}

type Values = Readonly<Record<string, Part | ((inside: Html) => Html)>>

function messageOf(texts: Readonly<Record<Language, Text>>): Html | ((values: Values) => Html) {
  const patterns = new Map<string, Pattern>()
  const say = (values: Values): Html =>
    spoken((locale) => {
      const written = formIn(texts[locale.language], values, locale)
      let pattern = patterns.get(written)
      if (pattern === undefined) patterns.set(written, (pattern = patternOf(written)))
      return filledIn(pattern, values, locale)
    })
  const { en } = texts
  const hasNames =
    typeof en !== 'string' || [...en.matchAll(/\{\w+\}|<(\w+)>/g)].some(([, element]) => !isPlain(element))
  return hasNames ? say : say({})
}

function isPlain(name: string | undefined): name is Plain {
  return name !== undefined && Object.hasOwn(plainElements, name)
}

function formIn(text: Text, values: Values, locale: Locale): string {
  return typeof text === 'string' ? text : (text[locale.plural(Number(values.count))] ?? text.other)
}

/** A text taken apart: words, names of values, and elements with what is in them. */
type Pattern = readonly (
  | { readonly kind: 'words'; readonly words: string; readonly markup: Html }
  | { readonly kind: 'value'; readonly name: string }
  | { readonly kind: 'element'; readonly name: string; readonly inside: Pattern }
)[]

function patternOf(text: string): Pattern {
  const pieces = text.matchAll(
    /\{(?<value>\w+)\}|<(?<element>\w+)>(?<inside>.*?)<\/\k<element>>|(?<words>[^{<]+|[{<])/gs,
  )
  return [...pieces].map(({ groups }) => {
    const { value, element, inside = '', words = '' } = groups!
    if (value !== undefined) return { kind: 'value', name: value }
    if (element !== undefined) return { kind: 'element', name: element, inside: patternOf(inside) }
    return { kind: 'words', words, markup: html`${words}` }
  })
}

function filledIn(pattern: Pattern, values: Values, locale: Locale): Html {
  return html`${pattern.map((piece) => pieceIn(piece, values, locale))}`
}

function pieceIn(piece: Pattern[number], values: Values, locale: Locale): Part {
  switch (piece.kind) {
    case 'words':
      return locale.mark === undefined ? piece.markup : locale.mark(piece.words)
    case 'value':
      return valueIn(values[piece.name] as Part, locale)
    case 'element': {
      const wrap = values[piece.name] ?? (isPlain(piece.name) && plainElements[piece.name])
      return (wrap as (inside: Html) => Html)(filledIn(piece.inside, values, locale))
    }
  }
}

function valueIn(value: Part, locale: Locale): Part {
  return typeof value === 'number' ? locale.count(value) : value
}
