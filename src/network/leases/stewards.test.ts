import assert from 'node:assert/strict'
import { test } from 'vitest'
import { ringKeyOf } from '../../model/ring-key.ts'
import { Calls } from '../../platform/calls/calls.ts'
import type { PeerId } from '../../platform/network.ts'
import { type SimulatedWorld, simulatedWorld } from '../../platform/simulated/world.ts'
import { Stewards } from './stewards.ts'
import { stewardTermsDefault } from './stewardship.ts'
import { StewardshipBook } from './stewardship-book.ts'
import { memberQuestion } from './wire/questions.ts'

const site = ringKeyOf('site')
const { grantMs } = stewardTermsDefault

interface Shared {
  /** Whom the ring names. */
  set: PeerId[]
  all: PeerId[]
  gone: PeerId[]
}

async function startStewards(world: SimulatedWorld, name: string, shared: Shared): Promise<Stewards> {
  const machine = world.machine(name)
  const { clock, random, network } = machine
  const calls = new Calls({ network, clock, random })
  for (const other of ['a', 'b', 'c', 'd', 'e', 'f']) network.learn(other, [`/simulated/${other}`])
  const stewards = new Stewards({
    self: name,
    clock,
    random,
    book: new StewardshipBook(await world.complete(machine.keyValues.open('stewards'))),
    ask: (peer, question, options) => calls.call(peer, question, options),
    replicaSet: () => (shared.set[0] === name ? shared.set : undefined),
    fullSet: () => shared.all.filter((peer) => !shared.gone.includes(peer)),
    isGone: (peer) => shared.gone.includes(peer),
    ownerOf: () => shared.set[0],
  })
  calls.answer((from, bytes) => stewards.answer(from, bytes))
  stewards.start()
  return stewards
}

async function three() {
  const world = simulatedWorld({ seed: 1 })
  const shared: Shared = { set: ['a', 'b', 'c'], all: ['a', 'b', 'c'], gone: [] }
  const a = await startStewards(world, 'a', shared)
  const b = await startStewards(world, 'b', shared)
  const c = await startStewards(world, 'c', shared)
  a.seek(site)
  await world.advance(1_000)
  assert(a.may(site))
  return { world, shared, a, b, c }
}

/** The ring takes the site from `a` and gives it to `b`. */
function handToB(shared: Shared, b: Stewards): void {
  shared.set = ['b', 'c', 'a']
  b.seek(site)
}

test('what is laid down is taken up at once', async () => {
  const { world, shared, a, b } = await three()
  handToB(shared, b)
  await world.advance(2_000)
  assert(a.may(site) && !b.may(site))
  await world.complete(a.layDown(site))
  await world.advance(5_000)
  assert(b.may(site) && !a.may(site))
})

test('a steward that fell silent is replaced, but not before its grants end', async () => {
  const { world, shared, b } = await three()
  await world.advance(10_000)
  world.machine('a').crash()
  handToB(shared, b)
  await world.advance(grantMs - stewardTermsDefault.renewMs * 1.3)
  assert(!b.may(site))
  await world.advance(grantMs)
  assert(b.may(site))
})

test('who is cut off from most members stops by itself, and cannot begin again', async () => {
  const { world, shared, a } = await three()
  world.network.cut(['a'], ['b', 'c'])
  shared.set = ['a']
  await world.advance(grantMs)
  assert(!a.may(site))
  await world.advance(10 * grantMs)
  assert(!a.may(site))
})

test('nobody begins a site anew that others may know', async () => {
  const { world, shared, b } = await three()
  const other = ringKeyOf('another site')
  world.network.cut(['b'], ['a', 'c'])
  shared.set = ['b']
  b.seek(other)
  await world.advance(10 * grantMs)
  assert(!b.may(other))
})

test('members that are gone for good are done without', async () => {
  const { world, shared, c } = await three()
  world.machine('a').crash()
  world.machine('b').crash()
  shared.set = ['c']
  c.seek(site)
  await world.advance(10 * grantMs)
  assert(!c.may(site))
  shared.gone = ['a', 'b']
  await world.advance(grantMs)
  assert(c.may(site))
})

test('when all who had a say are gone for good, those decide who would keep the site now', async () => {
  const { world, shared, b } = await three()
  await startStewards(world, 'd', shared)
  shared.set = ['a', 'd']
  await world.advance(grantMs)
  world.machine('a').crash()
  world.machine('d').crash()
  shared.set = ['b', 'c']
  shared.all = ['b', 'c']
  b.seek(site)
  await world.advance(10 * grantMs)
  assert(!b.may(site))
  shared.gone = ['a', 'd']
  await world.advance(grantMs)
  assert(b.may(site))
})

test('the only member that is left goes on with others who know nothing of the site, or only its past', async () => {
  const { world, shared } = await three()
  const d = await startStewards(world, 'd', shared)
  await startStewards(world, 'e', shared)
  shared.set = ['a', 'b', 'd']
  await world.advance(grantMs)
  shared.set = ['a', 'd', 'e']
  await world.advance(grantMs)
  // Of these three only d is left. c has heard of the three before them, of whom it is the only one, too.
  for (const lost of ['a', 'b', 'e']) world.machine(lost).crash()
  shared.gone = ['a', 'b', 'e']
  await startStewards(world, 'f', shared)
  shared.set = ['d', 'c', 'f']
  shared.all = ['d', 'c', 'f']
  d.seek(site)
  await world.advance(3 * grantMs)
  assert(d.may(site))
})

test('a member that was started again keeps the word it may have given', async () => {
  const { world, shared, b } = await three()
  await world.advance(10_000)
  world.machine('a').crash()
  world.machine('c').crash()
  world.machine('c').restart()
  await startStewards(world, 'c', shared)
  handToB(shared, b)
  await world.advance(grantMs - stewardTermsDefault.renewMs * 1.3)
  assert(!b.may(site))
  await world.advance(2 * grantMs)
  assert(b.may(site))
})

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
  const attempt = { site, base: undefined, wish: undefined }
  const asked = (peer: string) =>
    memberQuestion.encode({ kind: 'attempt', attempts: [{ ...attempt, ballot: { round: 9, peer } }] })
  await world.complete(assert.rejects(b.answer('c', asked('a')), { code: 'steward-ballot' }))
  const spoilt = Buffer.from(asked('c~')).map((byte) => (byte === 0x7e ? 0xff : byte))
  await world.complete(assert.rejects(b.answer('c', spoilt), { code: 'message-malformed' }))
  await world.complete(b.answer('c', asked('c')))
})
