import assert from 'node:assert/strict'
import { test } from 'vitest'
import { runSeeds, seedsFrom } from '../seeds.ts'
import { runLeasesCampaign } from './campaign.ts'

test('no site has two lease holders, whatever happens, and each has one afterwards', async () => {
  await runSeeds('leases --minutes 3', seedsFrom(1, 5), (seed) => runLeasesCampaign(seed, { minutes: 3 }))
})

test('one member that lies all the time keeps no site from its lease holder', async () => {
  await runSeeds('liar --minutes 2', seedsFrom(1, 5), (seed) =>
    runLeasesCampaign(seed, { minutes: 2, hasLiar: true }),
  )
})

test('the same seed gives the same run', async () => {
  const run = () => runLeasesCampaign('again', { minutes: 2, hasLiar: true })
  assert.deepEqual(await run(), await run())
})
