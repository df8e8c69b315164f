import assert from 'node:assert/strict'
import fc from 'fast-check'
import { describe, test } from 'vitest'
import { ringKeyOf } from '../../model/ring-key.ts'
import { simulatedWorld } from '../../platform/simulated/world.ts'
import { type AuditedCaptures, runChain } from './audit-chain.ts'
import { auditDeadlineMs } from './audit-deadline.ts'
import { AuditHandler } from './audit-handler.ts'
import { properties } from './audit-messages.fuzz.ts'
import { auditAnswer, auditQuestion } from './audit-messages.ts'
import { planRound } from './audit-plan.ts'
import { type AuditOutcome, AuditScores } from './audit-scores.ts'
import { countedPlaces } from './counted-places.ts'

const keys = Array.from({ length: 64 }, (_, index) => Buffer.alloc(40, index + 1))

function capturesWith(
  stretch: AuditedCaptures['stretch'] = async (key, at) => Buffer.from(`${key.toString()} ${at % 100}`),
): AuditedCaptures & { reads: number } {
  const captures = {
    reads: 0,
    sizeOf: () => 10_000,
    stretch: (key: Uint8Array, at: number, bytesMax: number) => {
      captures.reads++
      return stretch(key, at, bytesMax)
    },
  }
  return captures
}

const chain = { prover: 'p', nonce: Buffer.alloc(16, 7), steps: 32, keys }

describe('the chain of an audit', () => {
  test('comes out the same for whoever has the same bytes, and otherwise for another nonce or prover', async () => {
    const { digest } = await runChain(capturesWith(), chain)
    assert.deepEqual((await runChain(capturesWith(), chain)).digest, digest)
    for (const other of [
      { ...chain, prover: 'q' },
      { ...chain, nonce: Buffer.alloc(16, 8) },
      { ...chain, keys: keys.slice(1) },
    ])
      assert.notDeepEqual((await runChain(capturesWith(), other)).digest, digest)
  })

  test('takes one read for each step, one after the other', async () => {
    let underWay = 0
    const captures = capturesWith(async (key) => {
      assert.equal(++underWay, 1)
      await Promise.resolve()
      underWay--
      return key
    })
    await runChain(captures, chain)
    assert.equal(captures.reads, 32)
  })

  test('goes without what cannot be read, and says so: then the other side comes to the same', async () => {
    const rotten = keys[5]!
    const partly = capturesWith(async (key, at) => (key === rotten ? undefined : Buffer.from([at % 256])))
    const whole = capturesWith(async (_, at) => Buffer.from([at % 256]))
    for (let nonce = 0; nonce < 20; nonce++) {
      const asked = { ...chain, nonce: Buffer.alloc(16, nonce) }
      const shown = await runChain(partly, asked)
      assert.deepEqual((await runChain(whole, asked, shown.lacking)).digest, shown.digest)
      assert(shown.lacking.size <= 1)
    }
  })

  test('owns up to nothing when too much cannot be read', async () => {
    const { lacking } = await runChain(
      capturesWith(async () => undefined),
      chain,
    )
    assert.equal(lacking.size, keys.length)
  })
})

test('the deadline leaves a slow disk time, and none to ask another for each step', () => {
  const deadlineMs = auditDeadlineMs({ steps: 32, readBytes: 32 * 30_000, roundTripMs: 60 })
  assert(deadlineMs > 60 + 32 * 35)
  assert(deadlineMs < 60 + 32 * (60 + 10))
  const slowPing = auditDeadlineMs({ steps: 32, readBytes: 0, roundTripMs: 60_000 })
  assert(slowPing < auditDeadlineMs({ steps: 32, readBytes: 0, roundTripMs: 500 }) + 1)
})

describe('scores', () => {
  async function scoresOf() {
    const world = simulatedWorld({ seed: 1 })
    const { clock, keyValues } = world.machine('a')
    const keyValue = await world.complete(keyValues.open('/audits'))
    const scores = new AuditScores({ clock, keyValue })
    const note = async (...outcomes: AuditOutcome[]) => {
      for (const outcome of outcomes) await world.complete(scores.note('p', outcome))
    }
    return { world, scores, note, again: () => new AuditScores({ clock, keyValue }) }
  }

  test('three wrong answers exclude, two do not', async () => {
    const { scores, note } = await scoresOf()
    await note('wrong', 'wrong')
    assert(!scores.isExcluded('p'))
    await note('wrong')
    assert(scores.isExcluded('p'))
  })

  test('who is late now and then, and else right, is not excluded; who always is, is', async () => {
    const { scores, note } = await scoresOf()
    for (let round = 0; round < 50; round++) await note('late', 'right', 'late', 'late', 'right', 'right')
    assert(!scores.isExcluded('p'))
    for (let round = 0; round < 6; round++) await note('late')
    assert(scores.isExcluded('p'))
  })

  test('an exclusion is remembered, ends after a day on probation, and is longer the next time', async () => {
    const { world, scores, note, again } = await scoresOf()
    await note('wrong', 'wrong', 'wrong')
    assert(again().isExcluded('p'))
    await world.advance(86_400_001)
    assert(!scores.isExcluded('p'))
    await note('wrong', 'wrong')
    assert(scores.isExcluded('p'))
    await world.advance(86_400_001)
    assert(scores.isExcluded('p'))
  })
})

