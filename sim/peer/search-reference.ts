// One index of all pages of made-up sites, with the words of the links between them, to compare with what a network finds.

import assert from 'node:assert/strict'
import { type SearchJson, searchJson } from '../../src/api/v1/archive/search-routes.ts'
import { linkWordsOfSite } from '../../src/graph/link-words.ts'
import type { PageLink } from '../../src/model/page-link.ts'
import { parseUrl } from '../../src/model/url/url.ts'
import { Prng } from '../../src/platform/simulated/prng.ts'
import { simulatedWorld } from '../../src/platform/simulated/world.ts'
import type { KeyValues } from '../../src/platform/storage/key-value.ts'
import { SearchIndex, searchTables } from '../../src/search/index/search-index.ts'
import { Searching } from '../../src/search/query/searching.ts'
import { analysePage } from '../../src/search/text/analysed-page.ts'
import { textOfHtml } from '../../src/search/text/html-text.ts'
import type { LinkedSites } from './linked-sites.ts'
import type { WholeNetwork } from './whole-network.ts'

const limit = 20
const atMs = Date.UTC(2026, 0)

export class CentralSearch {
  readonly #searching: Searching
  readonly #sites: LinkedSites

  constructor(searching: Searching, sites: LinkedSites) {
    this.#searching = searching
    this.#sites = sites
  }

  /** A word that no other page has. */
  wordOf(url: string): string {
    return /<p>(\w+)/.exec(bodyOf(this.#sites, url))![1]!
  }

  queries(count: number): string[] {
    const random = new Prng('queries')
    const { urls } = this.#sites
    const some = () => this.wordOf(urls[random.next() % urls.length]!)
    const number = () => random.next() % 12
    const forms = [
      () => some(),
      () => `${some()} OR ${some()} OR ${some()}`,
      () => `site ${number()}`,
      () => `${number()} OR ${some()} -${number()}`,
      () => `title:${number()}`,
      () => `http ${number()} site:site-${number()}.example`,
      () => `"site ${number()}"`,
    ]
    return Array.from({ length: count }, (_, index) => forms[index % forms.length]!())
  }

  isSame(queries: readonly string[], shown: readonly SearchJson[]): boolean {
    return queries.every((query, index) => {
      const [ours, theirs] = [this.#told(query), told(shown[index]!)]
      return JSON.stringify(ours) === JSON.stringify(theirs) && !shown[index]!.partial
    })
  }

  assertSame(name: string, queries: readonly string[], shown: readonly SearchJson[]): void {
    for (const [index, query] of queries.entries()) {
      assert.deepEqual(told(shown[index]!), this.#told(query), `${name}: ${query}`)
      assert.equal(shown[index]!.partial, false, `${name}: ${query}: ${shown[index]!.missing.join(' ')}`)
    }
  }

  #told(query: string) {
    return told(searchJson(this.#searching.search({ text: query, limit })))
  }
}

export function centralSearch(sites: LinkedSites): Promise<CentralSearch> {
  const world = simulatedWorld({ seed: 1 })
  const pages = sites.urls.map((href) => ({ href, html: bodyOf(sites, href) }))
  const opened = centralSearching(world.machine('central').keyValues, pages)
  return world.complete(opened.then((searching) => new CentralSearch(searching, sites)))
}

/** All pages in one index, with the words of the links between them. */
export async function centralSearching(
  keyValues: KeyValues,
  pages: readonly { readonly href: string; readonly html: string }[],
): Promise<Searching> {
  const map = await keyValues.open('/search', { tables: searchTables })
  const index = await SearchIndex.open(map)
  const links = Map.groupBy(pages.flatMap(linksOn), ({ to }) => parseUrl(to).site as string)
  const needs = {
    graph: { linksToSite: (site: string) => (links.get(site) ?? []) as never },
    incoming: () => [],
    isHidden: () => false,
    breathe: async () => {},
  }
  const words = new Map<string, readonly string[]>()
  for (const site of links.keys())
    for (const [href, own] of await linkWordsOfSite(needs, site)) words.set(href, own)
  for (const { href, html } of pages) {
    const anchors = words.get(href) ?? []
    const analysed = analysePage({ href, type: 'html', text: textOfHtml(html), anchors })
    index.apply({ href, captures: [{ atMs, content: 'one' }], analysed: [['one', analysed]] })
  }
  await index.commit()
  return new Searching(index)
}

export async function searchedBy(
  network: WholeNetwork,
  name: string,
  queries: readonly string[],
): Promise<SearchJson[]> {
  const shown: SearchJson[] = []
  for (const query of queries)
    shown.push(await network.ask(name, `/api/v1/search?q=${encodeURIComponent(query)}&limit=${limit}`))
  return shown
}

/** Times aside: the reference was not crawled. */
function told({ hits, total }: SearchJson) {
  return { total, hits: hits.map(({ url, score, title, snippet }) => ({ url, score, title, snippet })) }
}

function bodyOf(sites: LinkedSites, url: string): string {
  const [site, page] = [...url.matchAll(/\d+/g)].map(Number)
  return sites.body(site!, page!)
}

function linksOn({ href: from, html }: { readonly href: string; readonly html: string }): PageLink[] {
  const found = html.matchAll(/href="([^"]+)">([^<]+)</g)
  const links = new Map(Array.from(found, ([, to, text]) => [`${to} ${text}`, { to: to!, text: text! }]))
  return [...links.values()].map((link) => ({
    ...link,
    ...{ from, relation: '', isNoFollow: false, firstSeenMs: atMs, lastSeenMs: atMs },
  })) as PageLink[]
}
