import assert from 'node:assert/strict'
import { test } from 'vitest'
import type { RingKey } from '../../model/ring-key.ts'
import { silentLog } from '../../platform/log.ts'
import type { PeerId } from '../../platform/network/network.ts'
import { simulatedWorld } from '../../platform/simulated/world.ts'
import { forgottenMs, ProbationRecords, recordsMax } from './probation-records.ts'
import { ProbationWatch, shownMin } from './probation-watch.ts'
import type { Vouches } from './vouches.ts'

const hourMs = 3_600_000
const dayMs = 24 * hourMs
const probationMs = 2 * dayMs
const place = 'a'.repeat(40) as RingKey
const arc = { after: '1'.repeat(40) as RingKey, upTo: place }

async function watching(given: { near?: boolean } = {}) {
  const world = simulatedWorld({ seed: 1 })
  const { clock, keyValues } = world.machine('a')
  const keyValue = await world.complete(keyValues.open('/home/audits', { hasJournal: true }))
  const state = {
    onProbation: new Set<PeerId>(['new']),
    excluded: new Set<PeerId>(),
    gone: new Set<PeerId>(),
    words: new Map<PeerId, boolean>(),
    isBarred: false,
  }
  const open = () => {
    const watch = new ProbationWatch({
      records: new ProbationRecords({ clock, keyValue }),
      members: {
        isBarred: () => state.isBarred,
        isOnProbation: (peer) => state.onProbation.has(peer),
        probationMs: () => probationMs,
      },
      scores: { isExcluded: (peer) => state.excluded.has(peer) },
      places: {
        self: 'self',
        isGone: (peer) => state.gone.has(peer),
        fullSet: () => (given.near === false ? ['b', 'c'] : ['b', 'self']),
        arcUpTo: () => arc,
      },
      placeOf: () => place,
      clock,
      log: silentLog,
    })
    watch.open({
      own: () => [...state.words].filter(([, isSo]) => isSo).map(([peer]) => peer),
      say: async (peer: PeerId, isSo: boolean) => void state.words.set(peer, isSo),
      hasPlaces: (peer: PeerId) => !state.onProbation.has(peer),
      vouchersOf: () => [],
    } as unknown as Vouches)
    return watch
  }
  const watch = open()
  /** As many rounds of audits, one an hour. */
  const rounds = async (count: number, isShown: (round: number) => boolean, by = watch) => {
    for (let round = 0; round < count; round++) {
      await world.advance(hourMs)
      await world.complete(by.audited('new', isShown(round)))
    }
  }
  return { world, watch, state, rounds, open }
}

test('a newcomer that showed its copies for as long as it had to is vouched for, and not before', async () => {
  const { world, watch, state, rounds } = await watching()
  assert.deepEqual(watch.spares(), [])
  await world.complete(watch.heard('new'))
  assert.deepEqual(watch.spares(), [{ peer: 'new', arc }])
  await rounds(48, () => true)
  assert.equal(state.words.get('new'), undefined)
  await rounds(2, () => true)
  assert.equal(state.words.get('new'), true)
})

test('time before it has fetched its copies counts neither for nor against it', async () => {
  const { world, watch, state, rounds } = await watching()
  await world.complete(watch.heard('new'))
  await rounds(60, () => false)
  assert.equal(watch.views()[0]!.asked, 0)
  await rounds(49, () => true)
  assert.equal(state.words.get('new'), true)
})

test('one that is there too seldom is not vouched for', async () => {
  const { world, watch, state, rounds } = await watching()
  await world.complete(watch.heard('new'))
  await rounds(100, (round) => round % 4 !== 3)
  assert.equal(state.words.get('new'), undefined)
  // From three of four to four of five.
  await rounds(40, () => true)
  assert.equal(state.words.get('new'), true)
})

test('a few good answers in a long time are not enough', async () => {
  const { world, watch, state } = await watching()
  await world.complete(watch.heard('new'))
  for (let shown = 1; shown < shownMin; shown++) {
    await world.complete(watch.audited('new', true))
    await world.advance(probationMs)
  }
  await world.complete(watch.look())
  assert.equal(state.words.get('new'), undefined)
  await world.complete(watch.audited('new', true))
  assert.equal(state.words.get('new'), true)
})

test('what was seen is known after a restart', async () => {
  const { world, watch, state, rounds, open } = await watching()
  await world.complete(watch.heard('new'))
  await rounds(40, () => true)
  await world.complete(watch.close())
  await rounds(10, () => true, open())
  assert.equal(state.words.get('new'), true)
})

test('who fails as a keeper, or is gone for good, loses the word and begins anew', async () => {
  for (const fade of ['excluded', 'gone'] as const) {
    const { world, watch, state, rounds } = await watching()
    await world.complete(watch.heard('new'))
    await rounds(50, () => true)
    state.onProbation.delete('new')
    await world.advance(hourMs)
    state[fade].add('new')
    await world.complete(watch.look())
    assert.equal(state.words.get('new'), false, fade)
    state.onProbation.add('new')
    state[fade].delete('new')
    assert.deepEqual(watch.spares(), [])
    await world.complete(watch.look())
    assert.equal(state.words.get('new'), false, fade)
  }
})

test('who was given up, came back and proved itself anew is not given up again for its old absence, unless it does not join', async () => {
  const { world, watch, state, rounds } = await watching()
  // Who has no place on the ring stays missed there.
  state.gone.add('new')
  await world.complete(watch.heard('new'))
  await rounds(50, () => true)
  state.onProbation.delete('new')
  await world.complete(watch.look())
  assert.equal(state.words.get('new'), true)
  await world.advance(hourMs)
  await world.complete(watch.look())
  assert.equal(state.words.get('new'), false)
})

test('only who is on probation and near is looked after, at most so many, and none for ever', async () => {
  const far = await watching({ near: false })
  await far.world.complete(far.watch.heard('new'))
  assert.deepEqual(far.watch.spares(), [])
  const { world, watch, state } = await watching()
  await world.complete(watch.heard('old'))
  assert.deepEqual(watch.views(), [])
  for (let number = 0; number < recordsMax + 10; number++) {
    state.onProbation.add(`new ${number}`)
    await world.complete(watch.heard(`new ${number}`))
  }
  assert.equal(watch.views().length, recordsMax)
  await world.advance(forgottenMs + 1)
  await world.complete(watch.heard('new'))
  assert.deepEqual(
    watch.views().map(({ peer }) => peer),
    ['new'],
  )
})

test('a peer that is on probation itself vouches for nobody', async () => {
  const { world, watch, state, rounds } = await watching()
  state.isBarred = true
  await world.complete(watch.heard('new'))
  await rounds(60, () => true)
  assert.equal(state.words.size, 0)
})
