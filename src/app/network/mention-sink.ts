// Mention sink: keeps what other peers tell of links to pages of our sites, with those sites.
//
// Of a site that nobody crawls nothing is kept: there is no frontier that it could lie in, and whoever has the pages that link there can
// be asked (docs/decisions/0075).

import type { Frontier } from '../../crawl/frontier/frontier.ts'
import { PolyhistorError } from '../../errors.ts'
import { IncomingLinks } from '../../graph/incoming-links.ts'
import type { RingKey } from '../../model/ring-key.ts'
import type { ForwardedLink } from '../../network/link-delivery/forwarded-link.ts'
import type { LinkSites } from './link-exchange.ts'

interface Needs {
  readonly frontier: Frontier
  readonly sites: Pick<LinkSites, 'canCrawl' | 'waitUntilSafe'>
}

export class MentionSink {
  readonly #needs: Needs
  readonly incoming: IncomingLinks

  constructor(needs: Needs) {
    this.#needs = needs
    this.incoming = new IncomingLinks(needs.frontier.notes)
  }

  /** Resolves when the members of their sites have them, with those sites that have to be told of again later. */
  async take(mentions: readonly ForwardedLink[]): Promise<Set<RingKey>> {
    const later = new Set<RingKey>()
    const bySite = Map.groupBy(mentions, ({ url }) => url.ringKey)
    await Promise.all(
      [...bySite].map(async ([site, group]) => {
        if (!(await this.#takeSite(site, group))) later.add(site)
      }),
    )
    return later
  }

  /** False when it cannot be done now. */
  async #takeSite(site: RingKey, mentions: readonly ForwardedLink[]): Promise<boolean> {
    const { frontier, sites } = this.#needs
    if (!sites.canCrawl(site)) return frontier.sites.head(site) === undefined
    try {
      for (const { url, mention } of mentions) if (mention) this.incoming.note(url, mention)
      await sites.waitUntilSafe([site])
      return true
    } catch (error) {
      // Those who would take the site over did not answer, or it was given to another peer meanwhile.
      if (!(error instanceof PolyhistorError)) throw error
      return false
    }
  }
}
