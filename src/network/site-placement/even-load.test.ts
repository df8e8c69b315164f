import assert from 'node:assert/strict'
import { test } from 'vitest'
import { PolyhistorError } from '../../errors.ts'
import { parseRingKey, type RingKey, ringKeyOf } from '../../model/ring-key.ts'
import type { PeerId } from '../../platform/network/network.ts'
import { simulatedWorld } from '../../platform/simulated/world.ts'
import { EvenLoad } from './even-load.ts'
import { SiteLeadership } from './site-leadership.ts'

const names = ['first', 'second', 'third']
const last = parseRingKey('f'.repeat(40))
const minuteMs = 60_000
const stepMs = 20_000
/** At a page a second. */
const pagesPerStep = 20

interface Crawled {
  readonly site: RingKey
  readonly owner: PeerId
  left: number
}

/** Three peers that keep all sites; whoever leads one fetches a page of it every second. A lease takes no time. */
function opened(
  pagesOf: (owner: PeerId) => readonly number[],
  needs: { placed?: Map<RingKey, PeerId>; shares?: Record<PeerId, number> } = {},
) {
  const world = simulatedWorld({ seed: 1 })
  const { placed = new Map<RingKey, PeerId>(), shares = {} } = needs
  const silent = new Set<PeerId>()
  const liars = new Set<PeerId>()
  const fetched = new Map(names.map((name) => [name, 0]))
  const sites = names.flatMap((owner) =>
    pagesOf(owner).map((left, at): Crawled => ({ site: ringKeyOf(`${owner} ${at}`), owner, left })),
  )
  const ownerOf = new Map(sites.map(({ site, owner }) => [site, owner]))
  const peers = new Map<PeerId, { leadership: SiteLeadership; evenLoad: EvenLoad }>()
  for (const self of names) {
    const { clock, random } = world.machine(self)
    const isOwner = (site: RingKey) => ownerOf.get(site) === self
    const replicaSet = (site: RingKey) =>
      isOwner(site) ? [self, ...names.filter((peer) => peer !== self)] : undefined
    const own = () => sites.filter(({ site }) => leadership.leads(site))
    const evenLoad = new EvenLoad({
      ...{ self, clock, random, replicaSet },
      loads: () => new Map(liars.has(self) ? [] : own().map(({ site, left }) => [site, Math.min(left, 600)])),
      share: shares[self],
      capacities: () => new Map(names.map((name) => [name, 1])),
      placedAt: (site) => leadership.placedAt(site),
      isPlaced: (site) => placed.has(site),
    })
    const leadership: SiteLeadership = new SiteLeadership({
      ...{ self, clock, random, isOwner, replicaSet, load: evenLoad },
      choice: {
        sites: () => new Set([...placed.keys(), ...evenLoad.sites()]),
        leaderOf: (site, members) => placed.get(site) ?? evenLoad.leaderOf(site, members),
        onChange: (listener) => evenLoad.onChange(listener),
      },
      // Only owners ask here, each about sites of its own.
      ownerOf: async (site) => ({ peer: ownerOf.get(site)!, upTo: last }),
      isMember: () => true,
      isLed: (site) => leadership.leads(site),
      open: () => {},
      ask: async (peer, question) => {
        if (silent.has(peer)) throw new PolyhistorError('silent', 'No answer', {})
        return peers.get(peer)!.leadership.answer(self, question)
      },
    })
    peers.set(self, { leadership, evenLoad })
    leadership.start()
    evenLoad.start()
  }
  const leaderOf = ({ site, owner }: Crawled): PeerId => peers.get(owner)!.leadership.placedAt(site) ?? owner
  return {
    ...{ sites, silent, liars, fetched, leaderOf },
    moves: () => names.reduce((sum, name) => sum + peers.get(name)!.evenLoad.moves, 0),
    at: (peer: PeerId) => sites.filter((one) => leaderOf(one) === peer).length,
    crawl: async (ms: number) => {
      for (let passed = 0; passed < ms; passed += stepMs) {
        await world.advance(stepMs)
        for (const one of sites) {
          const pages = Math.min(one.left, pagesPerStep)
          one.left -= pages
          fetched.set(leaderOf(one), fetched.get(leaderOf(one))! + pages)
        }
      }
    },
  }
}

/** 86, 7 and 7 % of what there is, in sites of all sizes. */
function skewed(owner: PeerId): number[] {
  const count = owner === 'first' ? 86 : 7
  return Array.from({ length: count }, (_, at) => Math.round(7_200 / (1 + (at % 40)) ** 0.8))
}

function unevenness(counts: Iterable<number>): number {
  const all = [...counts]
  return (Math.max(...all) * all.length) / all.reduce((sum, count) => sum + count, 0)
}

test('three peers with 86, 7 and 7 % of the ring fetch about as much each, and sites are hardly ever moved twice', async () => {
  const { sites, fetched, crawl, moves } = opened(skewed)
  await crawl(60 * minuteMs)
  assert(unevenness(fetched.values()) < 1.25, JSON.stringify([...fetched]))
  assert(moves() < sites.length, `${moves()} moves of ${sites.length} sites`)
})

test('while nothing changes nothing is moved, and what is idle goes home', async () => {
  const { sites, crawl, moves, at } = opened((owner) => (owner === 'first' ? Array(40).fill(1_000_000) : []))
  await crawl(10 * minuteMs)
  const before = moves()
  assert(at('second') >= 12 && at('third') >= 12, `${at('second')}, ${at('third')}`)
  await crawl(30 * minuteMs)
  assert.equal(moves(), before)
  for (const one of sites) one.left = 0
  await crawl(35 * minuteMs)
  assert.equal(at('first'), 40)
})

test('what somebody has placed stays there', async () => {
  const placed = new Map([0, 1].map((at) => [ringKeyOf(`first ${at}`), at === 0 ? 'first' : 'second']))
  const { sites, crawl, leaderOf } = opened((owner) => (owner === 'first' ? Array(30).fill(10_000) : []), {
    placed,
  })
  await crawl(10 * minuteMs)
  assert.equal(leaderOf(sites[0]!), 'first')
  assert.equal(leaderOf(sites[1]!), 'second')
})

test('who falls silent gets nothing, and loses what it had', async () => {
  const { silent, crawl, at } = opened((owner) => (owner === 'first' ? Array(30).fill(100_000) : []))
  await crawl(5 * minuteMs)
  assert(at('second') > 5)
  silent.add('second')
  await crawl(20 * minuteMs)
  assert.equal(at('second'), 0)
  assert(at('third') > 10, String(at('third')))
})

test('who says that it has nothing to do gets half of what an owner has, and not for long', async () => {
  const { liars, crawl, at } = opened((owner) => (owner === 'first' ? Array(40).fill(100_000) : []))
  liars.add('second')
  for (let minutes = 0; minutes < 60; minutes += 5) {
    await crawl(5 * minuteMs)
    assert(at('second') <= 20, `${at('second')} after ${minutes} minutes`)
  }
})

test('what a peer says that it gives counts, and how many places it has where it does not say', async () => {
  const pagesOf = (owner: PeerId) => (owner === 'first' ? Array<number>(48).fill(1_000_000) : [])
  const { crawl, at } = opened(pagesOf, { shares: { third: 4 } })
  await crawl(10 * minuteMs)
  const counts = names.map(at)
  assert(at('third') >= 2 * at('second') && at('second') > 0, `${counts}`)
})
