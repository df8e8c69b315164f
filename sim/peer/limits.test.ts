// Networks at their limits: a site that is too large for one place, disks that are too small for all. With real processes:
// e2e/network/limits.test.ts.

import assert from 'node:assert/strict'
import { test } from 'vitest'
import { crawledNetwork, hasCopies, shownBy, statusOf } from './crawled-network.ts'
import { LinkedSites } from './linked-sites.ts'
import { WholeNetwork } from './whole-network.ts'

/** A busy machine takes several times as long: this only catches what hangs. */
const hangMs = 300_000

test(
  'a network splits sites that are too large, and every peer shows all of them',
  async () => {
    const web = { sites: 2, pages: 30 }
    const { network, sites } = await crawledNetwork({
      ...web,
      seed: 'split',
      peers: 5,
      positions: 4,
      siteCaptures: 15,
      delayMs: 0,
    })
    const [first] = network.peers
    const before = await shownBy(network, first!.name, sites)
    // Of a site that lies at one place a peer has all pages and robots.txt, or nothing.
    const whole = web.pages + 1
    await network.until('the sites to be split, in three copies', async () => {
      const status = await statusOf(network, first!.name)
      const captures = status.peers.map((peer) => peer.status?.captures ?? 0)
      const isSplit = captures.some((count) => count % whole !== 0)
      return (hasCopies(status, 3) && isSplit) || { captures, histogram: status.sums.histogram }
    })
    for (const { name } of network.peers) assert.deepEqual(await shownBy(network, name, sites), before)
    assert.deepEqual(network.faults, [])
  },
  hangMs,
)

test(
  'a network whose disks are full says so, uses no more than it was given, and goes on reading',
  async () => {
    const shareBytes = 400_000
    const options = { seed: 'full', peers: 2, positions: 3, shareBytes, delayMs: 0 }
    const network = await WholeNetwork.start(options)
    const sites = new LinkedSites({ sites: 4, pages: 200, textBytes: 4_000 })
    sites.serveOn(network.web)
    await network.settled()
    await network.startJob('peer-0', [sites.start])
    const checkShares = (): void => {
      for (const { name } of network.peers) {
        const { usedBytes } = network.world.machine(name).faults.disk
        assert.ok(usedBytes <= shareBytes, `${name} has ${usedBytes} bytes`)
      }
    }
    await network.until('both disks to be full', async () => {
      checkShares()
      const { lacks } = await statusOf(network, 'peer-1')
      return lacks.some((lack) => lack.startsWith('Disk: 2 peers of 2')) || lacks
    })
    await network.until(
      'a position to be given up',
      async () => {
        checkShares()
        const { positions } = network.peer('peer-0').home.ring!.view()
        return positions.filter(({ status }) => status === 'member').length <= 2
      },
      3_600_000,
    )
    for (const name of ['peer-0', 'peer-1'])
      assert.equal(String(await network.read(name, `/web/2030id_/${sites.start}`)), sites.body(0, 0))
  },
  hangMs,
)
