import assert from 'node:assert/strict'
import { test } from 'vitest'
import { roleAttacks, runRoleAttacks } from './role-attacks.ts'

test('a member that forges, replays and borrows rights changes nothing on whole honest peers', {
  timeout: 600_000,
}, async () => {
  const held = await runRoleAttacks('1')
  assert.deepEqual(
    Object.keys(held),
    roleAttacks.map(({ name }) => name),
  )
})
