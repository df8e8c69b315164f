import assert from 'node:assert/strict'
import fc from 'fast-check'
import { describe, test } from 'vitest'
import { CallServices } from '../../platform/calls/call-services.ts'
import { Calls } from '../../platform/calls/calls.ts'
import { silentLog } from '../../platform/log.ts'
import { type SimulatedWorld, simulatedWorld } from '../../platform/simulated/world.ts'
import { networkNumber } from '../membership/fixtures/networks.ts'
import { readInvitation, roleOfGrant } from '../membership/invitation.ts'
import type { Role } from '../membership/role.ts'
import { InvitationDesk } from './invitation-desk.ts'
import { properties as messages } from './invitation-messages.fuzz.ts'
import type { InviteQuestion } from './invitation-messages.ts'
import { properties as statements } from './role-statement.fuzz.ts'

const { network, seed } = networkNumber(1)
const member: InviteQuestion = {
  role: 'member',
  sites: [],
  uses: 3,
  expiresAtMs: undefined,
  addresses: ['a:1'],
}
const roleOf: Record<string, Role> = { home: 'admin', admin: 'admin', curator: 'curator', liar: 'admin' }

/** `home` has the network's key; whoever asks takes these for such. */
function desks(
  threshold = 1,
  keyHolders = ['liar', 'home'],
): { world: SimulatedWorld; desks: Map<string, InvitationDesk> } {
  const world = simulatedWorld({ seed: 7 })
  const made = new Map<string, InvitationDesk>()
  const names = Object.keys(roleOf)
  for (const name of names) {
    const machine = world.machine(name)
    for (const other of names) machine.network.learn(other, [`/simulated/${other}`])
    const { clock, random } = machine
    const desk = new InvitationDesk({
      ...{ clock, random, network, self: name, log: silentLog },
      calls: new CallServices(new Calls(machine)).service('invitations'),
      networkSeed: name === 'home' ? seed : undefined,
      roles: { history: { settings: { threshold } }, keyHolders: () => keyHolders },
      members: { namedRoleOf: (peer) => ({ role: roleOf[peer]!, sites: [] }) },
    })
    made.set(name, desk)
  }
  return { world, desks: made }
}

describe('an administrator', () => {
  test('gets an invitation that the network’s key has signed, from who has it', async () => {
    const { world, desks: made } = desks()
    const untilMs = Math.floor(world.machine('home').clock.nowMs()) + 60_000
    const wanted = { ...member, role: 'curator' as const, sites: ['a.test'], expiresAtMs: untilMs }
    const text = await world.complete(made.get('admin')!.invite(wanted))
    const { admission, addresses } = readInvitation(text)
    assert.deepEqual(roleOfGrant(admission!.grant), { role: 'curator', sites: ['a.test'] })
    assert.equal(admission!.grant.tickets?.count, 3)
    assert.equal(admission!.grant.expiresAtMs, untilMs)
    assert.deepEqual(addresses, ['a:1'])
  })

  test('is told when nobody with the key is there', async () => {
    const { world, desks: made } = desks(1, ['away'])
    await assert.rejects(world.complete(made.get('admin')!.invite(member)), { code: 'role-key-away' })
  })

  test('invites no other one alone where naming takes two', async () => {
    const { world, desks: made } = desks(2)
    const admin = made.get('admin')!
    await assert.rejects(world.complete(admin.invite({ ...member, role: 'admin' })), { code: 'role-lacking' })
    assert.ok(await world.complete(admin.invite(member)))
  })

  test('does not invite without end', async () => {
    const { world, desks: made } = desks()
    for (let count = 0; count < 20; count++) await world.complete(made.get('admin')!.invite(member))
    await assert.rejects(world.complete(made.get('admin')!.invite(member)), { code: 'role-lacking' })
  })
})

test('others are refused, by themselves and where the key is', async () => {
  const { world, desks: made } = desks()
  await assert.rejects(world.complete(made.get('curator')!.invite(member)), { code: 'role-lacking' })
  roleOf.stranger = 'member'
  try {
    const { world: again, desks: others } = desks()
    const asked = others.get('admin')!
    // As `admin` believes of itself; the home knows better.
    roleOf.admin = 'admin'
    const waiting = asked.invite(member)
    roleOf.admin = 'member'
    await assert.rejects(again.complete(waiting), { code: 'role-lacking' })
  } finally {
    delete roleOf.stranger
    roleOf.admin = 'admin'
  }
})

describe('messages and statements', () => {
  for (const { name, property } of [...messages, ...statements])
    test(name, () => fc.assert(property as fc.IProperty<unknown>, { numRuns: 40, seed: 1 }))
})
