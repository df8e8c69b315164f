// Peers that leave their network for good, and peers that others forget. With real processes: e2e/network/leaving.test.ts.

import assert from 'node:assert/strict'
import { test } from 'vitest'
import type { LeavingState } from '../../src/app/ring/leaving.ts'
import { crawledNetwork, hasCopies, statusOf } from './crawled-network.ts'
import type { WholeNetwork } from './whole-network.ts'

/** A busy machine takes several times as long: this only catches what hangs. */
const hangMs = 300_000

const web = { sites: 5, pages: 6, peers: 4, positions: 4 }
const leaver = 'peer-3'

function leavingState(network: WholeNetwork): Promise<LeavingState> {
  return network.ask(leaver, '/api/v1/network/leave')
}

async function keepsSomething(network: WholeNetwork): Promise<void> {
  await network.until(
    'the leaver to keep something',
    async () => ((await statusOf(network, leaver)).peers[0]?.status?.captures ?? 0) > 0,
  )
}

test(
  'network leave: the others have three copies of everything at once, and the home is alone',
  async () => {
    const { network } = await crawledNetwork({ ...web, seed: 'leave' })
    await keepsSomething(network)
    const { entries } = (await statusOf(network, 'peer-0')).sums
    const { ended, platform } = network.peer(leaver)
    await network.post(leaver, '/api/v1/network/leave', {})
    let last: LeavingState | undefined
    await network.until('everything to be handed over', async () => {
      last = await leavingState(network)
      return last.state === 'done' || last
    })
    const handedOver = last!.handedOver!
    assert.deepEqual([handedOver.done, handedOver.leftBytes], [handedOver.entries, 0])
    const taken = handedOver.peers.reduce((sum, peer) => sum + peer.entries, 0)
    assert.ok(handedOver.entries > 0 && taken > 0 && handedOver.sentBytes > 0, JSON.stringify(handedOver))
    await network.complete(ended)
    assert.equal(await network.complete(platform.files.read('/home/network.json')), undefined)
    await network.until('three copies with the three who stay', async () => {
      const status = await statusOf(network, 'peer-0')
      const { sums, peers } = status
      return (peers.length === 3 && sums.entries >= entries && hasCopies(status, 3)) || sums
    })
    assert.deepEqual(network.faults, [])
  },
  hangMs,
)

test(
  'network leave, called off: the peer stays and works; told again it goes on and leaves',
  async () => {
    // Slow enough to be called off on the way.
    const { network } = await crawledNetwork({ ...web, seed: 'stay', repairRate: 2_000, textBytes: 2_000 })
    await keepsSomething(network)
    await network.post(leaver, '/api/v1/network/leave', {})
    await network.until(
      'the handing over to begin',
      async () => (await leavingState(network)).state === 'handing-over',
    )
    await network.post(leaver, '/api/v1/network/leave', undefined, 'DELETE')
    await network.until('it to stay', async () => (await leavingState(network)).state === 'staying')
    assert.equal((await statusOf(network, leaver)).peers.length, 4)
    const { ended } = network.peer(leaver)
    await network.post(leaver, '/api/v1/network/leave', {})
    await network.complete(ended)
    await network.until('three peers', async () => (await statusOf(network, 'peer-0')).peers.length === 3)
    assert.deepEqual(network.faults, [])
  },
  hangMs,
)

test(
  'network forget: of a dead peer everything is copied at once, and should it come back, it counts again',
  async () => {
    const { network } = await crawledNetwork({ ...web, seed: 'forget' })
    await network.until('three copies', async () => hasCopies(await statusOf(network, 'peer-0'), 3))
    const { peer: id } = network.peer(leaver).home.ring!
    const forget = (who: string) =>
      network.post<{ peer: string }>('peer-0', '/api/v1/network/forget', { peer: who })
    await assert.rejects(forget(id), /is away, so there is none to forget/)
    network.kill(leaver)
    const isAwayFor = async (name: string) =>
      (await statusOf(network, name)).away.some(({ peer }) => peer === id)
    await network.until(
      'the others to miss it',
      async () => (await isAwayFor('peer-0')) && isAwayFor('peer-1'),
    )
    assert.deepEqual(await forget(id.slice(-8)), { peer: id })
    await network.until('the second to forget it', async () => !(await isAwayFor('peer-1')))
    await network.until('three copies without it', async () =>
      hasCopies(await statusOf(network, 'peer-0'), 3),
    )
    await network.start(leaver)
    await network.until('its return', async () => (await statusOf(network, 'peer-1')).peers.length === 4)
    assert.deepEqual(network.faults, [])
  },
  hangMs,
)
