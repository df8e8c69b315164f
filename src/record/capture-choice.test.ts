import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { anyTime, chooseCapture, type DatedCapture } from './capture-choice.ts'
import { timestampSpan } from './timestamp.ts'
import { parseUrl } from './url.ts'

const url = parseUrl('http://a.test/')

function at(time: string, more: Partial<DatedCapture> = {}): DatedCapture {
  return { url: url.href, capturedAtMs: Date.parse(time), status: 200, ...more }
}

const imported = (time: string): DatedCapture => at(time, { importedBy: 'somebody' })

function choose(captures: readonly DatedCapture[], digits = ''): Promise<DatedCapture | undefined> {
  const span = digits === '' ? anyTime : timestampSpan(digits)
  return chooseCapture(
    (_, { fromMs = Number.NEGATIVE_INFINITY, toMs = Number.POSITIVE_INFINITY, reverse, limit }) => {
      const found = captures.filter(({ capturedAtMs }) => capturedAtMs >= fromMs && capturedAtMs < toMs)
      return (reverse ? found.toReversed() : found).slice(0, limit)
    },
    { url, span, policy: 'nearest' },
  )
}

describe('what was crawled is preferred to what was imported', () => {
  const old = at('2020-01-01T00:00:00Z')
  const young = imported('2024-06-01T00:00:00Z')

  test('always, when no time is given', async () => {
    assert.equal(await choose([old, young]), old)
    assert.equal(await choose([young]), young)
  })

  test('within a day of the nearest, when a time is given', async () => {
    const near = at('2024-06-01T20:00:00Z')
    assert.equal(await choose([old, young, near], '20240601010000'), near)
    assert.equal(await choose([old, young], '20240601010000'), young)
  })

  test('within the same second', async () => {
    const [one, other] = [imported('2024-06-01T00:00:00.000Z'), at('2024-06-01T00:00:00.900Z')]
    assert.equal(await choose([one, other], '20240601000000'), other)
  })
})

test('of one second the capture that was known first is meant, whatever its milliseconds', async () => {
  const later = at('2024-06-01T00:00:00.000Z', { isLater: true })
  const first = at('2024-06-01T00:00:00.500Z')
  assert.equal(await choose([later, first], '20240601000000'), first)
})

test('of one second the first is found behind any number that came later', async () => {
  const crowd = Array.from({ length: 5_000 }, (_, index) =>
    at(`2024-06-01T00:00:00.${String(Math.floor(index / 10)).padStart(3, '0')}Z`, { isLater: true }),
  )
  const first = at('2024-06-01T00:00:00.900Z')
  assert.equal(await choose([...crowd, first], '20240601000000'), first)
})
