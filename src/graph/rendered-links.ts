// Rendered links: those that a page has once its scripts have run, beside those of the page as it was sent.
//
// A link that was sent stays as it was sent, with its words; added are targets that only scripts write. So a page that is shown in a browser
// from some day on gains links by that, and loses none.

import type { RenderedPage } from '../model/rendered-page.ts'
import { tryParseLink } from '../model/url/url.ts'
import { linksOfList, linksPerPageMax, listOfLinks, type PageLinks } from './packed-links.ts'

const textCharsMax = 200
const followed = /^(?:a|area) /

export function withRendered(sent: PageLinks | undefined, { links }: Pick<RenderedPage, 'links'>): PageLinks {
  const all = sent === undefined ? [] : listOfLinks(sent)
  const known = new Set(all.filter(({ relation }) => followed.test(relation)).map(({ href }) => href))
  for (const { href: written, text, isNoFollow } of links) {
    if (all.length >= linksPerPageMax) break
    const href = tryParseLink(written)?.href
    if (href === undefined || known.has(href)) continue
    known.add(href)
    all.push({ href, relation: 'a href', isNoFollow, text: inOneLine(text) })
  }
  return linksOfList(all)
}

/** As extraction has it: a page can write anything, and other peers take only what can be shown. */
function inOneLine(text: string): string {
  return text
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .trim()
    .slice(0, textCharsMax)
    .toWellFormed()
}
