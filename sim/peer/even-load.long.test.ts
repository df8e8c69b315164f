import assert from 'node:assert/strict'
import { test } from 'vitest'
import { parseUrl } from '../../src/model/url/url.ts'
import { WholeNetwork } from './whole-network.ts'

/** A busy machine takes several times as long: this only catches what hangs. */
const hangMs = 600_000
const delayMs = 2_000
const siteCount = 20
const pages = 150
const minuteMs = 60_000

test(
  'peers with very different parts of the ring fetch about as many pages each, politely, and nothing is fetched twice',
  async () => {
    const network = await WholeNetwork.start({ seed: 'even 2', peers: 3, delayMs })
    await network.settled()
    const hosts = Array.from({ length: siteCount }, (_, number) => `www.site-${number}.example`)
    for (const host of hosts) network.web.serve(host, (path) => pageOf(path))
    const owned = await ownedSites(network, hosts)
    assert(unevenness(owned) > 1.5, `by the ring: ${owned}`)
    await network.startJob(
      'peer-0',
      hosts.map((host) => `https://${host}/0`),
    )
    // Until all is discovered and moved.
    await network.advance(2 * minuteMs)
    const before = network.web.arrivals.length
    await network.advance(2 * minuteMs)
    const byPeer = Map.groupBy(network.web.arrivals.slice(before), ({ peer }) => peer)
    const fetched = network.names.map((name) => byPeer.get(name)?.length ?? 0)
    assert(unevenness(fetched) <= 1.25, `by the ring ${owned}, fetched ${fetched}`)
    network.web.checkPoliteness(delayMs)
    const asked = network.web.arrivals
      .filter(({ path }) => path !== '/robots.txt')
      .map(({ host, path }) => `${host}${path}`)
    assert.equal(new Set(asked).size, asked.length)
    assert.deepEqual(network.faults, [])
    await network.end()
  },
  hangMs,
)

/** How many of the sites the ring gives to each. */
async function ownedSites(network: WholeNetwork, hosts: readonly string[]): Promise<number[]> {
  const { ring } = network.peer('peer-0').home.ring!
  const owners: string[] = []
  for (const host of hosts)
    owners.push((await network.complete(ring.lookup(parseUrl(`https://${host}/`).ringKey))).owner.peer)
  return network.peers.map(({ home }) => owners.filter((owner) => owner === home.ring!.peer).length)
}

function unevenness(counts: readonly number[]): number {
  return (Math.max(...counts) * counts.length) / counts.reduce((sum, count) => sum + count, 0)
}

function pageOf(path: string): { body: string } | undefined {
  const page = Number(path.slice(1))
  if (!(page < pages)) return undefined
  const links = Array.from({ length: pages }, (_, other) => `<a href="/${other}">${other}</a>`)
  return { body: `<title>Page ${page}</title>${page === 0 ? links.join('') : 'text'}` }
}
