// A network from before there were roles: its homes are started with this version one after the other.

import assert from 'node:assert/strict'
import { test } from 'vitest'
import { silentLog } from '../../platform/log.ts'
import type { TakedownTarget } from '../../store/takedowns/takedowns.ts'
import { networkNumber } from '../membership/fixtures/networks.ts'
import type { NamedRole } from '../membership/role.ts'
import { AnnouncingPeers } from '../replication/fixtures/announcing-peers.ts'
import { NetworkTakedowns } from '../takedowns/network-takedowns.ts'
import { takedownKind } from '../takedowns/takedown-announcement.ts'
import { NetworkRoles } from './network-roles.ts'
import { roleKind } from './role-statement.ts'

const { network, seed } = networkNumber(1)
const member: NamedRole = { role: 'member', sites: [] }
const site = (name: string): TakedownTarget => ({ kind: 'site', site: name })

test('in a network from before roles all may do everything until its home begins them, and what was said goes on counting', async () => {
  const peers = new AnnouncingPeers(31, { compareMs: 2_000 })
  const { world } = peers
  peers.kinds = [roleKind, takedownKind]
  const hidden = new Map<string, Set<string>>()
  const open = async (self: string) => {
    const announcements = peers.peers.get(self)!
    const opened: { roles?: NetworkRoles } = {}
    const roles = new NetworkRoles({
      ...{ announcements, network, self, log: silentLog, clock: world.machine(self).clock },
      networkSeed: self === 'home' ? seed : undefined,
      members: {
        followRoles: () => {},
        listen: () => {},
        peers: () => ['home', 'b', 'c'],
        // As invitations were: without a role.
        membershipOf: () => ({ grant: { named: undefined, key: new Uint8Array(32) } }) as never,
        namedRoleOf: (peer) => {
          const said = opened.roles!.history.roleOf(peer)
          return said === 'revoked' ? undefined : (said ?? member)
        },
      },
    })
    opened.roles = roles
    const sites = new Set<string>()
    hidden.set(self, sites)
    const takedowns = new NetworkTakedowns({
      ...{ announcements, authority: roles.authority, self, log: silentLog },
      overrule: (others, reason) => roles.overrule(others, reason),
      store: {
        takedown: async (target) => sites.add((target as { site: string }).site).size,
        release: async (target) => sites.delete((target as { site: string }).site),
        takedowns: () => [],
      },
    })
    await world.complete(roles.open())
    await world.complete(takedowns.open())
    return { roles, takedowns }
  }
  await peers.start('b', 'c')
  const b = await open('b')
  const c = await open('c')
  // Its home is not updated, or away: every member may.
  await world.complete(b.takedowns.takedown(site('b.test'), 'before there were roles'))
  await world.advance(20_000)
  assert.equal(b.roles.history.hasBegun, false)
  assert.deepEqual([...hidden.get('c')!], ['b.test'])

  await peers.start('home')
  const home = await open('home')
  await world.advance(60_000)
  for (const { roles } of [home, b, c]) {
    assert.equal(roles.history.hasBegun, true)
    assert.deepEqual(roles.history.roleOf('home'), { role: 'admin', sites: [] })
  }
  for (const name of ['home', 'b', 'c']) assert.deepEqual([...hidden.get(name)!], ['b.test'], name)
  await assert.rejects(world.complete(b.takedowns.takedown(site('c.test'), 'as ever')), {
    code: 'role-lacking',
  })

  // The administrator has the last word about what was said before.
  await world.complete(home.takedowns.release(site('b.test'), 'no grounds'))
  await world.advance(30_000)
  for (const name of ['home', 'b', 'c']) assert.deepEqual([...hidden.get(name)!], [], name)
})
