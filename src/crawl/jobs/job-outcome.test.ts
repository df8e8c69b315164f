import assert from 'node:assert/strict'
import { test } from 'vitest'
import { adviceOn, missingParts, outcomeOf, withMissed } from './job-outcome.ts'

const counters = { fetched: 10, failed: 0, refused: 0 }
const done = { state: 'done', ending: 'complete', counters, missed: {} } as const
const missedOf = (code: string, isSeed = false) =>
  withMissed({}, { code, reason: 'why' }, { href: 'http://a.test/', isSeed })

test('a job is complete, partly so, or kept nothing; while it runs it is neither', () => {
  assert.equal(outcomeOf({ ...done, state: 'running', ending: undefined }), undefined)
  assert.equal(outcomeOf(done), 'complete')
  assert.equal(outcomeOf({ ...done, counters: { ...counters, failed: 1 } }), 'partly')
  assert.equal(outcomeOf({ ...done, missed: missedOf('address-forbidden') }), 'partly')
  assert.equal(outcomeOf({ ...done, ending: 'cancelled' }), 'partly')
  assert.equal(outcomeOf({ ...done, counters: { fetched: 0, failed: 3, refused: 0 } }), 'nothing')
  assert.equal(outcomeOf({ ...done, counters: { fetched: 0, failed: 0, refused: 1 } }), 'nothing')
})

test('what a site keeps to itself is not missing, unless it was asked for by name', () => {
  assert.equal(outcomeOf({ ...done, missed: missedOf('robots') }), 'complete')
  assert.equal(outcomeOf({ ...done, missed: missedOf('robots', true) }), 'partly')
})

test('answers that were not kept are nothing kept', () => {
  const missed = missedOf('noarchive', true)
  assert.equal(outcomeOf({ ...done, counters: { ...counters, fetched: 1 }, missed }), 'nothing')
})

test('what is missing is told by reason, the most frequent first, with the first example', () => {
  let missed = missedOf('timeout')
  for (const href of ['http://b.test/', 'http://c.test/'])
    missed = withMissed(
      missed,
      { code: 'connect-refused', reason: 'x'.repeat(9_000) },
      { href, isSeed: true },
    )
  const parts = missingParts(missed)
  assert.deepEqual(
    parts.map(({ code, count, seeds, url }) => [code, count, seeds, url]),
    [
      ['connect-refused', 2, 2, 'http://b.test/'],
      ['timeout', 1, 0, 'http://a.test/'],
    ],
  )
  assert.equal(parts[0]!.words, 'the server refused the connection')
  assert.ok(parts[0]!.reason.length < 5_000)
  for (let number = 0; number < 1_000; number++)
    missed = withMissed(missed, { code: `made-up-${number}`, reason: '' }, { href: '', isSeed: false })
  assert.ok(Object.keys(missed).length < 100)
})

test('who wants to crawl his own machines is told how', () => {
  assert.match(adviceOn(missedOf('address-forbidden')) ?? '', /--allow-address/)
})

test('who asked for a page that cannot be had is told what to try; of what pages link to, nothing', () => {
  assert.match(adviceOn(missedOf('timeout', true)) ?? '', /with the server/)
  assert.match(adviceOn(missedOf('dns-not-found', true)) ?? '', /spelt/)
  assert.match(adviceOn(missedOf('connect-refused', true)) ?? '', /port/)
  assert.equal(adviceOn(missedOf('timeout')), undefined)
  assert.equal(adviceOn(missedOf('noarchive', true)), undefined)
})
