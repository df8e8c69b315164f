import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import type { Clock } from '../../platform/clock.ts'
import { type MadePeer, networkNumber, oldInvitation, peerNumber, randomNumber } from './fixtures/networks.ts'
import { type Invitation, invite } from './invitation.ts'
import { MemberDirectory, type TicketConflict } from './member-directory.ts'
import { confirm, join, type Membership, witnessFor, writeMembership } from './membership.ts'
import { mayAsk } from './service-access.ts'

const { network, seed } = networkNumber(1)
const random = randomNumber(1)
const taken = { code: 'network-ticket-taken' }
const refused = { code: 'network-refused' }

function invitation(uses: number, expiresAtMs?: number): Invitation {
  return invite(network, seed, random, { uses, expiresAtMs })
}

function directory(
  options: { nowMs?: () => number; oldMembers?: string[] } = {},
): MemberDirectory & { conflicts: TicketConflict[] } {
  const clock = { nowMs: options.nowMs ?? (() => 1_000) } as Clock
  const made = new MemberDirectory({ clock }, network, new Set(options.oldMembers))
  const conflicts: TicketConflict[] = []
  made.listen({ conflict: (conflict) => conflicts.push(conflict) })
  return Object.assign(made, { conflicts })
}

async function dated(membership: Membership, atMs: number, by?: MadePeer): Promise<Membership> {
  const founder = by ?? (await peerNumber(99))
  const own = join(invitation(1), founder.peer, 0)!
  const witness = witnessFor(membership, network, { membership: own, identitySeed: founder.seed }, atMs)
  return { ...membership, witness: witness! }
}

describe('a ticket', () => {
  test('belongs to the first identity whose claim is known; a second one is refused and reported', async () => {
    const [a, b] = [(await peerNumber(1)).peer, (await peerNumber(2)).peer]
    const shared = invitation(1)
    const members = directory()
    members.greet(join(shared, a, 0)!)
    assert.throws(() => members.greet(join(shared, b, 0)!), taken)
    assert.deepEqual(members.conflicts, [{ holder: a, refused: b, isChanged: false }])
    assert.notEqual(members.saltOf(a), undefined)
    assert.equal(members.saltOf(b), undefined)
    // The first comes again, as often as it likes.
    members.greet(join(shared, a, 0)!)
  })

  test('beyond those that the invitation is good for does not exist', async () => {
    const { peer } = await peerNumber(1)
    assert.throws(() => directory().greet(join(invitation(3), peer, 3)!), refused)
  })

  test('decides the places: not the identity, nor anything else that its holder can choose', async () => {
    const shared = invitation(2)
    const salts = await Promise.all(
      [1, 2, 3].map(async (number) => {
        const { peer } = await peerNumber(number)
        const members = directory()
        members.greet(join(shared, peer, 1)!)
        return members.saltOf(peer)
      }),
    )
    assert.equal(new Set(salts).size, 1)
    const { peer } = await peerNumber(1)
    const membership = join(shared, peer, 1)!
    const { tickets } = membership.grant
    for (const changed of [
      { ...tickets!, salt: new Uint8Array(16) },
      { ...tickets!, count: 3 },
    ]) {
      const forged = { ...membership, grant: { ...membership.grant, tickets: changed } }
      assert.throws(() => directory().greet(forged), refused)
    }
  })

  test('is one per peer: who holds one cannot show another, unless it has lost the first', async () => {
    const [a, b] = [(await peerNumber(1)).peer, (await peerNumber(2)).peer]
    const shared = invitation(2)
    const members = directory()
    members.greet(join(shared, a, 0)!)
    assert.throws(() => members.greet(join(shared, a, 1)!), { code: 'network-ticket-changed' })
    members.hear(await dated(join(shared, b, 0)!, 10))
    assert.equal(members.saltOf(a), undefined)
    members.greet(join(shared, a, 1)!)
    assert.notEqual(members.saltOf(a), undefined)
  })
})

