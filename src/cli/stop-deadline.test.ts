import assert from 'node:assert/strict'
import { test } from 'vitest'
import { simulatedWorld } from '../platform/simulated/world.ts'
import { stopDeadline } from './stop-deadline.ts'

function started(waitMs: number) {
  const world = simulatedWorld({ seed: 1 })
  const stop = new AbortController()
  const ends: string[] = []
  const needs = { clock: world.machine('a').clock, end: () => ends.push('ended') }
  return { world, stop, ends, callOff: stopDeadline(needs, stop.signal, waitMs) }
}

test('a stop that does not come to an end is ended, counted from when it was asked for', async () => {
  const { world, stop, ends } = started(10_000)
  await world.advance(60_000)
  assert.deepEqual(ends, [])
  stop.abort()
  await world.advance(9_999)
  assert.deepEqual(ends, [])
  await world.advance(1)
  assert.deepEqual(ends, ['ended'])
})

test('one that did is not, whether it was asked for or came by itself', async () => {
  for (const isAsked of [true, false]) {
    const { world, stop, ends, callOff } = started(10_000)
    if (isAsked) stop.abort()
    callOff()
    stop.abort()
    await world.advance(60_000)
    assert.deepEqual(ends, [])
  }
})
