// A job of a network, and what its peers say of it. With real processes: e2e/network/shared-job.test.ts.

import assert from 'node:assert/strict'
import { test } from 'vitest'
import { crawledNetwork, hasCopies, statusOf } from './crawled-network.ts'
import { LinkedSites } from './linked-sites.ts'
import { WholeNetwork } from './whole-network.ts'

/** A busy machine takes several times as long: this only catches what hangs. */
const hangMs = 300_000

const delayMs = 1_000

test(
  'a job ends when the whole network has fetched everything, every peer tells the same of it, and what is taken down is so on all',
  async () => {
    const web = { sites: 8, pages: 6 }
    const options = { ...web, seed: 'job', peers: 3, delayMs, startedAt: 'peer-1' }
    const { network, sites, job } = await crawledNetwork(options)
    const asked = new Map<string, string>()
    for (const { peer, host, path } of network.web.arrivals) {
      if (path === '/robots.txt') continue
      const url = `http://${host}${path}`
      assert.equal(asked.has(url), false, `${url} was asked for twice`)
      asked.set(url, peer)
    }
    assert.deepEqual([...asked.keys()].sort(), sites.urls.sort())
    assert.ok(new Set(asked.values()).size > 1)
    network.web.checkPoliteness(delayMs)
    for (const { name } of network.peers) {
      await network.until(`${name} to know its end`, async () => {
        const { state, counters } = await network.job(name, job)
        return (
          (state === 'done' && counters.pending === 0 && counters.fetched === sites.urls.length) || counters
        )
      })
    }
    await takeDown(network, sites.start)
    assert.deepEqual(network.faults, [])
  },
  hangMs,
)

/** Said on one peer, carried out on all. */
async function takeDown(network: WholeNetwork, url: string): Promise<void> {
  const { host } = new URL(url)
  const listed = async (name: string) => {
    const query = new URLSearchParams({ url: host, matchType: 'host', output: 'json', fl: 'original' })
    return (await network.ask<[string][]>(name, `/cdx/search/cdx?${query}`)).flat()
  }
  for (const { name } of network.peers) assert.ok((await listed(name)).includes(url))
  await network.post('peer-2', '/api/v1/takedowns', { url, reason: 'asked for' })
  for (const { name } of network.peers) {
    await network.until(`${name} to hide it`, async () => !(await listed(name)).includes(url))
    const { takedowns } = await network.ask<{ takedowns: { reason: string }[] }>(name, '/api/v1/takedowns')
    assert.deepEqual(
      takedowns.map(({ reason }) => reason),
      ['asked for'],
    )
  }
}

test(
  'a site whose peer dies in the midst of it is crawled on by another, politely, and none of its pages is lost',
  async () => {
    const network = await WholeNetwork.start({ seed: 'takeover', peers: 4, delayMs, patienceMs: 10_000 })
    const sites = new LinkedSites({ sites: 1, pages: 12 })
    sites.serveOn(network.web)
    await network.settled()
    const { id } = await network.startJob('peer-0', [sites.start])
    const { arrivals } = network.web
    await network.until('some pages', async () => arrivals.length > 5)
    const holder = arrivals.at(-1)!.peer
    network.kill(holder)
    const alive = network.peers[0]!.name
    await network.until('the job', async () => (await network.job(alive, id)).state === 'done')
    assert.ok(new Set(arrivals.map(({ peer }) => peer)).size === 2)
    network.web.checkPoliteness(delayMs)
    for (const { name } of network.peers)
      for (const [page, url] of sites.urls.entries())
        assert.equal(String(await network.read(name, `/web/2030id_/${url}`)), sites.body(0, page))
    assert.deepEqual(network.faults, [])
  },
  hangMs,
)

test(
  'every peer tells the same of its network: who is there, who is away, and in how many copies everything is',
  async () => {
    const { network } = await crawledNetwork({ sites: 3, pages: 5, seed: 'status', peers: 4 })
    const ids = network.peers.map(({ home }) => home.ring!.peer).sort()
    for (const { name } of network.peers)
      await network.until(`${name} to see three copies of everything`, async () => {
        const status = await statusOf(network, name)
        assert.deepEqual(status.peers.map(({ peer }) => peer).sort(), ids)
        return (hasCopies(status, 3) && status.lacks.length === 0) || status
      })
    const gone = network.peer('peer-2').home.ring!.peer
    network.kill('peer-2')
    for (const { name } of network.peers)
      await network.until(`${name} to miss it`, async () => {
        const { away, peers } = await statusOf(network, name)
        return (away.length === 1 && away[0]!.peer === gone && peers.length === 3) || away
      })
    await network.start('peer-2')
    for (const { name } of network.peers)
      await network.until(`${name} to see it back`, async () => {
        const status = await statusOf(network, name)
        return (status.away.length === 0 && status.peers.length === 4 && hasCopies(status, 3)) || status
      })
    assert.deepEqual(network.faults, [])
  },
  hangMs,
)
