// The choice of a language, by a link at the foot of every page: kept in a cookie, for this reader alone.

import { lastWord, type PageRequest, type PageRoute, redirectAnswer } from '../http.ts'
import { isLanguage, type Language } from '../language/locale.ts'
import { languageCookie } from '../language/reader-language.ts'

export const languageRoute: PageRoute = {
  methods: ['GET'],
  host: 'archive',
  path: /^\/language\/(?:en|de)$/,
  isPage: true,
  isOpen: true,
  handle: async (request) => {
    const language = lastWord(request.target)
    const chosen: Language = isLanguage(language) ? language : 'en'
    return redirectAnswer(pageBefore(request), 303, [['Set-Cookie', languageCookie(chosen)]])
  },
}

/** Back to the page with the link, where that is ours: another's page may link here, too, and is not to be sent to. */
function pageBefore(request: PageRequest): string {
  const before = URL.parse(request.header('referer') ?? '')
  if (before === null || before.host !== request.header('host')) return '/'
  const target = before.pathname + before.search
  // `//` would be another host, and the answer to a form cannot be asked for again.
  return /^\/(?![/\\])/.test(target) && !target.startsWith('/language/') ? target : '/'
}
