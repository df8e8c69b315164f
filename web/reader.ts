// The reader's language, which the page is in: what scripts put into it is in the same.

import { isLanguage, locales } from '../src/ui/language/locale.ts'
import type { Html } from '../src/ui/markup/html.ts'

const { lang } = document.documentElement

export const locale = locales[isLanguage(lang) ? lang : 'en']

/** As text for a page. */
export function say(words: Html): string {
  return words.textIn(locale)
}
