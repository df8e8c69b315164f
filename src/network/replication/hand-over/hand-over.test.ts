import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { simulatedWorld } from '../../../platform/simulated/world.ts'
import { KeepingPeers } from '../captures/fixtures/keeping-peers.ts'
import {
  checkHolders,
  five,
  fivePeers,
  holdersOf,
  keepSome,
  ringKeyOf,
} from '../captures/fixtures/kept-sites.ts'

/** Others made up for its copies meanwhile. */
async function peersOfWhomOneCameBack(
  sparesMax: number,
  options: { promiseMs?: number } = {},
): Promise<KeepingPeers> {
  const peers = await fivePeers(1, { sparesMax, ...options })
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

  test('are not dropped when one that says it has them cannot show them', async () => {
    const peers = await peersOfWhomOneCameBack(0)
    // It says yes to all, and has kept only half of each.
    peers.lie('d', (question, answer) => {
      if (question.kind === 'prove') return answer.fill(0, 0, answer.length / 2)
      return question.kind === 'confirm' ? new Uint8Array(answer.length).fill(1) : answer
    })
    await peers.world.advance(300_000)
    const holders = await holdersOf(peers)
    for (const [capture, names] of holders) {
      const honest = names.filter((name) => name !== 'd')
      assert(honest.length >= 2, `${capture} is only at ${names}`)
    }
    assert([...holders.values()].some((names) => names.length > 3))
    assert(peers.names.some((name) => peers.at(name).copies.status().badHolders > 0))
    await peers.close()
  })

  test('are not dropped while one that is to have them is a newcomer', async () => {
    const peers = await peersOfWhomOneCameBack(0)
    peers.ring.setYoung('d')
    await peers.world.advance(20_000)
    const before = await holdersOf(peers)
    await peers.world.advance(300_000)
    const after = await holdersOf(peers)
    for (const [capture, names] of before) {
      if (!peers.ring.replicasOf(ringKeyOf(capture.split(' ')[0]!)).includes('d')) continue
      for (const name of names) assert(after.get(capture)!.includes(name), `${name} dropped ${capture}`)
    }
    assert([...after.values()].some((names) => names.length > 3))
    await peers.close()
  })

  test('are not dropped while somebody may rely on a word that was given before the last start', async () => {
    const peers = await peersOfWhomOneCameBack(0, { promiseMs: 1_000_000 })
    await peers.world.advance(200_000)
    assert([...(await holdersOf(peers)).values()].some((names) => names.length > 3))
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
