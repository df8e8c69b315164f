import assert from 'node:assert/strict'
import { Script } from 'node:vm'
import { test } from 'vitest'
import { ownFileSources } from '../app/pages/store-replay.ts'
import { OwnFiles } from './own-files.ts'
import { scopeNames } from './rewrite/script-names.ts'

test.each(['start.js', 'worker.js'])(
  '%s is one script, in which no name stands for two things',
  async (name) => {
    const sources = await ownFileSources()
    const answer = new OwnFiles(sources).answer(`/web/_/${name}`, [])
    const script = Buffer.from(answer!.body as Uint8Array).toString()
    const { length } = name === 'start.js' ? sources.wombat : sources.wombatWorkers
    assert.doesNotThrow(() => new Script(script))
    assert.doesNotMatch(script.slice(length), /^(?:import|export) /m)
  },
)

test('made functions see the same names as stand-ins as scripts do', async () => {
  const { scopedNames } = await import(new URL('./in-page/made-functions.js', import.meta.url).href)
  assert.deepEqual(scopedNames, [...scopeNames])
})
