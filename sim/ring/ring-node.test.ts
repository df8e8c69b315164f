// Peers of a ring as a user has them: one alone, two, three; leaving, restarting, pausing; and peers that mean harm.

import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { PolyhistorError } from '../../src/errors.ts'
import { ringKeyOf } from '../../src/model/ring-key.ts'
import type { RingOptions } from '../../src/network/ring/ring-options.ts'
import { type Question, ringQuestion } from '../../src/network/ring/wire/questions.ts'
import { firstNotIdeal, idealOwner } from './ideal-ring.ts'
import { RingWorld, type SimulatedPeer } from './ring-world.ts'

const link = { delayMsMin: 1, delayMsMax: 20, loss: 0 }
const key = ringKeyOf('some key')

async function ringOf(
  count: number,
  ring: Partial<RingOptions> = {},
): Promise<{ world: RingWorld; peers: SimulatedPeer[] }> {
  const world = new RingWorld({ seed: `ring of ${count}`, link, ring })
  const peers: SimulatedPeer[] = []
  for (let number = 0; number < count; number++) {
    const peer = world.begin()
    await world.simulation.complete(world.join(peer, () => peers.slice(0, 1)))
    peers.push(peer)
  }
  await world.simulation.advance(15_000)
  return { world, peers }
}

/** All find the owner that all should find. */
async function assertAgreed(world: RingWorld): Promise<void> {
  assert.equal(firstNotIdeal(world.members(), 16), undefined)
  for (const { node } of world.peers.values()) {
    for (const name of ['a', 'b', 'c', 'd']) {
      const wanted = ringKeyOf(name)
      const { owner } = await world.simulation.complete(node.lookup(wanted))
      assert.equal(owner.position, idealOwner(world.members(), wanted).machine.self.place)
    }
  }
}

