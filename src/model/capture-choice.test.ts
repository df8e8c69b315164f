import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { anyTime, chooseCapture, type DatedCapture } from './capture-choice.ts'
import { timestampSpan } from './timestamp.ts'
import { parseUrl } from './url/url.ts'

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

describe('a span that is cut short', () => {
  test('is not left while anything lies within it', async () => {
    const within = imported('2024-01-01T00:00:10Z')
    const crawledBefore = at('2023-12-31T23:59:50Z')
    assert.equal(await choose([crawledBefore, within], '2024'), within)
    const otherSpelling = at('2024-01-01T00:00:10Z', { url: 'http://www.a.test/' })
    assert.equal(await choose([crawledBefore, otherSpelling], '2024'), otherSpelling)
    const redirect = at('2024-01-01T00:00:10Z', { url: 'https://a.test/', status: 301 })
    assert.equal(await choose([crawledBefore, redirect], '2024'), redirect)
    assert.equal(await choose([crawledBefore], '2024'), crawledBefore)
  })

  test('has a good capture of its own shown, however far from its end', async () => {
    const good = at('2024-02-01T00:00:00Z')
    const errors = [at('2024-11-01T00:00:00Z', { status: 404 }), at('2024-12-01T00:00:00Z', { status: 503 })]
    const outside = at('2025-01-01T00:00:00Z')
    assert.equal(await choose([good, ...errors, outside], '2024'), good)
    assert.equal(await choose([...errors, outside], '2024'), errors[1])
  })
})

describe('an error', () => {
  const error = at('2024-06-15T00:00:00Z', { status: 404 })
  const good = at('2024-06-01T00:00:00Z')

  test('loses against a good capture within 30 days', async () => {
    for (const digits of ['', '20240614000000', '20240620000000']) {
      assert.equal(await choose([good, error], digits), good, digits)
    }
    const later = at('2024-06-20T00:00:00Z')
    assert.equal(await choose([good, error, later], '20240615000001'), later)
    const old = at('2024-05-01T00:00:00Z')
    assert.equal(await choose([old, error]), error)
    assert.equal(await choose([old, error], '20240614000000'), error)
  })

  test('is shown where its very second is asked for', async () => {
    assert.equal(await choose([good, error], '20240615000000'), error)
  })

  test('that was crawled does not lose against what somebody imported', async () => {
    assert.equal(await choose([imported('2024-06-14T00:00:00Z'), error], '20240615000001'), error)
  })

  test('does not lose against the redirect of another spelling', async () => {
    const redirect = at('2024-06-14T00:00:00Z', { url: 'https://a.test/', status: 301 })
    assert.equal(await choose([redirect, error], '20240615000001'), error)
  })
})
