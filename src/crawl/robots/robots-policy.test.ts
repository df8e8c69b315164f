import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { robotsBytesMax } from './robots-file.ts'
import {
  copyValidMsMax,
  copyValidMsMin,
  isRobotsDue,
  outageMsMax,
  type RobotsAnswer,
  type RobotsState,
  robotsAfter,
  robotsRulesOf,
  robotsStance,
  robotsVerdict,
} from './robots-policy.ts'

const hourMs = 3_600_000
const nothing = new Uint8Array(0)
const rules = new TextEncoder().encode('User-agent: *\nDisallow: /private')
const unreachable: RobotsAnswer = { kind: 'unreachable' }

function response(
  status: number,
  more: { body?: Uint8Array; cacheControl?: string; retryAfterMs?: number } = {},
) {
  return { kind: 'response', status, body: nothing, ...more } as const
}

function isAllowed(state: RobotsState, target: string, nowMs: number): boolean {
  return robotsVerdict(state, robotsRulesOf(state, 'me'), target, nowMs).isAllowed
}

describe('what an answer means', () => {
  test('2xx: its rules', () => {
    const state = robotsAfter(undefined, response(200, { body: rules }), 0)
    assert.equal(robotsStance(state, 0), 'rules')
    assert.equal(isAllowed(state, '/private/a', 0), false)
    assert.equal(isAllowed(state, '/', 0), true)
  })

  test('2xx, too long: the line that the limit falls into is no rule of the copy either', () => {
    const start = 'User-agent: *\n'
    const fill = '#'.repeat(robotsBytesMax - start.length - 'Disallow: /b'.length - 1)
    const body = new TextEncoder().encode(`${start}${fill}\nDisallow: /blocked\n`)
    const state = robotsAfter(undefined, response(200, { body }), 0)
    assert.equal(isAllowed(state, '/b', 0), true)
    assert.ok(state.copy.length <= robotsBytesMax + 1)
  })

  test.for([400, 401, 403, 404, 410, 451, 499, 300, 304])('%d: everything is allowed', (status) => {
    const state = robotsAfter(undefined, response(status), 0)
    assert.equal(robotsStance(state, 0), 'allow-all')
    assert.equal(isAllowed(state, '/private', 0), true)
  })

  test.for([500, 502, 503, 599, 600, 100])('%d: nothing is allowed but /robots.txt', (status) => {
    const state = robotsAfter(undefined, response(status), 0)
    assert.equal(robotsStance(state, 0), 'disallow-all')
    assert.equal(isAllowed(state, '/', 0), false)
    assert.equal(isAllowed(state, '/robots.txt', 0), true)
  })

  test('no answer: nothing is allowed', () => {
    assert.equal(robotsStance(robotsAfter(undefined, unreachable, 0), 0), 'disallow-all')
  })

  test('redirects astray: everything is allowed', () => {
    assert.equal(robotsStance(robotsAfter(undefined, { kind: 'astray' }, 0), 0), 'allow-all')
  })

  test('a 404 replaces a copy', () => {
    const copy = robotsAfter(undefined, response(200, { body: rules }), 0)
    assert.equal(robotsStance(robotsAfter(copy, response(404), 1), 1), 'allow-all')
  })

  test('429: a copy stays; without one it is a 4xx, asked again soon', () => {
    const copy = robotsAfter(undefined, response(200, { body: rules }), 0)
    const later = robotsAfter(copy, response(429, { retryAfterMs: 2 * hourMs }), 0)
    assert.equal(isAllowed(later, '/private', 0), false)
    assert.equal(later.dueAtMs, 2 * hourMs)
    const first = robotsAfter(undefined, response(429), 0)
    assert.equal(robotsStance(first, 0), 'allow-all')
    assert.ok(first.dueAtMs < hourMs)
  })
})

