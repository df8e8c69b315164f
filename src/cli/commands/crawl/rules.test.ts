import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'vitest'
import { createHomeNetwork } from '../../../app/ring/home-network.ts'
import { exitCodes } from '../../exit-codes.ts'
import { CommandHome } from '../../fixtures/command-home.ts'
import { exportRules, importRules, listRules, removeRule, setRule } from './rules.ts'

test('rules are set, changed, listed and removed without a peer', async () => {
  const home = await CommandHome.make()
  const set = (written: object) => home.run((context) => setRule(context, [], written as never))
  assert.equal((await home.run(listRules)).output.toString(), 'There are no rules.\n')
  assert.equal((await set({ site: 'a.example', deny: true, delay: '5s' })).code, exitCodes.ok)
  const { output } = await set({ site: 'www.a.example', access: 'none', depth: '3' })
  assert.match(output.toString(), /site {2}a\.example {2}delay 5s, depth 3/)
  const wrong = await set({ site: 'a.example', delay: 'soon' })
  assert.equal(wrong.code, exitCodes.usage)
  assert.match(wrong.errors, /delay is "soon", but must be a pause such as 5s/)
  assert.equal((await set({ site: 'a.example' })).code, exitCodes.usage)
  const remove = () => home.run((context) => removeRule(context, [], { site: 'a.example' }))
  assert.equal((await remove()).code, exitCodes.ok)
  assert.equal((await remove()).code, exitCodes.notFound)
})

test('rules go into a file and come back from it; what would change is told first', async () => {
  const home = await CommandHome.make()
  const set = (written: object) => home.run((context) => setRule(context, [], written as never))
  await set({ site: 'a.example', deny: true })
  await set({ pattern: '\\.pdf$', size: '5MB' })
  const file = join(home.folder, 'rules.toml')
  assert.equal((await home.run((context) => exportRules(context, [file]))).code, exitCodes.ok)
  await set({ site: 'a.example', deny: false, access: 'none', depth: '2' })
  await set({ host: 'b.example', deny: true })
  const load = (more: object) => home.run((context) => importRules(context, [file], more))
  const told = (await load({ dryRun: true, replace: true })).output.toString()
  assert.equal(
    told,
    'would change the rule for the site a.example: deny\nwould remove the rule for the host b.example\n',
  )
  assert.equal((await load({ dryRun: true, replace: true })).output.toString(), told, 'nothing was changed')
  await load({ replace: true })
  const again = join(home.folder, 'again.toml')
  await home.run((context) => exportRules(context, [again]))
  assert.equal(await readFile(again, 'utf8'), await readFile(file, 'utf8'))
  await writeFile(file, '[[rule]]\nsite = "a.example"\nhours = "always"\n')
  const wrong = await load({})
  assert.equal(wrong.code, exitCodes.badInput)
  assert.match(wrong.errors, /Rule 1: hours is "always"/)
})

test('on a network others must hear of it, so the peer must run; not of a rule for everything', async () => {
  const home = await CommandHome.make()
  await createHomeNetwork(home.folder, 'ours', 'invited')
  const set = (written: object) => home.run((context) => setRule(context, [], written as never))
  const refused = await set({ site: 'a.example', deny: true })
  assert.equal(refused.code, exitCodes.usage)
  assert.match(refused.errors, /start its peer/)
  assert.equal((await set({ all: true, depth: '5' })).code, exitCodes.ok)
})
