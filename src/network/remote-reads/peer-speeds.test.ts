import assert from 'node:assert/strict'
import { test } from 'vitest'
import { simulatedWorld } from '../../platform/simulated/world.ts'
import { PeerSpeeds } from './peer-speeds.ts'

function speedsOf(roundTrips: Record<string, number> = {}) {
  const world = simulatedWorld({ seed: 1 })
  const { clock } = world.machine('a')
  return { world, clock, speeds: new PeerSpeeds({ clock, roundTripMs: (peer) => roundTrips[peer] }) }
}

test('the nearest by the ring is first until answers tell better', () => {
  const { speeds } = speedsOf({ near: 1, far: 90 })
  assert.deepEqual(speeds.inOrder(['unknown', 'far', 'near']), ['near', 'far', 'unknown'])
  speeds.noteAnswer('near', 500)
  assert.deepEqual(speeds.inOrder(['unknown', 'far', 'near']), ['far', 'unknown', 'near'])
})

test('who failed is last for a while', async () => {
  const { world, clock, speeds } = speedsOf({ near: 1, far: 90 })
  speeds.noteFailure('near')
  assert.deepEqual(speeds.inOrder(['near', 'far']), ['far', 'near'])
  await world.complete(clock.sleep(60_000))
  assert.deepEqual(speeds.inOrder(['near', 'far']), ['near', 'far'])
})

test('an answer makes up for a failure', () => {
  const { speeds } = speedsOf({ near: 1, far: 90 })
  speeds.noteFailure('near')
  speeds.noteAnswer('near', 2)
  assert.deepEqual(speeds.inOrder(['far', 'near']), ['near', 'far'])
})
