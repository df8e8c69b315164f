import assert from 'node:assert/strict'
import { test } from 'vitest'
import { ringKeyOf } from '../../model/ring-key.ts'
import { Calls } from '../../platform/calls/calls.ts'
import type { PeerId } from '../../platform/network/network.ts'
import { type SimulatedWorld, simulatedWorld } from '../../platform/simulated/world.ts'
import type { KeyValue } from '../../platform/storage/key-value.ts'
import { leaseTermsDefault } from './lease.ts'
import { LeaseStore } from './lease-store.ts'
import { Leases } from './leases.ts'
import { attemptAnswers, memberQuestion } from './wire/questions.ts'

const site = ringKeyOf('site')
const { leaseMs } = leaseTermsDefault

interface Shared {
  /** Whom the ring names. */
  set: PeerId[]
  all: PeerId[]
  gone: PeerId[]
  /** Who belongs to the network; everybody unless told. */
  members?: PeerId[]
  /** Of the peer that was started last. */
  map?: KeyValue
}

async function startLeases(world: SimulatedWorld, name: string, shared: Shared): Promise<Leases> {
  const machine = world.machine(name)
  const { clock, random, network } = machine
  const calls = new Calls({ network, clock, random })
  for (const other of ['a', 'b', 'c', 'd', 'e', 'f']) network.learn(other, [`/simulated/${other}`])
  const map = await world.complete(machine.keyValues.open('stewards'))
  shared.map = map
  const leases = new Leases({
    self: name,
    clock,
    random,
    store: new LeaseStore(map),
    ask: (peer, question, options) => calls.call(peer, question, options),
    replicaSet: () => (shared.set[0] === name ? shared.set : undefined),
    fullSet: () => shared.all.filter((peer) => !shared.gone.includes(peer)),
    isGone: (peer) => shared.gone.includes(peer),
    isMember: (peer) => shared.members?.includes(peer) ?? true,
    ownerOf: () => shared.set[0],
  })
  calls.answer((from, bytes) => leases.answer(from, bytes))
  leases.start()
  return leases
}

async function three() {
  const world = simulatedWorld({ seed: 1 })
  const shared: Shared = { set: ['a', 'b', 'c'], all: ['a', 'b', 'c'], gone: [] }
  const a = await startLeases(world, 'a', shared)
  const b = await startLeases(world, 'b', shared)
  const c = await startLeases(world, 'c', shared)
  a.acquire(site)
  await world.advance(1_000)
  assert(a.canCrawl(site))
  return { world, shared, a, b, c }
}

/** The ring takes the site from `a` and gives it to `b`. */
function handToB(shared: Shared, b: Leases): void {
  shared.set = ['b', 'c', 'a']
  b.acquire(site)
}

test('what is laid down is taken up at once', async () => {
  const { world, shared, a, b } = await three()
  handToB(shared, b)
  await world.advance(2_000)
  assert(a.canCrawl(site) && !b.canCrawl(site))
  await world.complete(a.release(site))
  await world.advance(5_000)
  assert(b.canCrawl(site) && !a.canCrawl(site))
})

test('a lease holder that fell silent is replaced, but not before its grants end', async () => {
  const { world, shared, b } = await three()
  await world.advance(10_000)
  world.machine('a').crash()
  handToB(shared, b)
  await world.advance(leaseMs - leaseTermsDefault.renewMs * 1.3)
  assert(!b.canCrawl(site))
  await world.advance(leaseMs)
  assert(b.canCrawl(site))
})

test('who is cut off from most members stops by itself, and cannot begin again', async () => {
  const { world, shared, a } = await three()
  world.network.cut(['a'], ['b', 'c'])
  shared.set = ['a']
  await world.advance(leaseMs)
  assert(!a.canCrawl(site))
  await world.advance(10 * leaseMs)
  assert(!a.canCrawl(site))
})

test('of two halves neither has a lease holder', async () => {
  const world = simulatedWorld({ seed: 1 })
  const four = ['a', 'b', 'c', 'd']
  const shared: Shared = { set: four, all: four, gone: [] }
  const a = await startLeases(world, 'a', shared)
  await startLeases(world, 'b', shared)
  const c = await startLeases(world, 'c', shared)
  await startLeases(world, 'd', shared)
  a.acquire(site)
  await world.advance(1_000)
  assert(a.canCrawl(site))
  world.network.cut(['a', 'b'], ['c', 'd'])
  await world.advance(2 * leaseMs)
  assert(!a.canCrawl(site))
  shared.set = ['c', 'd', 'a', 'b']
  c.acquire(site)
  await world.advance(10 * leaseMs)
  assert(!a.canCrawl(site) && !c.canCrawl(site))
  world.network.heal()
  await world.advance(2 * leaseMs)
  assert(a.canCrawl(site) !== c.canCrawl(site), 'whole again it has one')
})

