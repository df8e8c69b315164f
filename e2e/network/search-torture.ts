// Real peers that keep an archive together are searched, each with its share of many queries: what they find, with every score, must be
// what one index of everything finds, also when two of them have been killed; and what is taken down must be gone from all within
// five seconds. `npm run torture -- search` runs it; the tests run a short one.

import { Corpus } from '../../bench/search/corpus.ts'
import { centralSearching } from '../../sim/peer/search-reference.ts'
import { searchJson } from '../../src/api/v1/archive/search-routes.ts'
import { SimulatedRandom } from '../../src/platform/simulated/random.ts'
import { simulatedWorld } from '../../src/platform/simulated/world.ts'
import { runWords } from '../ring/peer-process.ts'
import type { ArchivePeer } from './archive-peer.ts'
import { healed } from './health.ts'
import { startLinkedWeb, type WebPage } from './linked-web.ts'
import { NetworkOfPeers } from './network-of-peers.ts'

export interface SearchTorture {
  readonly seed: string
  readonly peers: number
  readonly pages: number
  readonly queries: number
  /** Within that nobody finds any more what was taken down; five seconds unless told. */
  readonly hiddenMsMax?: number
  readonly tell: (sentence: string) => void
}

interface Found {
  readonly total: number
  readonly partial: boolean
  readonly missing: readonly string[]
  readonly hits: readonly { url: string; score: number; title: string; snippet: string }[]
}

const copies = 3
const top = 20
const healMsMax = 300_000
const settleMsMax = 480_000
const hiddenMsMaxDefault = 5_000
const failuresShown = 5
const pollMs = 5_000
/** The index to compare with has no ranks. */
const wordsOfPeers = ['--allow-address', '127.0.0.0/8', '--delay', '0', '--set', 'rank.maxAge=0s']

/** What was not as it must be, and how long queries took. */
export async function tortureSearch(torture: SearchTorture): Promise<string[]> {
  const { seed, peers, tell } = torture
  const web = await startLinkedWeb(torture.pages)
  const words = ['--copies', String(copies), ...wordsOfPeers]
  const network = await NetworkOfPeers.start({ peers, words }, new SimulatedRandom(seed))
  try {
    await healed(network, healMsMax, tell)
    await runWords(['crawl', web.start, '--scope', 'any', '--quiet', '--home', network.peers[0]!.home])
    tell(`${web.pages.length} pages on ${web.sites} sites are crawled`)
    await healed(network, healMsMax, tell)
    const central = await centralOf(web.pages)
    return await searchAll(torture, network, central, web.pages)
  } finally {
    await network.removeFolder()
    await web.close()
  }
}

type Central = (query: string) => Pick<Found, 'total' | 'hits'>

async function centralOf(pages: readonly WebPage[]): Promise<Central> {
  const world = simulatedWorld({ seed: 1 })
  const searching = await world.complete(centralSearching(world.machine('central').keyValues, pages))
  return (query) => told(searchJson(searching.search({ text: query, limit: top })))
}

async function searchAll(
  { queries: count, hiddenMsMax = hiddenMsMaxDefault, tell }: SearchTorture,
  network: NetworkOfPeers,
  central: Central,
  pages: readonly WebPage[],
): Promise<string[]> {
  const queries = new Corpus(2).queries(count).map((words) => words.join(' '))
  const failures: string[] = []
  await untilSame(network.peers, central, queries.slice(0, 5), tell)
  failures.push(...(await round('all well', network.answering, central, queries, tell)))
  const killed = [network.peers[2]!, network.peers[5]!]
  for (const peer of killed) await peer.kill()
  failures.push(...(await round('two killed', network.answering, central, queries, tell)))
  failures.push(...(await takeDown(network, pages[0]!.href, { hiddenMsMax, tell })))
  return [...failures, ...network.faults]
}

/** Copies that were not asked before may not have read the words of links yet: what is not the same at once is asked again until it
 * is. */
