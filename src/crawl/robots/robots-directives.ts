// Robots directives: what a page asks of those who have fetched it, in `X-Robots-Tag` headers and robots meta elements.
//
// There is no standard; this follows what search engines document. A value is a list split at commas, or where people forget
// those at spaces, in which `name:` in front addresses the directives after it to one crawler. Of all that is addressed to us or to everyone the
// strictest holds. Unknown directives mean nothing.

import { productTokenOf } from './product-token.ts'

export interface RobotsDirectives {
  readonly noArchive: boolean
  readonly noFollow: boolean
  readonly noIndex: boolean
  /** From then on the page should no longer be shown. */
  readonly unavailableAfterMs: number | undefined
}

export const noDirectives: RobotsDirectives = Object.freeze({
  noArchive: false,
  noFollow: false,
  noIndex: false,
  unavailableAfterMs: undefined,
})

/** More than this is no list of directives. */
const valueCharsMax = 4_096
const namePattern = /^\s*([a-z0-9_*-]+)\s*:/i
/** Directives with a value: their colon addresses nobody. */
const valued = new Set(['unavailable_after', 'max-snippet', 'max-image-preview', 'max-video-preview'])

/** The values of all X-Robots-Tag headers, or the content of one meta element, as `agent` is to read them. */
export function parseDirectives(values: readonly string[], agent: string): RobotsDirectives {
  const token = productTokenOf(agent)
  let found = noDirectives
  for (const value of values) {
    // In each value anew: an address reaches no further than its header.
    let isForUs = true
    for (const part of partsOf(value.slice(0, valueCharsMax))) {
      const name = namePattern.exec(part)
      const isAddress = name !== null && !valued.has(name[1]!.toLowerCase())
      if (isAddress) isForUs = ['*', 'robots', token].includes(name[1]!.toLowerCase())
      if (isForUs) found = withDirective(found, isAddress ? part.slice(name[0].length) : part)
    }
  }
  return found
}

/** Whether a meta element of that name is for us. */
export function isRobotsMetaName(name: string, agent: string): boolean {
  const token = productTokenOf(agent)
  const lower = name.trim().toLowerCase()
  return lower === 'robots' || (token !== '' && lower === token)
}

export function strictest(a: RobotsDirectives, b: RobotsDirectives): RobotsDirectives {
  if (a === noDirectives) return b
  if (b === noDirectives) return a
  const moments = [a.unavailableAfterMs, b.unavailableAfterMs].filter((moment) => moment !== undefined)
  return {
    noArchive: a.noArchive || b.noArchive,
    noFollow: a.noFollow || b.noFollow,
    noIndex: a.noIndex || b.noIndex,
    unavailableAfterMs: moments.length === 0 ? undefined : Math.min(...moments),
  }
}

/** Split at commas, but for the one in a date: `unavailable_after: Friday, 25 Jun 2027 15:00:00 GMT`. */
function partsOf(value: string): string[] {
  return value.split(/,(?!\s*[0-9]{1,2}[ -][a-z]{3})/i)
}

function withDirective(found: RobotsDirectives, written: string): RobotsDirectives {
  const text = written.trim()
  if (!/^unavailable_after\b/i.test(text)) return text.split(/\s+/).reduce(withWord, found)
  const momentMs = Date.parse(text.slice(text.indexOf(':') + 1).trim())
  return Number.isNaN(momentMs) ? found : strictest(found, { ...noDirectives, unavailableAfterMs: momentMs })
}

function withWord(found: RobotsDirectives, word: string): RobotsDirectives {
  switch (word.toLowerCase()) {
    case 'noarchive':
      return { ...found, noArchive: true }
    case 'nofollow':
      return { ...found, noFollow: true }
    case 'noindex':
      return { ...found, noIndex: true }
    case 'none':
      return { ...found, noFollow: true, noIndex: true }
    default:
      return found
  }
}