describe('a ring', () => {
  test('goes on when a peer gives up positions, all but the last', async () => {
    const { world, peers } = await ringOf(4, { positions: 3 })
    const [giving] = peers
    assert.equal(giving!.node.givePlace(1), true)
    assert.equal(giving!.node.givePlace(1), false)
    assert.equal(giving!.node.givePlace(0), true)
    assert.equal(giving!.node.givePlace(2), false)
    await world.simulation.advance(15_000)
    assert.equal(world.members().size, 10)
    await assertAgreed(world)
    await world.simulation.complete(world.leave(giving!))
    await world.simulation.advance(15_000)
    await assertAgreed(world)
  })

  test('takes in any place of a ticket that a running peer takes, once, also one that it gave up before', async () => {
    const { world, peers } = await ringOf(3)
    const { node } = peers[0]!
    assert.equal(await world.simulation.complete(node.takePlace(0)), false)
    assert.equal(await world.simulation.complete(node.takePlace(11)), true)
    assert.equal(node.givePlace(0), true)
    await world.simulation.advance(15_000)
    assert.equal(world.members().size, 3)
    await assertAgreed(world)
    assert.equal(await world.simulation.complete(node.takePlace(0)), true)
    await world.simulation.advance(15_000)
    assert.deepEqual(
      node.view().positions.map(({ index }) => index),
      [0, 11],
    )
    assert.equal(world.members().size, 4)
    assert(world.members().has(node.placeAt(11)))
    await assertAgreed(world)
  })

  test('begins with the places that it is told', async () => {
    const world = new RingWorld({ seed: 'places', link, ring: { places: [7, 3] } })
    const { node } = world.begin()
    await world.simulation.complete(node.join([]))
    await world.simulation.advance(15_000)
    assert.deepEqual(
      node.positions.map(({ machine }) => machine.self.index),
      [3, 7],
    )
  })

  test.each([1, 2, 3, 5])('of %i agrees on every owner', async (count) => {
    const { world, peers } = await ringOf(count)
    await assertAgreed(world)
    const view = peers[0]!.node.view()
    assert.equal(view.isWhole, true)
    assert.equal(view.known.length, count)
    assert.ok(Math.abs(view.known.reduce((sum, { share }) => sum + share, 0) - 1) < 1e-9)
    const { replicas } = await world.simulation.complete(peers[0]!.node.lookup(key))
    assert.equal(new Set(replicas.map(({ peer }) => peer)).size, Math.min(3, count))
  })

  test.each(['1', '2', '3', '4', '5'])(
    'of two that were each alone has its owners at once (seed %s)',
    async (seed) => {
      const world = new RingWorld({ seed, link, ring: {} })
      const [one, other] = [world.begin(), world.begin()]
      for (const { node } of [one, other]) await world.simulation.complete(node.join([]))
      await other.node.join([{ peer: one.name, addresses: [one.port.address] }])
      for (let looks = 0; one.node.view().known.length < 2; looks++) {
        assert.ok(looks < 10_000, 'the first never hears of the other')
        await world.simulation.advance(10)
      }
      const startMs = world.simulation.nowMs
      for (const name of ['a', 'b', 'c', 'd']) {
        await world.simulation.complete(one.node.lookup(ringKeyOf(name)))
        await world.simulation.complete(other.node.lookup(ringKeyOf(name)))
      }
      // On the simulator's clock: had both joined each other, they would wait for `ownershipMs`.
      assert.ok(world.simulation.nowMs - startMs < 2_000)
    },
  )

  test('of peers with several positions has replicas on distinct peers', async () => {
    const { world, peers } = await ringOf(3, { positions: 5 })
    assert.equal(world.members().size, 15)
    await assertAgreed(world)
    const { replicas, owner } = await world.simulation.complete(peers[1]!.node.lookup(key))
    assert.equal(new Set(replicas.map(({ peer }) => peer)).size, 3)
    assert.equal(replicas[0]!.position, owner.position)
  })

  test('whose members all die but one leaves that one with everything', async () => {
    const { world, peers } = await ringOf(3)
    world.kill(peers[0]!, true)
    world.kill(peers[2]!, false)
    await world.simulation.advance(25_000)
    assert.equal(peers[1]!.node.isOwner(key), true)
    assert.equal(peers[1]!.node.positions[0]!.machine.isAlone, true)
  })

  test('takes one that was killed in again under its name', async () => {
    const { world, peers } = await ringOf(4)
    world.kill(peers[2]!, true)
    const again = world.begin({ number: 2 })
    await world.simulation.complete(world.join(again, () => [peers[0]!]))
    await world.simulation.advance(15_000)
    assert.equal(world.members().size, 4)
    await assertAgreed(world)
  })

  test('is not harmed by one that pauses for a minute, which owns nothing when it wakes', async () => {
    const { world, peers } = await ringOf(4)
    const [paused] = peers
    const own = paused!.node.positions[0]!.machine.self.place
    assert.equal(paused!.node.isOwner(own), true)
    paused!.port.pause()
    await world.simulation.advance(60_000)
    assert.equal(peers.slice(1).filter(({ node }) => node.isOwner(own)).length, 1)
    assert.equal(paused!.node.isOwner(own), false)
    paused!.port.resume()
    await world.simulation.advance(15_000)
    await assertAgreed(world)
    assert.equal(paused!.node.isOwner(own), true)
  })

  test('hands the keys of one that leaves over at once', async () => {
    const { world, peers } = await ringOf(4)
    const own = peers[1]!.node.positions[0]!.machine.self.place
    await world.simulation.complete(world.leave(peers[1]!))
    await world.simulation.advance(1_500)
    assert.equal([...world.peers.values()].filter(({ node }) => node.isOwner(own)).length, 1)
  })

  test('that was parted becomes one again', async () => {
    const { world, peers } = await ringOf(6)
    world.fabric.partition(new Map(peers.map(({ name }, number) => [name, number % 2])))
    await world.simulation.advance(60_000)
    assert.equal(peers[0]!.node.view().known.length, 3)
    world.fabric.heal()
    await world.simulation.advance(15_000)
    await assertAgreed(world)
  })

  test('that was parted for ten minutes becomes one again, though those lost were tried in vain all the while', async () => {
    const { world, peers } = await ringOf(8)
    world.fabric.partition(new Map(peers.slice(0, 4).map(({ name }) => [name, 1])))
    await world.simulation.advance(600_000)
    world.fabric.heal()
    await world.simulation.advance(60_000)
    await assertAgreed(world)
  })

  test('asks after one that died for a while, then seldom', async () => {
    const { world, peers } = await ringOf(3)
    world.kill(peers[2]!, false)
    await world.simulation.advance(180_000)
    const before = world.fabric.callCount
    await world.simulation.advance(60_000)
    // Both stabilise once a second; each asked twice a second more after the dead one.
    const calls = world.fabric.callCount - before
    assert(calls > 100 && calls < 160, `${calls} calls a minute`)
  })

  test('of one becomes one with others that it is told of later', async () => {
    const { world, peers } = await ringOf(3)
    const late = world.begin()
    await world.simulation.complete(late.node.join([]))
    await world.simulation.advance(5_000)
    assert.equal(late.node.view().known.length, 1)
    await world.simulation.complete(
      late.node.join([{ peer: peers[1]!.name, addresses: [peers[1]!.port.address] }]),
    )
    await world.simulation.advance(10_000)
    await assertAgreed(world)
    assert.equal(world.members().size, 4)
  })

  test('knows round trips and clocks of its neighbours, and whom to begin with next time', async () => {
    const { peers } = await ringOf(3)
    const { neighbours } = peers[0]!.node.view()
    assert.equal(neighbours.length, 2)
    for (const { roundTripMs, clockOffsetMs, state } of neighbours) {
      assert.ok(roundTripMs! > 2 && roundTripMs! < 40)
      assert.ok(Math.abs(clockOffsetMs!) < 20)
      assert.equal(state, 'alive')
    }
    assert.deepEqual(
      new Set(peers[0]!.node.remembered().map(({ peer }) => peer)),
      new Set([peers[1]!.name, peers[2]!.name]),
    )
  })

  test('of an open network takes places from addresses', async () => {
    const { world, peers } = await ringOf(4, { kind: 'open' })
    await assertAgreed(world)
    const places = peers.map(({ node }) => node.positions[0]!.machine.self.place)
    assert.equal(new Set(places).size, 4)
  })

  test('that nobody lets us on is an error with a code', async () => {
    const world = new RingWorld({ seed: 'nobody', link, ring: {} })
    const peer = world.begin()
    const joined = peer.node.join([{ peer: 'nobody', addresses: [] }])
    await assert.rejects(world.simulation.complete(joined), { code: 'ring-join-failed' })
  })
})