test('a member that has promised an attempt agrees to none before it, however late that comes', async () => {
  const { world, b } = await three()
  const attempt = async (peer: string, round: number): Promise<string> => {
    const made = {
      site: ringKeyOf('another site'),
      base: undefined,
      proposal: undefined,
      ballot: { round, peer },
    }
    const question = memberQuestion.encode({ kind: 'attempt', attempts: [made] })
    const [answer] = attemptAnswers.decode(await world.complete(b.answer(peer, question)), 1)
    return answer!.kind
  }
  assert.equal(await attempt('c', 9), 'agreed')
  assert.equal(await attempt('c', 8), 'outbid')
  // As long as it is c's turn nobody is heard; and then only with a later round.
  await world.advance(10 * leaseTermsDefault.answerMs)
  assert.equal(await attempt('a', 8), 'outbid')
  assert.equal(await attempt('a', 10), 'agreed')
})

test('nobody begins a site anew that others may know', async () => {
  const { world, shared, b } = await three()
  const other = ringKeyOf('another site')
  world.network.cut(['b'], ['a', 'c'])
  shared.set = ['b']
  b.acquire(other)
  await world.advance(10 * leaseMs)
  assert(!b.canCrawl(other))
})

test('members that are gone for good are done without', async () => {
  const { world, shared, c } = await three()
  world.machine('a').crash()
  world.machine('b').crash()
  shared.set = ['c']
  c.acquire(site)
  await world.advance(10 * leaseMs)
  assert(!c.canCrawl(site))
  shared.gone = ['a', 'b']
  await world.advance(leaseMs)
  assert(c.canCrawl(site))
})

test('when all who had a say are gone for good, those decide who would keep the site now', async () => {
  const { world, shared, b } = await three()
  await startLeases(world, 'd', shared)
  shared.set = ['a', 'd']
  await world.advance(leaseMs)
  world.machine('a').crash()
  world.machine('d').crash()
  shared.set = ['b', 'c']
  shared.all = ['b', 'c']
  b.acquire(site)
  await world.advance(10 * leaseMs)
  assert(!b.canCrawl(site))
  shared.gone = ['a', 'd']
  await world.advance(leaseMs)
  assert(b.canCrawl(site))
})

test('the only member that is left goes on with others who know nothing of the site, or only its past', async () => {
  const { world, shared } = await three()
  const d = await startLeases(world, 'd', shared)
  await startLeases(world, 'e', shared)
  shared.set = ['a', 'b', 'd']
  await world.advance(leaseMs)
  shared.set = ['a', 'd', 'e']
  await world.advance(leaseMs)
  // Of these three only d is left. c has heard of the three before them, of whom it is the only one, too.
  for (const lost of ['a', 'b', 'e']) world.machine(lost).crash()
  shared.gone = ['a', 'b', 'e']
  await startLeases(world, 'f', shared)
  shared.set = ['d', 'c', 'f']
  shared.all = ['d', 'c', 'f']
  d.acquire(site)
  await world.advance(3 * leaseMs)
  assert(d.canCrawl(site))
})

test('a member that was started again keeps the word it may have given', async () => {
  const { world, shared, b } = await three()
  await world.advance(10_000)
  world.machine('a').crash()
  world.machine('c').crash()
  world.machine('c').restart()
  await startLeases(world, 'c', shared)
  handToB(shared, b)
  await world.advance(leaseMs - leaseTermsDefault.renewMs * 1.3)
  assert(!b.canCrawl(site))
  await world.advance(2 * leaseMs)
  assert(b.canCrawl(site))
})

