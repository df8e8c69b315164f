import assert from 'node:assert/strict'
import { test } from 'vitest'
import type { RingKey } from '../../model/ring-key.ts'
import { simulatedWorld } from '../../platform/simulated/world.ts'
import { packAnswers } from './given-answers.ts'
import { HandedBundles } from './handed-bundles.ts'
import type { WireBundle } from './volunteer-messages.ts'

const site = '00'.repeat(20) as RingKey
const pace = { delayMs: 1_000, delayFactor: 5, delayMsMin: 1_000, delayMsMax: 30_000, leastMs: 0 }
const urls = [{ href: 'http://a.test/', etag: undefined, lastModified: undefined, bytesMax: 1_000 }]
const untried = packAnswers([{ kind: 'untried', index: 0, why: 'time' }])!

function handing(canCrawl = () => true) {
  const world = simulatedWorld({ seed: 1 })
  const { clock, random } = world.machine('leader')
  const handed = new HandedBundles({ clock, random, canCrawl })
  const given: WireBundle[] = []
  const place = {
    peer: 'v',
    prefix: '10.1',
    give: (bundle: WireBundle) => void given.push(bundle),
    giveBack: () => {},
  }
  const work = { urgency: 'normal', urls, pace, startMs: 0, robots: undefined, site } as const
  return { world, handed, given, result: handed.handOut(place, work) }
}

test('a bundle that nobody holds is overdue when its fence has passed, and not before', async () => {
  const { world, handed, given, result } = handing()
  const { fenceMs, id } = given[0]!
  await world.advance(fenceMs)
  assert.equal(handed.size, 1)
  await world.advance(1_000)
  assert.equal((await result).end, 'overdue')
  assert.equal(handed.give('v', id, true, untried), false, 'what comes late is not taken')
})

test('who holds it goes on, until its deadline', async () => {
  const { world, handed, given, result } = handing()
  const { id, deadlineMs } = given[0]!
  for (let ms = 0; ms < deadlineMs - 10_000; ms += 2_000) {
    await world.advance(2_000)
    assert.ok(handed.hold('v', [id])[0]! > 0, `after ${ms}`)
  }
  await world.advance(8_000 - 2_000)
  assert.deepEqual(handed.hold('v', [id]), [0])
  await world.advance(10_000)
  assert.equal((await result).end, 'overdue')
})

test('nobody else can hold or give it', async () => {
  const { handed, given, result } = handing()
  const { id } = given[0]!
  assert.deepEqual(handed.hold('other', [id]), [0])
  assert.equal(handed.give('other', id, true, untried), false)
  assert.equal(handed.give('v', id, true, untried), true)
  const { end, answers } = await result
  assert.equal(end, 'given')
  assert.equal(answers.size, 1)
})

test('a site whose lease ends is not held any longer, and one that is not ours is not handed out', async () => {
  let isOurs = true
  const { handed, given } = handing(() => isOurs)
  isOurs = false
  assert.deepEqual(handed.hold('v', [given[0]!.id]), [0])
  const none = handing(() => false)
  assert.equal((await none.result).end, 'not-ours')
  assert.equal(none.given.length, 0)
})

test('what is left of a fence when the answer leaves is what the volunteer is told', async () => {
  const { world, handed, given } = handing()
  const { fenceMs } = given[0]!
  await world.advance(1_500)
  const [told] = handed.begun(given)
  assert.ok(told!.fenceMs <= fenceMs - 1_500 && told!.fenceMs > 0, `${told!.fenceMs}`)
})
