// What is run in a page: text, for it is no part of this program. The page can change what these see and give back, so that
// their results are checked like anything from outside.

import * as v from 'valibot'
import type { PageLimits, PageLink } from '../../browser.ts'

/** One window down. False at the end of the page. */
export const scrollOn =
  '(() => { const before = scrollY; scrollBy(0, innerHeight); return scrollY > before })()'

export const scrollBack = 'scrollTo(0, 0)'

type TextLimits = Pick<PageLimits, 'linksMax' | 'textCharsMax'>

/** Links and text of the document as it stands now. */
export function tellDocument({ linksMax, textCharsMax }: TextLimits): string {
  return `(() => {
    const links = [...document.querySelectorAll('a[href],area[href]')]
      .filter((element) => /^https?:/.test(element.href))
      .slice(0, ${linksMax})
      .map((element) => ({ href: element.href, isNoFollow: /(^|\\s)nofollow(\\s|$)/i.test(element.rel) }))
    return { links, text: (document.body?.innerText ?? '').slice(0, ${textCharsMax}) }
  })()`
}

interface DocumentTold {
  readonly links: PageLink[]
  readonly text: string
}

/** undefined when the page gave something else. */
export function documentTold(
  given: unknown,
  { linksMax, textCharsMax }: TextLimits,
): DocumentTold | undefined {
  const schema = v.object({
    links: v.pipe(v.array(v.object({ href: v.string(), isNoFollow: v.boolean() })), v.maxLength(linksMax)),
    text: v.pipe(v.string(), v.maxLength(textCharsMax)),
  })
  const checked = v.safeParse(schema, given)
  return checked.success ? checked.output : undefined
}
