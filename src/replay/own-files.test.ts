import assert from 'node:assert/strict'
import { Script } from 'node:vm'
import { test } from 'vitest'
import { ownFileSources } from '../peer/store-replay.ts'
import { OwnFiles } from './own-files.ts'
import { scopeNames } from './rewrite/script-names.ts'

test('the scripts of in-page/ are one script, in which no name stands for two things', async () => {
  const sources = await ownFileSources()
  const answer = new OwnFiles(sources).answer('/web/_/start.js', [])
  const script = Buffer.from(answer!.body as Uint8Array).toString()
  assert.doesNotThrow(() => new Script(script))
  assert.doesNotMatch(script.slice(sources.wombat.length), /^(?:import|export) /m)
})

test('made functions see the same names as stand-ins as scripts do', async () => {
  const { scopedNames } = await import(new URL('./in-page/made-functions.js', import.meta.url).href)
  assert.deepEqual(scopedNames, [...scopeNames])
})
