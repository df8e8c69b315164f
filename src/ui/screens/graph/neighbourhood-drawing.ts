// A site's neighbourhood: the sites that link to it on the left, those that it links to on the right, with lines the thicker the more
// links there are. Drawn as SVG, so that no style has to stand in the page; every site is a link to its own.

import type { PageLink } from '../../../model/page-link.ts'
import { tryParseLink } from '../../../model/url/url.ts'
import { type Html, html, nothing } from '../../markup/html.ts'
import { linksPath } from '../../markup/links.ts'
import { linksTexts } from '../../texts/links.ts'
import { sitesTexts } from '../../texts/sites.ts'

interface Neighbour {
  readonly site: string
  readonly links: number
}

export interface Neighbourhood {
  readonly linking: readonly Neighbour[]
  readonly linked: readonly Neighbour[]
}

const neighboursMax = 10
const rowHeight = 30
const width = 720
const [leftEnd, middleStart, middleEnd, rightStart] = [220, 290, 430, 500]
const charsMax = 26

/** Of links to the site, and of links from it. */
export function neighbourhoodOf(
  site: string,
  to: readonly PageLink[],
  from: readonly PageLink[],
): Neighbourhood {
  return {
    linking: neighbours(
      site,
      to.map((link) => link.from),
    ),
    linked: neighbours(
      site,
      from.map((link) => link.to),
    ),
  }
}

export function neighbourhoodDrawing(site: string, { linking, linked }: Neighbourhood): Html {
  if (linking.length + linked.length === 0) return nothing
  const height = rowHeight * Math.max(2, linking.length, linked.length) + 10
  const most = Math.max(...[...linking, ...linked].map(({ links }) => links))
  const spoken = linksTexts.neighbours({
    linking: sitesTexts.sites({ count: linking.length }),
    linked: sitesTexts.sites({ count: linked.length }),
    site,
  })
  return html`<figure class="neighbourhood scroll"><svg viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="group" aria-label="${spoken}">
${linking.map((one, row) => line(leftEnd, rowY(row, linking.length, height), middleStart, height / 2, one.links / most))}
${linked.map((one, row) => line(middleEnd, height / 2, rightStart, rowY(row, linked.length, height), one.links / most))}
<g class="own"><rect x="${middleStart}" y="${height / 2 - 16}" width="${middleEnd - middleStart}" height="32" rx="6"/><text x="${(middleStart + middleEnd) / 2}" y="${height / 2 + 5}" text-anchor="middle">${cut(site, 17)}</text></g>
${linking.map((one, row) => name(one, leftEnd - 8, rowY(row, linking.length, height), 'end', 'to'))}
${linked.map((one, row) => name(one, rightStart + 8, rowY(row, linked.length, height), 'start', 'from'))}
</svg><figcaption class="note">${linksTexts.neighboursNote}</figcaption></figure>`
}

function neighbours(site: string, hrefs: readonly string[]): Neighbour[] {
  const counts = new Map<string, number>()
  for (const href of hrefs) {
    const other = tryParseLink(href)?.site
    if (other !== undefined && other !== site) counts.set(other, (counts.get(other) ?? 0) + 1)
  }
  return [...counts]
    .map(([name, links]) => ({ site: name, links }))
    .sort((one, other) => other.links - one.links || (one.site < other.site ? -1 : 1))
    .slice(0, neighboursMax)
}

function rowY(row: number, rows: number, height: number): number {
  return height / 2 + (row - (rows - 1) / 2) * rowHeight
}

function line(x1: number, y1: number, x2: number, y2: number, share: number): Html {
  const middle = (x1 + x2) / 2
  return html`<path class="line" fill="none" stroke-width="${(1 + 5 * share).toFixed(1)}" d="M${x1} ${y1}C${middle} ${y1} ${middle} ${y2} ${x2} ${y2}"/>`
}

function name(
  { site, links }: Neighbour,
  x: number,
  y: number,
  anchor: string,
  direction: 'from' | 'to',
): Html {
  return html`<a href="${linksPath(direction, site)}"><text x="${x}" y="${y + 5}" text-anchor="${anchor}">${cut(site, charsMax)}</text><title>${site}: ${linksTexts.linkCount({ count: links })}</title></a>`
}

function cut(text: string, chars: number): string {
  return text.length > chars ? `${text.slice(0, chars - 1)}…` : text
}
