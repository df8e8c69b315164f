import assert from 'node:assert/strict'
import { test } from 'vitest'
import { type RingKey, ringKeyOf } from '../../model/ring-key.ts'
import { type LoadedSite, type PeerLoad, planMoves } from './load-plan.ts'

const terms = { margin: 1.1, nearWorth: 2, movesMax: 32, siteLoadMin: 1 }
const members = ['owner', 'second', 'third']

function siteOf(name: string, load: number, at = 'owner'): LoadedSite {
  return { site: ringKeyOf(name), at, members, load }
}

function peersOf(loads: Record<string, number>, capacities: Record<string, number> = {}) {
  return new Map(
    Object.entries(loads).map(([peer, load]): [string, PeerLoad] => [
      peer,
      { load, capacity: capacities[peer] ?? 1 },
    ]),
  )
}

/** What each has to do after plans have been carried out until none moves anything. */
function settled(sites: LoadedSite[], capacities: Record<string, number> = {}) {
  const moved: RingKey[] = []
  for (let round = 0; round < 100; round++) {
    const loads: Record<string, number> = { owner: 0, second: 0, third: 0 }
    for (const { at, load } of sites) loads[at]! += load
    const moves = planMoves('owner', sites, peersOf(loads, capacities), terms)
    if (moves.length === 0) return { loads, moved }
    for (const { site, to } of moves) {
      moved.push(site)
      sites = sites.map((one) => (one.site === site ? { ...one, at: to } : one))
    }
  }
  assert.fail('plans go on moving sites')
}

test('what one owner has is spread evenly over the members of its sites, and then nothing is moved any more', () => {
  const sites = Array.from({ length: 60 }, (_, number) => siteOf(`site ${number}`, 300 / (number + 1)))
  const { loads, moved } = settled(sites)
  const all = Object.values(loads)
  const mean = all.reduce((sum, load) => sum + load, 0) / 3
  assert(Math.max(...all) / mean < 1.15, JSON.stringify(loads))
  // Hardly any twice.
  assert(moved.length <= 1.1 * new Set(moved).size, `${moved.length} moves of ${new Set(moved).size} sites`)
})

test('by capacity', () => {
  const sites = Array.from({ length: 210 }, (_, number) => siteOf(`site ${number}`, 10))
  const { loads } = settled(sites, { owner: 1, second: 4, third: 16 })
  const expected = { owner: 100, second: 400, third: 1_600 }
  for (const [peer, load] of Object.entries(expected))
    assert(Math.abs(loads[peer]! / load - 1) < 0.15, JSON.stringify(loads))
})

test('a site that is too much for a small peer goes to a large one, and stays there', () => {
  const sites = [siteOf('one', 60, 'second')]
  const capacities = { second: 1, third: 16 }
  const [move] = planMoves('owner', sites, peersOf({ owner: 40, second: 60, third: 320 }, capacities), terms)
  assert.equal(move?.to, 'third')
  const moved = [siteOf('one', 60, 'third')]
  assert.deepEqual(
    planMoves('owner', moved, peersOf({ owner: 40, second: 0, third: 380 }, capacities), terms),
    [],
  )
})

test('large sites first, so many at a time, and none that would turn the tables', () => {
  const sites = [siteOf('small', 10), siteOf('large', 40), siteOf('too large', 70), siteOf('middle', 20)]
  const peers = peersOf({ owner: 140, second: 40 })
  const loads = planMoves('owner', sites, peers, { ...terms, movesMax: 1 }).map(({ load }) => load)
  assert.deepEqual(loads, [40])
  // Others may give to the same peer: half of its room is filled at a time.
  assert.deepEqual(
    planMoves('owner', sites, peers, terms).map(({ load }) => load),
    [40],
  )
})

test('nothing goes to who is silent, has as much to do or nearly, or for next to nothing', () => {
  const sites = [siteOf('one', 10), siteOf('two', 10), siteOf('three', 10)]
  assert.deepEqual(planMoves('owner', sites, peersOf({ owner: 30 }), terms), [])
  assert.deepEqual(planMoves('owner', sites, peersOf({ owner: 30, second: 28 }), terms), [])
  assert.deepEqual(
    planMoves('owner', sites, peersOf({ owner: 30, second: 0 }), { ...terms, siteLoadMin: 11 }),
    [],
  )
  assert.equal(planMoves('owner', sites, peersOf({ owner: 30, second: 0 }), terms).length, 1)
})

test('who says that it never has anything to do gets no more than its part', () => {
  let sites = Array.from({ length: 100 }, (_, number) => siteOf(`site ${number}`, 10))
  for (let round = 0; round < 50; round++) {
    const own = sites.filter(({ at }) => at === 'owner').length
    const peers = peersOf({ owner: 10 * own, second: 0 })
    for (const { site, to } of planMoves('owner', sites, peers, terms))
      sites = sites.map((one) => (one.site === site ? { ...one, at: to, load: 0, loadGiven: 10 } : one))
  }
  assert.equal(sites.filter(({ at }) => at === 'second').length, 50)
})

/** Of a site near one of them, and far from the others. */
function siteNear(name: string, near: string, load: number, at = 'owner'): LoadedSite {
  const times = new Map(members.map((peer) => [peer, { ms: peer === near ? 20 : 250, isMeasured: true }]))
  return { ...siteOf(name, load, at), times }
}

test('a site goes to the member that is much nearer, also where that one has more to do, and stays', () => {
  const sites = [siteNear('one', 'second', 10)]
  const [move] = planMoves('owner', sites, peersOf({ owner: 10, second: 10, third: 0 }), terms)
  assert.deepEqual([move?.to, move?.isFar], ['second', true])
  const moved = [siteNear('one', 'second', 10, 'second')]
  assert.deepEqual(planMoves('owner', moved, peersOf({ owner: 0, second: 20, third: 0 }), terms), [])
})

test('not to one that has more than twice as much to do; and one that has takes it away only so far as nothing comes back', () => {
  const far = [siteNear('one', 'second', 10)]
  assert.deepEqual(planMoves('owner', far, peersOf({ owner: 10, second: 11 }), terms), [])
  const sites = Array.from({ length: 12 }, (_, number) => siteNear(`site ${number}`, 'owner', 10))
  const { loads, moved } = settled(sites)
  assert(loads.owner! > loads.second! && loads.owner! <= 2.5 * loads.second!, JSON.stringify(loads))
  assert.equal(moved.length, new Set(moved).size)
})

test('one that was moved lately crosses all the same, and goes to nobody else', () => {
  const loads = peersOf({ owner: 40, second: 0, third: 0 })
  const to = (site: LoadedSite) => planMoves('owner', [site], loads, terms).map((move) => move.to)
  assert.deepEqual(to({ ...siteNear('one', 'third', 10), isResting: true }), ['third'])
  assert.deepEqual(to({ ...siteOf('one', 10), isResting: true }), [])
})

test('of those that are about as near, load decides', () => {
  const times = new Map([
    ['owner', { ms: 20, isMeasured: true }],
    ['second', { ms: 40, isMeasured: true }],
    ['third', { ms: 250, isMeasured: true }],
  ])
  const sites = ['one', 'two'].map((name) => ({ ...siteOf(name, 10), times }))
  const moves = planMoves('owner', sites, peersOf({ owner: 20, second: 0, third: 0 }), terms)
  assert.deepEqual(
    moves.map(({ to, isFar }) => `${to} ${isFar}`),
    ['second false'],
  )
})
