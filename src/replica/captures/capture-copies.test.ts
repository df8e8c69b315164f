import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { parseUrl } from '../../record/url.ts'
import { pageCapture, pageText } from '../../store/fixtures/sample-captures.ts'
import type { PeerId } from '../../world/network.ts'
import { simulatedWorld } from '../../world/simulated/world.ts'
import { KeepingPeers } from './fixtures/keeping-peers.ts'

const site = (number: number): string => `http://site-${number}.test/`

async function keepSome(peers: KeepingPeers, sites = 12): Promise<void> {
  for (let number = 0; number < sites; number++) {
    const url = site(number)
    const [owner] = peers.ring.replicasOf(parseUrl(url).ringKey)
    const body = pageText(number, 4_000)
    await peers.keep(owner!, pageCapture(url, 1_000, body))
    await peers.keep(owner!, pageCapture(url, 2_000, body))
    await peers.keep(owner!, pageCapture(url, 3_000, body.replace('Page', 'Sheet')))
  }
}

describe('new captures', () => {
  test('are on every peer of their replica set when they are safe, and nowhere else', async () => {
    const peers = new KeepingPeers(simulatedWorld({ seed: 1 }))
    await peers.start('a', 'b', 'c', 'd', 'e')
    await keepSome(peers)
    const holders = new Map<string, PeerId[]>()
    for (const name of peers.names)
      for (const key of (await peers.contentsOf(name)).keys())
        holders.set(key, [...(holders.get(key) ?? []), name])
    assert.equal(holders.size, 36)
    for (const [key, names] of holders) {
      const { ringKey } = parseUrl(key.split(' ')[0]!)
      assert.deepEqual(names, peers.ring.replicasOf(ringKey).sort())
    }
    await peers.close()
  })
})