test('a peer that asks too often is refused', async () => {
  const world = simulatedWorld({ seed: 1 })
  const handlers: ((from: string, bytes: Uint8Array, context: never) => unknown)[] = []
  const calls = {
    bytesMax: 1e6,
    call: async () => new Uint8Array(),
    answer: (one: never) => handlers.push(one),
  }
  const { clock } = world.machine('a')
  new AuditHandler({ self: 'a', calls, captures: capturesWith(), clock }, { bytesPerSecond: 1_000 })
  const ask = async (from: string) => {
    const question = { kind: 'challenge', nonce: Buffer.alloc(16), steps: 64, keys } as const
    const bytes = (await handlers[0]!(from, auditQuestion.encode(question), undefined as never)) as Uint8Array
    return auditAnswer.decode(bytes)
  }
  let refused = 0
  for (let count = 0; count < 200; count++)
    await ask('b').catch((error: { code: string }) => {
      assert.equal(error.code, 'audit-busy')
      refused++
    })
  assert(refused > 50)
  assert.equal((await ask('c')).kind, 'shown')
})

test('without an excluded peer the next one keeps its copies, and the first that counts sees to its arcs', () => {
  const excluded = new Set<string>()
  const arc = { after: '00', upTo: '40', replicas: ['self', 'liar', 'c'], full: ['self', 'liar', 'c'] }
  const places = countedPlaces(
    {
      self: 'self',
      ownArcs: () => [arc],
      arcsOf: (peer: string) => (peer === 'liar' ? [{ after: '40', upTo: '80' }] : []),
      fullSet: (key: string) => (key === '80' ? ['liar', 'self', 'c'] : arc.full),
      following: () => ['self', 'liar', 'c', 'd', 'e'],
      replicaSet: () => arc.replicas,
      peers: () => ['liar', 'c', 'd', 'e'],
      onChange: () => () => {},
    } as never,
    { excluded: () => [...excluded], isExcluded: (peer) => excluded.has(peer), onChange: () => () => {} },
  )
  assert.equal(places.ownArcs()[0], arc)
  excluded.add('liar')
  const [own, inherited] = places.ownArcs()
  assert.deepEqual(own!.full, ['self', 'c', 'd'])
  assert.deepEqual(inherited, {
    after: '40',
    upTo: '80',
    full: ['self', 'c', 'd'],
    replicas: ['self', 'c', 'd'],
  })
  assert.equal(places.ownArcs()[1], inherited)
  assert.deepEqual(places.replicaSet('20' as never), ['self', 'c', 'd'])
})

test('who keeps copies in the stead of an excluded peer is challenged, too', () => {
  const key = new Uint8Array(64)
  const [after, upTo] = [ringKeyOf('a'), ringKeyOf('b')].sort()
  // The arc that goes round by zero, where the key lies.
  const arc = { after: upTo!, upTo: after! }
  const excluded = new Set<string>()
  const places = {
    self: 'self',
    ownArcs: () => [],
    arcsOf: (peer: string) => (peer === 'liar' ? [arc] : []),
    fullSet: () => ['liar', 'self', 'c'],
    following: () => ['liar', 'self', 'c', 'd', 'e'],
    peers: () => ['liar', 'c', 'd', 'e'],
  } as never
  const counted = countedPlaces(places, {
    ...{ excluded: () => [...excluded], isExcluded: (peer) => excluded.has(peer), onChange: () => () => {} },
  })
  const sums = { isComplete: true, sumOf: () => ({ count: 1 }), entries: () => [{ key }] } as never
  const { random } = simulatedWorld({ seed: '1' })
  const challenged = () => {
    const round = planRound({ sums, places, counted, random, isShowable: () => true })
    return round.map(({ peer }) => peer).sort()
  }
  assert.deepEqual(challenged(), ['c', 'liar'])
  excluded.add('liar')
  assert.deepEqual(challenged(), ['c', 'd', 'liar'])
})

describe('messages', () => {
  for (const { name, property } of properties)
    test(name, () => fc.assert(property as fc.IProperty<unknown>, { numRuns: 50, seed: 1 }))
})
