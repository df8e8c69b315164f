import assert from 'node:assert/strict'
import { test } from 'vitest'
import { PolyhistorError } from '../../errors.ts'
import { ringKeyOf } from '../../model/ring-key.ts'
import { simulatedWorld } from '../../platform/simulated/world.ts'
import { logStart } from './log-position.ts'
import { ReplicationStream } from './replication-stream.ts'
import type { SiteFrontier } from './site-frontier.ts'
import { siteTermsDefault } from './site-terms.ts'
import { siteQuestion } from './wire/questions.ts'
import { siteBatchAnswers } from './wire/site-batch.ts'

const site = ringKeyOf('site')
const other = ringKeyOf('other')
const tenure = { epoch: 1, since: 1, established: 0 }
const { shipMs, hurriedMs } = siteTermsDefault

/** A replication stream, and what came out of it: when, and which entries. */
function setting() {
  const world = simulatedWorld({ seed: 1 })
  const { clock, random } = world.machine('a')
  const startMs = clock.monotonicMs()
  const messages: { atMs: number; names: string[] }[] = []
  const state = { isAway: false }
  const stream = new ReplicationStream(
    {
      clock,
      random,
      frontier: { jobIdIn: () => undefined } as unknown as SiteFrontier,
      ask: async (_, bytes) => {
        const question = siteQuestion.decode(bytes)
        assert(question.kind === 'ship')
        const names = question.shipment.batches.flatMap(({ entries }) => entries.map(([name]) => name))
        messages.push({ atMs: clock.monotonicMs() - startMs, names })
        if (state.isAway) throw new PolyhistorError('peer-away', 'It does not answer')
        return siteBatchAnswers.encode(question.shipment.batches.map(() => ({ kind: 'taken' })))
      },
      onAck: () => {},
      onSuperseded: () => {},
      onUnknownLease: () => {},
      onSilent: () => {},
      onSent: () => {},
    },
    'member',
    siteTermsDefault,
  )
  let sequence = 0
  const change = (name: string, of = site): void =>
    stream.note({ site: of, position: { epoch: 1, sequence: ++sequence }, entries: new Map([[name, '1']]) })
  for (const one of [site, other]) stream.begin(one, tenure, logStart)
  return { world, stream, messages, change, state }
}

test('changes of all sites that nobody waits for go together', async () => {
  const { world, messages, change } = setting()
  change('a')
  await world.advance(shipMs / 2)
  change('b', other)
  await world.advance(2 * shipMs)
  assert.deepEqual(messages, [{ atMs: shipMs, names: ['a', 'b'] }])
})

test('a change that somebody waits for goes at once', async () => {
  const { world, stream, messages, change } = setting()
  change('a')
  stream.flushSoon()
  await world.advance(1)
  assert.deepEqual(messages, [{ atMs: 0, names: ['a'] }])
})

test('many who wait one after the other share messages', async () => {
  const { world, stream, messages, change } = setting()
  for (let count = 0; count < 10; count++) {
    change(`${count}`)
    stream.flushSoon()
    await world.advance(hurriedMs / 5)
  }
  await world.advance(shipMs)
  assert.deepEqual(
    messages.map(({ atMs, names }) => [atMs, names.length]),
    [
      [0, 1],
      [hurriedMs, 4],
      [2 * hurriedMs, 5],
    ],
  )
})

test('what is rushed does not wait for what went just before', async () => {
  const { world, stream, messages, change } = setting()
  for (const name of ['a', 'b']) {
    change(name)
    stream.flushNow()
    await world.advance(hurriedMs / 5)
  }
  assert.deepEqual(
    messages.map(({ atMs }) => atMs),
    [0, hurriedMs / 5],
  )
})

test('who does not answer is not asked more often for what changes meanwhile', async () => {
  const { world, stream, messages, change, state } = setting()
  state.isAway = true
  for (let count = 0; count < 100; count++) {
    change(`${count}`)
    stream.flushSoon()
    await world.advance(hurriedMs)
  }
  assert.ok(messages.length < 15, `${messages.length} messages`)
  state.isAway = false
  await world.advance(20_000)
  assert.equal(messages.at(-1)!.names.length, 100)
})
