// A peer that takes links into a real frontier, as a peer of a network does, but for the members that would keep a copy of it.

import { join } from 'node:path'
import { LinkExchange } from '../../src/app/network/link-exchange.ts'
import { MentionSink } from '../../src/app/network/mention-sink.ts'
import { Frontier } from '../../src/crawl/frontier/frontier.ts'
import type { FixedRing } from '../../src/network/link-delivery/fixtures/fixed-ring.ts'
import { CallServices } from '../../src/platform/calls/call-services.ts'
import { Calls } from '../../src/platform/calls/calls.ts'
import { silentLog } from '../../src/platform/log.ts'
import { RealClock } from '../../src/platform/real/clock.ts'
import { realCompressor } from '../../src/platform/real/compression/compressor.ts'
import { RealDisk } from '../../src/platform/real/disk/disk.ts'
import { RealKeyValues } from '../../src/platform/real/key-value/key-value.ts'
import type { RealNetwork } from '../../src/platform/real/network/network.ts'
import { RealRandom } from '../../src/platform/real/random.ts'
import { GroupCommit } from '../../src/platform/storage/group-commit.ts'

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
  const { id } = frontier.jobs.join({ seeds, scope: 'any', budgets: {} })
  const commits = new GroupCommit(() => frontier.flush())
  const sites = {
    canCrawl: () => true,
    waitUntilReady: async () => {},
    waitUntilSafe: () => commits.commit(),
  }
  const links = new LinkExchange({
    mentions: new MentionSink({ frontier, sites }),
    keyValue,
    clock,
    random,
    compressor: realCompressor,
    log: silentLog,
    calls: new CallServices(new Calls({ network, clock, random })).service('crawl'),
    owners: ring.seenBy(network),
    frontier,
    crawl: { joinNetwork: () => {} },
    sites,
    wake: () => {},
  })
  links.start({ accept: async () => 'yes', adopt: async () => {}, noteActivity: () => {} })
  return { takenCount: () => frontier.jobs.find(id)!.counters.queued }
}

/** The one that all links of the benchmark belong to. */
export const frontierJob = { seeds, scope: 'any', budgets: {} } as const
