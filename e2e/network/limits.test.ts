// Networks at their limits, in real processes: a site that is too large for one place, disks that are too small for all.

import assert from 'node:assert/strict'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'vitest'
import { runWords } from '../ring/peer-process.ts'
import { addressOfSite } from './generated-sites.ts'
import { startNetworkAndWeb } from './network-and-web.ts'
import { until } from './until.ts'

const seed = 'limits'
/** As small as it can be: queues, journals and the link graph of this web take four megabytes, and what is taken down makes room for
 * captures only where these are the larger part. */
const shareBytes = 12_000_000

/** Room taken, of each file. */
async function filesIn(folder: string): Promise<{ name: string; bytes: number }[]> {
  const names = await readdir(folder, { recursive: true })
  const infos = await Promise.all(names.map((name) => stat(join(folder, name)).catch(() => undefined)))
  return names.map((name, place) => ({ name, bytes: 512 * (infos[place]?.blocks ?? 0) }))
}

describe('a network', () => {
  test('splits sites that are too large, and every peer shows all of them', {
    timeout: 1_200_000,
  }, async () => {
    const { network, origin } = await startNetworkAndWeb({
      peers: 5,
      // Many positions, so that the places of a site's parts are many peers' by all chance.
      words: ['--set', 'ring.siteCaptures=15', '--set', 'ring.positions=8'],
      sites: 2,
      pages: 20,
      images: 10,
      seed,
    })
    const [first] = network.peers
    const { id } = await first!.startJob([origin.web.start])
    await until('the job', async () => (await first!.job(id)).state === 'done')
    // Who comes to crawl a site asks for its robots.txt again: of these there may be more later.
    const isPage = ({ url }: { url: string }): boolean => !url.endsWith('robots.txt')
    const listings = () =>
      Promise.all(
        network.peers.flatMap((peer) =>
          [0, 1].map(async (site) => (await peer.listed(addressOfSite(site))).filter(isPage).length),
        ),
      )
    const pagesOf = (site: number): number =>
      origin.web.urls.filter((url) => new URL(url).hostname === addressOfSite(site)).length
    const all = network.peers.flatMap(() => [pagesOf(0), pagesOf(1)])
    await until('every peer to list all', async () => {
      const listed = await listings()
      return listed.join() === all.join() || listed.join()
    })
    const [one, other] = [
      (await first!.listed(addressOfSite(0))).length,
      (await first!.listed(addressOfSite(1))).length,
    ]
    // Of a site that lies at one place a peer has everything or nothing.
    const isUnsplit = (captures: number): boolean => [0, one, other, one + other].includes(captures)
    await until('the sites to be split, in three copies', async () => {
      assert.deepEqual(await listings(), all)
      const { peers, sums } = await first!.status()
      const captures = peers.map(({ status }) => status?.captures ?? 0)
      const isSafe = sums.histogram.every((entries, copies) => copies >= 3 || entries === 0)
      return isSafe && !captures.every(isUnsplit)
    })
    for (const peer of network.peers) {
      const listed = (await peer.listed(addressOfSite(1))).filter(isPage)
      for (const one of listed) assert.ok((await peer.read(one)).length > 0)
    }
    assert.deepEqual(network.faults, [])
  })

  test('whose disks are full says so, uses no more than it was given, and goes on reading', {
    timeout: 1_200_000,
  }, async () => {
    const { network, origin } = await startNetworkAndWeb({
      peers: 2,
      words: [
        ...['--set', `ring.share=${shareBytes}B`, '--set', 'ring.positions=3', '--set', 'store.reserve=0B'],
        // The index of words would take a third of so small a share, and what is written at once the rest of its margin.
        ...['--set', 'search.index=no'],
      ],
      sites: 4,
      pages: 200,
      images: 200,
      imageBytesMax: 24_000,
      seed,
    })
    const [first, second] = network.peers
    await first!.startJob([origin.web.start])
    await until('both disks to be full', async () => {
      const { lacks } = await second!.status()
      return lacks.some((lack) => lack.startsWith('Disk: 2 peers of 2')) || JSON.stringify(lacks)
    })
    const checkShares = async (): Promise<void> => {
      for (const { name, home } of network.peers) {
        const files = await filesIn(home)
        const bytes = files.reduce((sum, file) => sum + file.bytes, 0)
        assert.ok(bytes <= shareBytes, `${name} has ${bytes} bytes: ${JSON.stringify(files)}`)
      }
    }
    await checkShares()
    // It gives up positions, one at a time.
    await until('a position to be given up', async () => {
      const { positions } = await first!.view()
      return positions.filter(({ status }) => status === 'member').length <= 2 || JSON.stringify(positions)
    })
    const before = await second!.listed(addressOfSite(0))
    const [listed] = before
    assert.ok((await first!.read(listed!)).length > 0)
    // What is destroyed makes room for more, though there was none to write anew what lies beside it.
    // Each owner says so for his own peer: without --now others' word hides, and frees nothing for a month.
    for (const { home } of network.peers)
      for (const site of [1, 2, 3])
        await runWords([
          ...['takedown', '--yes', '--now', '--reason', 'room', '--site', addressOfSite(site)],
          ...['--home', home],
        ])
    await until(`more than ${before.length} captures of the site that is left`, async () => {
      await checkShares()
      const { length } = await second!.listed(addressOfSite(0))
      if (length > before.length) return true
      const { lacks } = await second!.status()
      const files = await Promise.all(network.peers.map(({ home }) => filesIn(home)))
      const largest = files.map((all) => all.filter(({ bytes }) => bytes > 100_000))
      return JSON.stringify({ length, lacks, largest })
    })
    assert.ok((await second!.read(listed!)).length > 0)
    assert.deepEqual(network.faults, [])
  })
})
