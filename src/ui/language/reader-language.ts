// The language of a reader: what was chosen at the foot of a page, else what the browser asks for, else English.

import { isLanguage, type Language, type Locale, languages, locales } from './locale.ts'

interface Asking {
  header(name: string): string | undefined
}

const cookieName = 'polyhistor-language'
const cookieSeconds = 365 * 86_400
/** No browser sends more. */
const wishesMax = 50

/** What an answer in the reader's language depends on. */
export const languageVaries = 'Accept-Language, Cookie'

export function localeFor(request: Asking): Locale {
  return locales[
    chosenIn(request.header('cookie') ?? '') ?? wishedIn(request.header('accept-language') ?? '')
  ]
}

export function languageCookie(language: Language): string {
  return `${cookieName}=${language}; Path=/; Max-Age=${cookieSeconds}; SameSite=Lax; HttpOnly`
}

function chosenIn(cookies: string): Language | undefined {
  const written = cookies.split(';').map((cookie) => cookie.trim().split('=', 2))
  const chosen = written.find(([name]) => name === cookieName)?.[1]
  return isLanguage(chosen) ? chosen : undefined
}

/** RFC 9110, 12.5.4: by weight, and of the same weight in their order. */
function wishedIn(accepted: string): Language {
  const wishes = accepted.split(',', wishesMax).map((wish) => {
    const [range = '', ...parameters] = wish.split(';').map((part) => part.trim().toLowerCase())
    const weight = Number(parameters.find((parameter) => parameter.startsWith('q='))?.slice(2) ?? 1)
    const language = range === '*' ? languages[0] : range.split('-', 1)[0]
    return { language, weight: Number.isFinite(weight) ? weight : 0 }
  })
  const known = wishes.filter(({ language, weight }) => isLanguage(language) && weight > 0)
  const [best] = known.sort((one, other) => other.weight - one.weight)
  return (best?.language as Language | undefined) ?? languages[0]
}
