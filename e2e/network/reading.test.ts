// The archive of a network, read by the commands of people who sit at any of its peers.

import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'vitest'
import { sourceOf } from '../../src/store/fixtures/archive-source.ts'
import { openStore } from '../../src/store/fixtures/open-store.ts'
import { runWords } from '../ring/peer-process.ts'
import { healed } from './health.ts'
import { startNetworkAndWeb } from './network-and-web.ts'

const minutes = 60_000

test(
  'get, versions and export give the whole archive at every peer, and get also while a peer is paused',
  async () => {
    const web = { sites: 4, pages: 5, images: 1, seed: 'reading', latencyMs: 5 }
    const { network, origin } = await startNetworkAndWeb({ ...web, peers: 4, words: ['--copies', '2'] })
    await healed(network)
    const { urls, start, firstPages } = origin.web
    const homes = network.peers.map(({ home }) => home)
    await runWords(['crawl', start, '--scope', 'any', '--quiet', '--home', homes[0]!])
    await healed(network)
    for (const home of homes) {
      const versions = await runWords(['versions', start, '--json', '--home', home])
      assert.equal(versions.trim().split('\n').length, 1)
      const file = join(network.folder, 'all.warc.gz')
      await runWords(['export', file, '--force', '--quiet', '--home', home])
      const store = await openStore()
      await store.import(sourceOf(await readFile(file)))
      const exported = new Set([...store.scan({ kind: 'all' })].map(({ url }) => url))
      assert.deepEqual(
        urls.filter((url) => !exported.has(url)),
        [],
      )
    }
    const pages = await Promise.all(firstPages.map((url) => runWords(['get', url, '--home', homes[0]!])))
    network.peers[1]!.pause()
    for (const home of [homes[2]!, homes[3]!]) {
      for (const [number, url] of firstPages.entries())
        assert.equal(await runWords(['get', url, '--home', home]), pages[number])
    }
    network.peers[1]!.resume()
    assert.deepEqual(network.faults, [])
  },
  20 * minutes,
)
