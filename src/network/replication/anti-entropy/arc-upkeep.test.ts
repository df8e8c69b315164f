import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import type { RingKey } from '../../../model/ring-key.ts'
import type { PeerId } from '../../../platform/network/network.ts'
import { simulatedWorld } from '../../../platform/simulated/world.ts'
import { pageCapture } from '../../../store/fixtures/sample-captures.ts'
import { KeepingPeers } from '../captures/fixtures/keeping-peers.ts'
import {
  checkHolders,
  five,
  fivePeers,
  holdersOf,
  keepSome,
  ringKeyOf,
  site,
} from '../captures/fixtures/kept-sites.ts'
import type { CopiesQuestion } from '../captures/wire/questions.ts'

describe('when peers come and go', () => {
  test('a wiped disk is filled again, and reads the same', async () => {
    const peers = await fivePeers()
    await keepSome(peers)
    peers.crash('c')
    peers.draw('c')
    await peers.restart('c', { isWiped: true })
    assert.equal((await peers.contentsOf('c')).size, 0)
    peers.draw()
    await peers.world.advance(60_000)
    await checkHolders(peers, 48)
    await peers.close()
  })

  test('so it is when nobody noticed that the peer was away, and it never calls itself complete before', async () => {
    const peers = await fivePeers(1, { compareEveryMs: 3_600_000 })
    await keepSome(peers)
    await peers.world.advance(60_000)
    const held = (await peers.contentsOf('c')).size
    peers.crash('c')
    await peers.restart('c', { isWiped: true })
    const keys = Array.from({ length: 12 }, (_, number) => ringKeyOf(site(number)))
    for (let second = 0; second < 60; second++) {
      await peers.world.advance(1_000)
      const { copies, store } = peers.at('c')
      const isFilled = [...store.scan({ kind: 'all' })].length === held
      if (!isFilled)
        assert(keys.some((key) => peers.ring.replicasOf(key).includes('c') && !copies.isComplete(key)))
    }
    await checkHolders(peers, 48)
    await peers.close()
  })

  test('who comes back with its disk gets what it missed, and no more', async () => {
    const peers = await fivePeers()
    await keepSome(peers, 10)
    await peers.stop('b')
    peers.draw('b')
    await keepSome(peers, 4, 10)
    await peers.restart('b')
    peers.draw()
    const before = (await peers.contentsOf('b')).size
    await peers.world.advance(60_000)
    await checkHolders(peers, 56)
    const missed = (await peers.contentsOf('b')).size - before
    const { bytesIn } = peers.at('b').copies.status()
    assert(missed > 0)
    assert(bytesIn > 0 && bytesIn < missed * 3_000, `${bytesIn} bytes for ${missed} captures`)
    await peers.close()
  })

  test('nothing is copied for one who is missed; who is gone for good is made up for', async () => {
    const peers = await fivePeers()
    await keepSome(peers)
    await peers.stop('d')
    peers.draw('d')
    await peers.world.advance(60_000)
    const counts = async (): Promise<number[]> =>
      Array.from((await holdersOf(peers)).values(), (names) => names.length)
    assert((await counts()).includes(2))
    peers.draw()
    await peers.world.advance(60_000)
    assert.deepEqual([...new Set(await counts())], [3])
    await checkHolders(peers, 48)
    await peers.close()
  })

  test('who joins gets what is to be kept there, and is complete then and not before', async () => {
    const peers = await fivePeers()
    await keepSome(peers)
    await peers.world.advance(60_000)
    await peers.world.complete(Promise.resolve())
    await peers.start('new')
    const owned = Array.from({ length: 12 }, (_, number) => ringKeyOf(site(number))).filter((key) =>
      peers.ring.replicasOf(key).includes('new'),
    )
    assert(owned.length > 0)
    assert(owned.every((key) => !peers.at('new').copies.isComplete(key)))
    await peers.world.advance(60_000)
    assert(owned.every((key) => peers.at('new').copies.isComplete(key)))
    await checkHolders(peers, 48)
    await peers.close()
  })

  test('two that both own an arc in a torn ring end up with all that both took', async () => {
    const peers = await fivePeers()
    const [left, right] = [
      ['a', 'b'],
      ['c', 'd', 'e'],
    ]
    peers.world.network.cut(left!, right!)
    peers.ring.setView(left!, { present: left!, missed: right! })
    peers.ring.setView(right!, { present: right!, missed: left! })
    for (let number = 0; number < 6; number++) {
      for (const [index, side] of [left!, right!].entries()) {
        const key = ringKeyOf(site(number))
        const owner = side.find((name) => peers.ring.seenBy(name).replicaSet(key) !== undefined)!
        await peers.keep(owner, pageCapture(site(number), 1_000 + index, `seen by ${owner}`))
      }
    }
    peers.world.network.heal()
    peers.draw()
    await peers.world.advance(120_000)
    await checkHolders(peers, 12)
    await peers.close()
  })
})

