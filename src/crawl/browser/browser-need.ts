// Whether a browser would see more of a page than was sent: told from the page alone, with the reason.
//
// Guesses, and cheap ones: a page that is wrongly shown costs seconds, one that is wrongly not shown lacks what its scripts fetch.

import { Parser } from 'htmlparser2'

/** Under which the text of a page is taken for a notice to wait. */
const textCharsMin = 200
const lookedAtChars = 1_000_000
const noticeCharsMax = 1_000

/** Where frameworks put their page: an element that stands empty until a script fills it. */
const mountIds = new Set(['root', 'app', '__next', '__nuxt', '___gatsby', 'svelte', 'q-app'])
const mountNames = new Set(['app-root', 'my-app'])
const notText = new Set(['script', 'style', 'noscript', 'template', 'title', 'svg'])
const dataTypes = /^(?:application\/(?:ld\+)?json|text\/(?:template|x-template|html)|speculationrules)/i

/** Why a browser is needed; undefined when it is not. */
export function browserNeed(html: string): string | undefined {
  const look = new PageLook()
  const parser = new Parser(look)
  parser.write(html.slice(0, lookedAtChars))
  parser.end()
  if (!look.hasScripts) return undefined
  if (look.emptyMount !== undefined) return `scripts fill its element ${look.emptyMount}`
  const isShort = look.textChars < textCharsMin
  if (isShort && /javascript/i.test(look.notice)) return 'it says that it needs scripts'
  return isShort ? 'it has scripts and hardly any text' : undefined
}

class PageLook {
  hasScripts = false
  emptyMount: string | undefined
  textChars = 0
  /** What readers without scripts are told. */
  notice = ''
  /** A mount that was opened last, and in which nothing stood so far. */
  #mount: string | undefined
  /** Elements whose text is none, from the outside in. */
  readonly #hidden: string[] = []

  onopentag(name: string, attributes: Record<string, string>): void {
    this.#mount = mountNames.has(name) ? name : mountIds.has(attributes.id ?? '') ? attributes.id : undefined
    if (name === 'script' && !dataTypes.test(attributes.type ?? '')) this.hasScripts = true
    if (notText.has(name) && this.#hidden.length < noticeCharsMax) this.#hidden.push(name)
  }

  onclosetag(name: string): void {
    this.emptyMount ??= this.#mount
    this.#mount = undefined
    if (this.#hidden.at(-1) === name) this.#hidden.pop()
  }

  ontext(text: string): void {
    const said = text.trim()
    if (said === '') return
    this.#mount = undefined
    if (this.#hidden.length === 0) this.textChars += said.length
    else if (this.#hidden[0] === 'noscript' && this.notice.length < noticeCharsMax) this.notice += said
  }
}
