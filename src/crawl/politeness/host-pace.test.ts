import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import {
  boundedPace,
  type HostPace,
  isDown,
  paceAfter,
  paceAfterRestart,
  paceAtStart,
  paceWithCrawlDelay,
  untouched,
} from './host-pace.ts'
import { politenessDefault, politenessOff } from './politeness-rules.ts'

const rules = politenessDefault
const nowMs = Date.UTC(2026, 0, 1)

function pauseAfter(
  event: { responseMs?: number; status?: number; retryAfter?: string; isFailure?: boolean },
  pace: HostPace = untouched,
  used = rules,
): number {
  const { responseMs = 10, status = 200, retryAfter, isFailure } = event
  const at = { endedAtMs: nowMs, responseMs }
  const next = isFailure
    ? paceAfter(pace, { kind: 'failure', ...at }, used)
    : paceAfter(pace, { kind: 'response', ...at, status, retryAfter }, used)
  return next.nextAtMs - nowMs
}

describe('the pause after a response', () => {
  test('is five times as long as the response took, from one second to thirty', () => {
    assert.deepEqual(
      [10, 200, 201, 1_000, 6_000, 6_001, 90_000].map((responseMs) => pauseAfter({ responseMs })),
      [1_000, 1_000, 1_005, 5_000, 30_000, 30_000, 30_000],
    )
  })

  test('is the configured one where there is one, shorter or longer', () => {
    assert.equal(pauseAfter({ responseMs: 9_000 }, untouched, { ...rules, delayMs: 100 }), 100)
    assert.equal(pauseAfter({ responseMs: 9_000 }, untouched, { ...rules, delayMs: 60_000 }), 60_000)
    assert.equal(pauseAfter({ responseMs: 9_000 }, untouched, politenessOff), 0)
  })

  test('is never shorter than the crawl-delay, up to five minutes', () => {
    const asked = (crawlDelayMs: number): HostPace => ({ ...untouched, crawlDelayMs })
    assert.equal(pauseAfter({}, asked(20_000)), 20_000)
    assert.equal(pauseAfter({}, asked(20_000), { ...rules, delayMs: 5 }), 20_000)
    assert.equal(pauseAfter({}, asked(86_400_000)), 300_000)
    assert.equal(pauseAfter({ responseMs: 6_000 }, asked(2_000)), 30_000)
  })

  test('is what Retry-After asks for, shorter or longer than our back-off, up to a day', () => {
    assert.equal(pauseAfter({ status: 429, retryAfter: '2' }), 2_000)
    assert.equal(pauseAfter({ status: 429, retryAfter: '2' }, { ...untouched, refusalsInRow: 9 }), 2_000)
    assert.equal(pauseAfter({ status: 429, retryAfter: '0' }), rules.delayMsMin)
    assert.equal(pauseAfter({ status: 429, retryAfter: '120' }), 120_000)
    assert.equal(pauseAfter({ status: 503, retryAfter: '7200' }), 7_200_000)
    assert.equal(pauseAfter({ status: 503, retryAfter: 'Thu, 01 Jan 2026 00:02:00 GMT' }), 120_000)
    assert.equal(pauseAfter({ status: 503, retryAfter: '999999999999' }), 86_400_000)
    assert.equal(pauseAfter({ status: 503, retryAfter: 'soon' }), rules.backOffMsFirst)
  })

  test('grows with every refusal and every failure in a row, and is forgotten with the first success', () => {
    let pace = untouched
    const pauses: number[] = []
    for (let count = 0; count < 12; count++) {
      pace = paceAfter(
        { ...pace, nextAtMs: 0 },
        { kind: 'response', endedAtMs: nowMs, responseMs: 1, status: 503 },
        rules,
      )
      pauses.push((pace.nextAtMs - nowMs) / 1_000)
    }
    assert.deepEqual(pauses, [10, 20, 40, 80, 160, 320, 640, 1_280, 1_800, 1_800, 1_800, 1_800])
    assert.equal(pauseAfter({}, { ...pace, nextAtMs: 0 }), 1_000)
    assert.equal(pauseAfter({ isFailure: true }), rules.backOffMsFirst)
  })

  test('is not cut short by a response that ended earlier', () => {
    const slow = paceAfter(
      untouched,
      { kind: 'response', endedAtMs: nowMs, responseMs: 1, status: 429, retryAfter: '60' },
      rules,
    )
    const quick = paceAfter(
      slow,
      { kind: 'response', endedAtMs: nowMs + 1, responseMs: 1, status: 200 },
      rules,
    )
    assert.equal(quick.nextAtMs, nowMs + 60_000)
  })
})

const failureAt = (endedAtMs: number) => ({ kind: 'failure', endedAtMs, responseMs: 1 }) as const

