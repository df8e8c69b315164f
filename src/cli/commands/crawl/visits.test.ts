import assert from 'node:assert/strict'
import { test } from 'vitest'
import { createHomeNetwork } from '../../../app/ring/home-network.ts'
import { exitCodes } from '../../exit-codes.ts'
import { CommandHome } from '../../fixtures/command-home.ts'
import { plannedVisits } from './visits.ts'

const limit = 10

test('rules are changed without a peer, and shown', async () => {
  const home = await CommandHome.make()
  const change = { limit, site: 'a.example', every: '1d' }
  const { code, output, errors } = await home.run((context) => plannedVisits(context, [], change))
  assert.equal(code, exitCodes.ok, errors)
  assert.match(output.toString(), /Rule: the site a\.example: every 1h to 1d/)
})

test('on a network others must hear of a rule for a site, so the peer must run; not of one for everything', async () => {
  const home = await CommandHome.make()
  await createHomeNetwork(home.folder, 'ours', 'invited')
  const run = (more: object) => home.run((context) => plannedVisits(context, [], { limit, ...more }))
  const refused = await run({ site: 'a.example', stop: true })
  assert.equal(refused.code, exitCodes.usage)
  assert.match(refused.errors, /start its peer/)
  assert.equal((await run({ all: true, stop: true })).code, exitCodes.ok)
  assert.match(
    (await run({})).output.toString(),
    /^No visits are planned\.\nRule: everything: not visited again\n$/,
  )
})