describe('completeness', () => {
  test("is every keeper's after a while, nobody else's, and ends with the owner's word", async () => {
    const peers = await fivePeers()
    await keepSome(peers)
    await peers.world.advance(60_000)
    for (let number = 0; number < 12; number++) {
      const key = ringKeyOf(site(number))
      const replicas = peers.ring.replicasOf(key)
      for (const name of five)
        assert.equal(peers.at(name).copies.isComplete(key), replicas.includes(name), `${name} ${number}`)
    }
    const key = ringKeyOf(site(0))
    const [owner, second] = peers.ring.replicasOf(key)
    peers.world.network.cut(
      [owner!],
      five.filter((name) => name !== owner),
    )
    await peers.world.advance(40_000)
    assert(!peers.at(second!).copies.isComplete(key))
    await peers.close()
  })

  test("is a new owner's, too, when one that has all gives it everything, though another is missed", async () => {
    const peers = await fivePeers()
    await keepSome(peers)
    await peers.world.advance(60_000)
    await peers.start('new')
    const full = (key: RingKey): readonly PeerId[] => peers.ring.seenBy('new').fullSet(key)
    const owned = Array.from({ length: 100 }, (_, number) => ringKeyOf(site(number))).filter(
      (key) => full(key)[0] === 'new',
    )
    assert(owned.length > 0)
    const missed = full(owned[0]!)[1]!
    await peers.stop(missed)
    peers.draw(missed)
    assert(full(owned[0]!).includes(missed))
    await peers.world.advance(60_000)
    assert(peers.at('new').copies.isComplete(owned[0]!))
    await peers.close()
  })

  test('is not claimed by a new owner while the only one that knows is away', async () => {
    const peers = new KeepingPeers(simulatedWorld({ seed: 1 }), { copies: 2, copiesMin: 1 })
    await peers.start('a')
    await keepSome(peers)
    await peers.stop('a')
    // Alone at first, as every peer is before it joins.
    await peers.start('b')
    await peers.world.advance(5_000)
    peers.draw('a')
    await peers.world.advance(60_000)
    assert(
      Array.from({ length: 12 }, (_, number) => ringKeyOf(site(number))).every(
        (key) => !peers.at('b').copies.isComplete(key),
      ),
    )
    await peers.restart('a')
    peers.draw()
    await peers.world.advance(60_000)
    await checkHolders(peers, 48)
    for (const name of ['a', 'b']) assert(peers.at(name).copies.isComplete(ringKeyOf(site(0))))
    await peers.close()
  })
})

describe('the status', () => {
  test('tells how many captures have how many copies', async () => {
    const peers = await fivePeers()
    await keepSome(peers)
    await peers.world.advance(30_000)
    const total = (): number[] => {
      const sums: number[] = []
      for (const name of peers.names)
        for (const [copies, count] of peers.at(name).copies.status().histogram.entries())
          sums[copies] = (sums[copies] ?? 0) + count
      return sums
    }
    assert.deepEqual(total(), [0, 0, 0, 48])
    await peers.stop('d')
    peers.draw('d')
    await peers.world.advance(30_000)
    const [none, one, two, three] = total()
    assert.deepEqual([none, one], [0, 0])
    assert(two! > 0)
    assert.equal(two! + three!, 48)
    const lacking = peers.names.reduce((sum, name) => sum + peers.at(name).copies.status().lacking, 0)
    assert.equal(lacking, two)
    await peers.close()
  })
})

describe('where nothing changes', () => {
  test('next to nothing is asked: one small comparison for each arc and peer, and a word now and then', async () => {
    const peers = await fivePeers(1, { compareEveryMs: 600_000 })
    await keepSome(peers)
    await peers.world.advance(700_000)
    const asked: CopiesQuestion[] = []
    let bytes = 0
    for (const name of five) {
      peers.lie(name, (question, answer) => {
        asked.push(question)
        bytes += answer.length
        return answer
      })
    }
    await peers.world.advance(600_000)
    const pairs = five.flatMap((name) =>
      peers.ring
        .seenBy(name)
        .ownArcs()
        .flatMap(({ full }) => full.filter((other) => other !== name)),
    )
    const count = (kind: CopiesQuestion['kind']): number =>
      asked.filter((question) => question.kind === kind).length
    assert.equal(count('compare'), pairs.length)
    assert.equal(count('give') + count('fetch') + count('piece') + count('confirm') + count('complete'), 0)
    assert.equal(count('life'), pairs.length)
    assert(bytes < 50_000, `${bytes} bytes`)
    await peers.close()
  })
})
