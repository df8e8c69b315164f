// Link recording: what a visit showed of a page's links goes into the link graph, and what of them has come or gone since its last
// version is told to the peers of the sites that they lead to.
//
// The graph is derived from captures and may lag behind them; a crash costs nothing but time (graph/graph-catch-up.ts). Others are
// told before the graph knows, so that what a crash cuts off is told again with the next look at the page.
//
// Bounded: of each site's pages that link to one URL so many are told of; a link that stands on every page of a site says no more
// by being told a million times. Told of are links for people to follow, to where the job follows them: other targets are no
// peer's to keep, and are found by asking whoever has the page.

import type { LinkGraph, SeenChanges } from '../graph/link-graph.ts'
import { linksOfList, listOfLinks, type PageLinks } from '../graph/packed-links.ts'
import { withRendered } from '../graph/rendered-links.ts'
import { leadElsewhere } from '../graph/target-key.ts'
import { LruCache } from '../model/lru-cache.ts'
import { isFollowed, type LinkFound } from '../model/page-link.ts'
import type { RenderedPage } from '../model/rendered-page.ts'
import { tryParseLink } from '../model/url/url.ts'
import type { CrawlNetwork, SentMention } from './crawl-network.ts'
import { discoveryOf } from './frontier/discovery.ts'
import type { FetchTask } from './frontier/fetch-task.ts'
import type { Frontier } from './frontier/frontier.ts'
import type { Visited } from './visit/visit.ts'

interface Needs {
  readonly graph: LinkGraph
  readonly frontier: Pick<Frontier, 'isInScope'>
}

const pagesToldMax = 64
const targetsRemembered = 100_000
const noLinks = linksOfList([])

export class LinkRecording {
  readonly #graph: LinkGraph
  readonly #frontier: Needs['frontier']
  /** How many pages of a site have told of a URL. */
  readonly #told = new LruCache<string, number>({ max: targetsRemembered })
  network: Pick<CrawlNetwork, 'mention'> | undefined

  constructor(needs: Needs) {
    this.#graph = needs.graph
    this.#frontier = needs.frontier
  }

  /** `rendered`: what a browser read of the page; `missed` when it should have: then the links that scripts write are not gone. */
  async record(task: FetchTask, visited: Visited, rendered?: RenderedPage | 'missed'): Promise<void> {
    const sent = linksOfVisit(visited)
    if (rendered === 'missed' && this.#graph.timesOf(task.url) !== undefined) return
    const isRendered = rendered !== undefined && rendered !== 'missed'
    const links = isRendered ? withRendered(sent, rendered) : sent
    if (links === undefined) return
    const { capturedAtMs } = visited.fetched.capture
    const changes = this.#graph.note(task.url, capturedAtMs, links, { isRendered })
    if (this.network !== undefined && changes !== 'none') {
      const mentions = this.#mentions(task, capturedAtMs, links, changes)
      if (mentions.length > 0) await this.network.mention(mentions)
    }
    if (this.#graph.isDue) await this.#graph.flush()
  }

  #mentions(
    task: FetchTask,
    atMs: number,
    links: PageLinks,
    changes: Exclude<SeenChanges, 'none'>,
  ): SentMention[] {
    if (changes === 'all' && !leadElsewhere(links.hrefs, task.url.site)) return []
    const { added, removed } = changes === 'all' ? { added: listOfLinks(links), removed: [] } : changes
    return [
      ...added.flatMap((link) => this.#mention(task, link, atMs, false)),
      ...removed.flatMap((link) => this.#mention(task, link, atMs, true)),
    ]
  }

  #mention(task: FetchTask, link: LinkFound, atMs: number, isGone: boolean): SentMention[] {
    const { href, relation, isNoFollow, text } = link
    if (!isFollowed(relation)) return []
    const url = tryParseLink(href)
    if (url === null || url.site === task.url.site) return []
    if (!this.#frontier.isInScope(discoveryOf(task, { url, kind: 'navigation' }))) return []
    const name = `${task.url.site} ${href}`
    const told = this.#told.get(name) ?? 0
    if (told >= pagesToldMax) return []
    this.#told.set(name, told + 1)
    return [{ url, page: task.url.href, relation, isNoFollow, text, atMs, isGone }]
  }
}

/** undefined where a visit says nothing of the page's links: it was not kept, or the server was in trouble. */
function linksOfVisit({ fetched, kept, pageLinks }: Visited): PageLinks | undefined {
  if (kept === 'not-kept' || kept === 'hidden') return undefined
  const target = fetched.redirect?.target
  if (target !== undefined)
    return linksOfList([{ href: target.href, relation: 'Location header', isNoFollow: false, text: '' }])
  if (fetched.status === 404 || fetched.status === 410) return noLinks
  return pageLinks
}
