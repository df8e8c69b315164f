// The console of a real peer, as a program asks it: what is done is in the log also after a restart, which is done from there, too.

import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished, test } from 'vitest'
import { freePort } from '../../src/platform/fixtures/free-port.ts'
import { until } from '../../src/platform/fixtures/until.ts'
import { startPeer } from './peer.ts'

test('a restart from the console comes back at the same address, with its log', async () => {
  const home = await mkdtemp(join(tmpdir(), 'polyhistor-console-'))
  onTestFinished(() => rm(home, { recursive: true, force: true }))
  // Not one that the system gives away while it is down.
  const { url, stop } = await startPeer(home, '--http', `localhost:${await freePort()}`)
  const token = (await readFile(join(home, 'token'), 'utf8')).trim()
  const ask = async (path: string, body?: object) => {
    const answer = await fetch(`${url}${path}`, {
      headers: { Authorization: `Bearer ${token}`, ...(body && { 'Content-Type': 'application/json' }) },
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
    })
    return { status: answer.status, json: (await answer.json()) as Record<string, never> }
  }
  const instance = async (): Promise<string> => (await ask('/api/v1')).json.instance!
  assert.equal((await fetch(`${url}/api/v1/admin/actions`)).status, 401)
  assert.equal((await ask('/api/v1/admin/actions', { action: 'pause', site: 'example.org' })).status, 200)
  assert.equal((await ask('/api/v1/admin/actions', { action: 'drain' })).status, 409)
  const before = await instance()
  assert.equal((await ask('/api/v1/admin/actions', { action: 'restart' })).status, 200)
  await until('it to come back', async () => (await instance().catch(() => before)) !== before, 100)
  const { json } = await ask('/api/v1/admin/actions')
  const actions = json.actions as unknown as {
    kind: string
    outcome: string
    by: string
    isUndoable: boolean
  }[]
  assert.deepEqual(
    actions.map(({ kind, outcome, by, isUndoable }) => [kind, outcome, by, isUndoable]),
    [
      ['restart', 'done', 'program', false],
      ['drain', 'failed', 'program', false],
      ['pause', 'done', 'program', true],
    ],
  )
  const undone = await ask('/api/v1/admin/actions/1/undo', {})
  assert.equal(undone.status, 200)
  assert.deepEqual((await ask('/api/v1/rules')).json.rules, [])
  assert.equal(await stop(), 0)
})
