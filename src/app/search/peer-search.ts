// The search of a peer: its index, what keeps that in line with the captures, and the service that answers.

import { join } from 'node:path'
import { parseHttpHead } from '../../formats/http/http-message.ts'
import { type ViewKind, viewUrl } from '../../formats/warc/page-views.ts'
import type { LinkGraph } from '../../graph/link-graph.ts'
import { linkWordsOfSite } from '../../graph/link-words.ts'
import { tryParseLink, type Url } from '../../model/url/url.ts'
import { NetworkSearch } from '../../network/search/network-search.ts'
import { SearchHandler } from '../../network/search/search-handler.ts'
import { placesOfOthers } from '../../network/search/search-places.ts'
import type { CallService } from '../../platform/calls/call-services.ts'
import type { Pieces } from '../../platform/network/network.ts'
import type { Workers } from '../../platform/workers.ts'
import { capturesMax } from '../../search/index/page-versions.ts'
import { OwnSearch } from '../../search/own-search.ts'
import type { SearchService } from '../../search/search-answer.ts'
import { SearchClient } from '../../search/search-client.ts'
import { SearchError } from '../../search/search-error.ts'
import { type FollowerOptions, SearchFollower } from '../../search/search-follower.ts'
import type { AnalysedPage } from '../../search/text/analysed-page.ts'
import { documentTypeOf, payloadBytesMax } from '../../search/text/page-text.ts'
import type { TextWork } from '../../search/text/text-work.ts'
import type { Capture } from '../../store/capture.ts'
import { ArchivedRenderings } from '../../store/reading/rendered-pages.ts'
import type { Store } from '../../store/store.ts'
import type { Platform } from '../platform.ts'
import type { PeerRank } from '../rank/peer-rank.ts'
import { RankFollower } from './rank-follower.ts'
import type { SearchNetwork } from './search-network.ts'

interface Needs {
  readonly platform: Pick<Platform, 'clock' | 'threads' | 'breathe'>
  readonly store: Store
  readonly graph: LinkGraph
  /** Other peers that keep this archive; undefined where there are none. */
  readonly network?: SearchNetwork | undefined
  /** Whether other peers keep captures that this one does not have, and are not asked. */
  readonly isPartOfArchive?: boolean | undefined
}

export interface PeerSearch {
  readonly service: SearchService
  /** Something was kept, or is gone. */
  note(href: string): void
  /** One pass over all captures, whether or not one is due. */
  catchUp(): Promise<void>
  /** Scores count these ranks, as they are from time to time. */
  rankBy(ranks: Pick<PeerRank, 'service' | 'book'>): void
  /** Throws the index away; what follows makes it anew. */
  wipe(): Promise<void>
  close(): Promise<void>
}

/** As a running peer has it: `hasSearch` of its options says whether there is one. */
export function searchOf(
  needs: Needs,
  { hasSearch = false, server }: { hasSearch?: boolean | undefined; server: { home: string } },
) {
  const search = hasSearch
    ? openPeerSearch(needs, join(server.home, 'search'), { firstMs: firstLookMs })
    : undefined
  const service = search?.service ?? askingSearch(needs)
  return {
    service: service ?? noSearch,
    /** undefined where there is none: pages offer none then. */
    offered: service,
    happened({ url, outcome }: { url: string; outcome: string }): void {
      if (kept.has(outcome)) search?.note(url)
    },
    note: (url: string) => search?.note(url),
    rankBy: (ranks: Pick<PeerRank, 'service' | 'book'>) => search?.rankBy(ranks),
    close: async () => search?.close(),
  }
}

/** After the start: other work comes first. */
const firstLookMs = 10_000
const kept: ReadonlySet<string> = new Set(['new', 'changed', 'same'])

/** Of a peer that keeps no index: others are asked for everything. undefined where there are none. */
export function askingSearch({ platform, store, network }: Needs): SearchService | undefined {
  if (network === undefined) return undefined
  return new NetworkSearch({
    clock: platform.clock,
    calls: network.services.service('search'),
    places: placesOfOthers(network.places),
    own: noSearch,
    isHidden: (href) => store.hides(href),
  })
}

const noSearch: SearchService = {
  search: async () => {
    throw new SearchError(
      'search-off',
      'This peer keeps no search index, and nobody is there who could be asked. The setting search.index switches it on.',
    )
  },
}

