// Pages that need a browser, on a network of which one peer has one: no proof of capture, but of who shows, asks and keeps what.

import assert from 'node:assert/strict'
import { test } from 'vitest'
import { viewUrl } from '../../src/formats/warc/page-views.ts'
import type { RenderedPage } from '../../src/model/rendered-page.ts'
import { parseUrl } from '../../src/model/url/url.ts'
import { ArchivedRenderings } from '../../src/store/reading/rendered-pages.ts'
import type { OriginPage, OriginWeb } from './origin-web.ts'
import { WholeNetwork } from './whole-network.ts'

/** A busy machine takes several times as long: this only catches what hangs. */
const hangMs = 300_000
const delayMs = 1_000
const hosts = ['one', 'two', 'three', 'four', 'five'].map((name) => `${name}.test`)
const starts = hosts.map((host) => `http://${host}/`)
const seen = starts.flatMap((start) => [start, `${start}next`])

/** What stands in the data of a site now. */
type News = { text: string }

/** Each page is a shell, whose script fetches two parts; in one of them stands where to go on. */
function serve(web: OriginWeb, news: News): void {
  const json: OriginPage['headers'] = [['Content-Type', 'application/json']]
  for (const host of hosts)
    web.serve(host, (path) => {
      if (path === '/robots.txt') return undefined
      if (path.endsWith('data.json'))
        return { headers: json, body: `${news.text} of ${host} link:http://${host}/next` }
      return { body: shellOf(path) }
    })
  web.serve('cdn.test', () => ({ headers: json, body: 'from a third party' }))
}

function shellOf(path: string): string {
  const parts = [`${path}data.json`, 'http://cdn.test/shared.json']
  const asked = parts.map((part) => `data-part="${part}"`).join(' ')
  return `<title>Shell</title><div id="root"></div><script ${asked}>run()</script>`
}

const onlyLast = (name: string) =>
  name === 'peer-2'
    ? ({ mode: 'auto', isThere: true } as const)
    : ({ mode: name === 'peer-0' ? 'never' : 'auto', isThere: false } as const)

async function started(seed: string, peers = 3): Promise<{ network: WholeNetwork; news: News }> {
  const network = await WholeNetwork.start({ seed, peers, delayMs, browser: onlyLast })
  const news = { text: 'First news' }
  serve(network.web, news)
  await network.settled()
  return { network, news }
}

async function ended(network: WholeNetwork, scope: string): Promise<Record<string, number>> {
  const { id } = await network.startJob('peer-0', starts, scope)
  let counters: Readonly<Record<string, number>> = {}
  await network.until('the job', async () => {
    const job = await network.job('peer-0', id)
    counters = job.counters
    return job.state === 'done' || job
  })
  return counters
}

function renderedAt(network: WholeNetwork, name: string, href: string): Promise<RenderedPage | undefined> {
  const { store } = network.peer(name)
  return network.complete(new ArchivedRenderings(store).before(parseUrl(href), Date.UTC(9999, 0)))
}

test(
  'pages that need a browser are shown by the peer that has one, asked for by their leaders alone, and read by all',
  async () => {
    const { network, news } = await started('browsers')
    await ended(network, 'any')
    assert.deepEqual([...new Set(network.shown.map(({ peer }) => peer))], ['peer-2'])
    assert.deepEqual(network.shown.map(({ href }) => href).sort(), seen.toSorted())
    network.web.checkPoliteness(delayMs)
    const askers = new Map<string, Set<string>>()
    for (const { host, peer } of network.web.arrivals)
      askers.set(host, (askers.get(host) ?? new Set()).add(peer))
    for (const [host, peers] of askers) assert.equal(peers.size, 1, `${host} was asked by ${[...peers]}`)
    assert.ok(new Set([...askers.values()].flatMap((peers) => [...peers])).size > 1, 'several led')
    for (const { name } of network.peers)
      for (const href of seen)
        await network.until(`${name} to have what was read of ${href}`, async () => {
          const rendered = await renderedAt(network, name, href)
          const { host } = new URL(href)
          const text = `First news of ${host} link:http://${host}/next\nfrom a third party`
          return rendered?.text === text || (rendered ?? 'nothing')
        })
    // Links that only scripts write, on all peers: also where they came with copies, after the page.
    await network.advance(180_000)
    for (const { name } of network.peers)
      for (const start of starts) {
        const path = `/api/v1/links?to=${encodeURIComponent(`${start}next`)}`
        const { links } = await network.ask<{ links: { from: string; text: string }[] }>(name, path)
        assert.ok(
          links.some(({ from, text }) => from === start && text === 'written by a script'),
          `${name} ${start} ${JSON.stringify(links)}`,
        )
      }
    // The same shell with other words is a change.
    news.text = 'Second news'
    await network.advance(3_600_000)
    await ended(network, 'site')
    const lines = (await network.read('peer-1', '/api/v1/changes?follow=false')).toString()
    for (const start of starts)
      assert.match(lines, new RegExp(`"kind":"changed"[^\n]*"url":"${start}"[^\n]*"cosmetic":false`))
    assert.deepEqual(network.faults, [])
  },
  hangMs,
)

test(
  'a peer that dies while it shows a page leaves nothing half kept, and the page is shown whole afterwards',
  async () => {
    const { network } = await started('browsers')
    const { id } = await network.startJob('peer-0', starts)
    const isLent = () =>
      network.shown.some(({ href }) =>
        network.web.arrivals.some(({ peer, host }) => peer !== 'peer-2' && href.includes(`/${host}/`)),
      )
    await network.until('a page of another peer to be shown', async () => isLent() || network.shown)
    network.kill('peer-2')
    await network.start('peer-2')
    await network.until('the job', async () => {
      const job = await network.job('peer-0', id)
      return job.state === 'done' || job
    })
    const again = network.shown.length - new Set(network.shown.map(({ href }) => href)).size
    assert.ok(again > 0, 'what it showed when it died is shown again')
    for (const { name } of network.peers)
      for (const href of seen) {
        const text = (await renderedAt(network, name, href))?.text ?? 'nothing'
        assert.match(text, /^First news of .*\nfrom a third party$/, `${href} at ${name}`)
      }
    network.web.checkPoliteness(delayMs)
    assert.deepEqual(network.faults, [])
  },
  hangMs,
)

test(
  'pictures of pages that only others keep are in lists and calendars of all peers',
  async () => {
    const { network } = await started('pictures', 5)
    await ended(network, 'any')
    await network.settled()
    let others = 0
    for (const { name } of network.peers)
      for (const start of starts) {
        const [own] = network.peer(name).store.versions(viewUrl(parseUrl(start), 'thumbnail')!, { limit: 1 })
        if (own !== undefined) continue
        others++
        for (const path of [`/web/20300101-*/${start}`, `/web/*/${start}*`]) {
          const list = (await network.read(name, path)).toString()
          const [, picture] = /<img class="thumbnail" src="([^"]+)"/.exec(list) ?? []
          assert.ok(picture !== undefined, `${path} at ${name} has a picture`)
          const bytes = await network.read(name, picture)
          assert.equal(bytes.subarray(3).toString(), start, `${picture} at ${name}`)
        }
      }
    assert.ok(others > 0, 'some peers keep no picture of a site')
    assert.deepEqual(network.faults, [])
  },
  hangMs,
)
