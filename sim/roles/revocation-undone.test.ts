// A peer that was refused as revoked, and is on the ring again, says so no more, whoever of the others took it in. All of taking a
// revocation back: revocation-undone.long.test.ts.

import assert from 'node:assert/strict'
import { test } from 'vitest'
import { WholeNetwork } from '../peer/whole-network.ts'

const [founder, refused, third] = ['peer-0', 'peer-1', 'peer-2'] as const

test('who was refused as revoked does not say so any more when another than who refused it answers', async () => {
  const network = await WholeNetwork.start({ seed: 'taken in', peers: 3 })
  await network.settled()
  const ringOf = (name: string) => network.peer(name).home.ring!
  const says = () => ringOf(refused).problems().join().includes('This peer was revoked')
  const knows = (name: string) =>
    ringOf(name)
      .view()
      .known.some(({ contact }) => contact.peer === id)
  const id = ringOf(refused).peer
  const say = (act: object) =>
    network.post(founder, '/api/v1/network/roles', { ...act, peer: id, reason: 'for the test' })

  // Behind a cut it does not hear of its revocation: it only sees that it is refused.
  network.world.network.cut([refused], [founder, third])
  await say({ act: 'revoke' })
  await network.until('it to be off the ring', async () => !knows(founder) && !knows(third))
  network.world.network.heal()
  await network.until('it to be refused', async () => says())
  assert.equal(ringOf(refused).members.isRevoked(id), false)

  // Where it was told to go, nobody answers any more: it is met by another.
  await say({ act: 'grant', role: 'member' })
  await network.until('the third to know of it', async () => !ringOf(third).members.isRevoked(id))
  network.kill(founder)
  await network.complete(ringOf(third).ring.join([{ peer: id, addresses: ringOf(refused).addresses() }]))
  await network.until('it to be on the ring of the third', async () => knows(third))
  await network.until('it not to say that it is revoked', async () => !says())
})
