// Networks at their limits: disks that are too small for all. With real processes: e2e/network/limits.test.ts.

import assert from 'node:assert/strict'
import { test } from 'vitest'
import { statusOf } from './crawled-network.ts'
import { LinkedSites } from './linked-sites.ts'
import { WholeNetwork } from './whole-network.ts'

test('a network whose disks are full says so, uses no more than it was given, and goes on reading', async () => {
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
})
