// Whether a browser would see more of a page than was sent: told from the page alone, with the reason.
//
// Guesses, and cheap ones: a page that is wrongly shown costs seconds, one that is wrongly not shown lacks what its scripts fetch.

import { htmlParser } from '../../formats/markup/html-parser.ts'

/** Under which the text of a page is taken for a notice to wait. */
const textCharsMin = 200
const lookedAtChars = 1_000_000
const noticeCharsMax = 1_000

/** Where frameworks put their page: an element that stands empty until a script fills it. */
const mountIds = new Set(['root', 'app', '__next', '__nuxt', '___gatsby', 'svelte', 'q-app'])
const mountNames = new Set(['app-root', 'my-app'])
const notText = new Set(['script', 'style', 'noscript', 'template', 'title', 'svg'])
/** Marks of text that is fetched once the page is there: calls in its own scripts, and what frameworks read. */
const fetchingCall =
  /(?<![\w$])(fetch|axios(?:\.\w{1,20})?|\$\.(?:get|getJSON|ajax|post)|new (?:XMLHttpRequest|EventSource))\s{0,9}\(/
const fetchingAttributes = ['hx-get', 'data-hx-get', 'ng-app', 'data-ng-app', 'v-cloak']
const fetchingNames = new Set(['turbo-frame', 'include-fragment'])
const dataTypes = /^(?:application\/(?:ld\+)?json|text\/(?:template|x-template|html)|speculationrules)/i

/** `empty`: there is hardly anything without scripts. `fetching`: they fetch more than there is. */
export type PageLooks = 'empty' | 'fetching' | 'whole'

export interface PageNeed {
  readonly looks: PageLooks
  /** Why a browser would see more; undefined when it looks whole without. */
  readonly need: string | undefined
  readonly hasScripts: boolean
  /** What can be read without a browser. */
  readonly textChars: number
}

export function browserNeed(html: string): PageNeed {
  const look = new PageLook()
  const parser = new (htmlParser().Parser)(look)
  parser.write(html.slice(0, lookedAtChars))
  parser.end()
  const { hasScripts, textChars } = look
  return { ...needOf(look), hasScripts, textChars }
}

function needOf(look: PageLook): Pick<PageNeed, 'looks' | 'need'> {
  const { hasScripts, emptyMount, textChars, notice, fetching } = look
  if (!hasScripts) return { looks: 'whole', need: undefined }
  if (emptyMount !== undefined) return { looks: 'empty', need: `scripts fill its element ${emptyMount}` }
  if (textChars < textCharsMin) {
    const needsThem = /javascript/i.test(notice)
    const need = needsThem ? 'it says that it needs scripts' : 'it has scripts and hardly any text'
    return { looks: 'empty', need }
  }
  if (fetching === undefined) return { looks: 'whole', need: undefined }
  return { looks: 'fetching', need: `its scripts fetch more (${fetching})` }
}

class PageLook {
  hasScripts = false
  emptyMount: string | undefined
  textChars = 0
  /** What readers without scripts are told. */
  notice = ''
  /** What says that scripts fetch more. */
  fetching: string | undefined
  /** A mount that was opened last, and in which nothing stood so far. */
  #mount: string | undefined
  /** Elements whose text is none, from the outside in. */
  readonly #hidden: string[] = []

  onopentag(name: string, attributes: Record<string, string>): void {
    this.#mount = mountNames.has(name) ? name : mountIds.has(attributes.id ?? '') ? attributes.id : undefined
    if (name === 'script' && !dataTypes.test(attributes.type ?? '')) this.hasScripts = true
    if (fetchingNames.has(name) && attributes.src !== undefined) this.fetching ??= name
    this.fetching ??= fetchingAttributes.find((attribute) => attributes[attribute] !== undefined)
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
    else if (this.#hidden.at(-1) === 'script') this.fetching ??= fetchingCall.exec(said)?.[1]
    else if (this.#hidden[0] === 'noscript' && this.notice.length < noticeCharsMax) this.notice += said
  }
}
