import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { noCounts } from '../../crawl/frontier/jobs/crawl-job.ts'
import { JobEnding } from './job-ending.ts'
import { noShare, type PeerShare, readShares, sumOf, writeShares } from './job-shares.ts'

function share(
  more: Partial<PeerShare> & { pending?: number; pages?: number; bytes?: number } = {},
): PeerShare {
  const { pending = 0, pages = 0, bytes = 0, ...rest } = more
  const empty = noShare({ waiting: 0, unsettled: 0, process: 1, activity: 0 })
  return { ...empty, counters: { ...noCounts(), pending, pages, bytes }, ...rest }
}

const whole = { isSettled: true, isWhole: true, pagesElsewhere: 0 }
const partial = { ...whole, isWhole: false }

const quiet = new Map([
  ['a', share()],
  ['b', share()],
])

describe('a job', () => {
  test('has ended after two whole quiet rounds in which nothing happened', () => {
    const ending = new JobEnding({})
    assert.equal(ending.look(quiet, whole), undefined)
    assert.equal(ending.look(quiet, whole), 'complete')
  })

  test('has not while somebody did not answer, however quiet the others are', () => {
    const ending = new JobEnding({})
    assert.equal(ending.look(quiet, whole), undefined)
    assert.equal(ending.look(quiet, partial), undefined)
    assert.equal(ending.look(quiet, whole), undefined)
    assert.equal(ending.look(quiet, whole), 'complete')
  })

  test.each([
    ['something queued', { pending: 1 }],
    ['a URL being fetched', { tasks: 1 }],
    ['a link on its way', { waiting: 1 }],
    ['a site on its way', { unsettled: 1 }],
  ])('has not while there is %s', (_what, more) => {
    const ending = new JobEnding({})
    const busy = new Map([...quiet, ['b', share(more)]])
    for (let round = 0; round < 3; round++) assert.equal(ending.look(busy, whole), undefined)
  })

  test('has not when something was done between two quiet rounds, or a process is another', () => {
    for (const more of [{ activity: 1 }, { process: 2 }]) {
      const ending = new JobEnding({})
      assert.equal(ending.look(quiet, whole), undefined)
      assert.equal(ending.look(new Map([...quiet, ['b', share(more)]]), whole), undefined)
    }
  })

  test('has not when somebody was not asked before', () => {
    const ending = new JobEnding({})
    ending.look(quiet, whole)
    assert.equal(ending.look(new Map([...quiet, ['c', share()]]), whole), undefined)
  })

  test('with a budget of pages has ended when nothing but pages is left, and all were fetched', () => {
    const ending = new JobEnding({ pages: 10 })
    const spent = new Map([['a', share({ pages: 10, pending: 5, isOutOfPages: true })]])
    ending.look(spent, whole)
    assert.equal(ending.look(spent, whole), 'budget of 10 pages is spent')
    const left = new Map([['a', share({ pages: 9, pending: 5, isOutOfPages: true })]])
    ending.look(left, whole)
    assert.equal(ending.look(left, whole), undefined)
  })

  test('with a budget of pages has ended when all were fetched, whoever does not answer any more', () => {
    const spent = new Map([['a', share({ pages: 6, pending: 5, isOutOfPages: true })]])
    for (const [elsewhere, expected] of [
      [4, 'budget of 10 pages is spent'],
      [3, undefined],
    ] as const) {
      const ending = new JobEnding({ pages: 10 })
      const round = { ...partial, pagesElsewhere: elsewhere }
      assert.equal(ending.look(spent, round), undefined)
      assert.equal(ending.look(spent, round), expected)
      assert.equal(ending.look(spent, { ...round, isSettled: false }), undefined)
    }
  })

  test('with a budget of bytes has ended when all together have fetched them', () => {
    const shares = new Map([
      ['a', share({ bytes: 60, pending: 1 })],
      ['b', share({ bytes: 50 })],
    ])
    assert.equal(new JobEnding({ bytes: 100 }).look(shares, partial), 'budget of 100 bytes is spent')
    assert.equal(new JobEnding({ bytes: 200 }).look(shares, partial), undefined)
  })
})

test('shares are read as they were written', () => {
  const shares = [
    share({ pending: 3, allotted: 0, isOutOfPages: true }),
    share({ tasks: 2, activity: 7, process: 2 ** 46 }),
  ]
  assert.deepEqual(readShares(writeShares(shares), 2), shares)
  assert.throws(() => readShares(writeShares(shares), 1), { code: 'message-malformed' })
})

test('shares add up, but for time, which runs side by side', () => {
  const one = share({ pages: 2, tasks: 1 })
  const other = { ...share({ pages: 3 }), counters: { ...share({ pages: 3 }).counters, timeMs: 40 } }
  const { counters, underWay } = sumOf([one, other, { ...other }])
  assert.deepEqual([counters.pages, counters.timeMs, underWay], [8, 40, 1])
})
