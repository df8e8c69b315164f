// One member lies to the others: about what was decided, what it accepted, and how often it may bid. The site goes on.

import assert from 'node:assert/strict'
import { test } from 'vitest'
import { ringKeyOf } from '../../model/ring-key.ts'
import { Calls } from '../../platform/calls/calls.ts'
import type { PeerId } from '../../platform/network/network.ts'
import { type SimulatedWorld, simulatedWorld } from '../../platform/simulated/world.ts'
import { type Lease, leaseTermsDefault, type Recollection, recordOf } from './lease.ts'
import { LeaseStore } from './lease-store.ts'
import { Leases } from './leases.ts'
import {
  type AttemptAnswer,
  attemptAnswers,
  memberQuestion,
  memberSession,
  type Question,
  recollections,
} from './wire/questions.ts'

const site = ringKeyOf('site')
const liar = 'm'
const all = ['a', 'b', liar, 'd']
const { leaseMs } = leaseTermsDefault

/** How the liar answers; undefined: as an honest member. */
type Lie = (question: Question, honest: () => Promise<Uint8Array>) => Promise<Uint8Array> | undefined

class Network {
  readonly world: SimulatedWorld = simulatedWorld({ seed: 1 })
  /** Whom the ring names, the owner first. */
  set: PeerId[] = ['a', 'b', liar]
  lie: Lie = () => undefined
  readonly books = new Map<PeerId, LeaseStore>()
  readonly #calls = new Map<PeerId, Calls>()

  async start(name: PeerId): Promise<Leases> {
    const machine = this.world.machine(name)
    const { clock, random, network } = machine
    const calls = new Calls({ network, clock, random })
    this.#calls.set(name, calls)
    for (const other of all) network.learn(other, [`/simulated/${other}`])
    const store = new LeaseStore(await this.world.complete(machine.keyValues.open('stewards')))
    this.books.set(name, store)
    const leases = new Leases({
      self: name,
      clock,
      random,
      store,
      ask: (peer, question, options) => calls.call(peer, question, options),
      replicaSet: () => (this.set[0] === name ? this.set : undefined),
      fullSet: () => this.set,
      isGone: () => false,
      isMember: (peer) => all.includes(peer),
      ownerOf: () => this.set[0],
    })
    calls.answer(async (from, bytes) => {
      const honest = () => leases.answer(from, bytes)
      return (name === liar && (await this.lie(memberQuestion.decode(bytes), honest))) || honest()
    })
    leases.start()
    return leases
  }

  /** As the liar. */
  ask(peer: PeerId, question: Question): Promise<Uint8Array> {
    const answer = this.#calls.get(liar)!.call(peer, memberQuestion.encode(question), { deadlineMs: 5_000 })
    return this.world.complete(answer)
  }

  tell(peer: PeerId, question: Question): void {
    this.#calls
      .get(liar)!
      .call(peer, memberQuestion.encode(question), { deadlineMs: 5_000 })
      .catch(() => {})
  }

  decided(peer: PeerId): Lease | undefined {
    return this.books.get(peer)!.get(site).decided
  }
}

/** `a` is lease holder, with `b` and the liar. */
async function begun() {
  const network = new Network()
  const [a, b] = [await network.start('a'), await network.start('b')]
  await network.start(liar)
  const d = await network.start('d')
  a.acquire(site)
  await network.world.advance(1_000)
  assert(a.canCrawl(site))
  return { network, world: network.world, a, b, d, first: network.decided('b')! }
}

const madeUp: Lease = { epoch: 7, holder: 'x', members: ['x', 'y', 'z'], before: [] }
const ofTheLiar: Lease = { ...madeUp, holder: liar, members: [liar, 'b', 'd'] }

/** The ring gives the site to `b`, and `a` lets go: `b` must come to crawl it. */
async function handOver(network: Network, a: Leases, b: Leases): Promise<void> {
  network.set = ['b', 'd', liar]
  b.acquire(site)
  await network.world.complete(a.release(site))
  await network.world.advance(60_000)
  assert(b.canCrawl(site), 'b may not crawl the site')
}

test.each([madeUp, ofTheLiar])('what one peer says was decided is not learnt', async (reported) => {
  const { network, world, a, first } = await begun()
  for (const peer of ['a', 'b'])
    await network.ask(peer, { kind: 'learn', sites: [{ site, lease: reported }] })
  await world.advance(10_000)
  assert.deepEqual(network.decided('b'), first)
  assert(a.canCrawl(site))
})

