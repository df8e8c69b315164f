// Which capture of a second was the first, as several holders say it: the liar's answer comes at any time.

import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { PolyhistorError } from '../../errors.ts'
import { parseUrl } from '../../model/url/url.ts'
import type { PeerId } from '../../platform/network/network.ts'
import { FirstCaptureVotes, verdictOf } from './first-capture-votes.ts'
import type { NetworkCapture } from './view.ts'

const url = parseUrl('http://site.example/')
const secondMs = Date.UTC(2020, 0, 1)

function capture(name: string, ms: number, more: Partial<NetworkCapture> = {}): NetworkCapture {
  return {
    url: url.href,
    surt: url.surt,
    capturedAtMs: secondMs + ms,
    status: 200,
    mime: 'text/html',
    kind: 'full',
    content: undefined,
    payloadBytes: 0,
    storedBytes: 0,
    recordId: name,
    cursor: `${ms}`,
    ...more,
  }
}

const forged = [capture('forged', 0), capture('true', 500, { isLater: true })]
const honest = [capture('forged', 0, { isLater: true }), capture('true', 500)]
/** Both came as copies just now, in the order of their keys. */
const unsure = (nowMs: number) => [
  capture('forged', 0, { heardAtMs: nowMs }),
  capture('true', 500, { heardAtMs: nowMs, isLater: true }),
]

function votesOf(
  answers: Record<PeerId, readonly NetworkCapture[] | 'silent' | undefined>,
  { holders = Object.keys(answers), nowMs = secondMs } = {},
): FirstCaptureVotes {
  return new FirstCaptureVotes({
    clock: { nowMs: () => nowMs, after: () => ({ cancel: () => {} }) } as never,
    waitMs: 1_000,
    patienceMs: 100,
    holders: async () => ({ peers: holders }),
    further: () => Object.keys(answers),
    ask: async (peer) => {
      const captures = answers[peer]
      if (captures === 'silent') return new Promise<never>(() => {})
      if (captures === undefined) throw new PolyhistorError('call-failed', 'it is away', { retry: 'later' })
      return { captures, isCut: false, isComplete: true }
    },
  })
}

describe('of two captures of one second', () => {
  test.each([
    ['the liar is the first to be asked', ['liar', 'one', 'two']],
    ['the liar is the last to be asked', ['one', 'two', 'liar']],
  ])('what most holders are sure of is settled: %s', async (_, holders) => {
    const votes = votesOf({ liar: forged, one: honest, two: honest }, { holders })
    assert.deepEqual(await votes.first(url, secondMs + 7), { recordId: 'true', isSettled: true })
    const marked = await votes.markFirst(forged)
    assert.deepEqual(
      marked.map(({ recordId, isLater }) => [recordId, isLater]),
      [
        ['forged', true],
        ['true', false],
      ],
    )
  })

  test('who got both at once says nothing, and whoever kept the site before is asked', async () => {
    const nowMs = secondMs + 60_000
    const answers = { newcomer: unsure(nowMs), liar: forged, one: honest, before: honest }
    const votes = votesOf(answers, { holders: ['newcomer', 'liar', 'one'], nowMs })
    assert.deepEqual(await votes.first(url, secondMs), { recordId: 'true', isSettled: true })
  })

  test('one who is sure alone settles nothing', async () => {
    const nowMs = secondMs + 60_000
    const votes = votesOf({ liar: forged, one: unsure(nowMs), two: undefined }, { nowMs })
    assert.equal((await votes.first(url, secondMs))?.isSettled, false)
  })

  test('nobody is waited for who cannot change it any more', async () => {
    const votes = votesOf({ one: honest, two: honest, silent: 'silent' })
    assert.deepEqual(await votes.first(url, secondMs), { recordId: 'true', isSettled: true })
  })

  test('as many on either side settle nothing', () => {
    const say = (recordId: string) => ({ recordId, isSure: true })
    assert.deepEqual(verdictOf([say('a'), say('b'), say('b'), say('a')], 2), {
      recordId: 'a',
      isSettled: false,
    })
    assert.equal(verdictOf([], 1), undefined)
  })
})

test('nobody is asked about what nobody contests', async () => {
  const votes = votesOf({})
  const captures = [
    capture('one', 0),
    capture('two', 1_000),
    capture('three', 1_200, { importedBy: 'somebody' }),
  ]
  assert.equal(await votes.markFirst(captures), captures)
})
