import assert from 'node:assert/strict'
import { test } from 'vitest'
import { silentLog } from '../../../platform/log.ts'
import { AnnouncingPeers } from '../../replication/fixtures/announcing-peers.ts'
import { networkNumber, peerNumber, randomNumber } from '../fixtures/networks.ts'
import { invite } from '../invitation.ts'
import { MemberDirectory } from '../member-directory.ts'
import { join, type Membership } from '../membership.ts'
import { ticketKind } from './ticket-announcement.ts'
import { TicketClaims } from './ticket-claims.ts'

const { network, seed } = networkNumber(1)

async function peersWithTickets() {
  const peers = new AnnouncingPeers(1)
  peers.kinds = [ticketKind]
  const [a, b, c] = await Promise.all([1, 2, 3].map(async (number) => (await peerNumber(number)).peer))
  const shared = invite(network, seed, randomNumber(1), { uses: 2 })
  const begin = (self: string, membership: Membership) => {
    const members = new MemberDirectory(peers.world.machine(self), network)
    members.beginAs(membership)
    const claims = new TicketClaims({ announcements: peers.peers.get(self)!, members, self, log: silentLog })
    claims.announce()
    return members
  }
  return { peers, shared, begin, a: a!, b: b!, c: c! }
}

test('a claim is known to all, and over a restart of a peer that never met its holder', async () => {
  const { peers, shared, begin, a, b, c } = await peersWithTickets()
  await peers.start(a, b)
  begin(a, join(shared, a, 0)!)
  const first = begin(b, join(shared, b, 1)!)
  await peers.world.advance(60_000)
  assert.notEqual(first.saltOf(a), undefined)
  peers.world.machine(b).kill()
  peers.peers.delete(b)
  peers.world.machine(a).kill()
  peers.peers.delete(a)
  await peers.start(b)
  const again = begin(b, join(shared, b, 1)!)
  assert.throws(() => again.greet(join(shared, c, 0)!), { code: 'network-ticket-taken' })
})

test('a peer announces its own ticket only, and what cannot be read is refused', async () => {
  const { shared, a, b } = await peersWithTickets()
  const members = new MemberDirectory({ clock: { nowMs: () => 1_000 } as never }, network)
  members.beginAs(join(shared, a, 0)!)
  const value = members.proofOf(a)!
  const announcement = { kind: 'ticket', name: a, peer: a, value, version: 1 }
  assert.equal(ticketKind.fault(announcement), undefined)
  assert.notEqual(ticketKind.fault({ ...announcement, peer: b }), undefined)
  assert.notEqual(ticketKind.fault({ ...announcement, name: b, peer: b }), undefined)
  assert.match(ticketKind.fault({ ...announcement, value: Buffer.from('null') }) ?? '', /cannot be read/)
})
