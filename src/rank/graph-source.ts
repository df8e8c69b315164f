// Graph source: the links that count for ranks, from the link graph: those that readers follow, that the page vouches for, and that its
// newest version has; to each target once, and not to itself. Takedowns hide pages, and links to them.

import type { LinkGraph } from '../graph/link-graph.ts'
import { isFollowed, type PageLink } from '../model/page-link.ts'
import type { RankSource } from './rank-parts.ts'

interface Needs {
  readonly graph: LinkGraph
  isHidden(href: string): boolean
}

export class GraphSource implements RankSource {
  readonly #needs: Needs

  constructor(needs: Needs) {
    this.#needs = needs
  }

  *pages(): Generator<{ readonly href: string; readonly targets: Iterable<string> }> {
    const { graph, isHidden } = this.#needs
    for (const page of graph.pagesOf()) {
      if (isHidden(page.href)) continue
      yield { href: page.href, targets: { [Symbol.iterator]: () => this.#targets(graph.linksFrom(page)) } }
    }
  }

  *#targets(links: Iterable<PageLink>): Generator<string> {
    const targets = new Set<string>()
    for (const link of links) {
      if (!counts(link) || targets.has(link.to)) continue
      targets.add(link.to)
      if (!this.#needs.isHidden(link.to)) yield link.to
    }
  }
}

function counts({ relation, isNoFollow, goneMs }: PageLink): boolean {
  return goneMs === undefined && !isNoFollow && isFollowed(relation)
}
