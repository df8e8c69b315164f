// Six real peers crawl a web together, in trouble for two minutes. `npm run torture -- network` does it for longer.

import assert from 'node:assert/strict'
import { test } from 'vitest'
import { tortureNetwork } from './network-torture.ts'

test('nothing is lost and no site is pressed while peers are killed, paused, wiped, removed and added', {
  timeout: 2_400_000,
}, async () => {
  const seed = 'network'
  const told: string[] = []
  const tell = (sentence: string): void => void told.push(sentence)
  const torture = { seed, minutes: 2, peers: 6, sites: 8, pages: 60, delayMs: 1_000, tell }
  const story = (): string => `what happened:\n${told.join('\n')}\n`
  const { failures } = await tortureNetwork(torture).catch((error: Error) => {
    throw new Error(`${error.message}\n${story()}`, { cause: error })
  })
  assert.equal(failures.length, 0, `${failures.join('\n')}\n${story()}`)
})
