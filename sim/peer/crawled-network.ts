// Whole peers that have crawled a web together, each thing in as many copies as it is to have: what most tests of networks begin with.

import type { NetworkStatus } from '../../src/model/peer-status.ts'
import { LinkedSites, type LinkedSitesOptions } from './linked-sites.ts'
import { WholeNetwork, type WholeNetworkOptions } from './whole-network.ts'

export interface CrawledNetwork {
  readonly network: WholeNetwork
  readonly sites: LinkedSites
  /** The job that crawled it. */
  readonly job: string
}

export async function crawledNetwork(
  options: WholeNetworkOptions & LinkedSitesOptions & { readonly startedAt?: string },
): Promise<CrawledNetwork> {
  const network = await WholeNetwork.start(options)
  const sites = new LinkedSites(options)
  sites.serveOn(network.web)
  await network.settled()
  const starter = options.startedAt ?? 'peer-0'
  const { id } = await network.startJob(starter, [sites.start])
  await network.until('the job', async () => {
    const job = await network.job(starter, id)
    return job.state === 'done' || job
  })
  return { network, sites, job: id }
}

export function statusOf(network: WholeNetwork, name: string): Promise<NetworkStatus> {
  return network.ask(name, '/api/v1/status')
}

/** Each entry has so many copies, or more. */
export function hasCopies({ sums }: NetworkStatus, copies: number): boolean {
  return sums.entries > 0 && sums.histogram.every((count, held) => held >= copies || count === 0)
}

/** What a peer shows of all pages, by URL. */
export async function shownBy(
  network: WholeNetwork,
  name: string,
  sites: LinkedSites,
): Promise<Map<string, string>> {
  const shown = new Map<string, string>()
  for (const url of sites.urls) shown.set(url, String(await network.read(name, `/web/2030id_/${url}`)))
  return shown
}
