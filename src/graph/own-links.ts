// Own links: what this peer knows of links, from the captures that it keeps and from what other peers have told of its sites.
//
// What was taken down, page or target, is left out. A question costs a bounded amount of work, and others have their turn meanwhile.

import {
  isThereAt,
  type LinkAnswer,
  type LinkQuestion,
  type LinkService,
  mergedLinks,
  type PageLink,
} from '../model/page-link.ts'
import { ringKeyOfSite } from '../model/ring-key.ts'
import type { SiteKey } from '../model/url/site.ts'
import { tryParseLink } from '../model/url/url.ts'
import type { IncomingLinks } from './incoming-links.ts'
import type { LinkGraph } from './link-graph.ts'

interface Needs {
  readonly graph: LinkGraph
  /** Where there are other peers. */
  incoming?(): IncomingLinks | undefined
  /** It was taken down. */
  isHidden(href: string): boolean
  breathe(): Promise<void>
}

/** Links looked at for one question, and between two pauses. */
const lookedMax = 200_000
const looksPerPause = 1_000

export class OwnLinks implements LinkService {
  readonly #needs: Needs

  constructor(needs: Needs) {
    this.#needs = needs
  }

  async links(question: LinkQuestion): Promise<LinkAnswer> {
    const { graph, breathe } = this.#needs
    await graph.flush()
    const found: PageLink[] = []
    let isPartial = false
    let looked = 0
    for (const link of this.#candidates(question)) {
      if (++looked % looksPerPause === 0) await breathe()
      if (looked > lookedMax) isPartial = true
      else if (!this.#isWanted(link, question)) continue
      else if (found.length === question.limit) isPartial = true
      else found.push(link)
      if (isPartial) break
    }
    return { links: sortedLinks(mergedLinks([found])), isPartial }
  }

  *#candidates({ direction, of }: LinkQuestion): Generator<PageLink> {
    const { graph } = this.#needs
    const incoming = direction === 'to' ? this.#needs.incoming?.() : undefined
    if (of.kind === 'site') {
      yield* direction === 'from' ? graph.linksFromSite(of.site) : graph.linksToSite(of.site)
      if (incoming !== undefined) yield* incoming.linksToSite(ringKeyOfSite(of.site as SiteKey))
      return
    }
    const url = tryParseLink(of.href)
    if (url === null) return
    yield* direction === 'from' ? graph.linksFrom(url) : graph.linksTo(url.href)
    if (incoming !== undefined) yield* incoming.linksTo(url)
  }

  #isWanted(link: PageLink, { atMs }: LinkQuestion): boolean {
    const { isHidden } = this.#needs
    return (atMs === undefined || isThereAt(link, atMs)) && !isHidden(link.from) && !isHidden(link.to)
  }
}

export function sortedLinks(links: readonly PageLink[]): PageLink[] {
  return links.toSorted(
    (one, other) =>
      compared(one.from, other.from) || compared(one.to, other.to) || one.firstSeenMs - other.firstSeenMs,
  )
}

function compared(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0
}