test('a host is down after so many failures in a row, and only then', () => {
  let pace = untouched
  for (let count = 1; count < rules.failuresMax; count++) {
    pace = paceAfter(pace, failureAt(pace.nextAtMs + 1), rules)
    assert.equal(isDown(pace, rules), false)
  }
  const nextMs = pace.nextAtMs + 1
  const alive = paceAfter(pace, { kind: 'response', endedAtMs: nextMs, responseMs: 1, status: 500 }, rules)
  assert.equal(isDown(paceAfter(alive, failureAt(alive.nextAtMs + 1), rules), rules), false)
  assert.equal(isDown(paceAfter(pace, failureAt(nextMs), rules), rules), true)
})

test('requests that were under way together and fail together are one failure, or one refusal', () => {
  let failed = untouched
  let refused = untouched
  for (let count = 0; count < 100; count++) {
    const endedAtMs = nowMs + count
    failed = paceAfter(failed, failureAt(endedAtMs), politenessOff)
    refused = paceAfter(refused, { kind: 'response', endedAtMs, responseMs: 1, status: 503 }, politenessOff)
  }
  assert.equal(failed.failuresInRow, 1)
  assert.equal(refused.refusalsInRow, 1)
  assert.equal(failed.nextAtMs, nowMs + 99 + politenessOff.backOffMsFirst)
  assert.equal(refused.nextAtMs, nowMs + 99 + politenessOff.backOffMsFirst)
})

test('a crawl-delay that becomes known counts for the pause under way', () => {
  const pace = paceAfter(
    untouched,
    { kind: 'response', endedAtMs: nowMs, responseMs: 10, status: 200 },
    rules,
  )
  assert.equal(paceWithCrawlDelay(pace, 10_000, nowMs, rules).nextAtMs, nowMs + 10_000)
  assert.equal(paceWithCrawlDelay(pace, 10, nowMs, rules).nextAtMs, nowMs + 1_000)
})

test('after a restart a host waits its pause, even if it is not known to have been asked', () => {
  assert.equal(paceAfterRestart({ ...untouched, crawlDelayMs: 7_000 }, nowMs, rules).nextAtMs, nowMs + 7_000)
  assert.equal(
    paceAfterRestart({ ...untouched, nextAtMs: nowMs + 90_000, pauseMs: 95_000 }, nowMs, rules).nextAtMs,
    nowMs + 90_000,
  )
})

test('without pauses, a new run forgets our own back-off, but not what the host asked for', () => {
  const failed = paceAfter(untouched, { kind: 'failure', endedAtMs: nowMs, responseMs: 1 }, politenessOff)
  assert.equal(failed.nextAtMs, nowMs + politenessOff.backOffMsFirst)
  assert(paceAtStart(failed, nowMs + 1, politenessOff).nextAtMs <= nowMs + 1)
  assert.equal(paceAtStart(failed, nowMs + 1, politenessOff).failuresInRow, 0)
  assert.deepEqual(paceAtStart(failed, nowMs + 1, rules), failed)
  const refused = {
    kind: 'response',
    endedAtMs: nowMs,
    responseMs: 1,
    status: 503,
    retryAfter: '60',
  } as const
  assert.equal(
    paceAtStart(paceAfter(failed, refused, politenessOff), nowMs, politenessOff).nextAtMs,
    nowMs + 60_000,
  )
})

describe('a clock that was ahead when a pace was stored', () => {
  const year = 365 * 86_400_000
  const wasAhead = [3_600_000, 5 * year]
  const atStart = (aheadMs: number, event: Partial<Parameters<typeof paceAfter>[1]>, used = rules) => {
    const whole = { kind: 'response', endedAtMs: nowMs + aheadMs, responseMs: 10, status: 200, ...event }
    const pace = paceAfter(untouched, whole as Parameters<typeof paceAfter>[1], used)
    return paceAtStart(JSON.parse(JSON.stringify(pace)) as HostPace, nowMs, used).nextAtMs - nowMs
  }

  test('keeps a host waiting for its own pause, no longer', () => {
    for (const aheadMs of wasAhead) {
      assert.equal(atStart(aheadMs, {}), rules.delayMsMin)
      assert.equal(atStart(aheadMs, {}, politenessOff), 0)
      assert.equal(atStart(aheadMs, { kind: 'failure' }), rules.backOffMsFirst)
      assert.equal(atStart(aheadMs, { kind: 'failure' }, politenessOff), 0)
      assert.equal(atStart(aheadMs, { status: 503, retryAfter: '600' }), 600_000)
      assert.equal(atStart(aheadMs, { status: 503, retryAfter: '600' }, politenessOff), 600_000)
    }
  })

  test('keeps none waiting for longer than any rule allows, where the pause is not known', () => {
    const pace = boundedPace({ ...untouched, nextAtMs: nowMs + 1e10 }, nowMs, rules)
    assert.equal(pace.nextAtMs, nowMs + rules.retryAfterMsMax)
    const lied = boundedPace({ ...untouched, nextAtMs: nowMs + 1e10, pauseMs: 1e12 }, nowMs, rules)
    assert.equal(lied.nextAtMs, nowMs + rules.retryAfterMsMax)
  })
})
