import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { type PlanInputs, planArchive } from './archive-plan.ts'
import { planPresets } from './plan-presets.ts'

const today: PlanInputs = planPresets.today

/** The thesis rounds on its way. */
function assertNear(value: number, expected: number, share = 0.03): void {
  assert.ok(Math.abs(value / expected - 1) <= share, `${value} is not ${expected}`)
}

describe('the plan of the Herodotus thesis', () => {
  const plan = planArchive(planPresets.herodotus)

  test('has its sizes and its 20,000 peers (3.2, 6.1.1)', () => {
    assertNear(plan.bytes.firstCrawl, 56e12)
    assertNear(plan.bytes.perMonth, 17.5e12)
    assertNear(plan.bytes.once, 213.5e12)
    assertNear(plan.bytes.withCopies, 1281e12)
    assertNear(plan.peersMin, 12_810)
    assert.equal(plan.peers, 20_000)
    assert.equal(plan.limitedBy, 'disk')
    assertNear(plan.perPeer.urls, 177_000)
  })

  test('has its traffic: 15 and 53 kbit/s to crawl, 90 and 203 with repair (6.1.2)', () => {
    assertNear(plan.perPeer.requestsPerDay, 1_062_000)
    assert.equal(Math.round(plan.perPeer.crawl.up), 15)
    assert.equal(Math.round(plan.perPeer.crawl.down), 53)
    assertNear(plan.perPeer.total.up, 90)
    assertNear(plan.perPeer.total.down, 203)
  })

  test('loses 0.013 % with a peer that leaves (6.1.3)', () => {
    assertNear(plan.lossPerDeparture, 0.00013)
    assert.equal(plan.shortage, undefined)
  })

  test('needs 3,000 peers for pages alone with three copies, 6,000 with six (6.2)', () => {
    const light = planPresets['herodotus-light']
    assert.equal(planArchive(light).peers, 3_000)
    assert.equal(planArchive({ ...light, copies: 6 }).peers, 6_000)
    assertNear(planArchive(light).bytes.once, 96e12)
  })
})

describe('a plan', () => {
  test('has at least as many peers as copies, however little there is', () => {
    const few = { ...today.pages, count: 10 }
    const plan = planArchive({ ...today, pages: few, parts: few })
    assert.deepEqual([plan.peers, plan.limitedBy], [3, 'copies'])
  })

  test('has more peers where lines are what is lacking', () => {
    const slow = planArchive({ ...today, line: { upKbit: 20, downKbit: 100 } })
    assert.equal(slow.limitedBy, 'line')
    assert.ok(slow.peers > planArchive(today).peers)
  })

  test('repairs as fast as the lines allow, and says when they cannot', () => {
    const plan = planArchive(today)
    assert.ok(plan.perPeer.total.up <= today.line.upKbit)
    assert.ok(plan.perPeer.total.down <= today.line.downKbit)
    assert.equal(plan.shortage, undefined)
    assert.match(planArchive({ ...today, repairDays: 0.01 }).shortage ?? '', /more days for repair/)
  })

  test('loses less with more copies, and with faster repair', () => {
    const loss = (change: Partial<PlanInputs>) =>
      planArchive({ ...today, repairDays: 5, ...change }).lossPerYear
    assert.ok(loss({ copies: 4 }) < loss({}) / 10)
    assert.ok(loss({ repairDays: 1 }) < loss({}) / 10)
    assert.ok(loss({ stayDays: 5, copies: 2 }) > 0.99)
  })
})