describe('one that means harm', () => {
  async function harmed(ring: Partial<RingOptions> = {}) {
    const { world, peers } = await ringOf(5, ring)
    const villain = world.fabric.open('villain', '/ip4/66.6.6.6/tcp/1')
    const ask = async (peer: SimulatedPeer, bytes: Uint8Array): Promise<string> => {
      try {
        await world.simulation.complete(villain.call(peer.name, bytes, { deadlineMs: 1_000 }))
        return 'answered'
      } catch (error) {
        if (error instanceof PolyhistorError) return error.code
        throw error
      }
    }
    return { world, peers, villain, ask }
  }

  test('with malformed questions is refused, and nothing changes', async () => {
    const { world, peers, ask } = await harmed()
    const random = world.random.fork('villain')
    const codes = new Set<string>()
    for (let count = 0; count < 300; count++) {
      const bytes = random.bytes(random.below(60))
      if (bytes.length > 1 && count % 2 === 0) {
        bytes[0] = 1
        bytes[1] = random.below(8)
      }
      codes.add(await ask(peers[count % 5]!, bytes))
    }
    assert.ok(codes.has('message-malformed'))
    assert.deepEqual(
      [...codes].filter((code) => !['answered', 'message-malformed', 'ring-not-member'].includes(code)),
      [],
    )
    await world.simulation.advance(15_000)
    await assertAgreed(world)
  })

  test('that precedes everybody, but answers nobody, is forgotten again', async () => {
    const { world, peers, ask } = await harmed()
    for (let round = 0; round < 5; round++) {
      for (const peer of peers) {
        for (let sender = 0; sender < 16; sender++) {
          const question: Question = { kind: 'notify', position: 0, sender, address: '/ip4/66.6.6.6/tcp/1' }
          await ask(peer, ringQuestion.encode(question))
        }
      }
      await world.simulation.advance(2_000)
    }
    await world.simulation.advance(30_000)
    await assertAgreed(world)
  })

  test('with an index beyond those that a peer may have gets no place', async () => {
    const { peers, ask } = await harmed()
    const question: Question = { kind: 'notify', position: 0, sender: 16, address: '' }
    assert.equal(await ask(peers[0]!, ringQuestion.encode(question)), 'message-malformed')
  })

  test('that says farewell for another changes nothing', async () => {
    const { world, peers, ask } = await harmed()
    const question: Question = { kind: 'farewell', position: 0, sender: 0, address: '', from: key }
    for (const peer of peers) await ask(peer, ringQuestion.encode(question))
    assert.equal(firstNotIdeal(world.members(), 16), undefined)
  })

  test('in an open network must be at the address that it names', async () => {
    const { peers, ask } = await harmed({ kind: 'open' })
    const question: Question = { kind: 'notify', position: 0, sender: 0, address: '/ip4/10.9.9.9/tcp/1' }
    assert.equal(await ask(peers[0]!, ringQuestion.encode(question)), 'ring-place-refused')
    assert.equal(
      await ask(peers[0]!, ringQuestion.encode({ ...question, address: '/dns4/a.test/tcp/1' })),
      'ring-place-refused',
    )
    // At its own address it must answer a nonce, and this one does not.
    const before = peers[0]!.node.positions[0]!.machine.predecessor.peer
    assert.equal(
      await ask(peers[0]!, ringQuestion.encode({ ...question, address: '/ip4/66.6.6.6/tcp/1' })),
      'answered',
    )
    assert.equal(peers[0]!.node.positions[0]!.machine.predecessor.peer, before)
  })

  test('that calls every key its own is not believed by those that know better', async () => {
    const { world, peers, villain } = await harmed()
    const { encodeFind } = await import('../../src/network/ring/wire/answers.ts')
    const { placeAfter, placeOf } = await import('../../src/network/ring/protocol/place.ts')
    const owner = {
      peer: 'villain',
      index: 0,
      address: villain.address,
      place: placeOf('simulated', 'villain', 0),
    }
    villain.answer(() =>
      encodeFind({ kind: 'mine', owner, predecessor: owner, successors: { entries: [], isWhole: true } }),
    )
    // It makes itself known to all.
    for (const peer of peers) {
      const question: Question = { kind: 'notify', position: 0, sender: 0, address: villain.address }
      await world.simulation.complete(
        villain
          .call(peer.name, ringQuestion.encode(question), { deadlineMs: 1_000 })
          .catch(() => new Uint8Array()),
      )
    }
    // Keys right behind it: it is the nearest before them, and so asked on the way.
    for (const { node } of peers) {
      for (const power of [1, 80, 120]) {
        const found = await world.simulation.complete(node.lookup(placeAfter(owner.place, power)))
        assert.notEqual(found.owner.peer, 'villain')
      }
    }
    await world.simulation.advance(20_000)
    await assertAgreed(world)
  })
})
