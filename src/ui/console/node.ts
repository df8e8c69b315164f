// Node: a place in the tree of the console, as its address says it: the network, a peer, a site, a queue, a URL.

import { parseRingKey, type RingKey } from '../../model/ring-key.ts'

export type ConsoleNode =
  | { readonly kind: 'network' }
  | PeerNode
  | SiteNode
  | QueueNode
  | (Omit<QueueNode, 'kind'> & { readonly kind: 'url'; readonly url: string })

export interface PeerNode {
  readonly kind: 'peer'
  readonly peer: string
}

export interface SiteNode {
  readonly kind: 'site'
  readonly peer: string
  readonly key: RingKey
  readonly site: string
}

export interface QueueNode {
  readonly kind: 'queue'
  readonly peer: string
  readonly key: RingKey
  readonly site: string
  /** undefined: the pages that are kept fresh. */
  readonly queue: { readonly job: string; readonly host: string } | undefined
}

export type UrlNode = Extract<ConsoleNode, { kind: 'url' }>

const textMax = 4_000

/** What is malformed names something nearer to the root. */
export function readNode(query: URLSearchParams): ConsoleNode {
  const text = (name: string): string => (query.get(name) ?? '').slice(0, textMax)
  const [key, site, url] = [text('key'), text('site'), text('url')]
  if (!query.has('peer')) return { kind: 'network' }
  const peer = text('peer')
  if (!/^[0-9a-f]{40}$/.test(key) || site === '') return { kind: 'peer', peer }
  const place = { peer, key: parseRingKey(key), site }
  const job = text('job')
  const queue = query.has('host') ? { job, host: text('host') } : undefined
  if (queue === undefined && !query.has('fresh')) return { kind: 'site', ...place }
  return url === '' ? { kind: 'queue', ...place, queue } : { kind: 'url', ...place, queue, url }
}

/** As a query: the same node has the same. */
export function nodeQuery(node: ConsoleNode): string {
  if (node.kind === 'network') return ''
  const query = new URLSearchParams({ peer: node.peer })
  if (node.kind === 'peer') return String(query)
  query.set('key', node.key)
  query.set('site', node.site)
  if (node.kind === 'site') return String(query)
  if (node.queue === undefined) query.set('fresh', '1')
  else {
    query.set('job', node.queue.job)
    query.set('host', node.queue.host)
  }
  if (node.kind === 'url') query.set('url', node.url)
  return String(query)
}

export function nodePath(node: ConsoleNode): string {
  const query = nodeQuery(node)
  return query === '' ? '/admin' : `/admin?${query}`
}

/** The node and those that it lies in, the network first. */
export function pathTo(node: ConsoleNode): ConsoleNode[] {
  const path: ConsoleNode[] = [{ kind: 'network' }]
  if (node.kind === 'network') return path
  const { peer } = node
  path.push({ kind: 'peer', peer })
  if (node.kind === 'peer') return path
  const { key, site } = node
  path.push({ kind: 'site', peer, key, site })
  if (node.kind === 'site') return path
  path.push({ kind: 'queue', peer, key, site, queue: node.queue })
  return node.kind === 'queue' ? path : [...path, node]
}
