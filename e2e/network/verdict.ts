// What must be true of an archive that many peers made together, whatever was done to them: see each check.
//
// A failed check is a sentence; none is a good verdict.

import type { ArchivePeer, Listed } from './archive-peer.ts'
import { breachesOf } from './arrivals.ts'
import { healed } from './health.ts'
import type { NetworkOfPeers } from './network-of-peers.ts'
import type { SitesProcess } from './sites-process.ts'

export interface Tried {
  readonly network: NetworkOfPeers
  readonly origin: SitesProcess
  readonly delayMs: number
}

export interface Verdict {
  readonly failures: string[]
  readonly figures: Record<string, number>
}

/** Peers that keep each thing, unless told. */
export const copies = 3
const readsAtOnce = 16

export async function verdictOn(tried: Tried): Promise<Verdict> {
  const { network, origin, delayMs } = tried
  const arrivals = await origin.arrivals()
  await network.writeLogs()
  const kept = await network.kept()
  const healthProblem = await healed(network).then(
    () => undefined,
    ({ message }: Error) => message,
  )
  const failures = [
    ...breachesOf(arrivals, delayMs),
    ...network.faults,
    ...(healthProblem === undefined ? [] : [`not well: ${healthProblem}`]),
  ]
  const keptCounts = countsOf(kept.map(({ url }) => url))
  let reads = 0
  for (const peer of network.peers) {
    const listed = await listedBy(peer, origin)
    failures.push(...differences(peer, origin.web.urls, listed), ...missing(peer, keptCounts, listed))
    reads += listed.length
    failures.push(...(await misreadings(peer, origin, listed)))
  }
  failures.push(...(await tooFewCopies(network)))
  return { failures, figures: { arrivals: arrivals.length, kept: kept.length, reads } }
}

/** Every capture lies on as many disks as it should. Ends the peers: nobody else may look into their stores. */
async function tooFewCopies(network: NetworkOfPeers): Promise<string[]> {
  await Promise.all(network.peers.map((peer) => peer.stop()))
  const holdings: string[] = []
  for (const peer of network.peers) {
    const captures = await peer.holdings()
    holdings.push(...new Set(captures.map(({ url, capturedAtMs }) => `${url} ${capturedAtMs}`)))
  }
  const wanted = Math.min(copies, network.peers.length)
  const few = [...countsOf(holdings)].filter(([, count]) => count < wanted)
  return some(
    few.map(([capture, count]) => `${capture} (${count})`),
    `captures on fewer than ${wanted} disks`,
  )
}

/** All captures that it knows of, robots.txt aside. */
export async function listedBy(
  peer: ArchivePeer,
  { web }: SitesProcess,
  isAtOnce = false,
): Promise<Listed[]> {
  const listed: Listed[] = []
  for (const address of web.addresses)
    listed.push(...(await (isAtOnce ? peer.listedAtOnce(address) : peer.listed(address))))
  return listed.filter(({ url }) => !url.endsWith('/robots.txt'))
}

/** The captured URLs are exactly those that can be reached. */
export function differences(peer: ArchivePeer, reachable: string[], listed: readonly Listed[]): string[] {
  const captured = new Set(listed.map(({ url }) => url))
  const lacking = reachable.filter((url) => !captured.has(url))
  const foreign = [...captured.difference(new Set(reachable))]
  return [
    ...some(lacking, `${peer.name} lacks of what can be reached`),
    ...some(foreign, `${peer.name} has, and nobody should have fetched`),
  ]
}

/** Of every URL there are at least as many captures as peers said they had kept. */
export function missing(
  peer: ArchivePeer,
  kept: ReadonlyMap<string, number>,
  listed: readonly Listed[],
): string[] {
  const counts = countsOf(listed.map(({ url }) => url))
  const lost = [...kept].filter(([url, count]) => (counts.get(url) ?? 0) < count)
  return some(
    lost.map(([url, count]) => `${url} (${counts.get(url) ?? 0} of ${count})`),
    `${peer.name} lists fewer captures than were acknowledged`,
  )
}

/** Every capture is byte for byte what was served, one of the times that it was. */
export async function misreadings(
  peer: ArchivePeer,
  origin: SitesProcess,
  listed: readonly Listed[],
): Promise<string[]> {
  const served = countsOf((await origin.arrivals()).map(({ address, path }) => `${address}${path}`))
  const wrong: string[] = []
  const left = [...listed]
  const reader = async (): Promise<void> => {
    for (let next = left.pop(); next !== undefined; next = left.pop()) {
      const problem = await misreading(peer, origin, next, served)
      if (problem !== undefined) wrong.push(`${next.timestamp} ${next.url}: ${problem}`)
    }
  }
  await Promise.all(Array.from({ length: readsAtOnce }, reader))
  return some(wrong, `${peer.name} does not read back what was served`)
}

async function misreading(
  peer: ArchivePeer,
  { web }: SitesProcess,
  listed: Listed,
  served: ReadonlyMap<string, number>,
): Promise<string | undefined> {
  const { hostname, pathname } = new URL(listed.url)
  const resource = web.resourceAt(listed.url)
  if (resource === undefined) return 'never served'
  try {
    const bytes = await peer.read(listed)
    const visits = served.get(hostname + pathname) ?? 0
    for (let visit = 1; visit <= visits; visit++) if (resource.body(visit).equals(bytes)) return undefined
    return `${bytes.length} bytes that were never served`
  } catch (error) {
    return (error as Error).message
  }
}

export function countsOf(names: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1)
  return counts
}

/** One sentence for many of a kind. */
function some(found: readonly string[], sentence: string): string[] {
  if (found.length === 0) return []
  return [`${sentence}: ${found.length}, such as ${found.slice(0, 5).join(', ')}`]
}
