// A peer that takes links into a real frontier, as a peer of a network does, but for the members that would keep a copy of it.

import { join } from 'node:path'
import { Frontier } from '../../src/crawl/frontier/frontier.ts'
import { SharedCommit } from '../../src/crawl/shared-commit.ts'
import type { FixedRing } from '../../src/exchange/fixtures/fixed-ring.ts'
import { LinkExchange } from '../../src/peer/jobs/link-exchange.ts'
import { CallServices } from '../../src/world/call-services.ts'
import { Calls } from '../../src/world/calls.ts'
import { silentLog } from '../../src/world/log.ts'
import { RealClock } from '../../src/world/real/clock.ts'
import { realCompressor } from '../../src/world/real/compressor.ts'
import { RealDisk } from '../../src/world/real/disk.ts'
import { RealKeyValues } from '../../src/world/real/key-value.ts'
import type { RealNetwork } from '../../src/world/real/network.ts'
import { RealRandom } from '../../src/world/real/random.ts'

const seeds = ['http://seed.example/']

export async function startFrontierPeer(
  network: RealNetwork,
  ring: FixedRing,
  folder: string,
): Promise<{ takenCount(): number }> {
  const [clock, random] = [new RealClock(), new RealRandom()]
  const keyValues = new RealKeyValues({ disk: new RealDisk() })
  const keyValue = await keyValues.open(join(folder, 'outbox'), { hasJournal: true })
  const frontier = new Frontier({ keyValue: await keyValues.open(join(folder, 'frontier')), clock, random })
  const { id } = frontier.joinJob({ seeds, scope: 'any', budgets: {} })
  const commits = new SharedCommit(() => frontier.flush())
  const links = new LinkExchange({
    keyValue,
    clock,
    random,
    compressor: realCompressor,
    log: silentLog,
    calls: new CallServices(new Calls({ network, clock, random })).service('crawl'),
    owners: ring.seenBy(network),
    frontier,
    crawl: { joinNetwork: () => {} },
    sites: { may: () => true, ready: async () => {}, safe: () => commits.wait() },
    wake: () => {},
  })
  links.start({ accept: async () => 'yes', adopt: async () => {}, noteActivity: () => {} })
  return { takenCount: () => frontier.job(id)!.counters.queued }
}

/** The one that all links of the benchmark belong to. */
export const frontierJob = { seeds, scope: 'any', budgets: {} } as const