export function openPeerSearch(
  { platform, store, graph, network, isPartOfArchive = false }: Needs,
  folder: string,
  options: FollowerOptions = {},
): PeerSearch {
  const isHidden = (href: string): boolean => store.hides(href)
  const client = new SearchClient(platform.threads.search(), folder)
  const texts = platform.threads.texts()
  const follower = new SearchFollower<Capture & { contentName: string }>(
    {
      client,
      clock: platform.clock,
      scan: (page) => named(store, store.scan({ kind: 'all' }, page)),
      versions: (url, { limit }) => named(store, store.versionsAt(url, limit)),
      read: (capture, words) => readPage({ store, texts }, capture, words),
      linkWords: async (site) => {
        await graph.flush()
        const incoming = () => network?.incoming() ?? []
        return linkWordsOfSite({ graph, incoming, isHidden, breathe: () => platform.breathe() }, site)
      },
      // Both only grow.
      revision: () => store.revision + graph.revision,
    },
    options,
  )
  const own = new OwnSearch({
    client,
    isHidden,
    lacks: () => [
      ...(isPartOfArchive ? ['What other peers keep: none is running here that could ask them.'] : []),
      ...(follower.isBehind ? ['What is here and still has to be indexed.'] : []),
    ],
  })
  let ranking: RankFollower | undefined
  network?.onCopy((url) => follower.noteCopy(url))
  const isBehind = (): boolean => follower.isBehind
  return {
    service: network
      ? networkSearch({ clock: platform.clock, client, network, own, isHidden, isBehind })
      : own,
    note: (href) => follower.note(href),
    catchUp: () => follower.pass(),
    rankBy: ({ service: ranks, book }) => {
      const computedMs = (): number => book.computedMs
      ranking = new RankFollower({ clock: platform.clock, client, ranks, computedMs })
    },
    wipe: async () => {
      await client.run({ kind: 'wipe' })
    },
    close: async () => {
      await network?.services.stop(['search'])
      await ranking?.close()
      await follower.close()
      await client.close()
      await texts.close()
    },
  }
}

/** Answers other peers from now on. */
function networkSearch({
  clock,
  client,
  network,
  own,
  isHidden,
  isBehind,
}: {
  clock: Platform['clock']
  client: SearchClient
  network: SearchNetwork
  own: SearchService
  isHidden(href: string): boolean
  isBehind(): boolean
}): SearchService {
  const { places, services } = network
  const handler = new SearchHandler({ client, places, isHidden, isBehind })
  const service = services.service('search')
  service.answer((from, bytes) => handler.answer(from, bytes))
  const calls: Pick<CallService, 'call'> = {
    call: (peer, bytes, options) =>
      peer === places.self ? handler.answer(peer, wholeOf(bytes)) : service.call(peer, bytes, options),
  }
  return new NetworkSearch({ clock, calls, places, own, isHidden })
}

function wholeOf(bytes: Pieces): Uint8Array {
  return bytes instanceof Uint8Array ? bytes : Buffer.concat(bytes)
}

/** Captures of one page lie side by side: what browsers saw of it is looked for once. */
function* named(store: Store, captures: Iterable<Capture>): Generator<Capture & { contentName: string }> {
  let last: { readonly url: string; readonly seen: ReadonlyMap<number, string> } | undefined
  for (const capture of captures) {
    const { url, mime, capturedAtMs } = capture
    if (documentTypeOf(mime) === 'html' && last?.url !== url) last = { url, seen: seenNames(store, url) }
    const seen = last?.url === url ? last.seen.get(capturedAtMs) : undefined
    yield { ...capture, contentName: seen === undefined ? nameOf(capture) : `${nameOf(capture)} ${seen}` }
  }
}

function nameOf(capture: Capture): string {
  return capture.content === undefined
    ? capture.recordId
    : `${digestName(capture)} ${documentTypeOf(capture.mime) ?? ''}`
}

/** Names of what a browser saw of a page, by the time of its capture. */
function seenNames(store: Store, href: string): ReadonlyMap<number, string> {
  const page = tryParseLink(href)
  const texts = page === null ? [] : viewsOf(store, page, 'text')
  const seen = new Map(texts.map((text) => [text.capturedAtMs, digestName(text)]))
  if (page === null || seen.size === 0) return seen
  // Titles stand there.
  for (const info of viewsOf(store, page, 'pageinfo')) {
    const text = seen.get(info.capturedAtMs)
    if (text !== undefined) seen.set(info.capturedAtMs, `${text} ${digestName(info)}`)
  }
  return seen
}

function viewsOf(store: Store, page: Url, kind: ViewKind): Capture[] {
  const filed = viewUrl(page, kind)
  const captures = filed === undefined ? [] : [...store.versionsAt(filed, capturesMax)]
  return captures.filter(({ url }) => url === filed?.href)
}

function digestName({ content, recordId }: Capture): string {
  return content === undefined
    ? recordId
    : Buffer.from(content.digest.bytes).toString('base64url').slice(0, 27)
}

/** undefined where it has no text. */
async function readPage(
  { store, texts }: { store: Store; texts: Workers<TextWork, AnalysedPage> },
  capture: Capture,
  anchors: readonly string[],
): Promise<AnalysedPage | undefined> {
  const type = documentTypeOf(capture.mime)
  if (type === undefined || capture.payloadBytes > payloadBytesMax) return undefined
  const { head, payload } = await store.read(capture)
  const headers = head && parseHttpHead(head)?.headers
  const page = tryParseLink(capture.url)
  const rendered =
    type !== 'html' || page === null
      ? undefined
      : await new ArchivedRenderings(store).at(page, capture.capturedAtMs)
  const bytes = Uint8Array.from(Buffer.concat(await Array.fromAsync(payload())))
  const work: TextWork = {
    href: capture.url,
    anchors,
    type,
    bytes,
    contentType: headers?.get('Content-Type') ?? capture.mime,
    contentEncoding: headers?.get('Content-Encoding'),
    rendered: rendered && { title: rendered.title, text: rendered.text },
  }
  try {
    return await texts.run(work, [bytes.buffer])
  } catch {
    // It took too long or too much memory, or is not what it says it is.
    return undefined
  }
}
