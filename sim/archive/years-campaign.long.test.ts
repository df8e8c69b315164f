import assert from 'node:assert/strict'
import { test } from 'vitest'
import { runYears } from './years-campaign.ts'

test('an archive loses nothing that was promised in a while of its life', { timeout: 300_000 }, async () => {
  const figures = await runYears({ seed: '1', years: 0.05, peers: 8 })
  assert.equal(figures.lostBeyondPromise, 0)
  assert.ok(figures.acknowledged > 20)
  assert.ok(figures.sessions > 20)
})
