import assert from 'node:assert/strict'
import { test } from 'vitest'
import { runSeeds, seedsFrom } from '../seeds.ts'
import { runRolesCampaign } from './campaign.ts'

test('partitions during revocations and changes of roles end in one state, by rule', async () => {
  const figures = await runSeeds('roles', seedsFrom(1, 10), runRolesCampaign)
  const sum = (name: string) => figures.reduce((total, each) => total + Number(each[name]), 0)
  assert(
    sum('cuts') > 0 && sum('void') > 0 && sum('backdated') > 0 && sum('revoked') > 0 && sum('hidden') > 0,
  )
})