test('what an attempt says was decided before is not learnt', async () => {
  const { network, world, a, b, first } = await begun()
  const ballot = { round: 9, peer: liar }
  for (const base of [madeUp, ofTheLiar]) {
    const question = { kind: 'attempt', attempts: [{ site, base, ballot, proposal: undefined }] } as const
    const [answer] = attemptAnswers.decode(await network.ask('b', question), 1)
    assert.deepEqual(answer, { kind: 'unsure' })
  }
  assert.deepEqual(network.decided('b'), first)
  await world.advance(leaseMs)
  await handOver(network, a, b)
})

test.each([madeUp, ofTheLiar])('what one member recalls holds nobody up', async (decided) => {
  const { network, a, b } = await begun()
  network.lie = async (question) =>
    question.kind === 'recall'
      ? recollections.encode(question.sites.map((): Recollection => ({ decided, accepted: undefined })))
      : new Uint8Array()
  await handOver(network, a, b)
})

test.each([[[liar]], [[liar, 'b', 'd']]])(
  'of a site that nobody knows one member says that it has it with %j, and does not hand it over',
  async (members) => {
    const { network, world, b } = await begun()
    const other = ringKeyOf('another site')
    const decided = { epoch: 3, holder: liar, members, before: [] }
    network.set = ['b', 'd', liar]
    network.lie = async (question) =>
      question.kind === 'recall'
        ? recollections.encode(question.sites.map((): Recollection => ({ decided, accepted: undefined })))
        : new Uint8Array()
    b.acquire(other)
    await world.advance(10 * 60_000)
    assert(b.canCrawl(other))
  },
)

test('what one member says it accepted is not finished when the others know nothing of it', async () => {
  const { network, a, b, first } = await begun()
  const { epoch, members } = first
  const lease = { epoch: 2, holder: liar, members: [liar, 'a', 'b'], before: [{ epoch, members }] }
  const agreed: AttemptAnswer = {
    kind: 'agreed',
    accepted: { ballot: { round: 1, peer: liar }, lease },
  }
  network.lie = async (question, honest) =>
    question.kind === 'attempt' ? attemptAnswers.encode(question.attempts.map(() => agreed)) : honest()
  await handOver(network, a, b)
})

test('a wish names members of the network, so many that none can hold the site up, and the past as it was', async () => {
  const { network, world, first } = await begun()
  world.machine('a').crash()
  await world.advance(2 * leaseMs)
  const { epoch, members } = first
  const sound = { epoch: 2, holder: liar, members: [liar, 'b', 'd'], before: [{ epoch, members }] }
  const unsound: Lease[] = [
    { ...sound, members: [liar, 'b', 'x'] },
    { ...sound, members: [liar, 'b'] },
    { ...sound, members: ['a', 'b', 'd'] },
    { ...sound, before: [] },
    { ...sound, before: [{ epoch, members: [liar, 'd'] }] },
    { ...sound, before: [...sound.before, { epoch: 0, members: ['x'] }] },
  ]
  const attempt = async (proposal: Lease) => {
    const ballot = { round: 2 ** 21, peer: liar }
    const question = { kind: 'attempt', attempts: [{ site, base: first, ballot, proposal }] } as const
    return attemptAnswers.decode(await network.ask('b', question), 1)[0]!.kind
  }
  for (const proposal of unsound) assert.equal(await attempt(proposal), 'unsure', JSON.stringify(proposal))
  assert.equal(await attempt(sound), 'agreed')
})

test('whoever bids again and again does not keep others from being heard', async () => {
  const { network, world, a, b, first } = await begun()
  await assert.rejects(
    network.ask('b', {
      kind: 'attempt',
      attempts: [{ site, base: first, ballot: { round: 2 ** 45, peer: liar }, proposal: undefined }],
    }),
  )
  let round = 2 ** 22
  const bid = (): void => {
    const ballot = { round: round++, peer: liar }
    const attempts = [{ site, base: network.decided('b'), ballot, proposal: undefined }]
    for (const peer of ['a', 'b']) network.tell(peer, { kind: 'attempt', attempts })
    world.simulation.schedule(50, bid)
  }
  bid()
  await handOver(network, a, b)
})

