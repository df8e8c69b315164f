import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import type { ReachView } from '../../platform/network/peer-network.ts'
import { checkup, type DoctorFacts } from './checkup.ts'

const reached: ReachView = {
  ...{ state: 'reached', asked: 2, reachedBy: 2, seenAt: ['/ip4/192.0.2.1'], addresses: [] },
  ...{ router: 'not asked', relays: [], relayedFor: 0, connections: { direct: 2, relayed: 0, punched: 0 } },
  punches: { succeeded: 0, failed: 0 },
}
const well: DoctorFacts = {
  ...{ nodeVersion: 'v26.1.0', nodeVersionMin: 24, homeProblem: undefined },
  ...{ freeBytes: 1e11, reserveBytes: 1e9, filesMax: 65_536, clockOffsetsMs: [10, -20] },
  ports: [{ what: 'browsers', setting: '--http', port: 7070, use: 'ours' }],
  browser: { path: '/usr/bin/chromium', named: '', isWanted: false, canFetch: true },
  ...{ openToOthers: [], isHeld: false, leftovers: [], store: { state: 'sound', detail: '' } },
  ...{ isRunning: true, reach: reached, announced: [] },
}

function stateOf(name: string, change: Partial<DoctorFacts>): string | undefined {
  return checkup({ ...well, ...change }).find((check) => check.name === name)?.state
}

test('a machine that has all is well', () => {
  assert.deepEqual(
    checkup(well).filter(({ state }) => state !== 'well'),
    [],
  )
})

describe('what is not well is named, with whose fault it is and what to do', () => {
  test.each<[string, string, Partial<DoctorFacts>]>([
    ['runtime', 'broken', { nodeVersion: 'v20.1.0' }],
    ['home', 'broken', { homeProblem: 'EACCES' }],
    ['disk', 'broken', { freeBytes: 9e8 }],
    ['disk', 'warning', { freeBytes: 1.5e9 }],
    ['files', 'warning', { filesMax: 256 }],
    ['clock', 'warning', { clockOffsetsMs: [5_000, 5_000, 0] }],
    ['clock', 'broken', { clockOffsetsMs: [-100_000] }],
    ['ports', 'broken', { ports: [{ what: 'browsers', setting: '--http', port: 80, use: 'forbidden' }] }],
    ['browser', 'warning', { browser: { ...well.browser, path: undefined, isWanted: true } }],
    ['browser', 'broken', { browser: { ...well.browser, path: undefined, named: '/none', isWanted: true } }],
    ['privacy', 'broken', { openToOthers: ['token'] }],
    ['leftovers', 'warning', { leftovers: [{ name: 'peer.json', sizeBytes: 100 }] }],
    ['store', 'warning', { store: { state: 'unclosed', detail: '' } }],
    ['store', 'broken', { store: { state: 'mark damaged', detail: 'x' } }],
    ['store', 'broken', { store: { state: 'other format', detail: 'x' } }],
    ['store', 'broken', { store: { state: 'index damaged', detail: 'x' } }],
    ['store', 'broken', { store: { state: 'index missing', detail: '' } }],
    ['reach', 'warning', { reach: { ...reached, state: 'relayed', reachedBy: 0, relays: ['12D3R'] } }],
    ['reach', 'broken', { reach: { ...reached, state: 'unreached', reachedBy: 0 } }],
  ])('%s: %s', (name, state, change) => {
    assert.equal(stateOf(name, change), state)
    const check = checkup({ ...well, ...change }).find((one) => one.name === name)
    assert(check?.advice !== undefined && check.advice !== '')
    assert(check.fault !== undefined)
  })
})

test('what cannot be known is said to be unknown, not well', () => {
  assert.equal(stateOf('clock', { clockOffsetsMs: [] }), 'unknown')
  assert.equal(stateOf('reach', { isRunning: false, reach: undefined }), 'unknown')
  assert.equal(stateOf('reach', { reach: { ...reached, state: 'unknown', asked: 0 } }), 'unknown')
  assert.equal(stateOf('reach', { reach: 'alone' }), 'well')
})
