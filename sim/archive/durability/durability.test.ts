import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { compareWithOracle } from './comparison.ts'
import { impatient, naive, oracle, ours, placed } from './copy-rules.ts'
import { DurabilityRun, type RunOptions } from './durability-run.ts'
import { models } from './models.ts'

const { churn, storage } = models.lognormal!
const slice: RunOptions = {
  seed: '1',
  churn: { ...churn, peers: 100, years: 1 },
  storage: { ...storage, entries: 1e6, arcs: 256 },
  copies: 3,
}

describe('a year of a hundred peers', () => {
  const rules = [ours(3), placed(3), impatient(3), naive(3)]
  const [best, mine, placing, hasty, ringed] = compareWithOracle(slice, rules)

  test('loses nothing', () => {
    assert.deepEqual([best!.lost, mine!.lost, placing!.lost], [0, 0, 0])
    assert.ok(mine!.result.meanCopies > 2.95)
    assert.ok(placing!.result.meanCopies > 2.95)
  })

  test('costs less than copying for every absence, and less than following the ring', () => {
    assert.ok(3 * mine!.ratio < hasty!.ratio, `${mine!.ratio} ${hasty!.ratio}`)
    assert.ok(3 * mine!.ratio < ringed!.ratio, `${mine!.ratio} ${ringed!.ratio}`)
    assert.ok(3 * placing!.ratio < ringed!.ratio, `${placing!.ratio} ${ringed!.ratio}`)
  })

  test('finds copies where the ring looks for them, if that is where they are put', () => {
    assert.ok(mine!.result.ownerHolds < 0.8, `${mine!.result.ownerHolds}`)
    assert.ok(placing!.result.ownerHolds > 0.95, `${placing!.result.ownerHolds}`)
  })

  test('is as the model says', () => {
    assert.ok(Math.abs(best!.result.offlineShare - 0.3) < 0.05)
    // 22 of a hundred end in a year: three deviations either way.
    assert.ok(Math.abs(best!.result.ends - 22) < 15)
    assert.ok(Math.abs(best!.result.meanCopies - 3) < 0.02)
    // What ends was replaced: a hundredth of the archive's copies each.
    assert.ok(Math.abs(best!.result.traffic - (3 * best!.result.ends) / 100) < 0.25)
  })
})

describe('a run', () => {
  test('is the same for the same seed, and another for another', () => {
    const trace = (seed: string): string => new DurabilityRun({ ...slice, seed }, ours(3)).run().trace
    assert.equal(trace('7'), trace('7'))
    assert.notEqual(trace('7'), trace('8'))
  })

  test.each([ours(3), placed(3), oracle(3)])(
    'of $name is no other when the policy is asked at every event',
    (rule) => {
      const small = { ...slice, storage: { ...storage, entries: 2.5e5, arcs: 64 } }
      const rare = new DurabilityRun(small, rule).run()
      const often = new DurabilityRun({ ...small, asksAlways: true }, rule).run()
      assert.ok(often.plans > 2 * rare.plans)
      // Copies that queue are planned anew and may leave in another order, so some are cut off that were not.
      assert.ok(Math.abs(often.traffic - rare.traffic) < 0.005 * rare.traffic)
      assert.ok(Math.abs(often.meanCopies - rare.meanCopies) < 0.001)
    },
  )

  test('in which most die loses what the time at the last copy says', () => {
    const harsh = { ...slice, churn: { ...slice.churn, deathsPerYear: 12, leavesPerYear: 0.001 } }
    const [, mine] = compareWithOracle(harsh, [ours(3)])
    assert.ok(mine!.result.lostArcs > 20, `${mine!.result.lostArcs}`)
    assert.ok(mine!.lost > mine!.lostExpected / 2 && mine!.lost < mine!.lostExpected * 2)
  })

  test('in which regions are cut off has more peers away, and loses nothing', () => {
    const cut = { ...slice, churn: { ...slice.churn, regions: 5, outagesPerYear: 24 } }
    const calm = new DurabilityRun(slice, ours(3)).run()
    const stormy = new DurabilityRun(cut, ours(3)).run()
    assert.ok(stormy.offlineShare > calm.offlineShare + 0.02)
    assert.equal(stormy.lostArcs, 0)
  })
})
