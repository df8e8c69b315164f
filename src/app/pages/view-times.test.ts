import assert from 'node:assert/strict'
import { test } from 'vitest'
import { PolyhistorError } from '../../errors.ts'
import type { ArchivedCapture } from '../../model/archive.ts'
import { parseUrl } from '../../model/url/url.ts'
import { SimulatedClock } from '../../platform/simulated/clock.ts'
import { Simulation } from '../../platform/simulated/simulation.ts'
import type { Capture } from '../../store/capture.ts'
import { viewTimes } from './view-times.ts'

const url = parseUrl('http://a.test/?__wb_method=VIEW&thumbnail')
const at = (capturedAtMs: number) => ({ capturedAtMs }) as ArchivedCapture & Capture
const options = { fromMs: 0, limit: 10 }

test('pictures that others keep are told; who is late or cannot be asked is done without, and is not waited for again and again', async () => {
  const simulation = new Simulation({ seed: 'view-times' })
  const clock = new SimulatedClock({ simulation })
  let answer: () => Promise<ArchivedCapture[]> = async () => [at(1), at(2)]
  let asked = 0
  const archive = {
    async *versions() {
      asked++
      yield* await answer()
    },
  }
  const times = viewTimes({ archive, store: { versions: () => [at(1)] }, clock })
  const told = async () => [...(await times(url, options))]
  assert.deepEqual(await told(), [1, 2])
  answer = () => new Promise(() => {})
  assert.deepEqual([await simulation.complete(told()), await told(), asked], [[1], [1], 2])
  await simulation.complete(clock.sleep(5_000))
  answer = () => Promise.reject(new PolyhistorError('peer-unreachable', 'nobody there'))
  assert.deepEqual([await told(), await told(), asked], [[1], [1], 3])
  await simulation.complete(clock.sleep(5_000))
  answer = async () => [at(3)]
  assert.deepEqual(await told(), [3])
})
