// The links that a peer knows, and those of its network: opened and closed together, joined with store and crawler.

import { viewOf, viewUrl } from '../../formats/warc/page-views.ts'
import { GraphCatchUp } from '../../graph/graph-catch-up.ts'
import type { LinkGraph } from '../../graph/link-graph.ts'
import { NetworkLinks } from '../../graph/network-links.ts'
import { OwnLinks } from '../../graph/own-links.ts'
import type { LinkService } from '../../model/page-link.ts'
import { tryParseLink } from '../../model/url/url.ts'
import type { Capture } from '../../store/capture.ts'
import type { Store } from '../../store/store.ts'
import type { ArchiveNetwork } from '../network/archive-network.ts'
import type { Platform } from '../platform.ts'
import { linksOfCapture } from './capture-links.ts'

interface Needs {
  readonly platform: Pick<Platform, 'clock' | 'breathe'>
  readonly store: Store
  readonly graph: LinkGraph
  readonly network?: ArchiveNetwork | undefined
}

export interface PeerLinks {
  /** Of this peer. */
  readonly own: OwnLinks
  /** Of all peers. */
  readonly service: LinkService
  close(): Promise<void>
}

export function openPeerLinks({ platform, store, graph, network }: Needs): PeerLinks {
  const own = ownLinksOf({ platform, store, graph, network })
  const isHidden = (href: string): boolean => store.hides(href)
  const service = network === undefined ? own : new NetworkLinks({ ...network.linkCalls, own, isHidden })
  const catchUp = catchUpOf({ platform, store, graph })
  return { own, service, close: () => catchUp.close() }
}

export function ownLinksOf({ platform, store, graph, network }: Needs): OwnLinks {
  return new OwnLinks({
    graph,
    incoming: () => network?.shared?.incoming,
    isHidden: (href) => store.hides(href),
    breathe: () => platform.breathe(),
  })
}

export function catchUpOf({ platform, store, graph }: Omit<Needs, 'network'>, options = {}): GraphCatchUp {
  return new GraphCatchUp(
    {
      graph,
      clock: platform.clock,
      scan: function* (page) {
        for (const capture of store.scan({ kind: 'all' }, page)) yield graphCapture(store, capture)
      },
      pageShownBy: (href) => {
        const view = viewOf(href)
        return view?.kind === 'pageinfo' ? (tryParseLink(view.page) ?? undefined) : undefined
      },
      versionsOf: function* (page) {
        for (const capture of store.versions(page))
          if (capture.url === page.href) yield graphCapture(store, capture)
      },
      hasCaptures: (url) => {
        for (const _ of store.versions(url, { limit: 1 })) return true
        return false
      },
      // They are the store's own, handed through.
      linksOf: (capture) => linksOfCapture(store, capture as unknown as Capture),
      revision: () => store.revision,
    },
    options,
  )
}

type CatchUpNeeds = ConstructorParameters<typeof GraphCatchUp>[0]
type GraphCapture = Parameters<CatchUpNeeds['linksOf']>[0]

/** Its name is asked for only where the graph knows less than the store. */
function graphCapture(store: Store, capture: Capture): GraphCapture {
  return Object.defineProperty({ ...capture } as Capture & { contentName: string }, 'contentName', {
    get: () => nameOf(store, capture),
  })
}

/** Redirects are told apart by more than their content, pages also by what a browser saw of them. */
function nameOf(store: Store, { url, content, status, capturedAtMs, recordId }: Capture): string {
  const isPage = status >= 200 && status < 300
  if (!isPage || content === undefined) return recordId
  const page = tryParseLink(url)
  const filed = page === null ? undefined : viewUrl(page, 'pageinfo')
  const span = { fromMs: capturedAtMs, toMs: capturedAtMs + 1, limit: 1 }
  const [info] = filed === undefined ? [] : store.versions(filed, span)
  return `${status} ${digestText(content)} ${info?.content ? digestText(info.content) : ''}`
}

function digestText({ digest }: NonNullable<Capture['content']>): string {
  return Buffer.from(digest.bytes).toString('base64')
}
