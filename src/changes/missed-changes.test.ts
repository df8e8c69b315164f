import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { test } from 'vitest'
import { missedChanges } from './missed-changes.ts'
import { noteSighting, type PageState, type Sighting } from './page-state.ts'

function seen(atMs: number, body: string, status = 200): Sighting {
  const digest = { algorithm: 'sha256', bytes: hash('sha256', body, 'buffer') } as const
  const id = hash('sha256', `${atMs}`, 'buffer').subarray(0, 16)
  return { id, atMs, status, mime: 'text/html', digest, bytes: body.length }
}

/** What is missed when these were told, in this order, and all of these are kept. */
function missed(told: readonly Sighting[], kept: readonly Sighting[], times = { fromMs: 0, toMs: 1e6 }) {
  let state: PageState | undefined
  const ids = new Set<string>()
  for (const sighting of told) {
    const noted = noteSighting(state, sighting)
    state = noted.state
    if (noted.change) ids.add(Buffer.from(noted.change.id).toString('hex'))
  }
  const isTold = (id: Uint8Array) => ids.has(Buffer.from(id).toString('hex'))
  const captures = kept.toSorted((one, other) => one.atMs - other.atMs)
  const { changes, state: after } = missedChanges(state!, { captures }, isTold, times)
  return { kinds: changes.map(({ kind, atMs }) => `${kind} ${atMs}`), stateAtMs: after.atMs, changes }
}

const a = seen(100, 'a')
const b = seen(200, 'b')
const c = seen(300, 'c')

test('nothing is missed of what was told', () => {
  assert.deepEqual(missed([a, b, c], [a, b, c]).kinds, [])
  assert.deepEqual(missed([a, seen(200, 'a'), c], [a, seen(200, 'a'), c]).kinds, [])
})

test('a capture whose copy came after the next visit is told late, and the state stays', () => {
  const { kinds, stateAtMs, changes } = missed([a, c], [a, b, c])
  assert.deepEqual([kinds, stateAtMs], [['changed 200'], 300])
  assert.deepEqual(changes[0]!.digestBefore, a.digest)
  const gone = seen(300, '', 404)
  assert.deepEqual(missed([a, gone], [a, b, gone]).kinds, ['changed 200'])
})

test('what was seen before a visit that showed the same is not told again', () => {
  const same = seen(200, 'c')
  assert.deepEqual(missed([a, c], [a, same, c]).kinds, [])
})

test('what is newer than the last event is told in order, and the state goes on', () => {
  const { kinds, stateAtMs } = missed([a], [a, b, seen(250, '', 503), seen(260, 'a'), c])
  assert.deepEqual([kinds, stateAtMs], [['changed 200', 'changed 260', 'changed 300'], 300])
})

test('failed visits are not counted once more', () => {
  const errors = [110, 120, 130, 140].map((atMs) => seen(atMs, '', 500))
  assert.deepEqual(
    missed([a, ...errors], [a, ...errors, ...[150, 160].map((atMs) => seen(atMs, '', 500))]).kinds,
    [],
  )
})

test('captures of other times than those that can be judged are left alone', () => {
  assert.deepEqual(missed([a, c], [a, b, c], { fromMs: 201, toMs: 1e6 }).kinds, [])
  assert.deepEqual(missed([a], [a, b, c], { fromMs: 0, toMs: 300 }).kinds, ['changed 200'])
})