describe('two claims that parts of a torn network know', () => {
  test('come to the same end everywhere, in whatever order they are heard: the one dated earlier holds', async () => {
    const peers = await Promise.all([1, 2, 3].map(async (number) => (await peerNumber(number)).peer))
    const shared = invitation(1)
    const claims = [
      await dated(join(shared, peers[0]!, 0)!, 500),
      await dated(join(shared, peers[1]!, 0)!, 400),
      join(shared, peers[2]!, 0)!,
    ]
    const orders = [
      [0, 1, 2],
      [0, 2, 1],
      [1, 0, 2],
      [1, 2, 0],
      [2, 0, 1],
      [2, 1, 0],
    ]
    for (const order of orders) {
      const members = directory()
      for (const index of order) {
        try {
          members.hear(claims[index]!)
        } catch (error) {
          assert.equal((error as { code: string }).code, 'network-ticket-taken')
        }
      }
      const holders = peers.filter((peer) => members.saltOf(peer) !== undefined)
      assert.deepEqual(holders, [peers[1]], order.join())
      assert(members.conflicts.length > 0)
    }
  })

  test('that nobody has dated, too: the name that sorts first holds', async () => {
    const peers = (await Promise.all([1, 2].map(async (number) => (await peerNumber(number)).peer))).sort()
    const shared = invitation(1)
    for (const order of [peers, peers.toReversed()]) {
      const members = directory()
      for (const peer of order) {
        try {
          members.hear(join(shared, peer, 0)!)
        } catch {
          // The loser came second.
        }
      }
      assert.notEqual(members.saltOf(peers[0]!), undefined)
      assert.equal(members.saltOf(peers[1]!), undefined)
    }
  })

  test('are not dated by somebody with the same invitation, who could date its own earlier', async () => {
    const [a, b, c] = [await peerNumber(1), await peerNumber(2), await peerNumber(3)]
    const shared = invitation(2)
    const honest = await dated(join(shared, a.peer, 0)!, 900)
    const accomplice = { membership: join(shared, c.peer, 1)!, identitySeed: c.seed }
    const claim = join(shared, b.peer, 0)!
    assert.equal(witnessFor(claim, network, accomplice, 1), undefined)
    const members = directory()
    members.greet(honest)
    assert.throws(() => members.hear(claim), taken)
    // A date that was changed is none.
    const dateMoved = await dated(claim, 950)
    const forged = { ...dateMoved, witness: { ...dateMoved.witness!, atMs: 1 } }
    assert.throws(() => members.hear(forged), taken)
  })
})

describe('memberships from before there were tickets', () => {
  test('are of those whom this home knew, or whom the network’s key has confirmed; of nobody else', async () => {
    const [known, confirmed, ground] = await Promise.all(
      [1, 2, 3].map(async (number) => (await peerNumber(number)).peer),
    )
    const old = oldInvitation(network, seed, random)
    const members = directory({ oldMembers: [known!] })
    members.greet(old.join(known!))
    const membership = old.join(confirmed!)
    members.greet({ ...membership, confirmation: confirm(membership, network, seed) })
    assert.throws(() => members.greet(old.join(ground!)), refused)
    const forged = confirm(old.join(ground!), network, networkNumber(2).seed)
    assert.throws(() => members.greet({ ...old.join(ground!), confirmation: forged }), refused)
    assert.equal(members.saltOf(known!), known, 'its places stay')
    assert.equal(members.saltOf(ground!), undefined)
  })

  test('give way to a ticket, and never come back', async () => {
    const { peer } = await peerNumber(1)
    const old = oldInvitation(network, seed, random)
    const members = directory({ oldMembers: [peer] })
    members.greet(old.join(peer))
    members.greet(join(invitation(1), peer, 0)!)
    assert.notEqual(members.saltOf(peer), peer)
    assert.throws(() => members.greet(old.join(peer)), { code: 'network-ticket-changed' })
  })

  test('cannot witness those that have tickets: any number of them can be made up', async () => {
    const [a, b] = [await peerNumber(1), await peerNumber(2)]
    const madeUp = { membership: oldInvitation(network, seed, random).join(a.peer), identitySeed: a.seed }
    assert.equal(witnessFor(join(invitation(1, 2_000), b.peer, 0)!, network, madeUp, 500), undefined)
  })
})

