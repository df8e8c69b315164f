// All fixture sites together, and the pages of them that are looked at.

import type { Answers, OriginOf } from '../origin-web.ts'
import { charsetPages, charsetSite } from './charset-site.ts'
import { colours } from './colours.ts'
import { cssPages, cssSite } from './css-site.ts'
import { drawingPages, drawingSite } from './drawing-site.ts'
import { htmlPages, htmlSite } from './html-site.ts'
import { limitPage, limitSite } from './limit-site.ts'
import { scriptPages, scriptSite } from './script-site.ts'
import { transferPages, transferSite } from './transfer-site.ts'

export function everySite(origin: OriginOf): Answers {
  return {
    ...colours(),
    ...htmlSite(origin),
    ...cssSite(origin),
    ...scriptSite(origin),
    ...drawingSite(origin),
    ...charsetSite(),
    ...transferSite(origin),
    ...limitSite(origin),
  }
}

/** Those that must look the same. */
export const samePages = [
  ...htmlPages,
  ...cssPages,
  ...scriptPages,
  ...drawingPages,
  ...charsetPages,
  ...transferPages,
]

export const everyPage = [...samePages, limitPage]

/** Pages without tiles: they are compared as a whole. */
export const pagesWithoutTiles: ReadonlySet<string> = new Set([
  'museum/html/frames',
  'museum/html/old-markup',
  'museum/svg/document.svg',
  'museum/svg/styled.xml',
  'museum/svg/data.json',
  'museum/svg/text.txt',
  'museum/transfer/gone-page',
])
