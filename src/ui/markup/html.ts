// Markup that cannot be injected into: a template whose every value is escaped, unless it is such markup itself.
//
// Invariant: an Html holds only text that this module escaped or that stands in our own source. Nothing else can make
// one: there is no way to mark a string as safe. Values belong in text or between quotes; attribute names, tag names and
// script are never values.

const holds = Symbol('markup')

export class Html {
  readonly [holds]: string

  private constructor(markup: string) {
    this[holds] = markup
  }

  /** For the template below, which alone can name the symbol. */
  static [holds](markup: string): Html {
    return new Html(markup)
  }

  toString(): string {
    return this[holds]
  }
}

/** What a template takes: markup, text to be escaped, lists of both; nothing for undefined and false. */
type Part = Html | string | number | undefined | false | readonly Part[]

export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  let markup = strings[0]!
  for (const [index, part] of parts.entries()) markup += markupOf(part) + strings[index + 1]!
  return Html[holds](markup)
}

export const nothing: Html = html``

function markupOf(part: Part): string {
  if (part instanceof Html) return part[holds]
  if (typeof part === 'string') return escaped(part)
  if (typeof part === 'number') return String(part)
  if (part === undefined || part === false) return ''
  return part.map(markupOf).join('')
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
