// Peers on three continents, each of which keeps every site: who is near a site comes to crawl it, and then stays.

import assert from 'node:assert/strict'
import { test } from 'vitest'
import { SimulatedRandom } from '../../src/platform/simulated/random.ts'
import { Continents, continentCount } from '../volunteers/continents.ts'
import { WholeNetwork } from './whole-network.ts'

/** A busy machine takes several times as long: this only catches what hangs. */
const hangMs = 600_000
const delayMs = 2_000
const siteCount = 12
const pages = 250
const networksOfEach = 2
const minuteMs = 60_000

test(
  'sites come to be crawled by the member that is near them, hardly any of them twice, politely and each page once',
  async () => {
    const continents = new Continents(new SimulatedRandom('near leaders'), networksOfEach)
    const origins = { responseMsMin: 5, responseMsMax: 25, geography: continents }
    const hosts = Array.from({ length: siteCount }, (_, number) => `www.site-${number}.example`)
    for (const [number, host] of hosts.entries()) continents.place(host, number % continentCount)
    const network = await WholeNetwork.start({ seed: 'near leaders', peers: 3, delayMs, origins })
    for (const [number, name] of network.names.entries()) continents.place(name, number, network.world)
    await network.settled()
    for (const host of hosts) network.web.serve(host, (path) => pageOf(path))
    await network.startJob(
      'peer-0',
      hosts.map((host) => `https://${host}/0`),
    )
    const nearShare = (since: number) => {
      const some = network.web.arrivals.slice(since)
      const near = some.filter(({ peer, host }) => continents.distanceMs(peer, host) === 20)
      return near.length / some.length
    }
    await network.advance(minuteMs)
    const atFirst = nearShare(0)
    await network.advance(3 * minuteMs)
    const before = network.web.arrivals.length
    await network.advance(2 * minuteMs)
    const later = nearShare(before)
    const told = `${atFirst.toFixed(2)} of the pages were fetched from near at first, ${later.toFixed(2)} later`
    assert(later >= 0.85, told)
    // Each change of who asks is a move.
    const moves = hosts.map((host) => {
      const by = network.web.arrivals.filter((one) => one.host === host).map(({ peer }) => peer)
      return by.filter((peer, at) => at > 0 && peer !== by[at - 1]).length
    })
    const moved = moves.reduce((sum, count) => sum + count, 0)
    assert(moved <= 1.5 * siteCount && Math.max(...moves) <= 3, `moves of each site: ${moves}`)
    network.web.checkPoliteness(delayMs)
    const asked = network.web.arrivals
      .filter(({ path }) => path !== '/robots.txt')
      .map(({ host, path }) => `${host}${path}`)
    assert.equal(new Set(asked).size, asked.length)
    assert.deepEqual(network.faults, [])
  },
  hangMs,
)

function pageOf(path: string): { body: string } | undefined {
  const page = Number(path.slice(1))
  if (!(page < pages)) return undefined
  const links = Array.from({ length: pages }, (_, other) => `<a href="/${other}">${other}</a>`)
  return { body: `<title>Page ${page}</title>${page === 0 ? links.join('') : 'text'}` }
}
