import assert from 'node:assert/strict'
import { onTestFinished, test } from 'vitest'
import { NetworkLife } from './life.ts'
import { networkLimitsDefault } from './limits.ts'
import type { Connection } from './node.ts'

const beatMs = 1_000
const silenceMsMax = 4_000

/** One peer on one stream, heard at 0; the test says what time it is. */
function watched() {
  const seen = { beats: 0, isCut: false }
  const connection = { abort: () => void (seen.isCut = true) } as unknown as Connection
  const wire = { connection, channel: 'control', heardAtMs: 0, beat: () => void seen.beats++ } as const
  const life = new NetworkLife(
    { connections: () => [], wires: () => [wire], isAdmitted: () => true, usedAtMs: () => 0 },
    { ...networkLimitsDefault, beatMs, silenceMsMax },
    0,
  )
  onTestFinished(() => life.end())
  return { life, seen, wire: wire as { heardAtMs: number } }
}

test('who answers beats is kept, however long it says nothing else', () => {
  const { life, seen, wire } = watched()
  for (let nowMs = beatMs; nowMs < 20 * silenceMsMax; nowMs += beatMs) {
    const { beats } = seen
    life.beat(nowMs)
    if (seen.beats > beats) wire.heardAtMs = nowMs + 1
  }
  assert.equal(seen.isCut, false)
})

test('who answers nothing is asked, and cut off when it was silent for too long', () => {
  const { life, seen } = watched()
  for (let nowMs = beatMs; nowMs <= silenceMsMax; nowMs += beatMs) life.beat(nowMs)
  assert.deepEqual(seen, { beats: 4, isCut: false })
  life.beat(silenceMsMax + beatMs)
  assert.equal(seen.isCut, true)
})

test('time in which our own process stood still counts as nobody’s silence', () => {
  const { life, seen } = watched()
  life.beat(beatMs)
  const awakeMs = 100 * silenceMsMax
  for (let nowMs = awakeMs; nowMs <= awakeMs + silenceMsMax; nowMs += beatMs) life.beat(nowMs)
  assert.equal(seen.isCut, false)
  life.beat(awakeMs + silenceMsMax + beatMs)
  assert.equal(seen.isCut, true)
})