test('who was away votes for what was decided, when a member that voted denies it', async () => {
  const { network, world, b } = await begun()
  // `a` is away while `b` takes the site over with the word of the liar, which it takes back.
  world.machine('a').crash()
  network.set = ['b', 'd', liar]
  world.network.cut(['d'], ['a', 'b', liar])
  b.acquire(site)
  const before = network.decided(liar)
  await world.advance(2 * leaseMs)
  assert.equal(network.decided('b')!.holder, 'b')
  network.lie = async (question) => {
    if (question.kind === 'recall')
      return recollections.encode(
        question.sites.map((): Recollection => ({ decided: before, accepted: undefined })),
      )
    return new Uint8Array()
  }
  world.network.heal()
  world.machine('a').restart()
  await network.start('a')
  await world.advance(120_000)
  assert(b.canCrawl(site))
  assert.equal(network.decided('d')!.holder, 'b')
})

test.each([
  ['with another member', (lease: Lease): Lease => ({ ...lease, members: ['a', 'b', 'x'] })],
  ['of a later epoch', (lease: Lease): Lease => ({ ...lease, epoch: 100 })],
  ['of a later epoch, without a past', (lease: Lease): Lease => ({ ...lease, epoch: 100, before: [] })],
])('who knows the last lease wrongly, %s, goes on from what the others know', async (_, wrong) => {
  const { network, world, a, b, first } = await begun()
  network.set = ['b', 'a', liar]
  const lease = wrong(first)
  await world.complete(network.books.get('b')!.change((put) => put(site, recordOf(lease))))
  b.acquire(site)
  await world.complete(a.release(site))
  await world.advance(60_000)
  assert(b.canCrawl(site), 'b may not crawl the site')
  assert.equal(network.decided('a')!.holder, 'b')
})

test('a lease holder that keeps a site which the ring gives to another loses it', async () => {
  const network = new Network()
  network.set = [liar, 'a', 'b']
  const a = await network.start('a')
  await network.start('b')
  const m = await network.start(liar)
  m.acquire(site)
  await network.world.advance(1_000)
  assert(m.canCrawl(site))
  network.set = ['a', 'b', liar]
  network.lie = async (question, honest) => (question.kind === 'yield' ? new Uint8Array() : honest())
  a.acquire(site)
  // It goes on renewing and attempting all the while.
  for (let second = 0; second < 240; second++) {
    await network.world.advance(1_000)
    assert(!(m.canCrawl(site) && a.canCrawl(site)))
  }
  assert(a.canCrawl(site))
})

test('what a member is asked about a lease holder is found out from others', async () => {
  const { network, world, d } = await begun()
  assert.equal(await world.complete(d.checkHolder(site, 1, 'a')), 'holder')
  assert.equal(await world.complete(d.checkHolder(site, 1, liar)), 'unsure')
  assert.equal(await world.complete(d.checkHolder(site, 2, 'a')), 'unsure')
  const other = ringKeyOf('another site')
  network.lie = async (question, honest) =>
    question.kind === 'recall'
      ? recollections.encode(
          question.sites.map((): Recollection => ({ decided: ofTheLiar, accepted: undefined })),
        )
      : honest()
  assert.equal(await world.complete(d.checkHolder(site, 7, liar)), 'unsure')
  assert.equal(
    recollections.decode(await network.ask('b', { kind: 'recall', sites: [other] }), 1)[0]!.decided,
    undefined,
  )
  assert(memberSession.decode(await network.ask('b', { kind: 'renew', session: 0 })) > 0)
})

test('a liar that tells each another story of a site that nobody knows does not keep it from being crawled', async () => {
  const { network, world, b } = await begun()
  const other = ringKeyOf('another site')
  network.set = ['b', 'd', liar]
  const told = { epoch: 3, holder: liar, members: [liar, 'b', 'd'], before: [] }
  await network.ask('b', { kind: 'learn', sites: [{ site: other, lease: told }] })
  network.lie = async (question) => {
    const decided = { ...told, epoch: 4 }
    return question.kind === 'recall'
      ? recollections.encode(question.sites.map((): Recollection => ({ decided, accepted: undefined })))
      : new Uint8Array()
  }
  b.acquire(other)
  await world.advance(10 * 60_000)
  assert(b.canCrawl(other))
})
