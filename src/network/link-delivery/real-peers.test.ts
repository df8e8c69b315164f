// The exchange on what it will run on: libp2p over loopback, LMDB on disk.

import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, test } from 'vitest'
import { withTemporaryFolder } from '../../platform/fixtures/temporary-folder.ts'
import { until } from '../../platform/fixtures/until.ts'
import { patientLimits } from '../../platform/real/fixtures/patient-limits.ts'
import { type RealNetwork, startNetwork } from '../../platform/real/network/network.ts'
import { FixedRing } from './fixtures/fixed-ring.ts'
import { type RealPeer, startRealPeer } from './fixtures/real-peer.ts'
import { linksToSites } from './fixtures/sample-links.ts'

const listen = ['/ip4/127.0.0.1/tcp/0']

async function withNetworks(count: number, body: (networks: RealNetwork[]) => Promise<void>): Promise<void> {
  const networks = await Promise.all(
    Array.from({ length: count }, () => startNetwork({ listen, ...patientLimits })),
  )
  try {
    await body(networks)
  } finally {
    await Promise.all(networks.map((network) => network.close()))
  }
}

describe('real peers', () => {
  test('get the links of their sites, and none of others', () =>
    withTemporaryFolder((folder) =>
      withNetworks(3, async (networks) => {
        const members = networks.map((network) => ({ peer: network.self, addresses: network.addresses() }))
        const ring = new FixedRing(members)
        const start = (network: RealNetwork, index: number): Promise<RealPeer> =>
          startRealPeer(network, ring, join(folder, String(index)), { ageMsMax: 20 })
        const [sender, ...receivers] = await Promise.all(networks.map(start))
        const links = linksToSites(600)
        // Offered before it sends: what waits survives the end of a process.
        await sender!.exchange.offer(links)
        await sender!.close()
        const again = await start(networks[0]!, 0)
        again.exchange.start()
        await until('all links to be sent', () => again.exchange.status().waiting.links === 0)
        for (const [index, peer] of [again, ...receivers].entries()) {
          const own = links.filter(({ url }) => ring.ownerOf(url.ringKey).peer === networks[index]!.self)
          assert.equal(peer.takenCount(), own.length)
        }
        // One for each arc at most, however many links it has. Whoever answers tells of the others, which spares lookups where the walk
        // does not come to them before; where peers lie, and who is faster, is chance.
        const { lookups, failures } = again.exchange.status().sent
        assert.ok(lookups <= networks.length + failures, `${lookups} lookups, ${failures} failures`)
        await Promise.all([again, ...receivers].map((peer) => peer.close()))
      }),
    ))
})
