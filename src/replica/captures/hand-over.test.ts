import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { simulatedWorld } from '../../world/simulated/world.ts'
import { KeepingPeers } from './fixtures/keeping-peers.ts'
import { checkHolders, five, fivePeers, holdersOf, keepSome, ringKeyOf } from './fixtures/kept-sites.ts'
import type { HandOverProgress } from './hand-over.ts'

/** Others made up for its copies meanwhile. */
async function peersOfWhomOneCameBack(sparesMax: number): Promise<KeepingPeers> {
  const peers = await fivePeers(1, { sparesMax })
  await keepSome(peers)
  await peers.stop('d')
  peers.draw()
  await peers.world.advance(60_000)
  await peers.restart('d')
  peers.draw()
  return peers
}

describe('copies too many', () => {
  test('are dropped when all that are to have them say so, and not while one is silent', async () => {
    const peers = await fivePeers(1, { sparesMax: 0 })
    await keepSome(peers)
    await peers.stop('d')
    peers.draw()
    await peers.world.advance(60_000)
    await checkHolders(peers, 48)
    await peers.restart('d')
    const others = five.filter((name) => name !== 'd')
    peers.world.network.cut(['d'], others)
    peers.draw()
    await peers.world.advance(200_000)
    const silent = await holdersOf(peers)
    assert([...silent.values()].some((names) => names.length > 3))
    peers.world.network.heal()
    await peers.world.advance(300_000)
    const holders = await holdersOf(peers)
    assert.equal(holders.size, 48)
    for (const [capture, names] of holders) {
      assert.deepEqual(names.sort(), peers.ring.replicasOf(ringKeyOf(capture.split(' ')[0]!)).sort())
    }
    assert(peers.names.some((name) => peers.at(name).copies.status().dropped > 0))
    await peers.close()
  })

  test('are not dropped when one that is to have them does not say so', async () => {
    const peers = await peersOfWhomOneCameBack(0)
    // It has them, and will not promise to keep them.
    peers.lie('d', (question, answer) =>
      question.kind === 'confirm' ? new Uint8Array(answer.length) : answer,
    )
    await peers.world.advance(300_000)
    assert(peers.names.every((name) => peers.at(name).copies.status().dropped === 0))
    await peers.close()
  })

  test('are kept as spares where there is room', async () => {
    const peers = await peersOfWhomOneCameBack(3)
    await peers.world.advance(300_000)
    assert([...(await holdersOf(peers)).values()].some((names) => names.length > 3))
    await peers.close()
  })

  test('are never dropped where there are fewer peers than copies wanted', async () => {
    const peers = new KeepingPeers(simulatedWorld({ seed: 1 }), { sparesMax: 0, copies: 3 })
    await peers.start('a', 'b')
    await keepSome(peers)
    await peers.world.advance(300_000)
    for (const names of (await holdersOf(peers)).values()) assert.deepEqual(names, ['a', 'b'])
    await peers.close()
  })
})

describe('who leaves for good', () => {
  test('cannot while it is cut off from all others', async () => {
    const peers = await fivePeers()
    await keepSome(peers)
    const others = five.filter((name) => name !== 'b')
    peers.world.network.cut(['b'], others)
    peers.ring.setView(['b'], { present: ['b'], missed: others })
    const leaving = peers.at('b').copies.handOver(new AbortController().signal)
    await assert.rejects(peers.world.complete(leaving), { code: 'copies-too-few' })
    peers.world.network.heal()
    await peers.close()
  })

  test('hands over first: as many copies are there without it', async () => {
    const peers = await fivePeers()
    await keepSome(peers)
    await peers.world.complete(peers.at('b').copies.handOver(new AbortController().signal))
    await peers.stop('b')
    const holders = await holdersOf(peers)
    assert.equal(holders.size, 48)
    for (const names of holders.values()) assert.equal(names.length, 3)
    await peers.close()
  })

  test('tells how far it has come, and goes on from there when it was called off', async () => {
    const peers = await fivePeers()
    await keepSome(peers)
    const { copies } = peers.at('b')
    const all = copies.status().entries
    const told: HandOverProgress[] = []
    const stop = new AbortController()
    const first = copies.handOver(stop.signal, (progress) => {
      told.push(progress)
      if (progress.sentBytes > 0) stop.abort()
    })
    await assert.rejects(peers.world.complete(first))
    const before = told.at(-1)!
    assert.equal(before.entries, all)
    assert.ok(before.done < all)
    await peers.world.complete(copies.handOver(new AbortController().signal, (it) => told.push(it)))
    const last = told.at(-1)!
    assert.deepEqual([last.done, last.entries], [all, all])
    assert.ok(last.sentBytes > 0)
    assert.ok([...last.taken.keys()].every((peer) => peer !== 'b'))
    const taken = [...last.taken.values()].reduce((sum, count) => sum + count, 0)
    assert.ok(taken > 0)
    // Nobody lacks anything: nothing more is sent.
    await peers.world.complete(copies.handOver(new AbortController().signal, (it) => told.push(it)))
    const again = told.at(-1)!
    assert.deepEqual([again.done, again.sentBytes, again.taken.size], [all, 0, 0])
    await peers.close()
  })

  test('says how much could not be given to enough others, and which were not found', async () => {
    const peers = await fivePeers()
    await keepSome(peers)
    peers.world.network.cut(
      ['b'],
      five.filter((name) => name !== 'b'),
    )
    const leaving = peers.at('b').copies.handOver(new AbortController().signal)
    await assert.rejects(peers.world.complete(leaving), {
      code: 'copies-too-few',
      message: /^\d+ of \d+ entries/,
    })
    await peers.close()
  })
})
