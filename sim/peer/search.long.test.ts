// A search of whole peers that crawled a web together: from any of them the same as of one index of everything that was crawled, with
// the words of links between sites, also when two are killed; and nothing that was taken down.

import assert from 'node:assert/strict'
import { test } from 'vitest'
import { crawledNetwork, hasCopies, statusOf } from './crawled-network.ts'
import { centralSearch, searchedBy } from './search-reference.ts'

/** A busy machine takes several times as long: this only catches what hangs. */
const hangMs = 300_000
const queriesPerPeer = 21

test(
  'eight peers with three copies find what one index finds, also when two of them are killed',
  async () => {
    const { network, sites } = await crawledNetwork({
      ...{ sites: 12, pages: 6, seed: 'search', peers: 8, copies: 3 },
      hasSearch: true,
    })
    await network.until('copies', async () => hasCopies(await statusOf(network, 'peer-0'), 3) || 'too few')
    const central = await centralSearch(sites)
    const queries = central.queries(8 * queriesPerPeer)
    // Words of links count from the next look through all captures on, a minute or so later.
    await network.advance(120_000)
    for (const { name } of network.peers)
      await network.until(`all pages at ${name}`, async () => {
        const shown = await searchedBy(network, name, queries.slice(0, 7))
        if (central.isSame(queries.slice(0, 7), shown)) return true
        await network.advance(30_000)
        return shown.find(({ partial }) => partial)?.missing
      })
    for (const [number, { name }] of network.peers.entries()) {
      const own = queries.slice(number * queriesPerPeer, (number + 1) * queriesPerPeer)
      central.assertSame(name, own, await searchedBy(network, name, own))
    }
    for (const name of ['peer-3', 'peer-6']) network.kill(name)
    for (const [number, { name }] of network.peers.entries()) {
      const own = queries.slice(number * 7, (number + 1) * 7)
      central.assertSame(name, own, await searchedBy(network, name, own))
    }
    const [url] = sites.urls
    const words = central.wordOf(url!)
    assert.equal((await searchedBy(network, 'peer-1', [words]))[0]!.total, 1)
    await network.post('peer-0', '/api/v1/takedowns', { url, reason: 'asked for' })
    await network.advance(5_000)
    for (const { name } of network.peers) {
      const [shown] = await searchedBy(network, name, [words])
      assert.deepEqual(shown!.hits, [], `${name} still finds what was taken down`)
    }
    assert.deepEqual(network.faults, [])
  },
  hangMs,
)
