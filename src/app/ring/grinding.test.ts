// The attack that tickets are for: identities made by the thousand until three of them surround a chosen site on the ring, so
// that its copies are all theirs.

import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { describe, test } from 'vitest'
import { type RingKey, ringKeyOf } from '../../model/ring-key.ts'
import { networkIdOf } from '../../network/membership/archive-network.ts'
import { networkNumber, oldInvitation, randomNumber } from '../../network/membership/fixtures/networks.ts'
import { invite } from '../../network/membership/invitation.ts'
import { MemberDirectory } from '../../network/membership/member-directory.ts'
import { join } from '../../network/membership/membership.ts'
import { arcBetween, placeOf } from '../../network/ring/protocol/place.ts'
import { replicaSet } from '../../network/ring/replica-set.ts'
import type { Clock } from '../../platform/clock.ts'

const { network, seed } = networkNumber(1)
const networkId = networkIdOf(network)
const random = randomNumber(1)
const site = ringKeyOf('example.org')
const triesMax = 63_877

/** What it costs to make an identity is not what is tested: these are names without keys. */
function identity(number: number): string {
  return hash('sha256', `identity ${number}`, 'hex')
}

function keepersOf(saltOf: (peer: string) => string, peers: readonly string[]): string[] {
  const contacts = peers.map((peer, number) => {
    const address = `/ip4/10.${number}.0.1/tcp/1`
    return { peer, index: 0, address, place: placeOf(networkId, saltOf(peer), 0) }
  })
  const distance = ({ place }: { place: RingKey }): number => arcBetween(site, place)
  const [owner, ...next] = contacts.sort((one, other) => distance(one) - distance(other))
  return replicaSet(owner!, next, 3).map(({ peer }) => peer)
}

/** The three of all tries that lie nearest behind the site, by this rule. */
function ground(saltOf: (peer: string) => string): string[] {
  const names = Array.from({ length: triesMax }, (_, number) => identity(number))
  const placed = names.map((peer) => ({ peer, arc: arcBetween(site, placeOf(networkId, saltOf(peer), 0)) }))
  return placed
    .sort((one, other) => one.arc - other.arc)
    .slice(0, 3)
    .map(({ peer }) => peer)
}

describe('identities ground to surround a site', () => {
  const honest = Array.from({ length: 40 }, (_, number) => `honest ${number}`)
  const attackers = ground((peer) => peer)

  test('had all its copies when places came from identities', () => {
    assert.deepEqual(keepersOf((peer) => peer, [...honest, ...attackers]).toSorted(), attackers.toSorted())
  })

  test('lie where their tickets say, which are the same for all identities', () => {
    const clock = { nowMs: () => 0 } as Clock
    const members = new MemberDirectory({ clock }, network)
    const invitation = invite(network, seed, random, { uses: honest.length })
    for (const [number, peer] of honest.entries()) members.greet(join(invitation, peer, number)!)
    // Three invitations for one each.
    for (const peer of attackers) members.greet(join(invite(network, seed, random), peer, 0)!)
    const saltOf = (peer: string): string => members.saltOf(peer)!
    const keepers = keepersOf(saltOf, [...honest, ...attackers])
    assert(keepers.some((peer) => honest.includes(peer)))
    // All tries with one invitation give one and the same place.
    const one = invite(network, seed, random)
    const places = new Set(
      Array.from({ length: 50 }, (_, number) => {
        const directory = new MemberDirectory({ clock }, network)
        directory.greet(join(one, identity(number), 0)!)
        return placeOf(networkId, directory.saltOf(identity(number))!, 0)
      }),
    )
    assert.equal(places.size, 1)
  })

  test('are not let in with an invitation from before there were tickets', () => {
    const members = new MemberDirectory({ clock: { nowMs: () => 0 } as Clock }, network)
    const old = oldInvitation(network, seed, random)
    for (const peer of attackers) {
      assert.throws(() => members.greet(old.join(peer)), { code: 'network-refused' })
      assert.equal(members.saltOf(peer), undefined)
    }
  })
})
