// What is run in a page: text, for it is no part of this program. The page can change what these see and give back, so that
// their results are checked like anything from outside.

import * as v from 'valibot'
import type { PageLimits, PageLink } from '../../network/browser.ts'

/** One window down. False at the end of the page. */
export const scrollOn =
  '(() => { const before = scrollY; scrollBy(0, innerHeight); return scrollY > before })()'

/** Presses one button that promises more, and was not pressed yet. False when there is none. */
export const pressMore = `(() => {
  const isMore = (text) => /^\\s*(?:load|show|see|view)\\s+(?:\\S+\\s+)?more\\b/i.test(text) && text.length < 60
  const button = [...document.querySelectorAll('button,[role=button],input[type=button]')].find((element) => {
    const isThere = !element.disabled && element.checkVisibility?.() !== false && element.closest('form') === null
    return isThere && isMore(element.innerText || element.value || '')
  })
  if (button === undefined) return false
  button.click()
  return true
})()`

export const scrollBack = 'scrollTo(0, 0)'

const titleCharsMax = 1_000
const linkTextCharsMax = 200
/** Of elements that have a document of their own, one within the other. */
const rootsMax = 1_000
const link = v.object({
  href: v.string(),
  text: v.pipe(v.string(), v.maxLength(linkTextCharsMax)),
  isNoFollow: v.boolean(),
})

type TextLimits = Pick<PageLimits, 'linksMax' | 'textCharsMax'>

/** Links and text of the document as it stands now. */
export function tellDocument({ linksMax, textCharsMax }: TextLimits): string {
  return `(() => {
    const roots = [document]
    for (const root of roots) {
      if (roots.length >= ${rootsMax}) break
      for (const { shadowRoot } of root.querySelectorAll('*')) if (shadowRoot) roots.push(shadowRoot)
    }
    const links = roots.flatMap((root) => [...root.querySelectorAll('a[href],area[href]')])
      .filter((element) => /^https?:/.test(element.href))
      .slice(0, ${linksMax})
      .map((element) => ({
        href: String(element.href),
        text: (element.textContent || element.getAttribute('alt') || '').slice(0, ${4 * linkTextCharsMax})
          .replace(/\\s+/g, ' ').trim().slice(0, ${linkTextCharsMax}),
        isNoFollow: /(^|\\s)nofollow(\\s|$)/i.test(element.rel),
      }))
    const text = (document.body?.innerText ?? '').slice(0, ${textCharsMax})
    return { links, text, title: document.title.slice(0, ${titleCharsMax}) }
  })()`
}

interface DocumentTold {
  readonly links: PageLink[]
  readonly text: string
  readonly title: string
}

/** undefined when the page gave something else. */
export function documentTold(
  given: unknown,
  { linksMax, textCharsMax }: TextLimits,
): DocumentTold | undefined {
  const schema = v.object({
    links: v.pipe(v.array(link), v.maxLength(linksMax)),
    text: v.pipe(v.string(), v.maxLength(textCharsMax)),
    title: v.pipe(v.string(), v.maxLength(titleCharsMax)),
  })
  const checked = v.safeParse(schema, given)
  return checked.success ? checked.output : undefined
}
