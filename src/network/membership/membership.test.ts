import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { networkIdOf } from './archive-network.ts'
import { bytesToText } from './fields.ts'
import { type MadePeer, networkNumber, peerNumber, randomNumber } from './fixtures/networks.ts'
import { invite } from './invitation.ts'
import {
  depthOf,
  holds,
  join,
  type Membership,
  readMembership,
  witnessesMax,
  witnessFor,
  writeMembership,
} from './membership.ts'
import { signFor } from './signing.ts'

const { network, seed } = networkNumber(1)
const expiry = 1_000_000
const random = randomNumber(1)

function memberBy(peer: MadePeer, expiresAtMs?: number): Membership {
  return join(invite(network, seed, random, { expiresAtMs }), peer.peer, 0)!
}

function witnessed(membership: Membership, by: MadePeer, bys: Membership, atMs: number): Membership {
  const witness = witnessFor(membership, network, { membership: bys, identitySeed: by.seed }, atMs)
  assert(witness)
  return { ...membership, witness }
}

/** Signed as a member for good would sign it. */
function forgedWitness(membership: Membership, by: MadePeer, bys: Membership, atMs = 500): Membership {
  const fields = [
    networkIdOf(network),
    membership.peer,
    bytesToText(membership.grant.key),
    String(atMs),
    String(membership.ticket),
  ]
  const signature = signFor('witness', fields, by.seed)
  return { ...membership, witness: { atMs, signature, membership: bys } }
}

describe('a membership', () => {
  test('holds until its invitation expires, and for good when that never does', async () => {
    const peer = await peerNumber(1)
    assert(holds(memberBy(peer), network, Number.MAX_SAFE_INTEGER))
    const guest = memberBy(peer, expiry)
    assert(holds(guest, network, expiry))
    assert(!holds(guest, network, expiry + 1))
  })

  test('is read as it was written', async () => {
    const [a, b] = [await peerNumber(1), await peerNumber(2)]
    const membership = witnessed(memberBy(b, expiry), a, memberBy(a), 500)
    assert.deepEqual(readMembership(JSON.parse(JSON.stringify(writeMembership(membership)))), membership)
  })

  test('is of one peer and one network only', async () => {
    const [a, b] = [await peerNumber(1), await peerNumber(2)]
    const membership = memberBy(a)
    assert(!holds({ ...membership, peer: b.peer }, network, 0))
    assert(!holds(membership, networkNumber(2).network, 0))
    assert(!holds(membership, { ...network, kind: 'open' }, 0))
  })

  test('cannot be had by inventing an invitation, or a later expiry', async () => {
    const peer = await peerNumber(1)
    const forged = join(invite(network, networkNumber(2).seed, random), peer.peer, 0)!
    assert(!holds(forged, network, 0))
    const guest = memberBy(peer, expiry)
    const longer = { ...guest, grant: { ...guest.grant, expiresAtMs: expiry * 2 } }
    assert(!holds(longer, network, 0))
    assert(!holds({ ...guest, grant: { ...guest.grant, expiresAtMs: undefined } }, network, 0))
  })
})

describe('a witness', () => {
  test('makes a membership hold after its invitation has expired', async () => {
    const [a, b] = [await peerNumber(1), await peerNumber(2)]
    const membership = witnessed(memberBy(b, expiry), a, memberBy(a), expiry)
    assert(holds(membership, network, expiry * 10))
  })

  test('that comes too late is not given, and does not hold when it is forged', async () => {
    const [a, b] = [await peerNumber(1), await peerNumber(2)]
    const [founder, guest] = [memberBy(a), memberBy(b, expiry)]
    const late = { membership: founder, identitySeed: a.seed }
    assert.equal(witnessFor(guest, network, late, expiry + 1), undefined)
    assert(holds(forgedWitness(guest, a, founder, expiry), network, expiry + 1))
    assert(!holds(forgedWitness(guest, a, founder, expiry + 1), network, expiry + 1))
    const { witness } = witnessed(guest, a, founder, 500)
    assert(!holds({ ...guest, witness: { ...witness!, atMs: expiry + 5 } }, network, expiry + 1))
    assert(!holds({ ...guest, witness: { ...witness!, atMs: 400 } }, network, expiry + 1))
  })

  test('by somebody who is no member, or by another than it says, does not count', async () => {
    const [a, b, c] = [await peerNumber(1), await peerNumber(2), await peerNumber(3)]
    const guest = memberBy(b, expiry)
    const stranger = join(invite(network, networkNumber(2).seed, random), c.peer, 0)!
    const byC = { membership: stranger, identitySeed: c.seed }
    assert.equal(witnessFor(guest, network, byC, 500), undefined)
    assert(!holds(forgedWitness(guest, c, stranger), network, expiry + 1))
    // Signed with c's identity, with the membership of a.
    assert(!holds(forgedWitness(guest, c, memberBy(a)), network, expiry + 1))
  })

  test('cannot be made up by who has the expired invitation', async () => {
    const [b, c] = [await peerNumber(2), await peerNumber(3)]
    const invitation = invite(network, seed, random, { expiresAtMs: expiry, uses: 2 })
    const [one, other] = [join(invitation, b.peer, 0)!, join(invitation, c.peer, 1)!]
    assert(!holds(forgedWitness(one, b, one), network, expiry + 1), 'by itself')
    assert(!holds(forgedWitness(one, c, other), network, expiry + 1), 'by another that is as old')
    const circle = forgedWitness(other, b, one)
    assert(!holds(forgedWitness(one, c, circle), network, expiry + 1), 'by each other')
  })

  test('is not needed by who has as good a one', async () => {
    const [a, b] = [await peerNumber(1), await peerNumber(2)]
    const founder = memberBy(a)
    const by = { membership: founder, identitySeed: a.seed }
    assert.equal(witnessFor(witnessed(memberBy(b), a, founder, 500), network, by, 600), undefined)
    assert.equal(witnessFor(witnessed(memberBy(b, expiry), a, founder, 500), network, by, 600), undefined)
  })

  test('may be witnessed itself, so often and no more', async () => {
    let last = { peer: await peerNumber(1), membership: memberBy(await peerNumber(1)) }
    for (let depth = 1; depth <= witnessesMax; depth++) {
      const peer = await peerNumber(depth + 1)
      const membership = witnessed(memberBy(peer, expiry), last.peer, last.membership, 500)
      assert.equal(depthOf(membership), depth)
      assert(holds(membership, network, expiry * 2))
      last = { peer, membership }
    }
    const next = memberBy(await peerNumber(9), expiry)
    const by = { membership: last.membership, identitySeed: last.peer.seed }
    assert.equal(witnessFor(next, network, by, 500), undefined)
    assert(!holds(forgedWitness(next, last.peer, last.membership), network, expiry * 2))
    const written = writeMembership({
      ...next,
      witness: { atMs: 500, signature: new Uint8Array(64), membership: last.membership },
    })
    assert.throws(() => readMembership(JSON.parse(JSON.stringify(written))))
  })
})