test('whoever stops looks at its store no more, whatever was under way', async () => {
  // A claim and its first renewals are over within this time.
  for (let ms = 0; ms < 120; ms += 3) {
    const world = simulatedWorld({ seed: 1 })
    const shared: Shared = { set: ['a', 'b', 'c'], all: ['a', 'b', 'c'], gone: [] }
    for (const name of ['b', 'c']) await startLeases(world, name, shared)
    const a = await startLeases(world, 'a', shared)
    const { map } = shared
    a.acquire(site)
    await world.advance(ms)
    await world.complete(a.close())
    await world.complete(map!.close())
    await world.advance(leaseMs)
    await assert.rejects(a.answer('b', memberQuestion.encode({ kind: 'recall', sites: [site] })), {
      code: 'leases-closed',
    })
  }
})

/** It cannot be read any more. */
async function damageRecord(world: SimulatedWorld, name: string): Promise<void> {
  const map = await world.complete(world.machine(name).keyValues.open('stewards'))
  const table = map.table('stewardships')
  await world.complete(
    map.transaction(() => {
      for (const [key] of [...table.range()]) table.put(key, Uint8Array.of(1, 2, 3))
    }),
  )
  await world.complete(map.close())
}

test('a member whose record is damaged hears of the lease again, though nothing happens on the site', async () => {
  const { world, shared } = await three()
  await world.advance(10_000)
  world.machine('c').crash()
  world.machine('c').restart()
  await damageRecord(world, 'c')
  const c = await startLeases(world, 'c', shared)
  assert.equal(c.lastEpoch(site), 0)
  await world.advance(leaseMs)
  assert.equal(c.lastEpoch(site), 1)
})

for (const [who, claimant] of [
  ['a member', 'b'],
  ['the next holder', 'c'],
] as const) {
  test(`a site whose holder is lost goes on although the record of ${who} is damaged, as only one other can tell`, async () => {
    const { world, shared, b } = await three()
    await world.advance(10_000)
    world.machine('a').crash()
    world.machine('c').crash()
    world.machine('c').restart()
    await damageRecord(world, 'c')
    const c = await startLeases(world, 'c', shared)
    const next = claimant === 'b' ? b : c
    shared.set = claimant === 'b' ? ['b', 'c'] : ['c', 'b']
    next.acquire(site)
    await world.advance(5 * leaseMs)
    assert(next.canCrawl(site))
    assert.equal(next.leaseOf(site)?.epoch, 2)
  })
}

test('what cannot be read is refused', async () => {
  const { world, a } = await three()
  for (const bytes of [
    [],
    [99],
    [2, 255, 255, 255, 255],
    [1, 1, 200],
    [3, 1, ...Array(20).fill(7), 1, 0, 0],
  ]) {
    const answer = a.answer('stranger', Uint8Array.from(bytes))
    await assert.rejects(world.complete(answer), { code: 'message-malformed' })
  }
})

test('nobody makes an attempt in the name of another, or of one whose name is no text', async () => {
  const { world, b } = await three()
  const attempt = { site, base: undefined, proposal: undefined }
  const asked = (peer: string) =>
    memberQuestion.encode({ kind: 'attempt', attempts: [{ ...attempt, ballot: { round: 9, peer } }] })
  await world.complete(assert.rejects(b.answer('c', asked('a')), { code: 'steward-ballot' }))
  const spoilt = Buffer.from(asked('c~')).map((byte) => (byte === 0x7e ? 0xff : byte))
  await world.complete(assert.rejects(b.answer('c', spoilt), { code: 'message-malformed' }))
  await world.complete(b.answer('c', asked('c')))
})

test('a lease that was voted for is finished, also when it names a peer that is lost by now', async () => {
  const { world, shared, a, b, c } = await three()
  const base = a.leaseOf(site)!
  const { epoch, members } = base
  const proposal = { epoch: epoch + 1, holder: 'a', members: ['a', 'b', 'd'], before: [{ epoch, members }] }
  const ballot = { round: 2 ** 21, peer: 'a' }
  const attempt = memberQuestion.encode({ kind: 'attempt', attempts: [{ site, base, ballot, proposal }] })
  for (const voter of [b, c]) await world.complete(voter.answer('a', attempt))
  // Nobody hears the outcome, and the network forgets the one that it names.
  shared.members = ['a', 'b', 'c']
  shared.gone = ['d']
  await world.complete(a.release(site))
  a.acquire(site)
  await world.advance(10 * leaseMs)
  assert(a.canCrawl(site))
  const now = a.leaseOf(site)!
  assert.deepEqual(now.members.toSorted(), ['a', 'b', 'c'])
  assert(now.epoch > proposal.epoch, 'the epoch of what was voted for was given to another lease')
})
