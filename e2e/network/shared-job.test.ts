// A job of a network of real peers, as a person begins it: `polyhistor crawl` beside one of the peers.

import assert from 'node:assert/strict'
import { test } from 'vitest'
import { runWords } from '../ring/peer-process.ts'
import { healed } from './health.ts'
import { startNetworkAndWeb } from './network-and-web.ts'
import type { NetworkOfPeers } from './network-of-peers.ts'
import { until } from './until.ts'

const minutes = 60_000

/** Said on one peer, carried out on all. */
async function takeDown(network: NetworkOfPeers, url: string): Promise<void> {
  const { host } = new URL(url)
  const isListed = async (peer: NetworkOfPeers['peers'][number]): Promise<boolean> =>
    (await peer.listed(host)).some((capture) => capture.url === url)
  for (const peer of network.peers) await until(`${url} to be listed at ${peer.name}`, () => isListed(peer))
  // Where the network was made is an administrator.
  const home = network.peers[0]!.home
  await runWords(['takedown', '--url', url, '--yes', '--reason', 'asked for', '--home', home])
  for (const peer of network.peers) {
    await until(`${url} not to be listed at ${peer.name}`, async () => !(await isListed(peer)))
    await until(`${peer.name} to know why`, async () => {
      const { takedowns } = await peer.ask<{ takedowns: { reason: string }[] }>('/api/v1/takedowns')
      const reasons = takedowns.map(({ reason }) => reason).join()
      return reasons === 'asked for' || reasons
    })
  }
}

/** One peer's console tells of the sites of all, and of their parts in the job; each site is crawled by one of them. */
async function surveyed({ peers }: NetworkOfPeers, job: string): Promise<void> {
  const [first] = peers
  const status = await first!.status()
  const holders = new Map<string, string[]>()
  for (const { peer } of status.peers) {
    const { sites } = await first!.askAsOwner<{
      sites: { key: string; isCrawled: boolean; pages: number }[]
    }>(`/api/v1/admin/sites?peer=${peer}`)
    for (const { key } of sites) holders.set(key, [...(holders.get(key) ?? []), peer])
    const [some] = sites
    if (some === undefined) continue
    const { site } = await first!.askAsOwner<{ site: { lease: { members: string[] }; copies: number } }>(
      `/api/v1/admin/site?peer=${peer}&site=${some.key}`,
    )
    assert.ok(site.lease.members.includes(peer))
    const { visits } = await first!.askAsOwner<{ visits: object[] }>(
      `/api/v1/admin/visits?peer=${peer}&site=${some.key}`,
    )
    assert.ok(visits.length > 0)
  }
  assert.ok(holders.size >= 6, `${holders.size} sites`)
  const ask = () =>
    first!.ask<{ hosts: { host: string; peer: string }[]; silent: number }>(`/api/v1/jobs/${job}/details`)
  const details = await ask()
  assert.equal(details.silent, 0)
  assert.ok(new Set(details.hosts.map(({ peer }) => peer)).size > 1)
  assert.ok(new Set(details.hosts.map(({ host }) => host)).size >= 6)
}

test(
  'crawl ends when the whole network has fetched everything, every peer tells the same of it, and what is taken down is so on all',
  async () => {
    const web = { sites: 8, pages: 8, images: 2, seed: 'job', latencyMs: 5 }
    const words = ['--set', 'ring.patience=10s']
    const { network, origin } = await startNetworkAndWeb({ ...web, peers: 3, words })
    await healed(network)
    const [, second] = network.peers
    const printed = await runWords([
      'crawl',
      origin.web.start,
      '--scope',
      'any',
      '--json',
      '--home',
      second!.home,
    ])
    const { job: id, ending } = JSON.parse(printed.trim().split('\n').at(-1)!) as {
      job: string
      ending: string
    }
    assert.equal(ending, 'complete')
    const asked = new Map<string, Set<string>>()
    for (const { address, path, agent } of await origin.arrivals()) {
      if (path === '/robots.txt') continue
      const name = `${address} ${path}`
      asked.set(name, (asked.get(name) ?? new Set()).add(agent))
    }
    assert.equal(asked.size, origin.web.urls.length)
    assert.ok(new Set([...asked.values()].flatMap((agents) => [...agents])).size > 1)
    // Who did not begin it hears of its end a little later.
    for (const peer of network.peers)
      await until(`the job to be done at ${peer.name}`, async () => {
        const { state, counters } = await peer.job(id)
        const isDone = state === 'done' && counters.pending === 0
        return (isDone && counters.fetched === origin.web.urls.length) || JSON.stringify({ state, counters })
      })
    // A site may be on its way from one peer to another between two questions, and a busy peer late.
    await until('one console to tell of all peers', () =>
      surveyed(network, id).then(
        () => true,
        (error: Error) => error.message,
      ),
    )
    await takeDown(network, origin.web.start)
    assert.deepEqual(network.faults, [])
  },
  20 * minutes,
)
