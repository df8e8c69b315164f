// Real peers with hostile members among them: the ring goes on, and memory stays where it was.

import assert from 'node:assert/strict'
import { test } from 'vitest'
import type { Channel } from '../../src/platform/network/network.ts'
import { RealRandom } from '../../src/platform/real/random.ts'
import { type HostileMember, hostileMember } from './hostile-member.ts'
import { RingOfPeers } from './ring-of-peers.ts'

const growthBytesMax = 250e6
const options = { keys: 8, deadlineMs: 300_000 }
const all = [0, 1, 2]
const random = new RealRandom()

/** Questions without end that nobody waits for, small and large, to every service. */
async function flood({ services, network }: HostileMember, target: string): Promise<void> {
  const calls: Promise<unknown>[] = []
  const ask = (name: 'ring' | 'replica', bytes: Uint8Array, channel: Channel): void => {
    const call = services.service(name).call(target, bytes, { deadlineMs: 5_000, channel })
    calls.push(call.catch(() => {}))
  }
  for (let count = 0; count < 3_000; count++) {
    ask('ring', random.bytes(40), 'control')
    ask('ring', new Uint8Array(20_000), 'control')
    if (count % 10 === 0) ask('replica', new Uint8Array(1_000_000), 'bulk')
    if (count % 100 === 0) await network.send(target, random.bytes(5_000)).catch(() => {})
  }
  await Promise.all(calls)
}

/** Claims what is not its own: whatever it is asked, it says that it is the owner, in bytes that mean nothing. */
function lie({ services }: HostileMember): void {
  services.service('ring').answer(() => random.bytes(random.below(500)))
}

test('floods, lies and nonsense from members harm neither the ring nor memory', {
  timeout: 900_000,
}, async () => {
  const ring = await RingOfPeers.start({ count: 3 })
  const members: HostileMember[] = []
  try {
    await ring.agree(all, options)
    const views = await Promise.all(ring.peers.map((peer) => peer.view()))
    const before = await Promise.all(ring.peers.map((peer) => peer.memoryBytes()))
    const invitation = await ring.invite(3)
    for (let ticket = 0; ticket < 3; ticket++) members.push(await hostileMember(invitation, ticket))
    for (const member of members) {
      lie(member)
      for (const { addresses } of views) await member.network.meet(addresses[0]!)
    }
    await Promise.all(members.map((member, index) => flood(member, views[index]!.peer)))
    await ring.agree(all, options)
    const after = await Promise.all(ring.peers.map((peer) => peer.memoryBytes()))
    for (const index of all) {
      const growth = after[index]! - before[index]!
      assert(growth < growthBytesMax, `peer ${index} grew by ${Math.round(growth / 1e6)} MB`)
    }
    console.log(
      `grew by ${all.map((index) => Math.round((after[index]! - before[index]!) / 1e6)).join(', ')} MB`,
    )
  } finally {
    await Promise.all(members.map(({ network }) => network.close()))
    await ring.end()
  }
})
