// Why something was not kept, in the reader's language. Other peers may name codes that this version does not know.

import { type Html, inEnglish } from '../../markup/html.ts'
import { missingTexts } from '../../texts/missing.ts'

export function missingWords(code: string, words: string): Html {
  return Object.hasOwn(missingTexts, code)
    ? missingTexts[code as keyof typeof missingTexts]
    : inEnglish(words)
}
