// Three holders of a site, each with what it holds and what all have said; what one of them is told by a liar must not count.

import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'vitest'
import { ringKeyOf, ringKeyToBytes } from '../../model/ring-key.ts'
import { silentLog } from '../../platform/log.ts'
import { simulatedWorld } from '../../platform/simulated/world.ts'
import type { Announcement } from '../announcements/announcement.ts'
import { withHoldings } from '../replication/fixtures/simulated-holdings.ts'
import { SplitSites } from '../replication/split-sites/split-sites.ts'
import { SiteSplitting } from './site-splitting.ts'
import { boundValue, nameOfBound, splitKind } from './split-announcement.ts'

const site = ringKeyOf('large.example')
const holders = ['a', 'b', 'c']
const top = 'f'.repeat(40)

function pages(count: number) {
  return Array.from({ length: count }, (_, index) => {
    const surt = `page ${String(index).padStart(6, '0')}`
    const id = createHash('sha256').update(surt).digest().subarray(0, 16)
    return { key: Buffer.concat([ringKeyToBytes(site), Buffer.from(`${surt}\0`), Buffer.alloc(7), id]), id }
  })
}

/** All of them hear at once what any of them says. */
async function splittingPeers() {
  const { sums } = await withHoldings(async (holdings) => {
    await holdings.add(pages(800))
    return holdings
  })
  const world = simulatedWorld({ seed: 1 })
  const listeners: ((announcement: Announcement) => void)[] = []
  const say = (peer: string, key: Uint8Array, isGone = false): void => {
    const name = nameOfBound(key)
    for (const listener of listeners)
      listener({ kind: splitKind.kind, name, value: boundValue({ isGone }), peer } as Announcement)
  }
  const peers = holders.map((self, index) => {
    const splits = new SplitSites()
    const announcements = {
      follow: (_: string, listener: (announcement: Announcement) => void) => {
        listeners.push(listener)
        return () => {}
      },
      put: async (_: string, name: string, value: Uint8Array) =>
        say(self, Buffer.from(name, 'base64url'), Buffer.from(value).toString() === 'gone'),
    }
    const ownArcs = () => (index === 0 ? [{ after: top, upTo: top, replicas: holders, full: holders }] : [])
    const places = { self, ownArcs, fullSet: () => holders }
    const { clock } = world.machine(self)
    const splitting = new SiteSplitting(
      { announcements, splits, sums, places, clock, log: silentLog } as never,
      {
        entriesMax: 500,
        everyMs: 10_000,
        copies: 3,
      },
    )
    return { splits, splitting }
  })
  return { world, peers, say }
}

test('a large site is split when another holder finds the same, and whoever hears of it agrees', async () => {
  const { world, peers } = await splittingPeers()
  await world.complete(peers[0]!.splitting.look())
  for (const { splits } of peers) assert.equal(splits.bucketsOf(site).length, 1)
  await world.advance(1_000)
  for (const { splits } of peers) assert.equal(splits.bucketsOf(site).length, 2)
  assert.equal(new Set(peers.map(({ splits }) => splits.id)).size, 1)
})

test('what one member says of a site is nothing, unless it is plausible to those who hold it', async () => {
  const { world, peers, say } = await splittingPeers()
  const start = ringKeyToBytes(site)
  const bounds = ['page 000400x', 'zzz', '', 'page 000001', 'page 000799'].map((text) =>
    Buffer.concat([start, Buffer.from(text)]),
  )
  for (const bound of bounds) say('m', bound)
  for (let number = 0; number < 500; number++) say('m', Buffer.concat([start, Buffer.from(`m${number}`)]))
  await world.advance(60_000)
  for (const { splits } of peers) assert.deepEqual(splits.sites(), [])
  say('m', Buffer.concat([start, Buffer.from('page 000400')]))
  await world.advance(1_000)
  for (const { splits } of peers) assert.equal(splits.bucketsOf(site).length, 2)
})

test('one member alone ends no split', async () => {
  const { world, peers, say } = await splittingPeers()
  await world.complete(peers[0]!.splitting.look())
  await world.advance(1_000)
  const bound = peers[0]!.splits.bucketsOf(site)[1]!.range.from
  say('m', bound, true)
  await world.advance(1_000)
  for (const { splits } of peers) assert.equal(splits.bucketsOf(site).length, 2)
})
