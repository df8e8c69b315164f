import assert from 'node:assert/strict'
import { test } from 'vitest'
import { SiteLoads } from './site-loads.ts'

const site = Buffer.from('0123456789abcdef', 'hex')
const name = '0123456789abcdef'
const minuteMs = 60_000

test('a site that is fetched from steadily has the load of ten minutes, and none a while after', () => {
  const loads = new SiteLoads()
  for (let page = 0; page < 3_600; page++) loads.note(site, 1_000 * page)
  const measured = loads.loads([], 3_600_000).get(name)!
  assert(Math.abs(measured - 600) < 10, String(measured))
  assert(loads.loads([], 3_600_000 + 30 * minuteMs).get(name)! < 35)
  loads.loads([], 3_600_000 + 200 * minuteMs)
  assert.equal(loads.loads([], 3_600_000 + 200 * minuteMs).size, 0)
})

test('what waits counts where that is more, as far as the hosts give it in that time', () => {
  const loads = new SiteLoads()
  loads.note(site, 0)
  const queue = (pending: number, delayMs: number) => ({ site, pending, delayMs })
  assert.equal(loads.loads([queue(40, 1_000)], 0).get(name), 40)
  assert.equal(loads.loads([queue(10_000, 1_000)], 0).get(name), 600)
  assert.equal(loads.loads([queue(10_000, 1_000), queue(10_000, 5_000)], 0).get(name), 720)
  assert.equal(loads.loads([], 0).get(name), 1)
})
