// What links where, asked of any peer of a network.

import assert from 'node:assert/strict'
import { test } from 'vitest'
import { crawledNetwork } from './crawled-network.ts'
import type { LinkedSites } from './linked-sites.ts'
import type { WholeNetwork } from './whole-network.ts'

/** A busy machine takes several times as long: this only catches what hangs. */
const hangMs = 300_000

interface Shown {
  readonly links: readonly { from: string; to: string; text: string; gone: string | null }[]
  readonly isPartial: boolean
}

test(
  'every peer names all links to a page and from it, also when a peer is gone, and none of what was taken down',
  async () => {
    const { network, sites } = await crawledNetwork({ sites: 4, pages: 4, seed: 'links', peers: 3 })
    const truth = linksIn(sites)
    for (const { name } of network.peers) await checkAll(network, name, sites, truth)
    network.remove('peer-1')
    // Its sites are others' now, and their pages are looked at for links where that was not done yet.
    await network.advance(180_000)
    for (const { name } of network.peers) await checkAll(network, name, sites, truth)
    const hidden = sites.url(1, 0)
    await network.post('peer-2', '/api/v1/takedowns', { url: hidden, reason: 'asked for' })
    const left = truth.filter(([from, to]) => from !== hidden && to !== hidden)
    for (const { name } of network.peers)
      await network.until(`${name} to hide its links`, async () => {
        const shown = await shownLinks(network, name, 'to', sites.url(2, 0))
        return shown.every(([from]) => from !== hidden) || shown
      })
    for (const { name } of network.peers) await checkAll(network, name, sites, left)
    assert.deepEqual(network.faults, [])
  },
  hangMs,
)

async function checkAll(
  network: WholeNetwork,
  name: string,
  sites: LinkedSites,
  truth: readonly [string, string][],
): Promise<void> {
  for (const url of sites.urls) {
    const [from, to] = [truth.filter((link) => link[0] === url), truth.filter((link) => link[1] === url)]
    assert.deepEqual(await shownLinks(network, name, 'from', url), from, `from ${url} at ${name}`)
    assert.deepEqual(await shownLinks(network, name, 'to', url), to, `to ${url} at ${name}`)
  }
}

async function shownLinks(
  network: WholeNetwork,
  name: string,
  direction: 'from' | 'to',
  url: string,
): Promise<[string, string][]> {
  const path = `/api/v1/links?${direction}=${encodeURIComponent(url)}`
  const { links } = await network.ask<Shown>(name, path)
  for (const { to, text, gone } of links) {
    assert.equal(text, to)
    assert.equal(gone, null)
  }
  return links.map(({ from, to }): [string, string] => [from, to]).sort()
}

function linksIn(sites: LinkedSites): [string, string][] {
  const links = sites.urls.flatMap((from) => {
    const [site, page] = [...from.matchAll(/\d+/g)].map(Number)
    const targets = [...sites.body(site!, page!).matchAll(/href="([^"]+)"/g)].map(([, to]) => to!)
    return [...new Set(targets)].filter((to) => to !== from).map((to): [string, string] => [from, to])
  })
  return links.sort()
}
