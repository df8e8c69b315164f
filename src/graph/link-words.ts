// Link words: what the links that lead to the pages of a site say, by page.
//
// Whoever keeps a site's captures and its incoming links finds the same words, in the same order: those that most pages of other sites
// use, then those that most pages of its own do. A link that two sources tell of counts once, and one that is gone not at all.
// Bounded: links looked at for a site, words of a page.

import type { PageLink } from '../model/page-link.ts'
import { knownUntil } from '../model/page-link.ts'
import { ringKeyOfSite } from '../model/ring-key.ts'
import type { SiteKey } from '../model/url/site.ts'
import { tryParseLink } from '../model/url/url.ts'
import type { IncomingLinks } from './incoming-links.ts'
import type { LinkGraph } from './link-graph.ts'

interface Needs {
  readonly graph: Pick<LinkGraph, 'linksToSite'>
  /** What other peers have told, where there are any. */
  incoming(): readonly Pick<IncomingLinks, 'linksToSite'>[]
  /** It was taken down. */
  isHidden(href: string): boolean
  breathe(): Promise<void>
}

export const wordsPerPageMax = 20
const textCharsMax = 200
const linksMax = 500_000
const linksPerPause = 1_000

interface Count {
  others: number
  own: number
}

export async function linkWordsOfSite(needs: Needs, site: string): Promise<Map<string, string[]>> {
  const counts = new Map<string, Map<string, Count>>()
  const fromOthers = new Map<string, PageLink>()
  let looked = 0
  for (const link of linksToSite(needs, site)) {
    if (++looked % linksPerPause === 0) await needs.breathe()
    if (looked > linksMax) break
    if (link.text === '' || needs.isHidden(link.from)) continue
    if (tryParseLink(link.from)?.site !== site) noteLater(fromOthers, link)
    else if (link.goneMs === undefined && link.from !== link.to) countOf(counts, link).own++
  }
  for (const link of fromOthers.values()) if (link.goneMs === undefined) countOf(counts, link).others++
  return new Map(Array.from(counts, ([href, texts]) => [href, best(texts)]))
}

function* linksToSite({ graph, incoming }: Needs, site: string): Generator<PageLink> {
  yield* graph.linksToSite(site)
  for (const links of incoming()) yield* links.linksToSite(ringKeyOfSite(site as SiteKey))
}

/** Who saw it last knows whether it is gone. */
function noteLater(links: Map<string, PageLink>, link: PageLink): void {
  const name = `${link.from}\n${link.to}\n${link.text}`
  const known = links.get(name)
  if (known === undefined || knownUntil(known) < knownUntil(link)) links.set(name, link)
}

function countOf(counts: Map<string, Map<string, Count>>, { to, text }: PageLink): Count {
  const short = text.slice(0, textCharsMax).toWellFormed()
  let texts = counts.get(to)
  if (texts === undefined) counts.set(to, (texts = new Map()))
  let count = texts.get(short)
  if (count === undefined) texts.set(short, (count = { others: 0, own: 0 }))
  return count
}

function best(texts: ReadonlyMap<string, Count>): string[] {
  return [...texts]
    .sort(
      ([text, one], [otherText, other]) =>
        other.others - one.others || other.own - one.own || (text < otherText ? -1 : 1),
    )
    .slice(0, wordsPerPageMax)
    .map(([text]) => text)
}
