import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { silentLog } from '../../platform/log.ts'
import { SimulatedClock } from '../../platform/simulated/clock.ts'
import { Simulation } from '../../platform/simulated/simulation.ts'
import type { Compaction } from './share-compaction.ts'
import { ShareGuard } from './share-guard.ts'

describe('a share that is full', () => {
  test('is compacted again when more has died, though it was in vain a moment ago', async () => {
    const simulation = new Simulation({ seed: 'share' })
    const clock = new SimulatedClock({ simulation })
    let deadBytes = 100
    const tried: (number | undefined)[] = []
    const compact = async (
      _isFull: boolean,
      triedBytes: number | undefined,
    ): Promise<Compaction | undefined> => {
      tried.push(triedBytes)
      if (triedBytes !== undefined && deadBytes <= triedBytes) return undefined
      return { deadBytes, freedBytes: deadBytes > 500 ? 400 : 0 }
    }
    const share = { state: async () => ({ state: 'full' as const, usedBytes: 1_000, shareBytes: 1_000 }) }
    const ring = { giveUpPosition: () => false }
    const guard = new ShareGuard({ share, ring, compact, clock, log: silentLog })
    guard.start()
    await simulation.advance(40_000)
    assert.deepEqual(tried, [undefined, 100, 100])
    deadBytes = 900
    await simulation.advance(15_000)
    // It made room: the next look begins anew.
    await simulation.advance(15_000)
    assert.deepEqual(tried, [undefined, 100, 100, 100, undefined])
    await guard.close()
  })
})