test('a proof is read by whoever is shown it, and is refused when it is anything else', async () => {
  const { peer } = await peerNumber(1)
  const [one, other] = [directory(), directory()]
  one.greet(join(invitation(1), peer, 0)!)
  other.learn(peer, one.proofOf(peer)!)
  assert.equal(other.saltOf(peer), one.saltOf(peer))
  const text = (value: unknown): Uint8Array => Buffer.from(JSON.stringify(value))
  const membership = writeMembership(one.membershipOf(peer)!)
  for (const wrong of [
    new Uint8Array(),
    Buffer.from([0xff, 0xfe]),
    text(null),
    text({ ...membership, ticket: 1e9 }),
    text({ ...membership, ticket: null }),
    text({ ...membership, peer: 'another' }),
    text({ ...membership, grant: { ...(membership.grant as object), uses: 1e6 } }),
  ]) {
    assert.throws(() => directory().learn(peer, wrong), refused)
  }
})

describe('roles', () => {
  test('come with the invitation, and are members’ where it is from before there were roles', async () => {
    const members = directory()
    const wanted = ['admin', 'curator', 'member', 'volunteer'] as const
    for (const [index, role] of wanted.entries()) {
      const { peer } = await peerNumber(index + 1)
      const sites = role === 'curator' ? ['a.test'] : []
      members.greet(join(invite(network, seed, random, { role, sites }), peer, 0)!)
      assert.deepEqual(members.namedRoleOf(peer), { role, sites })
    }
    const { peer } = await peerNumber(9)
    assert.equal(members.roleOf(peer), undefined)
    const old = directory({ oldMembers: [peer] })
    old.greet(oldInvitation(network, seed, random).join(peer))
    assert.equal(old.roleOf(peer), 'member')
  })

  test('of an invitation are signed: nobody makes more of it', async () => {
    const { peer } = await peerNumber(1)
    const membership = join(invite(network, seed, random, { role: 'volunteer' }), peer, 0)!
    for (const named of [{ role: 'admin' as const, sites: [] }, undefined]) {
      const forged = { ...membership, grant: { ...membership.grant, named } }
      assert.throws(() => directory().greet(forged), refused)
    }
  })

  test('of volunteers give no place on the ring, nor most services, until they are granted more', async () => {
    const { peer } = await peerNumber(1)
    const members = directory()
    members.greet(join(invite(network, seed, random, { role: 'volunteer' }), peer, 0)!)
    assert.equal(members.isBarred(peer), true)
    assert.deepEqual([mayAsk(members, peer, 'ring'), mayAsk(members, peer, 'replica')], [true, false])
    members.followRoles({ roleOf: () => ({ role: 'member', sites: [] }), isShut: () => false })
    assert.deepEqual([members.isBarred(peer), mayAsk(members, peer, 'replica')], [false, true])
  })

  test('end with a revocation: its peer is let in no more, and its ticket is nobody’s', async () => {
    const [a, b] = [(await peerNumber(1)).peer, (await peerNumber(2)).peer]
    const shared = invitation(2)
    const members = directory()
    members.greet(join(shared, a, 0)!)
    members.followRoles({
      roleOf: (peer) => (peer === a ? 'revoked' : undefined),
      isShut: (_, peer) => peer === b,
    })
    const revoked = { code: 'network-revoked' }
    assert.throws(() => members.greet(join(shared, a, 0)!), revoked)
    assert.throws(() => members.greet(join(shared, b, 1)!), revoked)
    const c = (await peerNumber(3)).peer
    assert.throws(() => members.greet(join(shared, c, 0)!), taken)
    assert.deepEqual(
      [members.roleOf(a), members.isBarred(a), mayAsk(members, a, 'ring')],
      [undefined, true, false],
    )
  })
})
