// A crawl by schedule on a network: one peer begins each run, and another when that one dies.

import assert from 'node:assert/strict'
import { test } from 'vitest'
import { ringKeyOf } from '../../src/model/ring-key.ts'
import { LinkedSites } from './linked-sites.ts'
import { WholeNetwork } from './whole-network.ts'

/** A busy machine takes several times as long: this only catches what hangs. */
const hangMs = 300_000
const minuteMs = 60_000

interface Schedules {
  readonly schedules: readonly { readonly id: string; readonly runs: readonly { readonly job: string }[] }[]
}

test(
  'each run is begun once, also when the peer dies that began the last, and every peer tells of all of them',
  async () => {
    const network = await WholeNetwork.start({
      seed: 'schedule',
      peers: 4,
      delayMs: 1_000,
      patienceMs: 10_000,
    })
    const sites = new LinkedSites({ sites: 1, pages: 1 })
    sites.serveOn(network.web)
    await network.settled()
    const wanted = { url: sites.start, scope: 'page', every: '2m' }
    const { id } = await network.post<{ id: string }>('peer-0', '/api/v1/schedules', wanted)
    const fetches = () => network.web.arrivals.filter(({ path }) => path === '/0').length
    const runs = async (name: string) =>
      (await network.ask<Schedules>(name, '/api/v1/schedules')).schedules[0]?.runs.length
    await network.until('two runs', async () => fetches() === 2 || fetches(), 6 * minuteMs)
    await network.until('the second to end', async () => {
      const [{ job } = { job: '' }] = (await network.ask<Schedules>('peer-0', '/api/v1/schedules'))
        .schedules[0]!.runs
      return (await network.job('peer-0', job)).state === 'done'
    })
    const owner = network.peers.find(({ home }) => home.ring!.ring.isOwner(ringKeyOf(id)))
    assert(owner !== undefined)
    network.kill(owner.name)
    await network.until('two more', async () => fetches() === 4 || fetches(), 10 * minuteMs)
    for (const { name } of network.peers)
      await network.until(`${name} to know all runs`, async () => (await runs(name)) === 4 || runs(name))
    await network.start(owner.name)
    const [other] = network.peers.filter(({ name }) => name !== owner.name)
    await network.post(other!.name, `/api/v1/schedules/${id}`, {}, 'DELETE')
    await network.advance(5 * minuteMs)
    assert.equal(fetches(), 4)
    for (const { name } of network.peers) assert.equal(await runs(name), undefined)
    assert.deepEqual(network.faults, [])
  },
  hangMs,
)