describe('while unreachable', () => {
  const copy = robotsAfter(undefined, response(200, { body: rules }), 0)

  test('the last copy is used on, however old', () => {
    const state = robotsAfter(copy, response(503), 2 * copyValidMsMax)
    assert.equal(isAllowed(state, '/private', 3 * copyValidMsMax), false)
    assert.equal(isAllowed(state, '/', 3 * copyValidMsMax), true)
    assert.equal(
      isAllowed(robotsAfter(state, unreachable, outageMsMax * 2), '/private', outageMsMax * 3),
      false,
    )
  })

  test('that there was no file is no copy', () => {
    const missing = robotsAfter(undefined, response(404), 0)
    assert.equal(robotsStance(robotsAfter(missing, unreachable, 1), 1), 'disallow-all')
  })

  test('after 30 days without a copy everything is allowed', () => {
    const state = robotsAfter(robotsAfter(undefined, unreachable, 1_000), response(500), hourMs)
    assert.equal(robotsStance(state, 1_000 + outageMsMax - 1), 'disallow-all')
    assert.equal(robotsStance(state, 1_000 + outageMsMax), 'allow-all')
  })

  test('an answer ends the outage', () => {
    const state = robotsAfter(robotsAfter(undefined, unreachable, 0), response(200, { body: rules }), hourMs)
    assert.equal(state.unreachableSinceMs, undefined)
    assert.equal(robotsStance(robotsAfter(state, unreachable, outageMsMax * 2), outageMsMax * 2), 'rules')
  })

  test('attempts come ever more rarely, at least hourly, and not before Retry-After', () => {
    let state: RobotsState | undefined
    const waits: number[] = []
    for (let i = 0; i < 11; i += 1) {
      state = robotsAfter(state, unreachable, 0)
      waits.push(state.dueAtMs / 1_000)
    }
    assert.deepEqual(waits, [10, 20, 40, 80, 160, 320, 640, 1_280, 2_560, 3_600, 3_600])
    assert.equal(robotsAfter(undefined, response(503, { retryAfterMs: 3 * hourMs }), 0).dueAtMs, 3 * hourMs)
    assert.equal(robotsAfter(undefined, response(503, { retryAfterMs: 1e12 }), 0).dueAtMs, copyValidMsMax)
  })
})

describe('how long a copy is valid', () => {
  const dueAfterMs = (cacheControl?: string) =>
    robotsAfter(
      undefined,
      response(200, { body: rules, ...(cacheControl !== undefined && { cacheControl }) }),
      0,
    ).dueAtMs

  test.for([
    [undefined, copyValidMsMax],
    ['max-age=3600', hourMs],
    ['public, Max-Age = "3600"', hourMs],
    ['max-age=999999999', copyValidMsMax],
    ['max-age=0', copyValidMsMin],
    ['no-store', copyValidMsMin],
    ['s-maxage=60, max-age=7200', 2 * hourMs],
    ['max-age=soon', copyValidMsMax],
  ] as const)('%s', ([cacheControl, expectedMs]) => {
    assert.equal(dueAfterMs(cacheControl), expectedMs)
  })

  test('it is due from that moment on, and when there is none', () => {
    const state = robotsAfter(undefined, response(200, { body: rules }), 5)
    assert.equal(isRobotsDue(state, 5 + copyValidMsMax - 1), false)
    assert.equal(isRobotsDue(state, 5 + copyValidMsMax), true)
    assert.equal(isRobotsDue(undefined, 0), true)
  })

  test('a copy that was stored by a clock that was years ahead is due', () => {
    const nowMs = Date.UTC(2026, 0, 1)
    const aheadMs = nowMs + 5 * 365 * 86_400_000
    assert(isRobotsDue(robotsAfter(undefined, response(200, { body: rules }), aheadMs), nowMs))
    const failed = robotsAfter(undefined, { kind: 'unreachable' }, aheadMs)
    assert.equal(robotsAfter(failed, { kind: 'unreachable' }, nowMs).unreachableSinceMs, nowMs)
  })

  test('304 makes a copy valid again', () => {
    const state = robotsAfter(
      robotsAfter(undefined, response(200, { body: rules }), 0),
      response(304),
      hourMs,
    )
    assert.equal(state.dueAtMs, hourMs + copyValidMsMax)
    assert.equal(isAllowed(state, '/private', hourMs), false)
  })

  test('a state survives JSON, whatever the bytes', () => {
    const body = Uint8Array.from({ length: 256 }, (_, octet) => octet)
    const state = robotsAfter(undefined, response(200, { body }), 0)
    assert.deepEqual({ unreachableSinceMs: undefined, ...JSON.parse(JSON.stringify(state)) }, state)
    assert.deepEqual(Buffer.from(state.copy, 'latin1'), Buffer.from(body))
  })
})