async function round(
  name: string,
  peers: readonly ArchivePeer[],
  central: Central,
  queries: readonly string[],
  tell: (sentence: string) => void,
): Promise<string[]> {
  const times: number[] = []
  const late: { peer: ArchivePeer; query: string }[] = []
  for (const [number, query] of queries.entries()) {
    const peer = peers[number % peers.length]!
    const startMs = performance.now()
    const fault = await faultOf(peer, query, central)
    times.push(performance.now() - startMs)
    if (fault !== undefined) late.push({ peer, query })
  }
  const sorted = times.toSorted((one, other) => one - other)
  const at = (share: number): string => sorted[Math.floor(share * (sorted.length - 1))]!.toFixed(1)
  const same = queries.length - late.length
  tell(`${name}: ${same} of ${queries.length} the same at once; p50 ${at(0.5)} ms, p99 ${at(0.99)} ms`)
  const failures: string[] = []
  const endMs = performance.now() + settleMsMax
  for (const { peer, query } of late) {
    let fault = await faultOf(peer, query, central)
    while (fault !== undefined && performance.now() < endMs) {
      await new Promise((resolve) => setTimeout(resolve, pollMs))
      fault = await faultOf(peer, query, central)
    }
    if (fault !== undefined) failures.push(`${name}: ${peer.name}, ${query}: ${fault}`)
  }
  if (late.length > 0)
    tell(`${name}: ${queries.length - failures.length} of ${queries.length} the same in the end`)
  return failures.slice(0, failuresShown)
}

async function faultOf(peer: ArchivePeer, query: string, central: Central): Promise<string | undefined> {
  const found = await searched(peer, query)
  if (found.partial) return found.missing.join(' ')
  return isSame(found, central(query)) ? undefined : 'other results'
}

/** By the peer that made the network: others may not. */
async function takeDown(
  network: NetworkOfPeers,
  href: string,
  { hiddenMsMax, tell }: Required<Pick<SearchTorture, 'hiddenMsMax' | 'tell'>>,
): Promise<string[]> {
  await runWords(['takedown', '--url', href, '--reason', 'a test', '--yes', '--home', network.peers[0]!.home])
  const startMs = performance.now()
  const isFound = async (): Promise<string | undefined> => {
    for (const peer of network.answering)
      if ((await searched(peer, 'only0x')).hits.length > 0) return peer.name
    return undefined
  }
  for (;;) {
    const who = await isFound()
    const tookMs = performance.now() - startMs
    if (who === undefined) {
      tell(`what was taken down is not found by any peer after ${Math.round(tookMs)} ms`)
      return []
    }
    if (tookMs > hiddenMsMax) return [`${who} still finds what was taken down ${Math.round(tookMs)} ms ago`]
  }
}

/** Copies are made and indexed. */
async function untilSame(
  peers: readonly ArchivePeer[],
  central: Central,
  queries: readonly string[],
  tell: (sentence: string) => void,
): Promise<void> {
  const endMs = performance.now() + settleMsMax
  for (;;) {
    const late: string[] = []
    for (const peer of peers)
      for (const query of queries) {
        const found = await searched(peer, query)
        if (found.partial || !isSame(found, central(query)))
          late.push(`${peer.name}: ${found.total} of ${central(query).total} ${found.missing.join(' ')}`)
      }
    if (late.length === 0) return
    if (performance.now() > endMs) throw new Error(`peers do not find what they keep: ${late[0]}`)
    tell(`not indexed yet: ${late[0]}`)
    await new Promise((resolve) => setTimeout(resolve, pollMs))
  }
}

function searched(peer: ArchivePeer, query: string): Promise<Found> {
  return peer.ask(`/api/v1/search?q=${encodeURIComponent(query)}&limit=${top}`)
}

function isSame(found: Found, central: Pick<Found, 'total' | 'hits'>): boolean {
  return JSON.stringify(told(found)) === JSON.stringify(central)
}

function told({ total, hits }: Pick<Found, 'total' | 'hits'>) {
  return { total, hits: hits.map(({ url, score, title, snippet }) => ({ url, score, title, snippet })) }
}
