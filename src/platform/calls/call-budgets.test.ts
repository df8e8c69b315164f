import assert from 'node:assert/strict'
import { test } from 'vitest'
import { silentLog } from '../log.ts'
import { simulatedWorld } from '../simulated/world.ts'
import { CallBudgets } from './call-budgets.ts'
import { CallFaults } from './call-faults.ts'
import { CallServices } from './call-services.ts'
import { Calls } from './calls.ts'

const limits = { questionsPerSecond: 10, questionsAtOnce: 20, workMsPerSecond: 100, workMsAtOnce: 200 }

test('who asks more than its budget is refused for a while, others are not', async () => {
  const world = simulatedWorld({ seed: 1 })
  const [a, b, c] = [world.machine('a'), world.machine('b'), world.machine('c')]
  for (const asker of [a, c]) asker.network.learn('b', b.network.addresses())
  const faults = new CallFaults({ clock: b.clock, log: silentLog })
  const budgets = new CallBudgets(b, limits)
  new CallServices(new Calls(b), faults, budgets).service('ring').answer((_from, bytes) => bytes)
  const [greedy, modest] = [new CallServices(new Calls(a)), new CallServices(new Calls(c))]
  const ask = async (services: CallServices, count: number): Promise<Record<string, number>> => {
    const calls = Array.from({ length: count }, () =>
      services.service('ring').call('b', new Uint8Array(1), { deadlineMs: 1_000 }),
    )
    const results = await world.complete(Promise.allSettled(calls))
    const codes = results.map((result) => (result.status === 'rejected' ? result.reason.code : 'answered'))
    return Object.fromEntries(
      Map.groupBy(codes, (code) => code)
        .entries()
        .map(([code, all]) => [code, all.length]),
    )
  }
  assert.deepEqual(await ask(greedy, 30), { answered: 20, 'too-many-calls': 10 })
  assert.deepEqual(await ask(modest, 5), { answered: 5 })
  await world.advance(1_000)
  const later = await ask(greedy, 15)
  assert(later.answered! >= 10 && later.answered! < 15, JSON.stringify(later))
  assert(faults.view().total.throttled >= 10)
  assert.deepEqual(
    faults.view().worst.map(({ peer }) => peer),
    ['a'],
  )
})

test('time that a peer’s questions take is its own, too', () => {
  let nowMs = 0
  const clock = { ...simulatedWorld({ seed: 1 }).machine('a').clock, monotonicMs: () => nowMs }
  const budgets = new CallBudgets({ clock }, limits)
  const take = (ms: number) => budgets.measured('slow', () => (nowMs += ms))
  assert(budgets.allows('slow'))
  take(150)
  assert(budgets.allows('slow'), 'it has some left')
  take(150)
  assert(!budgets.allows('slow'))
  assert(budgets.allows('other'))
  nowMs += 2_000
  assert(budgets.allows('slow'), 'it may again')
})
