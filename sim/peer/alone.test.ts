import assert from 'node:assert/strict'
import { test } from 'vitest'
import { WholeNetwork } from './whole-network.ts'

test('a network of one peer crawls and ends', async () => {
  const network = await WholeNetwork.start({ seed: 'alone', peers: 1, copies: 1 })
  network.web.serve('a.example', () => ({ body: 'here' }))
  const { id } = await network.startJob('peer-0', ['http://a.example/'], 'page')
  await network.until('the job', async () => (await network.job('peer-0', id)).state === 'done')
  assert.equal(String(await network.read('peer-0', '/web/2030id_/http://a.example/')), 'here')
  await network.end()
  assert.deepEqual(network.faults, [])
})
