// Two peers behind two routers and one outside crawl, keep and read one archive: through the relay that the one outside offers, and by
// connections of their own through both routers. Real processes, real address translation. Where that cannot be had the tests are
// skipped, and say so.

import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { NetworkStatus } from '../../src/model/peer-status.ts'
import { temporaryFolder } from '../command.ts'
import { until } from '../network/until.ts'
import { RoutedPeer } from './routed-peer.ts'
import { missingRights, outsideAddress, RouterWorld, webHosts } from './router-world.ts'

const minutes = 60_000
const pages = 8
const webPort = 8_000
const missing = await missingRights()
if (missing !== undefined) console.warn(`Peers behind routers are not tested here: ${missing}`)

interface Network {
  readonly world: RouterWorld
  readonly outside: RoutedPeer
  readonly left: RoutedPeer
  readonly right: RoutedPeer
  readonly all: readonly RoutedPeer[]
}

interface Examined {
  readonly checks: readonly { readonly name: string; readonly state: string }[]
}

async function begin(name: string, settings: readonly string[]): Promise<Network> {
  const folder = await temporaryFolder()
  const world = await RouterWorld.start(name)
  onTestFinished(() => world.stop())
  await world.ask('outside', { kind: 'serve', hosts: webHosts, port: webPort, pages, paddingBytes: 20_000 })
  const [outside, left, right] = (['outside', 'left', 'right'] as const).map(
    (place) => new RoutedPeer(world, place, join(folder, place)),
  ) as [RoutedPeer, RoutedPeer, RoutedPeer]
  await world.polyhistor('outside', ['network', 'create', 'routers', '--home', outside.home])
  const words = ['network', 'invite', '--uses', '4', '--json', '--home', outside.home]
  const { invitation } = JSON.parse(await world.polyhistor('outside', words)) as { invitation: string }
  const common = [
    '--allow-address',
    '203.0.113.0/24',
    '--delay',
    '50',
    ...settings.flatMap((one) => ['--set', one]),
  ]
  await outside.start(common)
  for (const peer of [left, right])
    await peer.start([...common, '--invite', invitation, '--join', `${outsideAddress}:7071`])
  return { world, outside, left, right, all: [outside, left, right] }
}

async function crawlAndRead({ all, left }: Network): Promise<void> {
  const seeds = [`http://${webHosts[0]}:${webPort}/0`]
  const { id } = await left.ask<{ id: string }>('/api/v1/jobs', { seeds, scope: 'any' })
  await until('the job to be done', async () => {
    const { state, counters } = await left.ask<{ state: string; counters: object }>(`/api/v1/jobs/${id}`)
    return state === 'done' || `${state} ${JSON.stringify(counters)}`
  })
  const wanted = webHosts.length * pages
  await until('each peer to have a copy of every page', async () => {
    const { peers } = await left.ask<NetworkStatus>('/api/v1/status')
    const kept = peers.map(({ status }) => status?.captures ?? 0)
    return (kept.length === all.length && kept.every((count) => count >= wanted)) || kept.join(' ')
  })
  for (const peer of all)
    for (const host of webHosts)
      for (const page of [0, pages - 1]) {
        const text = await peer.text(`/web/2id_/http://${host}:${webPort}/${page}`)
        assert.match(
          text,
          new RegExp(`<title>${host} ${page}</title>`),
          `${peer.place} reads ${host}/${page}`,
        )
      }
}

describe.skipIf(missing !== undefined)('peers behind routers', () => {
  test(
    'crawl, keep and read one archive through a relay',
    async () => {
      const network = await begin('r', ['network.holePunching=no', 'network.upnp=no'])
      const { outside, left, right } = network
      await until('both to have a relay, and to know each other', async () => {
        const views = await Promise.all([left.view(), right.view()])
        const isThere = views.every(
          ({ reach, known }) =>
            reach?.state === 'relayed' && new Set(known.map(({ contact }) => contact.peer)).size === 3,
        )
        return isThere || JSON.stringify(views.map(({ reach }) => reach))
      })
      await crawlAndRead(network)
      await until('the one outside to relay for both', async () => {
        const { reach } = await outside.view()
        return (reach?.state === 'reached' && reach.relayedFor === 2) || JSON.stringify(reach)
      })
      for (const peer of [left, right])
        await until(`${peer.place} to be connected through the relay`, async () => {
          const { reach } = await peer.view()
          const { relayed, punched } = reach!.connections
          return (relayed === 1 && punched === 0) || JSON.stringify(reach)
        })
      const words = ['doctor', '--json', '--home']
      const { checks } = JSON.parse(await network.world.polyhistor('left', [...words, left.home])) as Examined
      expect(checks.find(({ name }) => name === 'reach')).toMatchObject({ state: 'warning' })
      const there = JSON.parse(
        await network.world.polyhistor('outside', [...words, outside.home]),
      ) as Examined
      expect(there.checks.find(({ name }) => name === 'reach')).toMatchObject({ state: 'well' })
    },
    25 * minutes,
  )

  test(
    'connect with each other through both routers, and the relay is left',
    async () => {
      const network = await begin('p', ['network.upnp=no'])
      const { left, right } = network
      await until('a connection through both routers', async () => {
        const views = await Promise.all([left.view(), right.view()])
        const isThere = views.every(
          ({ reach }) => reach?.connections.punched === 1 && reach.connections.relayed === 0,
        )
        return isThere || JSON.stringify(views.map(({ reach }) => reach))
      })
      await crawlAndRead(network)
      // Its router gets another address: every connection from there is dead.
      await network.world.move('left', 5)
      await until('the peer to be found again where it is now', async () => {
        const { reach } = await left.view()
        const isThere = reach?.seenAt.includes('/ip4/203.0.113.15') && reach.connections.punched === 1
        return isThere || JSON.stringify(reach)
      })
    },
    25 * minutes,
  )
})
