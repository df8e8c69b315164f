// The other process of the benchmark: several peers that take links.

import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { FixedRing, type RingMember } from '../../src/network/link-delivery/fixtures/fixed-ring.ts'
import { startRealPeer } from '../../src/network/link-delivery/fixtures/real-peer.ts'
import { startNetwork } from '../../src/platform/real/network/network.ts'
import { startFrontierPeer } from './frontier-peer.ts'

const count = Number(process.argv[2])
/** Links are queued as they are in a crawl, not only kept. */
const hasFrontiers = process.argv[3] === 'frontiers'
const folder = mkdtempSync(join(tmpdir(), 'polyhistor-bench-'))
const networks = await Promise.all(
  Array.from({ length: count }, () => startNetwork({ listen: ['/ip4/127.0.0.1/tcp/0'] })),
)
const members: RingMember[] = networks.map((network) => ({
  peer: network.self,
  addresses: network.addresses(),
}))
const ring = new FixedRing(members)
const peers = await Promise.all(
  networks.map((network, index) =>
    (hasFrontiers ? startFrontierPeer : startRealPeer)(network, ring, join(folder, String(index))),
  ),
)
process.send?.({ members })
process.on('message', () => {
  const { user, system } = process.cpuUsage()
  process.send?.({
    taken: peers.reduce((sum, peer) => sum + peer.takenCount(), 0),
    cpuMs: (user + system) / 1_000,
  })
})
await once(process, 'disconnect')
rmSync(folder, { recursive: true })
process.exit()
