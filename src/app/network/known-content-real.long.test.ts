// Content known elsewhere on what it will run on: libp2p over loopback, LMDB and volumes on disk.

import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { describe, test } from 'vitest'
import { digestOf } from '../../model/digest.ts'
import { parseUrl } from '../../model/url/url.ts'
import { withTemporaryFolder } from '../../platform/fixtures/temporary-folder.ts'
import { until } from '../../platform/fixtures/until.ts'
import { patientLimits } from '../../platform/real/fixtures/patient-limits.ts'
import { localWorld } from '../../platform/real/local-world.ts'
import { type RealNetwork, startNetwork } from '../../platform/real/network/network.ts'
import { bytesOf } from '../../store/fixtures/sample-captures.ts'
import { type ArchivingPeer, openArchivingPeer, visit } from '../fixtures/archiving-peer.ts'

const listen = ['/ip4/127.0.0.1/tcp/0']
const candidates = Array.from({ length: 500 }, (_, number) => `http://site-${number}.test/`)

async function withPeers(count: number, body: (peers: ArchivingPeer[]) => Promise<void>): Promise<void> {
  await withTemporaryFolder(async (folder) => {
    const networks: RealNetwork[] = []
    const peers: ArchivingPeer[] = []
    try {
      for (let number = 0; number < count; number++) {
        const network = await startNetwork({ listen, ...patientLimits })
        networks.push(network)
        const others = peers.map(({ name, addresses }) => ({ peer: name, addresses }))
        for (const { peer, addresses } of others) network.learn(peer, addresses)
        const world = { ...localWorld(), network }
        // A slow machine answers late: here it is waited for.
        peers.push(await openArchivingPeer(world, join(folder, String(number)), others, { waitMs: 20_000 }))
      }
      await body(peers)
    } finally {
      for (const peer of peers) await peer.close()
      for (const network of networks) await network.close()
    }
  })
}

/** A site each, owned by that peer, once the ring has settled: by then every key has one owner, which knows its partners. */
async function sitesOf(peers: readonly ArchivingPeer[]): Promise<Map<ArchivingPeer, string>> {
  const sites = new Map<ArchivingPeer, string>()
  const haveAll = (): boolean => {
    sites.clear()
    const isSettled = candidates.every((site) => {
      const { ringKey } = parseUrl(site)
      const owners = peers.filter(({ places }) => places.isOwner(ringKey))
      if (owners.length === 1) sites.set(owners[0]!, site)
      return owners.length === 1 && owners[0]!.places.replicaSet(ringKey)?.length === 3
    })
    return isSettled && sites.size === peers.length
  }
  await until('a settled ring', haveAll, 50)
  return sites
}

/** A payload that one of the four has not, which is to come to it. As long as the ring is young, the fourth may get a copy of its own. */
async function keptByThree(peers: readonly ArchivingPeer[], url: string, sizeBytes: number) {
  for (let attempt = 1; attempt <= 20; attempt++) {
    const hash = createHash('shake256', { outputLength: sizeBytes }).update(`payload ${attempt}`)
    const payload = hash.digest()
    const digest = digestOf('sha256', payload)
    await visit(peers[0]!, url, 1_000 * attempt, payload)
    const owner = peers.find(({ store }) => !store.elsewhere.has(digest))
    if (owner !== undefined) return { payload, digest, owner }
  }
  throw new Error('every page was copied to all four peers, though three copies were asked for')
}

describe('real peers', () => {
  test('keep a page once, and what is too large for memory, and read it from each other', () =>
    withPeers(4, async (peers) => {
      const sites = await sitesOf(peers)
      for (const sizeBytes of [20_000, 4_300_000]) {
        const { payload, digest, owner } = await keptByThree(
          peers,
          `${sites.get(peers[0]!)}${sizeBytes}`,
          sizeBytes,
        )
        const url = `${sites.get(owner)}${sizeBytes}`
        const wanted = { digest, sizeBytes, site: parseUrl(url).ringKey }
        // Contents are registered in their own time.
        const isRegistered = async () => (await owner.contents!.find(wanted)) !== undefined
        await until('the content to be registered', isRegistered, 100)
        const { capture } = await visit(owner, url, sizeBytes, payload)
        assert.ok(capture.isElsewhere)
        const answer = await owner.store.read(capture)
        assert.deepEqual(await bytesOf(answer.payload()), payload)
      }
      for (const { store } of peers) assert.deepEqual(await store.checkIndex(), [])
    }))
})
