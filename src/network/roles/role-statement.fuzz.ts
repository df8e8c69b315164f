// Role statements come from any member: whatever one says it is sound or refused, what is sound comes back as it was said, and any set of
// them gives one state, in whatever order they came, in which nobody has a role that the network's key did not begin.

import assert from 'node:assert/strict'
import fc from 'fast-check'
import { networkIdOf } from '../membership/archive-network.ts'
import { networkNumber } from '../membership/fixtures/networks.ts'
import { roles } from '../membership/role.ts'
import { RoleHistory } from './role-history.ts'
import { type RoleAct, readRoleStatement, roleKind, writeRoleStatement } from './role-statement.ts'
import { StatementCheck } from './statement-check.ts'

const { network, seed } = networkNumber(1)
const founder = { networkId: networkIdOf(network), seed }
const stranger = { networkId: networkIdOf(network), seed: networkNumber(2).seed }
const peers = ['a', 'b', 'c', 'd'] as const
const peer = fc.constantFrom(...peers)
const word = fc.constantFrom('a', 'b', 'c').map((letter) => letter.repeat(22))

const act: fc.Arbitrary<RoleAct> = fc.oneof(
  fc.record({
    act: fc.constant('grant' as const),
    peer,
    role: fc.constantFrom(...roles),
    sites: fc.array(fc.constant('a.test'), { maxLength: 1 }),
    keeps: fc.array(word, { maxLength: 2 }),
    reason: fc.string({ maxLength: 20 }),
  }),
  fc.record({
    act: fc.constant('revoke' as const),
    peer,
    keeps: fc.array(word, { maxLength: 2 }),
    reason: fc.string({ maxLength: 20 }),
  }),
  fc.record({ act: fc.constant('settings' as const), takedownSignatures: fc.integer({ min: 1, max: 3 }) }),
  fc.record({ act: fc.constant('settings' as const), threshold: fc.integer({ min: 1, max: 3 }) }),
  fc.record({
    act: fc.constant('overrule' as const),
    ids: fc.array(word, { minLength: 1, maxLength: 2 }),
    reason: fc.constant(''),
  }),
)

/** One after the other: by whom, with which key, what, and after and by which of those before it. */
const step = fc.record({
  author: peer,
  key: fc.constantFrom('none', 'false', 'true'),
  what: act,
  place: fc.nat(),
  right: fc.nat(),
})

function spoken(
  steps: readonly (typeof step extends fc.Arbitrary<infer Step> ? Step : never)[],
  isFounders: boolean,
) {
  const said: { peer: string; name: string; value: Uint8Array }[] = []
  for (const { author, key, what, place, right } of steps) {
    if (key === 'true' && !isFounders) continue
    const after = said.length === 0 ? [] : [said[place % said.length]!.name]
    const by = said.length === 0 ? 'x'.repeat(22) : said[right % said.length]!.name
    const signing = { none: undefined, false: stranger, true: founder }[key as 'none' | 'false' | 'true']
    const value = writeRoleStatement({ after, atMs: 1, what, ...(signing === undefined && { by }) }, signing)
    const statement = readRoleStatement(author, value)
    assert(typeof statement !== 'string', String(statement))
    said.push({ peer: author, name: statement.id, value })
  }
  return said
}

function historyOf(said: ReturnType<typeof spoken>): RoleHistory {
  const check = new StatementCheck(network)
  return new RoleHistory(said.map((each) => check.check(each)).filter((each) => each !== undefined))
}

export const properties = [
  {
    name: 'a role statement comes back as it was said',
    property: fc.property(act, peer, (what, author) => {
      const value = writeRoleStatement({ after: [], by: 'x'.repeat(22), atMs: 5, what })
      const read = readRoleStatement(author, value)
      assert(typeof read !== 'string')
      assert.deepEqual(read.what, { ...what })
      const announced = { kind: 'role', name: read.id, value, peer: author, version: 1 }
      assert.equal(roleKind.fault(announced as Parameters<typeof roleKind.fault>[0]), undefined)
    }),
  },
  {
    name: 'whatever else comes is refused with a reason',
    property: fc.property(fc.oneof(fc.json(), fc.string()), peer, (text, author) => {
      const read = readRoleStatement(author, Buffer.from(text))
      assert(typeof read === 'string' || read.author === author)
    }),
  },
  {
    name: 'the same statements give the same roles in any order',
    property: fc.property(fc.array(step, { maxLength: 12 }), fc.nat(), (steps, turn) => {
      const said = spoken(steps, true)
      const at = said.length === 0 ? 0 : turn % said.length
      const [one, other] = [historyOf(said), historyOf([...said.slice(at), ...said.slice(0, at)].reverse())]
      for (const name of peers) assert.deepEqual(one.roleOf(name), other.roleOf(name))
      assert.deepEqual(one.settings, other.settings)
      for (const { name } of said) assert.equal(one.standingOf(name), other.standingOf(name))
    }),
  },
  {
    name: 'without the network’s key nobody gets or loses a role',
    property: fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
      const history = historyOf(spoken(steps, false))
      for (const name of peers) assert.equal(history.roleOf(name), undefined)
      assert.equal(history.hasBegun, false)
      assert.deepEqual(history.revoked(), [])
    }),
  },
]
