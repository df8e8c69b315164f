// A network of real peers and a web for it to crawl, for the running test: gone when that ends, also when it ends too late.

import { onTestFinished } from 'vitest'
import { SimulatedRandom } from '../../src/platform/simulated/random.ts'
import { NetworkOfPeers } from './network-of-peers.ts'
import type { OriginPlan } from './sites-origin.ts'
import { SitesProcess } from './sites-process.ts'

export interface NetworkAndWeb {
  readonly network: NetworkOfPeers
  readonly origin: SitesProcess
}

/** `words`: how every peer is started, beside what a web on this machine takes. */
export async function startNetworkAndWeb(
  plan: Omit<OriginPlan, 'latencyMs'> & { peers: number; words?: string[]; latencyMs?: number },
): Promise<NetworkAndWeb> {
  const { peers, words = [], ...web } = plan
  const origin = await SitesProcess.start({ latencyMs: 0, ...web })
  onTestFinished(() => origin.stop())
  const network = await NetworkOfPeers.start(
    { peers, words: ['--allow-address', '127.0.0.0/8', '--delay', '0', ...words] },
    new SimulatedRandom(web.seed),
  )
  onTestFinished(() => network.removeFolder())
  return { network, origin }
}
