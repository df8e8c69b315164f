// Smoke test: three peers keep an archive together; it outlives the one that crawled it.
// Longer, with more peers and more trouble: e2e/network/.

import assert from 'node:assert/strict'
import { join } from 'node:path'
import { onTestFinished, test } from 'vitest'
import { temporaryFolder } from '../command.ts'
import { page, startOrigin, type TestOrigin } from '../crawl/origin.ts'
import { ArchivePeer } from '../network/archive-peer.ts'
import { healthProblemOf } from '../network/health.ts'
import { until } from '../network/until.ts'
import { runWords } from '../ring/peer-process.ts'

test('what one peer crawls is read at the others, also after it was killed', {
  timeout: 600_000,
}, async () => {
  const sites = await startSites(4)
  const peers = await startPeers(3)
  const [crawling, ...others] = peers as [ArchivePeer, ...ArchivePeer[]]
  await until('three peers that know each other', () => isWell(peers))

  await runWords(['crawl', sites[0]!.url('/'), '--scope', 'any', '-q', '--home', crawling.home])
  await until('two copies of everything', () => isWell(peers))
  for (const peer of others) await canRead(peer, sites)

  await crawling.kill()
  for (const peer of others) await canRead(peer, sites)
  assert.deepEqual(
    peers.flatMap(({ faults }) => faults),
    [],
  )
})

/** Each links to the next, so that one seed leads to all. */
async function startSites(count: number): Promise<TestOrigin[]> {
  const sites: TestOrigin[] = []
  for (let site = count; site > 0; site--) {
    const next = sites[0]?.url('/') ?? '/'
    const home = `${page(next, '/more')} Home of site ${site}`
    sites.unshift(
      await startOrigin({ '/': home, '/more': `More of site ${site}` }, { address: `127.0.0.${site}` }),
    )
  }
  return sites
}

/** The first makes the network, the others join it. */
async function startPeers(count: number): Promise<ArchivePeer[]> {
  const folder = await temporaryFolder()
  const peers: ArchivePeer[] = []
  onTestFinished(async () => void (await Promise.all(peers.map((peer) => peer.kill()))))
  const created = await runWords(['network', 'create', 'smoke', '--json', '--home', join(folder, 'peer-0')])
  const { invitation } = JSON.parse(created) as { invitation: string }
  const start = async (number: number, words: string[]): Promise<void> => {
    const name = `peer-${number}`
    const local = [
      '--listen',
      '127.0.0.1:0',
      '--allow-address',
      '127.0.0.0/8',
      '--delay',
      '0',
      '--copies',
      '2',
    ]
    const peer = new ArchivePeer({
      name,
      home: join(folder, name),
      logFile: join(folder, `${name}.log`),
      words: [...local, ...words],
    })
    peers[number] = peer
    await peer.start()
  }
  await start(0, [])
  const { addresses } = await peers[0]!.view()
  const joining = ['--invite', invitation, '--join', addresses[0]!]
  await Promise.all(Array.from({ length: count - 1 }, (_, index) => start(index + 1, joining)))
  return peers
}

async function isWell(peers: readonly ArchivePeer[]): Promise<true | string> {
  return (await healthProblemOf({ answering: [...peers] })) ?? true
}

async function canRead(peer: ArchivePeer, sites: readonly TestOrigin[]): Promise<void> {
  for (const site of sites) {
    for (const [path, body] of Object.entries(site.pages)) {
      await until(`${site.url(path)} at ${peer.name}`, async () => {
        const read = await peer.read({ url: site.url(path), timestamp: '2' }).catch(String)
        return read.toString() === body ? true : `${read}`
      })
    }
  }
}
