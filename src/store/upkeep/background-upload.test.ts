import assert from 'node:assert/strict'
import { test } from 'vitest'
import { silentLog } from '../../platform/log.ts'
import { simulatedWorld } from '../../platform/simulated/world.ts'
import { BackgroundUpload } from './background-upload.ts'
import type { TransferReport } from './volume-transfer.ts'

test('closed volumes are uploaded every minute, and after a failure only every ten', async () => {
  const world = simulatedWorld({ seed: 1 })
  const { clock } = world.machine('a')
  const left = { volume: 1, path: '/a.warc.gz', reason: 'the bucket is away' }
  let report: TransferReport | undefined = { volumes: 1, bytes: 1, left: [] }
  let uploads = 0
  const store = {
    uploadClosed: async () => {
      uploads++
      return report
    },
  }
  const background = new BackgroundUpload({ store, clock, log: silentLog })
  background.start()
  await world.simulation.advance(1)
  assert.equal(uploads, 1)
  await world.simulation.advance(5 * 60_000)
  assert.equal(uploads, 6)
  report = { volumes: 0, bytes: 0, left: [left] }
  await world.simulation.advance(60_000)
  assert.equal(uploads, 7)
  await world.simulation.advance(9 * 60_000)
  assert.equal(uploads, 7)
  await world.simulation.advance(60_000)
  assert.equal(uploads, 8)
  await world.complete(background.close())
  await world.simulation.advance(3_600_000)
  assert.equal(uploads, 8)
})
